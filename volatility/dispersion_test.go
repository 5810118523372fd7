package volatility

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/confidence"
)

// TestPooling: a place that one request in four always moves is no place that moves in a quarter of all answers.
func TestPooling(t *testing.T) {
	const warning = "moves in the answers to some requests"
	for _, c := range []struct {
		name   string
		moves  func(c call) bool
		pooled bool
	}{
		{"one chance for all", func(c call) bool { return c.rng.IntN(4) == 0 }, true},
		{"some requests only", func(c call) bool { return c.step%4 == 0 && c.rng.IntN(8) > 0 }, false},
		{"always", func(call) bool { return true }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &api{runs: 10, steps: 40, answer: func(x call) answer {
				if x.run > 0 && c.moves(x) {
					return body(`{"n":%d}`, 1+x.rng.IntN(1000))
				}
				return body(`{"n":0}`)
			}}
			f := field(t, a.judge(t), "/body/n")
			warned := strings.Contains(fmt.Sprint(f.Warnings), warning)
			if warned == c.pooled {
				t.Errorf("%d of %d, bound %v: warnings %q", f.Changed, f.Of, f.Bound, f.Warnings)
			}
			if !c.pooled && f.Bound < 0.9 {
				t.Errorf("bound %v: the worst request moved nearly always", f.Bound)
			}
			if c.pooled && f.Changed < f.Of && f.Bound > 0.35 {
				t.Errorf("bound %v of %d in %d", f.Bound, f.Changed, f.Of)
			}
		})
	}
}

// TestBoundByRun: what moves in all answers of some runs has moved in these runs, not in that many answers.
func TestBoundByRun(t *testing.T) {
	a := &api{runs: 10, steps: 40, answer: func(x call) answer {
		if x.run == 7 {
			return body(`{"n":%d}`, 1+x.rng.IntN(1000))
		}
		return body(`{"n":0}`)
	}}
	f := field(t, a.judge(t), "/body/n")
	if f.Changed != 40 || f.Of != 400 || f.Bound != confidence.Bound(1, 10) || !strings.Contains(fmt.Sprint(f.Warnings), "in some runs more than in others") {
		t.Errorf("%d of %d, bound %v, want %v of one run in ten: %q", f.Changed, f.Of, f.Bound, confidence.Bound(1, 10), f.Warnings)
	}
}

// TestRepeatsLowerNoBound: a place that one of ten runs saw move has no lower a bound for what repeats say, as there may
// be repeats because of what other places did.
func TestRepeatsLowerNoBound(t *testing.T) {
	m := judgeRunsAndRows(t, 10, 150, func(run int) func(step, n int) (int, string) {
		return func(step, n int) (int, string) {
			if run == 3 && step == 0 || n == 99 && step == 1 {
				return 200, `{"v":"odd"}`
			}
			return 200, `{"v":"calm"}`
		}
	})
	if f := field(t, m, "/body/v"); f.Changed != 2 || f.Of != 20+2*149 || f.Bound != confidence.Bound(1, 20) {
		t.Errorf("%d of %d, bound %v, want %v", f.Changed, f.Of, f.Bound, confidence.Bound(1, 20))
	}
}

// TestManyRuns: of more runs than are looked at together each counts once, however many elements of an array move in it.
func TestManyRuns(t *testing.T) {
	a := &api{runs: 100, steps: 1, answer: func(x call) answer {
		return body(`{"items":[{"n":%d},{"n":%d},{"n":%d}]}`, x.rng.IntN(1e9), x.rng.IntN(1e9), x.rng.IntN(1e9))
	}}
	if f := field(t, a.judge(t), "/body/items/*/n"); f.Changed != 100 || f.Of != 100 {
		t.Errorf("%d of %d, want each of 100 runs once", f.Changed, f.Of)
	}
}

// TestApart: what changes with the second, or with the day, was not seen to where no run was so far from the recording.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		gap    time.Duration
		value  string
		warned bool
	}{
		{100 * time.Millisecond, `"2020-01-29T12:15:09Z"`, true},
		{time.Minute, `"2020-01-29T12:15:09Z"`, false},
		{time.Minute, `"2020-01-29"`, true},
		{48 * time.Hour, `"2020-01-29"`, false},
	} {
		a := &api{runs: 2, steps: 1, gap: c.gap, answer: func(call) answer { return body(`{"at":%s}`, c.value) }}
		f := field(t, a.judge(t), "/body/at")
		if got := strings.Contains(fmt.Sprint(f.Warnings), "apart from the recording"); got != c.warned {
			t.Errorf("%s after %v: %q", c.value, c.gap, f.Warnings)
		}
	}
}
