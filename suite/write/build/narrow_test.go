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

func TestBand(t *testing.T) {
	many := func(of ...float64) (out []float64) {
		for i := range minTimed {
			out = append(out, of[i%len(of)])
		}
		return out
	}
	for _, tt := range []struct {
		name      string
		values    []float64
		kind      string
		timed     bool
		low, high string
	}{
		{"last digits", many(0.6, 0.6000000000000001), "number", false, "0.5999999988888888", "0.6000000011111112"},
		{"what is left", many(1799500, 1799990), "integer", true, "899750", "3599980"},
		{"a count", many(1001, 1002), "integer", false, "", ""},
		{"a measured time", many(3, 900), "integer", true, "", ""},
		{"a temperature", many(21.4, 21.6), "number", false, "", ""},
		{"about zero", many(0, 1e-9), "number", false, "", ""},
		{"too few", []float64{0.6, 0.6000000000000001}, "number", false, "", ""},
	} {
		low, high, ok := band(tt.values, tt.kind, tt.timed)
		if ok != (tt.low != "") || len(low) > 10 && len(tt.low) > 10 && low[:10] != tt.low[:10] || len(low) <= 10 && low != tt.low || len(high) <= 10 && high != tt.high {
			t.Errorf("%s: %s to %s, %v", tt.name, low, high, ok)
		}
	}
}
