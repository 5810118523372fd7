package main

import (
	"testing"
)

// TestRealJSONServer fuzzes json-server, which has no clock and no chance in it: it numbers what it is given.
func TestRealJSONServer(t *testing.T) {
	modules, there := toolsDir(t, "node")
	need(t, "Node with json-server (make tools installs it)", there && found("node"))
	b := newFuzzBench(t)
	b.testdata("json-server.json", "json-server.yaml")
	a := b.realAPI("node "+modules+"/node_modules/json-server/lib/cli/bin.js --quiet --host 127.0.0.1 --port PORT data/db.json",
		"mkdir data && cp json-server.json data/db.json", "/profile")
	a.reproduces("schemathesis run json-server.yaml --url $FLAKETAP_URL --seed 11 --max-examples 60 --phases examples,coverage,fuzzing,stateful --checks not_a_server_error", 3)
	for _, op := range b.readMap("volatile.json").Operations {
		for _, f := range op.Fields {
			if f.Volatile() && !f.Protocol {
				t.Errorf("%s %s %d: %s is called %s (%s), but json-server is deterministic", op.Method, op.Template, op.Status, f.Place, f.Judgement, f.Category)
			}
		}
	}
}
