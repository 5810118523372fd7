package intercept

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// What is refused is logged, with where it went and why: once, however often it is, and so much of it at most.
func TestRefusalsAreLogged(t *testing.T) {
	var log bytes.Buffer
	r := refusals{log: slog.New(slog.NewTextHandler(&log, nil))}
	const at = "203.0.113.7:8125"
	for range 3 {
		r.add(datagram, at, "nobody knows it")
	}
	r.add(stream, at, "nobody knows it")
	r.add(stream, "/run/of.socket", "it is hidden")
	lines := strings.SplitAfter(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("got\n%s", log.String())
	}
	for i, want := range []string{`network=udp to=203.0.113.7:8125 why="nobody knows it"`,
		`network=tcp to=203.0.113.7:8125 why="nobody knows it"`, `network=tcp to=/run/of.socket why="it is hidden"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("got %s, want %s", lines[i], want)
		}
	}
	for i := range 2 * maxRefusals {
		r.add(stream, at, fmt.Sprint("reason ", i))
	}
	if n := strings.Count(log.String(), "\n"); n != maxRefusals || len(r.list()) != maxRefusals {
		t.Errorf("%d lines, %d told apart, want %d", n, len(r.list()), maxRefusals)
	}
}
