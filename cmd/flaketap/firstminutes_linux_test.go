package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
		p.wait(`which destroys what it holds.*\? \[y\]es, \[n\]o: `)
		typed(t, keyboard, typing)
		p.exit(c.status)
		p.wait(c.says)
		if n := resets.Load(); n != c.resets {
			t.Errorf("%q: %d resets, want %d", typing, n, c.resets)
		}
	}
}

// At a terminal init asks for what is not given, offers what it finds, tries, and writes; at each question Ctrl-C and the end
// of the input leave everything as it was.
func TestTerminalInit(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer api.Close()
	questions := []struct{ asks, answer string }{
		{`the API: its base URL, or the command that starts it`, api.URL + "\n"},
		{`how it is put back to its start`, "true\n"},
		{`command that tests it: .*\[go test -count=1 \./\.\.\.\]: `, "\n"},
		{`put the API at \S+ back to its start three times, which destroys`, "n\n"},
	}
	for stop := range len(questions) + 1 {
		for _, end := range []string{ctrlC, "\x04"} {
			b := newBench(t)
			b.write("go.mod", []byte("module suite\n"))
			p, keyboard := b.runAtTerminal("init")
			for _, q := range questions[:stop] {
				p.wait(q.asks)
				typed(t, keyboard, q.answer)
			}
			if stop == len(questions) {
				p.exit(exitDone)
				p.wait(`next: flaketap record -- go test -count=1 \./\.\.\.`)
				data, err := os.ReadFile(filepath.Join(b.dir, "flaketap.yaml"))
				if text := string(data); err != nil || !strings.Contains(text, "\ntarget: "+api.URL+"\n") || !strings.Contains(text, `reset: "true"`) {
					t.Errorf("written: %s", text)
				}
				break
			}
			p.wait(questions[stop].asks)
			typed(t, keyboard, end)
			p.exit(exitFailed)
			if _, err := os.Stat(filepath.Join(b.dir, "flaketap.yaml")); err == nil {
				t.Errorf("written after %q at question %d", end, stop)
			}
		}
	}
}
