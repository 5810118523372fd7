package inorder

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// numbers has the recording and a number of runs answer so many times, each at a pace of its own.
func numbers(runs, steps int, value func(run, step int, at time.Duration, rng *rand.Rand) float64) *Numbers {
	var (
		n     Numbers
		begin = time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC)
		rng   = rand.New(rand.NewPCG(uint64(runs), uint64(steps)))
		at    = make([]time.Duration, runs+1)
		span  = func(run int) notation.Span {
			from := begin.Add(time.Duration(run)*time.Minute + at[run])
			return notation.Span{From: from, To: from.Add(2 * time.Millisecond)}
		}
	)
	for step := range steps {
		recorded := value(0, step, at[0], rng)
		for run := 1; run <= runs; run++ {
			n.Run(run, recorded, value(run, step, at[run], rng), span(run))
		}
		n.Recorded(recorded, span(0))
		for run := range at {
			at[run] += time.Duration(10+rng.IntN(60)) * time.Millisecond
		}
	}
	return &n
}

// TestNumbers tells counters and clocks from each other, and both from chance.
func TestNumbers(t *testing.T) {
	for name, tt := range map[string]struct {
		value            func(run, step int, at time.Duration, rng *rand.Rand) float64
		counts, down, up bool
		refutes          bool
	}{
		"what is left of ten, refilled at another time in each run": {value: func(run, step int, _ time.Duration, _ *rand.Rand) float64 {
			return float64(9 - (step+3*run)%10)
		}, counts: true},
		"a counter that begins elsewhere": {value: func(run, step int, _ time.Duration, _ *rand.Rand) float64 { return float64(100*run + 3*step) }, counts: true},
		"milliseconds until a window ends": {value: func(_, _ int, at time.Duration, _ *rand.Rand) float64 {
			return float64((700*time.Millisecond - at%(700*time.Millisecond)).Milliseconds())
		}, down: true, refutes: true},
		"milliseconds since one began": {value: func(_, _ int, at time.Duration, _ *rand.Rand) float64 {
			return float64((at % (900 * time.Millisecond)).Milliseconds())
		}, up: true, refutes: true},
		"drawn of two":      {value: func(_, _ int, _ time.Duration, rng *rand.Rand) float64 { return float64(rng.IntN(2)) }, refutes: true},
		"drawn of three":    {value: func(_, _ int, _ time.Duration, rng *rand.Rand) float64 { return float64(rng.IntN(3)) }, refutes: true},
		"drawn of thousand": {value: func(_, _ int, _ time.Duration, rng *rand.Rand) float64 { return float64(rng.IntN(1000)) }, refutes: true},
		"drawn, beside what was asked for": {value: func(_, step int, _ time.Duration, rng *rand.Rand) float64 { return float64(step + rng.IntN(9)/8) },
			refutes: true},
		"one value for each run": {value: func(run, _ int, _ time.Duration, _ *rand.Rand) float64 { return float64(run * 7 % 5) }},
		"the same":               {value: func(_, step int, _ time.Duration, _ *rand.Rand) float64 { return float64(step) }},
	} {
		for _, runs := range []int{1, 3, 10} {
			n := numbers(runs, 60, tt.value)
			if n.Counts() != tt.counts || n.CountsDown() != tt.down || n.CountsUp() != tt.up || n.RefutesCounting() != tt.refutes {
				t.Errorf("%s, %d runs: counts %v, down %v, up %v, refutes %v", name, runs, n.Counts(), n.CountsDown(), n.CountsUp(), n.RefutesCounting())
			}
		}
	}
}

// TestRefusals tells a limit from chance.
func TestRefusals(t *testing.T) {
	var limit, chance, few Refusals
	rng := rand.New(rand.NewPCG(1, 1))
	for run := range 4 {
		for step := range 50 {
			limit.Add(run, (step+run*3)%12 > 7)
			chance.Add(run, rng.IntN(4) == 0)
		}
		few.Add(run, run%2 == 0)
	}
	if limit.Scattered() || !chance.Scattered() || few.Scattered() {
		t.Errorf("limit %v, chance %v, few %v", limit.Scattered(), chance.Scattered(), few.Scattered())
	}
}

// TestProgress tells what grows while something is under way from what is drawn for each answer.
func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		value         func(age time.Duration, rng *rand.Rand) float64
		goesOn, leans bool
	}{
		"rows":       {func(age time.Duration, _ *rand.Rand) float64 { return float64(age.Milliseconds() * 7) }, true, true},
		"until then": {func(age time.Duration, _ *rand.Rand) float64 { return float64((time.Minute - age).Milliseconds()) }, true, true},
		"drawn":      {func(_ time.Duration, rng *rand.Rand) float64 { return rng.Float64() }, false, false},
		"the same":   {func(time.Duration, *rand.Rand) float64 { return 4 }, false, false},
	} {
		var p Progress
		rng := rand.New(rand.NewPCG(3, 3))
		for poll := range 8 {
			answer := func(run int) Answer {
				age := time.Duration(poll*100+rng.IntN(60)+1) * time.Millisecond
				return Answer{Run: run, Value: tt.value(age, rng), Age: age, Unsure: time.Millisecond}
			}
			recorded, run := answer(0), answer(1)
			p.Add([16]byte{1}, recorded)
			p.Add([16]byte{1}, run)
			p.Compare(recorded, run)
		}
		if p.GoesOn() != tt.goesOn || p.Leans() != tt.leans {
			t.Errorf("%s: goes on %v, leans %v", name, p.GoesOn(), p.Leans())
		}
	}
}
