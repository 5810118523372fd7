package experiment

import (
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// TestLooks checks that operations are looked at until enough looks are made, by their safe requests alone.
func TestLooks(t *testing.T) {
	var all []*exchange.Exchange
	operations := map[uint64]exchange.Operation{}
	add := func(method, template string, status int, latency time.Duration) uint64 {
		e := &exchange.Exchange{Seq: uint64(len(all) + 1), Latency: latency, Request: exchange.Request{Method: method}}
		e.Response = &exchange.Response{Status: status}
		all = append(all, e)
		operations[e.Seq] = exchange.Operation{Method: method, Template: template}
		return e.Seq
	}
	rare := add("GET", "/rare", 200, time.Millisecond)
	missing := add("GET", "/rare", 404, time.Millisecond)
	made := add("POST", "/rare", 201, time.Millisecond)
	slow := add("GET", "/slow", 200, 6*time.Second)
	often := add("GET", "/often", 200, time.Millisecond)
	for range 9 {
		add("GET", "/often", 200, time.Millisecond)
	}
	l := LooksFor(0.05, 5, all, operations) // 59 looks
	for seq, want := range map[uint64]int{rare: 54, missing: 54, made: 0, slow: 0, often: 3} {
		if got := l.Again(all[seq-1]); got != want {
			t.Errorf("exchange %d is sent %d times again, want %d", seq, got, want)
		}
	}
	if l.Runs != 54 {
		t.Errorf("%d further runs are enough, want 54", l.Runs)
	}
	if l := LooksFor(0.05, 5+l.Runs, all, operations); l.Short != 0 || l.Runs != 0 {
		t.Errorf("after so many runs %d operations are short still, %d runs are missing", l.Short, l.Runs)
	}
	if l.Short != 2 || l.Total() != 2*54+10*3 {
		t.Errorf("%d operations are short and %d requests planned, want 2 and 138", l.Short, l.Total())
	}
	if l := LooksFor(0.05, 59, all, operations); l.Total() != 0 || l.Short != 0 {
		t.Errorf("after 59 runs: %d requests planned, %d operations short", l.Total(), l.Short)
	}
}
