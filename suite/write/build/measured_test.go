package build

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// A number that grows with the time that its answers took has no upper bound, one that is drawn has, and one that was
// equal in all answers stays.
func TestMeasuredWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	var answers []*exchange.Response
	var took []time.Duration
	for range 60 {
		d := time.Duration(2+rng.IntN(20)) * time.Millisecond
		took = append(took, d)
		answers = append(answers, replies(fmt.Sprintf(`{"work":%d,"drawn":%d,"off":%d,"fixed":7}`, 10+d.Milliseconds()*9/10, rng.IntN(30), d.Milliseconds()-9))[0])
	}
	s := stepOf(1, "/work", answers)
	s.Exchange.Start, s.Exchange.Latency = begin, took[0]
	for _, o := range s.Observations {
		o.Start, o.Latency = begin.Add(time.Duration(o.Run)*time.Hour), took[o.Run]
	}
	p := build(t, judged(t, suite.Source{Steps: []exchange.Step{s}, Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1}}}}), Options{All: true})
	got := map[exchange.Place]string{}
	for _, c := range p.Tests[0].Steps[0].Checks {
		if c.Kind == plan.CheckHolds {
			got[c.Place] = fmt.Sprintf("%s..%s", c.Holds.Min, c.Holds.Max)
		}
	}
	if got["/body/work"] != "0.." || got["/body/off"] != ".." || got["/body/drawn"] != "0..58" || len(got) != 3 {
		t.Errorf("ranges: %q", got)
	}
}

// What is no longer the longer its answer took is not measured, nor what chance may have ordered.
func TestGrowsWith(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	series := func(n int, value func(took float64) float64) (values, took []float64) {
		for range n {
			d := rng.Float64()
			values, took = append(values, value(d)), append(took, d)
		}
		return values, took
	}
	for name, tt := range map[string]struct {
		n     int
		value func(took float64) float64
		want  bool
	}{
		"the time itself": {40, func(d float64) float64 { return d }, true},
		"most of it":      {300, func(d float64) float64 { return d/2 + rng.Float64()/2 }, true},
		"in whole units":  {60, func(d float64) float64 { return float64(int(3 * d)) }, true},
		"too few":         {19, func(d float64) float64 { return d }, false},
		"drawn":           {300, func(float64) float64 { return rng.Float64() }, false},
		"one for all":     {60, func(float64) float64 { return 4 }, false},
		"the shorter":     {60, func(d float64) float64 { return -d }, false},
	} {
		if got := growsWith(series(tt.n, tt.value)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
