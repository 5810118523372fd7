package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// frozenAPI is a truth API on which nothing moves: each instance draws the same random numbers, runs on the same machine,
// and has a clock that stands still. A suite without weakening passes there, so that
// all it can tell of faults is seen.
func frozenAPI(addr string) {
	rand.Reader = zeros{} // of which the salts of hashes are drawn
	startedAPI(addr, frozenDials())
}

// startedAPI is a truth API in a process of its own.
func startedAPI(addr string, d demoapi.Dials) {
	ln, err := net.Listen("tcp", addr)
	if err == nil {
		err = demoapi.Serve(context.Background(), ln, d)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func frozenDials() demoapi.Dials {
	clock := func() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 234567890, time.UTC) }
	return demoapi.Dials{Seed: 7, Clock: clock,
		Environment: demoapi.Environment{Hostname: "frozen", PID: 77, TempDir: "/tmp", User: "nobody"}}
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
