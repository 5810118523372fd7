package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// What is too long for a line is broken as formatters have it: they find nothing new to say.
func TestLongLinesAreBrokenAsRuffDoes(t *testing.T) {
	name := `r.json()["name"]`
	long := func(parts ...string) string { return strings.Join(parts, " and ") }
	var out strings.Builder
	out.WriteString("def test_it(self, r):\n")
	w := &suiteFile{script: wrote(t, "def test_it(c):\n    c.get('/a')\n")}
	for _, text := range []string{
		"assert r.ok",
		"assert " + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaa")`),
		"assert " + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaa")`) + `, "message"`,
		"assert " + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaa")`, name+`.endswith("a")`),
		"assert " + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaa")`, name+`.endswith("a")`) + `, "message"`,
		"assert " + long("isinstance("+name+", str)", name+`.isdigit()`, "len("+name+") == 4", "r.ok"),
		"assert " + long("isinstance("+name+", str)", name+`["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]`),
		`assert __import__("re").fullmatch(r"(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?", account["id"])`,
		`assert r.json()["aaaaaaaaaaaaaaaaaaaaaaaa"] in ("aaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbb")`,
		`assert r.json()["aaaaaaaaaaaaaaaaaaaaaaaa"] == {"aaaaaaaaaaaaaaaaaaaaaaaa": 1, "bbbbbbbbbbbbbbbbbbbbbbb": 2}`,
		`assert r.json()["aaaaaaaaaaaaaaaaaaaaaaaa"] == "cccccccccccccccccccccccccccccccccccccccccccccccccccc"`,
		`assert all([item["customer"] in ("acme", "globex", "acme corporation") for item in page["items"] if item["x"]])`,
		`assert 4.249995750000000 <= r.json()["rating"]["average"]["of all of this"] <= 4.25000425000000`,
		`assert isinstance(r.json(), dict) and __import__("re").fullmatch(r"(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?", account["id"])`,
		`assert isinstance(r.json(), dict) and (` + name + ` is None or ` + name + `.endswith("aaa") or ` + name + `.endswith("bbbbbb")) and x`,
		`assert not (r.json()["aaaaaaaaaaaaaaaa"] == 1 and r.json()["bbbbbbbbbbbbbbbbbbbbbb"] == 2 and x == 3 and y)`,
		`assert isinstance(customer, dict) and len(customer) == 5 if isinstance(customer, dict) else all([e in ("id", "name") for e in customer])`,
		`assert sorted([i["nameeeeeeeeeeeeeeeee"] for i in items]) == ["bolttttttttttttt", "nut", "washer"], "mmmm"`,
		"self.assertTrue(" + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaaaaaaaaa")`) + ")",
		"self.assertTrue(" + long("isinstance("+name+", str)", name+`.startswith("aaaaaaaaaaaaaaaaa")`) + `, "message")`,
		`self.assertTrue(r.json()["aaaaaaaaaaaaaaaaaaaaaaaa"] in ("aaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbb", "cccccccc"))`,
		`assert all([item["customer"] in ("acme", "globex") for item in page["items"]]) and "open" in [item["customer"] for item in page["items"]]`,
		`assert len(r.json()["aaaaaaaaaaaaaaaaaaaaaaa"]["b"]) == 12 and r.json()["bbbbbbbbbbbbbbbbbb"] == "ccccccccccc"`,
		`assert r.headers.get("X-Aaaaaaaaaaaaaaaaaa", "") == "bbbbbbbbbbbbbbbbbbbb" or r.headers["Content-Type"] is None`,
		`assert 100000000000 < r.json()["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] and r.json()["bbbbbbbbbb"]["c"] < 200000000`,
		`assert "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" in r.json()["ccccccccccccccccccccc"] and isinstance(r.json()["x"], (str, int, float))`,
		`assert [x["name"] for x in r.json()["items"]["products"]] == ["aaaaaaaaaa", "bbbbbbbbbbbbbbbbbbb", "ccccc"]`,
		`assert r.json() == {"id": 12, "name": "aaaaaaaaaaaaaaaaaaaaaa", "tags": ["aaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbb", "cccccccccccccccccc"]}`,
		`assert {k: v for k, v in r.json().items() if k not in ("createdAt", "updatedAt")} == {"id": 1, "name": "x"}`,
		`assert (r.json()["aaaaaaaaaaaaaaaaaaaa"] is None or r.json()["aaaaaaaaaaaaaaaaaaaa"] > 4) and r.json()["b"]`,
		`assert str(r.json()["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]) + "bbbbbbbbbbbbbbbbbbb" == r.headers["X-C"]`,
		`assert r.headers["Location"] == "/bbbbbbbbbbbbbbbbbbbb/cccccccccccccccccccc/" + str(r.json()["identifier"])`,
		`assert not isinstance(r.json()["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]["bbbbbbbbbbbbbbbb"], bool)`,
		`assert isinstance(r.json()["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]["bbbbbbbbbbbbbbbb"]["ccccc"], str)`,
	} {
		out.WriteString("    " + w.broken(text, "    ") + "\n")
	}
	ruff := "ruff"
	if venv := os.Getenv("FLAKETAP_VENV"); venv != "" {
		ruff = filepath.Join(venv, "bin", "ruff")
	}
	if _, err := exec.LookPath(ruff); err != nil {
		needs.That(t, "ruff", false)
	}
	file := filepath.Join(t.TempDir(), "test_it.py")
	if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff, err := exec.Command(ruff, "format", "--isolated", "--diff", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, diff, out.String())
	}
}
