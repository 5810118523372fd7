package experiment

import (
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// recordedLooks is a recording of which each answer was observed in so many runs, and its status never moved.
type recordedLooks struct {
	all        []*exchange.Exchange
	operations map[uint64]exchange.Operation
}

func (r *recordedLooks) add(method, template string, status int, latency time.Duration) uint64 {
	e := &exchange.Exchange{Seq: uint64(len(r.all) + 1), Latency: latency, Request: exchange.Request{Method: method}}
	e.Response = &exchange.Response{Status: status}
	r.all = append(r.all, e)
	if r.operations == nil {
		r.operations = map[uint64]exchange.Operation{}
	}
	r.operations[e.Seq] = exchange.Operation{Method: method, Template: template}
	return e.Seq
}

// looks plans for a bound after so many runs.
func (r *recordedLooks) looks(t *testing.T, bound float64, runs int) Looks {
	t.Helper()
	m := &mapfile.Map{}
	for _, e := range r.all {
		o := m.Operation(r.operations[e.Seq], e.Response.Status)
		if o == nil {
			o = &mapfile.Operation{Operation: r.operations[e.Seq], Status: e.Response.Status}
			o.Fields = []*mapfile.Field{{Place: exchange.PlaceStatus, Judgement: mapfile.Stable, Bound: 1}}
			m.Operations = append(m.Operations, o)
		}
		o.Fields[0].Of += runs
	}
	exchanges := func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range r.all {
			if !yield(e, nil) {
				return
			}
		}
	}
	l, err := LooksFor(volatility.DoubtsAbout(m, bound), exchanges, r.operations, func(*exchange.Exchange) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLooks checks that operations are looked at until enough looks are made, by their safe requests alone.
func TestLooks(t *testing.T) {
	var r recordedLooks
	add := r.add
	rare := add("GET", "/rare", 200, time.Millisecond)
	missing := add("GET", "/rare", 404, time.Millisecond)
	made := add("POST", "/rare", 201, time.Millisecond)
	slow := add("GET", "/slow", 200, 6*time.Second)
	often := add("GET", "/often", 200, time.Millisecond)
	for range 9 {
		add("GET", "/often", 200, time.Millisecond)
	}
	l := r.looks(t, 0.05, 5) // 59 looks
	for seq, want := range map[uint64]int{rare: 54, missing: 54, made: 0, slow: 0, often: 3} {
		if got := l.Again(r.all[seq-1]); got != want {
			t.Errorf("exchange %d is sent %d times again, want %d", seq, got, want)
		}
	}
	if l.Runs != 54 {
		t.Errorf("%d further runs are enough, want 54", l.Runs)
	}
	if l := r.looks(t, 0.05, 5+l.Runs); l.Short != 0 || l.Runs != 0 {
		t.Errorf("after so many runs %d operations are short still, %d runs are missing", l.Short, l.Runs)
	}
	if l.Short != 2 || l.Total() != 2*54+10*3 {
		t.Errorf("%d operations are short and %d requests planned, want 2 and 138", l.Short, l.Total())
	}
	if l := r.looks(t, 0.05, 59); l.Total() != 0 || l.Short != 0 {
		t.Errorf("after 59 runs: %d requests planned, %d operations short", l.Total(), l.Short)
	}
}
