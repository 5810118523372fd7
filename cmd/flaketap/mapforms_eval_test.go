package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// newToolsBench returns a bench with a recording of the truth API's client and packages of Python that are fetched for
// the test.
func newToolsBench(t *testing.T, packages string) *bench {
	t.Helper()
	needs.That(t, "Python", found("python3"))
	b := newBench(t)
	b.must("python3 -m venv tools && tools/bin/pip install -q --disable-pip-version-check " + packages)
	b.must("flaketap record " + shopStarts(t) + "--listen 127.0.0.1:0 -- sh -c 'flaketap demo client --url $FLAKETAP_URL'")
	b.must("flaketap replay --runs 4 " + shopStarts(t))
	return b
}

// A tool for overlays takes ours for one, and every action of it finds its target in the API's description.
func TestEvalMapOverlay(t *testing.T) {
	b := newToolsBench(t, "oas-patch==0.6.0")
	if err := os.WriteFile(filepath.Join(b.dir, "openapi.json"), demoapi.OpenAPI(), 0o600); err != nil {
		t.Fatal(err)
	}
	b.must("flaketap map --format overlay --openapi openapi.json --out overlay.json")
	b.must("tools/bin/oas-patch validate overlay.json && tools/bin/oas-patch overlay openapi.json overlay.json -o marked.json")
	var overlay struct{ Actions []any }
	if err := json.Unmarshal(read(t, filepath.Join(b.dir, "overlay.json")), &overlay); err != nil {
		t.Fatal(err)
	}
	marks := strings.Count(string(read(t, filepath.Join(b.dir, "marked.json"))), `"x-flaketap":`)
	if marks != len(overlay.Actions) || marks < 40 {
		t.Errorf("%d marks by %d actions", marks, len(overlay.Actions))
	}
}

// verifyPact has Pact verify what needs nothing in a request but its path; then all that it verified is asked of the API
// that is given.
const verifyPact = `
import json, sys
from pact import Verifier

url, wanted = sys.argv[1], sys.argv[2]
doc = json.load(open("pact.json"))
asks = ("/cart", "/me", "/orders", "/prices/estimate", "/search")  # with a query, or credentials
doc["interactions"] = [
    i for i in doc["interactions"]
    if i["request"]["method"] == "GET" and i["response"]["status"] == 200 and "generators" not in i["request"]
    and i["request"]["path"] not in asks
]
assert len(doc["interactions"]) > 20, len(doc["interactions"])
json.dump(doc, open("part.json", "w"))
verifier = Verifier("recorded API", host="127.0.0.1").add_transport(url=url).add_source("part.json")
try:
    verifier.verify()
    failed = []
except Exception:
    failed = sorted(e["interaction"].split(" - ")[-1] for e in verifier.results["errors"])
print("failed:", failed)
sys.exit(0 if bool(failed) == (wanted == "fails") else 1)
`

// Pact's verifier finds that another instance of the API, a day later, keeps to the pact, and that one with a regression
// does not.
func TestEvalMapPact(t *testing.T) {
	b := newToolsBench(t, "pact-python==4.2.0")
	b.must("flaketap map --format pact --out pact.json")
	if err := os.WriteFile(filepath.Join(b.dir, "verify.py"), []byte(verifyPact), 0o600); err != nil {
		t.Fatal(err)
	}
	b.must("tools/bin/python verify.py " + b.start("flaketap demo api --listen ADDR --clock-offset 24h", "/health") + " holds")
	for _, fault := range []string{"field", "drop"} {
		b.must("tools/bin/python verify.py " + b.start("flaketap demo api --listen ADDR --fault "+fault, "/health") + " fails")
	}
}
