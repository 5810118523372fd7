package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// TestManyMachines has a hub and recorders as processes, which are killed: what comes together is what each recorded,
// and no secret is among it.
func TestManyMachines(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	if err := os.WriteFile(filepath.Join(b.dir, "token.key"), []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	hub := b.run(nil, "hub", "--listen", "127.0.0.1:0")
	address := hub.wait(`hub at (nats://\S+),`)
	reach := " --hub-credential flaketap-hub/credential --token-key token.key"
	to := " --to " + address + "/nightly" + reach

	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 --db one.db" + to + " -- flaketap demo client")
	collect := func() {
		b.must("flaketap collect " + address + "/nightly" + reach + " --db all.db")
	}
	collect()

	// The hub dies while the second records, and so does that recorder: its file has what the hub has not.
	args := strings.Fields("record --target " + url + " --listen 127.0.0.1:0 --db two.db" + to)
	second := b.run(nil, args...)
	at := second.url()
	ask := func() {
		for range 300 {
			resp, err := http.Get(at + "/health")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
	ask()
	hub.signal(syscall.SIGKILL)
	<-hub.over
	ask()
	second.signal(syscall.SIGKILL)
	<-second.over
	hub = b.run(nil, "hub", "--listen", strings.TrimPrefix(address, "nats://"))
	hub.wait(`hub at (nats://\S+),`)
	b.must("flaketap ship --db two.db" + to)
	collect()

	count := func(db string) int {
		return len(strings.Split(b.must("flaketap inspect exchanges --format ndjson --db "+db), "\n")) - 1
	}
	if one, two, all := count("one.db"), count("two.db"), count("all.db"); one == 0 || two == 0 || all != one+two {
		t.Errorf("of %d and %d exchanges %d came together", one, two, all)
	}
	status := b.must("flaketap hub status " + address)
	if !strings.Contains(status, "Nothing is stuck.") || strings.Count(status, " done") != 2 {
		t.Errorf("the hub says:\n%s", status)
	}
	b.must("flaketap replay --db all.db --auth 'password: none'")
	b.must("flaketap hub remove " + address + "/nightly")
}
