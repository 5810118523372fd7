package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// At a terminal doctor asks before it resets; Ctrl-C at the question ends it, and nothing was reset.
func TestTerminalDoctor(t *testing.T) {
	var resets atomic.Int32
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			resets.Add(1)
		}
	}))
	defer api.Close()
	for typing, c := range map[string]struct {
		status int
		resets int32
		says   string
	}{
		"y\n":    {exitDone, 3, "it runs, but nothing was changed in between"},
		"n\n":    {exitDone, 0, "not tried: it destroys what the API holds"},
		"\x04":   {exitFailed, 0, "no answer: the input ended"},
		ctrlC:    {exitFailed, 0, "flaketap: interrupted"},
		"x\ny\n": {exitDone, 3, "answer y or n"},
	} {
		resets.Store(0)
		b := newBench(t)
		p, keyboard := b.runAtTerminal("doctor", "--listen", "127.0.0.1:0", "--target", api.URL, "--reset", api.URL)
		p.wait(`which destroys what it holds, .*\? \[y\]es, \[n\]o: `)
		typed(t, keyboard, typing)
		p.exit(c.status)
		p.wait(c.says)
		if n := resets.Load(); n != c.resets {
			t.Errorf("%q: %d resets, want %d", typing, n, c.resets)
		}
	}
}
