package main

import (
	"slices"
	"testing"
)

// TestRealJSONServer fuzzes json-server, which has no clock and no chance in it: it numbers what it is given. In
// production it says nothing of where it is installed either.
func TestRealJSONServer(t *testing.T) {
	modules, there := toolsDir(t, "node")
	need(t, "Node with json-server (make tools installs it)", there && found("node"))
	b := newFuzzBench(t)
	b.testdata("json-server.json", "json-server.yaml")
	a := b.realAPI("env NODE_ENV=production node "+modules+"/node_modules/json-server/lib/cli/bin.js --quiet --host 127.0.0.1 --port PORT data/db.json",
		"mkdir data && cp json-server.json data/db.json", "/profile")
	a.record("flaketap.db", "", "schemathesis run json-server.yaml --url "+a.url+" --seed 11 --max-examples 280 --phases coverage,stateful --checks not_a_server_error")
	a.replay(2, nil)
	for _, op := range b.readMap("volatile.json").Operations {
		for _, f := range op.Fields {
			// A Location that names the host which the request named is as the request is.
			if host := f.Changed == 0 && slices.Contains(f.Evidence, "holds-host"); f.Volatile() && !f.Protocol && !host {
				t.Errorf("%s %s %d: %s is called %s (%s, %v), but json-server is deterministic", op.Method, op.Template, op.Status, f.Place, f.Judgement, f.Category, f.Evidence)
			}
		}
	}
}
