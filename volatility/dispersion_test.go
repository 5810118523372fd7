package volatility

import (
	"fmt"
	"strings"
	"testing"
	"time"
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

// TestChiSquared holds the approximation against the tables: the quantiles of 99.9 %.
func TestChiSquared(t *testing.T) {
	for degrees, want := range map[float64]float64{1: 10.828, 5: 20.515, 20: 45.315, 100: 149.449} {
		if got := chiSquared(degrees); got < want*0.96 || got > want*1.04 {
			t.Errorf("%v degrees: %v, want %v", degrees, got, want)
		}
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
