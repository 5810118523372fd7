package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// These tests drive two real APIs by what neither draws nor counts nor tells in them, and replay that ten times: nothing
// of it may be called volatile, but what HTTP itself moves. What else the two answer moves for a reason, as in
// TestRealNodeJSONServer and TestRealPythonHttpbin.
const (
	steadyReplays = 10
	steadySteps   = 150
)

// TestRealNodeSteadyJSONServer fuzzes json-server by all that does not answer with an address of its own: the URL of what a POST
// made, the links to further pages. It changes what it holds, so each replay begins as the recording did.
func TestRealNodeSteadyJSONServer(t *testing.T) {
	t.Parallel()
	modules, there := toolsDir(t, "node")
	needs.That(t, "Node with json-server (make tools installs it)", there && found("node"))
	b := newFuzzBench(t)
	b.testdata("json-server.json", "json-server.yaml")
	spec := filepath.Join(b.dir, "json-server.yaml")
	pages := regexp.MustCompile(`(?m)^.*name: _page,.*\n`)
	if err := os.WriteFile(spec, pages.ReplaceAll(read(t, spec), nil), 0o644); err != nil {
		t.Fatal(err)
	}
	a := b.realAPI("env NODE_ENV=production node "+modules+"/node_modules/json-server/lib/cli/bin.js --quiet --host 127.0.0.1 --port PORT data/db.json",
		"mkdir data && cp json-server.json data/db.json", "/profile")
	a.steady("schemathesis run json-server.yaml --url "+a.url+" --seed 12 --max-examples 30 --mode positive --exclude-method POST --phases examples,coverage,fuzzing --checks not_a_server_error", a.known)
}

// TestRealPythonSteadyHttpbin fuzzes what httpbin serves from files and echoes, but for the host that was asked for. It holds nothing that a reset could bring back.
func TestRealPythonSteadyHttpbin(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	a := b.realAPI("gunicorn -b 127.0.0.1:PORT -w 1 --threads 4 httpbin:app", "mkdir data", "/json")
	a.steady("schemathesis run "+a.url+"/spec.json --url "+a.url+" --seed 12 --max-examples 15 --phases examples,coverage,fuzzing --checks not_a_server_error "+
		"--include-path-regex '^/(json|xml|html|robots.txt|deny|encoding|base64|basic-auth|hidden-basic-auth|bearer|user-agent|image|response-headers|links|range)'", "")
}

// steady records a client, replays that, and fails for each place that is called volatile.
func (a *realAPI) steady(client, known string) {
	b := a.bench
	b.t.Helper()
	a.record("flaketap.db", "--target "+a.url, client)
	b.must(fmt.Sprintf("flaketap replay --runs %d %s", steadyReplays, known))
	b.must("flaketap map --all --out volatile.json")
	m := b.readMap("volatile.json")
	places := 0
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			places++
			if f.Volatile() && !f.Protocol {
				b.t.Errorf("%s %s %d: %s is called %s (%s, %v), but what it answers is fixed: %s", op.Method, op.Template, op.Status, f.Place, f.Judgement, f.Category, f.Evidence, f.Samples)
			}
		}
	}
	if len(m.Runs) != steadyReplays || m.Recording.Count < steadySteps {
		b.t.Errorf("%d runs of %d exchanges, want %d of %d at least", len(m.Runs), m.Recording.Count, steadyReplays, steadySteps)
	}
	b.t.Logf("%d exchanges, %d operations, %d places", m.Recording.Count, len(m.Operations), places)
}
