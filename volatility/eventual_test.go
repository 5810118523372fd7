package volatility

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestEventual: what a read answers until it comes right by itself follows the time since the write, and is told by how
// long that took. What did not come right, and what no read waits for, is not told so.
func TestEventual(t *testing.T) {
	settles := func(after time.Duration) func(call) *exchange.Settling {
		return func(c call) *exchange.Settling {
			if c.run > 1 {
				return nil // the first run alone asks again
			}
			return &exchange.Settling{Settled: after > 0, After: max(after, 0), Looks: 3}
		}
	}
	never := func(call) *exchange.Settling { return nil }
	for _, c := range []struct {
		name    string
		settles func(call) *exchange.Settling
		before  string // what runs answer, in the place of {"state":"done"}
		status  int
		place   exchange.Place
		want    kind
		code    string
	}{
		{"a word", settles(70 * time.Millisecond), `{"state":"pending"}`, 200, "/body/state", kind{mapfile.Jitter, mapfile.Time}, "eventual:100ms"},
		{"what is there", settles(7 * time.Millisecond), `{"state":"done","queue":"x"}`, 200, "/body/queue", kind{mapfile.Jitter, mapfile.Time}, "eventual:10ms"},
		{"the status", settles(2 * time.Second), `{}`, 404, "/status", kind{mapfile.Jitter, mapfile.Time}, "eventual:10s"},
		{"in vain", settles(-1), `{}`, 404, "/status", kind{mapfile.Drift, mapfile.State}, ""},
		{"without a look", never, `{}`, 404, "/status", kind{mapfile.Drift, mapfile.State}, ""},
	} {
		a := api{runs: 4, steps: 2, settles: c.settles, answer: func(k call) answer {
			if k.run > 0 {
				return answer{status: c.status, body: c.before}
			}
			return answer{body: `{"state":"done"}`}
		}}
		f := field(t, a.judge(t), c.place)
		code := ""
		for _, e := range f.Evidence {
			if strings.HasPrefix(e, "eventual:") {
				code = e
			}
		}
		if got := (kind{f.Judgement, f.Category}); got != c.want || code != c.code {
			t.Errorf("%s: %s %s %q, want %v %s", c.name, f.Judgement, f.Category, f.Evidence, c.want, c.code)
		}
	}
	// A number drawn for each answer beside it is not of the settling.
	a := api{runs: 4, steps: 2, settles: settles(70 * time.Millisecond), answer: func(k call) answer {
		return body(`{"state":"%s","drawn":%d}`, pick(k.run > 0, "pending", "done"), k.rng.IntN(1_000_000))
	}}
	if f := field(t, a.judge(t), "/body/drawn"); f.Category != mapfile.Rand || strings.Contains(fmt.Sprint(f.Evidence), "eventual") {
		t.Errorf("a number beside it: %s %s %q", f.Judgement, f.Category, f.Evidence)
	}
}

// TestCounterBesideAStage: a number that goes on from run to run beside a state that settles is a counter all the same. That
// runs, which read sooner than the recording did, have the larger ones is how they follow each other.
func TestCounterBesideAStage(t *testing.T) {
	a := api{runs: 5, steps: 2, start: exchange.StartContinued, methods: map[int]string{0: "POST"},
		pace: func(run, step int) time.Duration {
			if run == 0 {
				return time.Duration(step) * time.Second
			}
			return time.Duration(step) * 10 * time.Millisecond
		},
		settles: func(c call) *exchange.Settling {
			if c.step == 0 || c.run == 0 {
				return nil
			}
			return &exchange.Settling{Settled: true, After: 300 * time.Millisecond, Looks: 3}
		},
		answer: func(c call) answer {
			return body(`{"state":"%s","number":%d}`, pick(c.step == 1 && c.run > 0, "pending", "done"), 17+c.run)
		}}
	m := a.judge(t)
	f := field(t, m, "/body/state")
	if f.Category != mapfile.Time {
		t.Fatalf("%s %q", f.Category, f.Evidence)
	}
	for _, op := range m.Operations {
		if f := op.At("/body/number"); f.Category != mapfile.State {
			t.Errorf("%s: %s %s %q", op.Method, f.Judgement, f.Category, f.Evidence)
		}
	}
}
