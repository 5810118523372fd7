package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestRealNodeJSONServer fuzzes json-server, which has no clock and no chance in it: it numbers what it is given.
func TestRealNodeJSONServer(t *testing.T) {
	t.Parallel()
	modules, there := toolsDir(t, "node")
	needs.That(t, "Node with json-server (make tools installs it)", there && found("node"))
	b := newFuzzBench(t)
	b.testdata("json-server.json", "json-server.yaml")
	a := b.realAPI("env NODE_ENV=production node "+modules+"/node_modules/json-server/lib/cli/bin.js --quiet --host 127.0.0.1 --port PORT data/db.json",
		"mkdir data && cp json-server.json data/db.json", "/profile")
	a.record("flaketap.db", "", "schemathesis run json-server.yaml --url "+a.url+" --seed 11 --max-examples 280 --phases coverage,stateful --checks not_a_server_error")
	a.replay(2, nil)
	addressed := map[string]bool{}
	for _, op := range b.readMap("volatile.json").Operations {
		for _, f := range op.Fields {
			if slices.Contains(f.Evidence, "holds-host") {
				addressed[fmt.Sprintf("%s %s %d %s", op.Method, op.Template, op.Status, f.Place)] = true
			}
			if f.Volatile() && f.Counts() && !elsewhere(op.Status, f) {
				t.Errorf("%s %s %d: %s is called %s (%s, %v), but json-server is deterministic", op.Method, op.Template, op.Status, f.Place, f.Judgement, f.Category, f.Evidence)
			}
		}
	}
	for _, place := range []string{
		"GET /posts 200 /header/link", "POST /posts 201 /header/location",
		"POST /posts/{id}/comments 201 /header/location", "POST /profile 201 /header/location",
	} {
		if !addressed[place] {
			t.Errorf("%s is not said to hold the host that was asked for", place)
		}
	}
}

// elsewhere reports whether a place has never moved, and is rightly said to move where json-server runs elsewhere: URLs of
// its own hold the host that the request named, and the stack traces that it answers 500 with the folder that it is in.
func elsewhere(status int, f *mapfile.Field) bool {
	switch {
	case f.Changed > 0 || f.Judgement != mapfile.WouldMove || f.Category != mapfile.Env:
		return false
	case status == 500:
		return f.Place == exchange.PlaceBody
	}
	return f.Place == "/header/location" || f.Place == "/header/link"
}
