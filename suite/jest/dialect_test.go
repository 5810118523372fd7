package jest

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is a suite of one test.
func sample() onecall.Suite {
	return onecall.Suite{Dialect: Dialect(), File: "EvoMaster_Test.js", Holder: `expect(res_0.body.z).toBe(1);`, Text: `const superagent = require("superagent");
const baseUrlOfSut = "http://localhost:1";
test("test_0", async () => {
    const res_0 = await superagent
        .get(baseUrlOfSut + "/items/4").set("Accept", "*/*")
        .ok(res => res.status);
    expect(res_0.status).toBe(200);
    %s
});
`}
}

func TestReadOne(t *testing.T) {
	if got, want := sample().Call(t), "GET /items/4"; got != want {
		t.Errorf("the call is %q, want %q", got, want)
	}
	for assertion, want := range map[string]string{
		`expect(res_0.status).toBe(404);`:           "/status equal 404",
		`expect(res_0.body.z[0]["a b"]).toBe("x");`: `/body/z/0/a b equal "x"`,
		`expect(res_0.body.z.length).toBe(2);`:      "/body/z length 2",
		`expect(res_0.header["etag"]).toBe("v1");`:  `/header/etag equal "v1"`,
		`expect(res_0.text).toContain("x");`:        `/body contains "x"`,
		`expect(res_0.body.z).toBeNumber();`:        "not understood",
	} {
		if got := sample().Claim(t, assertion); got != want {
			t.Errorf("%s claims %q, want %q", assertion, got, want)
		}
	}
}

func TestWriteOne(t *testing.T) {
	want := map[string]string{
		"status":  `expect(res_0.status).toBe(404);`,
		"header":  `expect(res_0.header["etag"]).toBe("\"v1\"");`,
		"equal":   `expect(res_0.body.z).toBe(-1);`,
		"null":    `expect(res_0.body.z).toBe(null);`,
		"one of":  `expect(["a", "b"]).toContain(res_0.body.z);`,
		"type":    `expect(typeof res_0.body.z).toBe("string");`,
		"count":   `expect(res_0.body.z.length).toBe(2);`,
		"pattern": `expect(res_0.body.z).toMatch(/^\d+$/);`,
	}
	for name, x := range sample().Statements(t) {
		if got, ok := sample().Write(t, x); !ok || got != want[name] {
			t.Errorf("%s: %s, %v, want %s", name, got, ok, want[name])
		}
	}
}

func TestGraftOne(t *testing.T) {
	want := []string{
		`open // flaketap: /items/4 was made by POST /items`,
		`open const setup_0 = await superagent.post(baseUrlOfSut + "/items").set("Content-Type", "application/json").send("{\"a\": \"it's\"}").redirects(0).ok(res => res.status);`,
		`open // flaketap: the set-up has to succeed`,
		`open expect(setup_0.status).toBe(201);`,
		`open const setup_itemId = String(setup_0.body.id);`,
		`open`,
		`open try {`,
		`end } finally {`,
		`end     await superagent.delete(baseUrlOfSut + "/items/" + setup_itemId).redirects(0).ok(res => res.status);`,
		`end }`,
		`url baseUrlOfSut + "/items/" + setup_itemId`,
		`header "no " + setup_itemId`,
		`body "{\"id\": " + setup_itemId + "}"`,
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
