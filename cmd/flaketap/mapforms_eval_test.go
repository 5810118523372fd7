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

// verifyPact has Pact verify what needs no credentials: queries and bodies are in the pact, and the parameter of a path is
// given by a server as the state.
const verifyPact = `
import json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pact import Verifier


class State(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answer = b'{"id": "2"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


states = HTTPServer(("127.0.0.1", 0), State)
threading.Thread(target=states.serve_forever, daemon=True).start()
url, wanted = sys.argv[1], sys.argv[2]
doc = json.load(open("pact.json"))
# With credentials; what follows earlier requests; what is so rare that a few runs do not see it.
asks = ("/cart", "/me", "/orders", "/cart/items", "/guestbook", "/odd/maybe", "/prices/estimate")
doc["interactions"] = [
    i for i in doc["interactions"]
    if i["response"]["status"] in (200, 201) and i["request"]["path"] not in asks
    and ("generators" not in i["request"] or i["description"] == "GET /products/{id} 200")
]
queries = [i["description"] for i in doc["interactions"] if "query" in i["request"]]
bodies = [i["description"] for i in doc["interactions"] if "body" in i["request"]]
print("with a query:", queries, "with a body:", bodies)
assert len(doc["interactions"]) > 20, len(doc["interactions"])
assert queries and bodies
json.dump(doc, open("part.json", "w"))
verifier = Verifier("recorded API", host="127.0.0.1").add_transport(url=url).add_source("part.json")
verifier.state_handler(f"http://127.0.0.1:{states.server_port}/", body=True, teardown=False)
try:
    verifier.verify()
    failed = []
except Exception:
    failed = sorted(e["interaction"].split(" - ")[-1] for e in verifier.results["errors"])
print("failed:", failed)
sys.exit(0 if (wanted in failed if wanted else not failed) else 1)
`

// Pact's verifier finds that another instance of the API, a day later, keeps to the pact, and that one with a regression
// does not.
func TestEvalMapPact(t *testing.T) {
	b := newToolsBench(t, "pact-python==4.2.0")
	b.must("flaketap map --format pact --out pact.json")
	if err := os.WriteFile(filepath.Join(b.dir, "verify.py"), []byte(verifyPact), 0o600); err != nil {
		t.Fatal(err)
	}
	const verify = "env PACT_DO_NOT_TRACK=true tools/bin/python verify.py "
	b.must(verify + b.start("flaketap demo api --listen ADDR --clock-offset 24h", "/health") + " ''")
	for _, fault := range []string{"field", "drop"} {
		b.must(verify + b.start("flaketap demo api --listen ADDR --fault "+fault, "/health") + " 'GET /products/{id} 200'")
	}
}
