package main

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestForeignHost: without --target nothing is sent to a host that was not recorded, and what a client told other hosts
// is not sent to the target.
func TestForeignHost(t *testing.T) {
	var asked []string
	var mu sync.Mutex
	server := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, name+r.URL.Path)
		}))
		t.Cleanup(s.Close)
		return s
	}
	recorded, other := server("recorded"), server("other")
	b := newBench(t)
	p := b.run(nil, "record", "--target", recorded.URL, "--listen", "127.0.0.1:0")
	get(t, p.url(), "/a")
	p.signal(syscall.SIGINT)
	p.exit(0)
	b.run(nil, "replay").exit(0)
	b.run(nil, "replay", "--dry-run", "--target", other.URL).exit(0)
	b.run(nil, "replay", "--target", other.URL).exit(0)
	if diff := cmp.Diff([]string{"recorded/a", "recorded/a", "other/a"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
