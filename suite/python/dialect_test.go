package python

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is a suite of one test.
func sample() onecall.Suite {
	return onecall.Suite{Dialect: Dialect(), File: "EvoMaster_Test.py", Holder: `assert res_0.json()["z"] == 1`, Text: `import requests
import unittest
class T(unittest.TestCase):
    baseUrlOfSut = "http://localhost:1"

    def test_0(self):
        headers = {}
        res_0 = requests.get(self.baseUrlOfSut + "/items/4", headers=headers)
        assert res_0.status_code == 200
        %s
`}
}

func TestReadOne(t *testing.T) {
	if got, want := sample().Call(t), "GET /items/4"; got != want {
		t.Errorf("the call is %q, want %q", got, want)
	}
	for assertion, want := range map[string]string{
		`assert res_0.status_code == 404`:           "/status equal 404",
		`assert res_0.json()["z"][0]["a b"] == "x"`: `/body/z/0/a b equal "x"`,
		`assert len(res_0.json()["z"]) == 2`:        "/body/z length 2",
		`assert res_0.headers["ETag"] == "v1"`:      `/header/etag equal "v1"`,
		`assert "x" in res_0.text`:                  `/body contains "x"`,
		`assert unknown(res_0)`:                     "not understood",
	} {
		if got := sample().Claim(t, assertion); got != want {
			t.Errorf("%s claims %q, want %q", assertion, got, want)
		}
	}
}

func TestWriteOne(t *testing.T) {
	want := map[string]string{
		"status":  `assert res_0.status_code == 404`,
		"header":  `assert res_0.headers["etag"] == '"v1"'`,
		"equal":   `assert res_0.json()["z"] == -1`,
		"null":    `assert res_0.json()["z"] is None`,
		"one of":  `assert res_0.json()["z"] in ["a", "b"]`,
		"type":    `assert isinstance(res_0.json()["z"], str)`,
		"count":   `assert len(res_0.json()["z"]) == 2`,
		"pattern": `assert __import__("re").fullmatch(r"\d+", res_0.json()["z"])`,
	}
	for name, x := range sample().Statements(t) {
		if got, ok := sample().Write(t, x); !ok || got != want[name] {
			t.Errorf("%s: %s, %v, want %s", name, got, ok, want[name])
		}
	}
}

func TestGraftOne(t *testing.T) {
	want := []string{
		`open # flaketap: /items/4 was made by POST /items`,
		`open setup_0 = requests.request("POST", self.baseUrlOfSut + "/items", headers={"Content-Type": "application/json"}, data=('{"a": "it\'s"}').encode(), timeout=60, verify=False, allow_redirects=False)`,
		`open # flaketap: the set-up has to succeed`,
		`open assert setup_0.status_code == 201`,
		`open setup_itemId = str(setup_0.json()["id"])`,
		`open`,
		`open self.addCleanup(requests.request, "DELETE", self.baseUrlOfSut + "/items/" + setup_itemId, timeout=60, verify=False, allow_redirects=False)`,
		`open`,
		`url self.baseUrlOfSut + "/items/" + setup_itemId`,
		`header "no " + setup_itemId`,
		`body '{"id": ' + setup_itemId + "}"`,
	}
	if diff := cmp.Diff(want, sample().Grafted(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRoundTrip: what is written says what was meant, as it is read.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample().RoundTrip(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
}
