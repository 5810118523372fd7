package capture

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/proxy"
)

// No credential in a target reaches the terminal.
func TestStatusSecrets(t *testing.T) {
	for _, target := range []string{
		"/a?page=1&api_key=hunter2-x", "/a?flag&client_secret=hunter2-x", "http://me:hunter2-x@host/a?token=hunter2-x",
	} {
		var s status
		got := s.text(time.Now(), proxy.Stats{}, &lastExchange{method: "GET", target: target})
		if strings.Contains(got, "hunter2-x") || !strings.Contains(got, "secret:") {
			t.Errorf("%s is shown as %q", target, got)
		}
	}
}

// What a client sends cannot do anything to a terminal, and the rate is that of the last while.
func TestStatusText(t *testing.T) {
	var s status
	now := time.Now()
	first := s.text(now, proxy.Stats{}, nil)
	if want := "0 exchanges (0/s), 0 B, 0 connections, 0 faults"; first != want {
		t.Errorf("at first it is %q, want %q", first, want)
	}
	stats := proxy.Stats{Exchanges: 500, Faults: 1, Open: 2, Pending: 3, Sent: 1_500_000, Received: 999}
	got := s.text(now.Add(2*time.Second), stats, &lastExchange{method: "G\x1b[2J", target: "/\u202ea\n" + strings.Repeat("x", 1000)})
	if want := "500 exchanges (250/s), 1.5 MB, 2 connections, 1 fault, 3 in progress | G?[2J fault /?a?xxx"; !strings.HasPrefix(got, want) || len(got) > 400 {
		t.Errorf("it is %q, want %q", got, want)
	}
}
