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
