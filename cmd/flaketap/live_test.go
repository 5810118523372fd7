package main

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

func TestWithoutSecrets(t *testing.T) {
	token := exchange.Redactor{}.Token("x y")
	for target, want := range map[string]string{
		"/a/b":                            "/a/b",
		"/a?page=1&api_key=x y":           "/a?page=1&api_key=" + token,
		"/a?api%5Fkey=x y&flag":           "/a?api%5Fkey=" + token + "&flag",
		"/a?password=&q=1":                "/a?password=&q=1",
		"/a?%zz=1&client_secret=x y":      "/a?%zz=1&client_secret=" + token,
		"http://me:word@host/a?token=x y": "http://host/a?token=" + token,
	} {
		if got := withoutSecrets(target, exchange.Redactor{}); got != want {
			t.Errorf("%s is shown as %s, want %s", target, got, want)
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
	got := s.text(now.Add(2*time.Second), stats, &glimpse{method: "G\x1b[2J", target: "/\u202ea\n" + strings.Repeat("x", 1000)})
	if want := "500 exchanges (250/s), 1.5 MB, 2 connections, 1 fault, 3 under way | G?[2J fault /?a?xxx"; !strings.HasPrefix(got, want) || len(got) > 400 {
		t.Errorf("it is %q, want %q", got, want)
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 runs", 1: "1 run", 2: "2 runs"} {
		if got := counted(n, "run"); got != want {
			t.Errorf("%d gives %q", n, got)
		}
	}
}
