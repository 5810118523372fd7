package main

import (
	"net/http"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// TestRealNodePocketBase drives PocketBase with a client written with its own SDK.
func TestRealNodePocketBase(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.pocketBase(t)
	client := "node pocketbase.mjs run $FLAKETAP_URL"
	a.record("flaketap.db", "--target "+a.url, client)
	a.record("again.db", "--target "+a.url, client)
	a.replay(2, a.stable("again.db"))
}

// pocketBase returns a PocketBase that starts with the collections of pocketbase.mjs, and nothing in them.
func (b *bench) pocketBase(t *testing.T, env ...string) *realAPI {
	t.Helper()
	bin, there := toolsDir(t, "pocketbase")
	modules, node := toolsDir(t, "node")
	needs.That(t, "PocketBase (make tools builds it)", there)
	needs.That(t, "Node with the SDK of PocketBase (make tools installs it)", node && found("node"))
	b.testdata("pocketbase.mjs")
	b.env = append(b.env, "POCKETBASE_SDK="+modules+"/node_modules/pocketbase/dist/pocketbase.cjs.js")
	b.must(bin + "/pocketbase --dev=false --dir start superuser upsert root@example.com rootpassword")
	serve := bin + "/pocketbase --dev=false --dir data serve --http 127.0.0.1:PORT"
	a := b.realAPI(serve, "cp -r start data", "/api/health")
	if resp, err := http.Post(a.reset, "", nil); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	b.must("node pocketbase.mjs setup "+a.url, env...)
	a.kill()
	b.must("rm -rf start && cp -r data start")
	return a
}
