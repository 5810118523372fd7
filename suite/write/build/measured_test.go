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
