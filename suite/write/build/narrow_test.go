package build

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// What is left of a session stays near what it was when the session began: it is the less the longer ago that is. A
// number that moves as little by chance has no such room.
func TestWhatRunsOut(t *testing.T) {
	const runs = 30
	by := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	var passed []time.Duration
	var answers []*exchange.Response
	for range runs {
		d := time.Duration(5+by.IntN(400)) * time.Millisecond
		passed = append(passed, d)
		answers = append(answers, reply(200, jsonType, fmt.Sprintf(`{"leftMs":%d,"process":%d}`, 3_600_000-d.Milliseconds(), 3_600_000-by.IntN(400))))
	}
	first, second := stepOf(1, "/login", replies(slices.Repeat([]string{`{}`}, runs)...)), stepOf(2, "/session", answers)
	for _, s := range []*exchange.Step{&first, &second} {
		at := func(run int) time.Time {
			at := begin.Add(time.Duration(run) * time.Hour)
			if s.Exchange.Seq == 2 {
				at = at.Add(passed[run])
			}
			return at
		}
		s.Exchange.Start, s.Exchange.Latency = at(0), time.Millisecond
		for _, o := range s.Observations {
			o.Start, o.Latency = at(o.Run), time.Millisecond
		}
	}
	src := suite.Source{Steps: []exchange.Step{first, second}, Sequences: []exchange.Sequence{{Name: "s", Steps: []uint64{1, 2}}}}
	most := map[exchange.Place]string{}
	for _, test := range build(t, judged(t, src), Options{All: true}).Tests {
		for _, c := range test.Steps[len(test.Steps)-1].Checks {
			if c.Kind == plan.CheckHolds {
				most[c.Place] = c.Holds.Max.String()
			}
		}
	}
	if !strings.HasPrefix(most["/body/leftMs"], "7199") || strings.HasPrefix(most["/body/process"], "7199") {
		t.Errorf("the most that numbers may be: %v", most)
	}
}
