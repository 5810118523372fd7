package ui

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/analysis"
)

// What a replay says is shown without the secrets that the page was told of, though the replay knows none.
func TestSecretsOfReplays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	record(t, path, exchangeOf("GET /first HTTP/1.1\nHost: shop", "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"badge\":\"Kx81kq-P0vR7-mW2zz\"}"))
	s := serve(t, Options{DB: path, Analysis: analysis.Options{Secrets: []string{"badge"}},
		Replay: func(_ context.Context, _ Request, out io.Writer) error {
			fmt.Fprintln(out, "run 1: Kx81kq-P0vR7-mW2zz was refused")
			return nil
		}})
	s.post("/panel/replays", url.Values{"do": {"start"}, "runs": {"1"}})
	s.ended()
	if got := s.get("/panel/replaying"); strings.Contains(got, "Kx81kq") || !strings.Contains(got, "was refused") {
		t.Errorf("the page shows %s", got)
	}
}

// What is kept of a long output begins with a whole line, so that no part of a secret is shown.
func TestOutputBeginsWithALine(t *testing.T) {
	p := &replayer{live: newLive("", analysis.Options{}, nil)}
	for range 3 {
		fmt.Fprintln(p, strings.Repeat("x", maxOutput/2-1)+"y")
	}
	if said := p.view().said; !strings.HasPrefix(said, "x") || len(said) > maxOutput || strings.Count(said, "\n") != strings.Count(said, "y") {
		t.Errorf("%d bytes are kept, of %d lines", len(said), strings.Count(said, "\n"))
	}
}

// A file that cannot be read is tried again later and later, and at once where it has changed.
func TestBrokenFilesRest(t *testing.T) {
	var r retry
	one, other := fileMark{size: 1}, fileMark{size: 2}
	if r.rests(one) {
		t.Error("nothing is known of the file, and it is not tried")
	}
	var pauses []time.Duration
	for range 10 {
		r.again(one)
		pauses = append(pauses, r.pause)
		if !r.rests(one) || r.rests(other) {
			t.Fatalf("after %s: as it was %v, changed %v", r.pause, r.rests(one), r.rests(other))
		}
	}
	if got := fmt.Sprint(pauses[:3], pauses[9]); got != "[200ms 400ms 800ms] 10s" {
		t.Error(got)
	}
	if r.again(other); r.pause != 2*lookEvery {
		t.Errorf("a changed file rests for %s", r.pause)
	}
}

// A recording that was damaged is told of once, and shown as soon as it is whole again.
func TestDamagedRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	check(t, os.WriteFile(path, []byte(strings.Repeat("no recording ", 1000)), 0o600))
	s := serveAtOnce(t, Options{DB: path})
	s.until(func(now state) bool { return now.Trouble != "" })
	check(t, os.Remove(path))
	record(t, path, exchangeOf("GET /first HTTP/1.1\nHost: shop", "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{}"))
	s.until(func(now state) bool { return now.Trouble == "" && now.Count == 1 })
}
