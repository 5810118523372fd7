package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// Recordings of one fuzzer with other seeds see different operations, statuses and places of the same API. What one of them
// has never seen trips no gate; a stable place that a bug makes move trips it with each of them.
func TestRealPythonSeeds(t *testing.T) { seedsAgree(t, []string{"one", "two"}, ".lock") }
func TestEvalSeedsAgree(t *testing.T) {
	seedsAgree(t, []string{"one", "two", "three"}, ".lock", ".db", ".json")
}

// seedsAgree holds recordings with seeds against what is left of each other, in some forms of a baseline.
func seedsAgree(t *testing.T, seeds []string, forms ...string) {
	t.Helper()
	t.Parallel()
	b := newFuzzBench(t)
	api, stop := serveTruth(t, usual(""))
	defer stop()
	record := func(name, target string, seed int) {
		a := &realAPI{bench: b, known: "--reset " + target + "/admin/reset"}
		a.record(name+".db", "--target "+target, fmt.Sprintf("schemathesis run $FLAKETAP_URL/openapi.json --seed %d --max-examples 4 "+
			"--phases examples,coverage,fuzzing,stateful --checks not_a_server_error", seed))
		// What moves in one of four or five answers is seen to by every recording that has some sixty of them.
		b.must("flaketap replay --db " + name + ".db --runs 4 --bound 0.05 --reset " + target + "/admin/reset")
		b.must("flaketap map --db " + name + ".db --out " + name + ".json")
		b.must("flaketap map --db " + name + ".db --format lock --out " + name + ".lock")
	}
	gate := func(name, baseline string) (string, int) {
		return b.sh("flaketap map --db " + name + ".db --baseline " + baseline + " --fail-on new --force --out again.json")
	}
	for i, name := range seeds {
		record(name, api, i+1)
	}
	for _, name := range seeds {
		for _, other := range seeds {
			if other == name {
				continue
			}
			for _, form := range forms {
				if out, status := gate(name, other+form); status != 0 {
					t.Errorf("%s against %s of another seed: exit status %d\n%s", name, other+form, status, tail(out))
				}
			}
		}
	}
	record("bug", currencyMoves(t, api), 4)
	for _, name := range seeds {
		for _, form := range forms {
			out, status := gate("bug", name+form)
			if status != exitGate || !strings.Contains(out, "/currency") {
				t.Errorf("a place that began to move, against %s: exit status %d\n%s", name+form, status, tail(out))
			}
		}
	}
}

// currencyMoves puts a bug in front of an API: the currency of products is another in every answer.
func currencyMoves(t *testing.T, api string) string {
	t.Helper()
	target, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte(`"currency":"EUR"`), fmt.Appendf(nil, `"currency":"E%02d"`, rand.IntN(100)))
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		r.ContentLength = int64(len(body))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// TestLockOfTwoRecordings: two recordings of one client, each of an instance of its own, give the same lock, and the lock of
// the second written over that of the first is the first. Orders take an hour: of one that takes a third of a second, some
// recordings see the progress move by a percent, and others do not.
func TestLockOfTwoRecordings(t *testing.T) {
	b := newBench(t)
	for i, name := range []string{"one", "two"} {
		api, stop := serveTruth(t, demoapi.Dials{Seed: uint64(i + 1), RareChance: -1, OrderLife: time.Hour})
		defer stop()
		b.must("flaketap record --db " + name + ".db --listen 127.0.0.1:0 --target " + api + " --reset " + api + "/admin/reset -- flaketap demo client --rounds 2")
		// As slow as the recording was: runs within one second show no seconds that move.
		b.must("flaketap replay --db " + name + ".db --runs 3 --pace recorded --reset " + api + "/admin/reset")
		b.must("flaketap map --db " + name + ".db --format lock --out " + name + ".lock")
	}
	b.must("flaketap map --db two.db --format lock --baseline one.lock --out settled.lock")
	if out, status := b.sh("diff one.lock settled.lock"); status != 0 {
		t.Errorf("written over the first:\n%s", out)
	}
	out, _ := b.sh("diff one.lock two.lock")
	if n := strings.Count(out, "\n<") + strings.Count(out, "\n>"); n > 8 {
		t.Errorf("%d lines differ:\n%s", n, out)
	}
	b.must("flaketap diff --fail-on new one.lock two.db")
}
