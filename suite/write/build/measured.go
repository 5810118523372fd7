package build

import (
	"strings"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/measure"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// A number that is the larger the longer its answer took is a time that the API measured, whatever it is called. The
// largest that was seen says nothing of a slower machine, so no more is asserted than that it is not negative.

// measured takes the ranges off numbers that grow with the time that their answers took.
func (a *asserting) measured() {
	if a.mode != suite.Relax {
		return
	}
	for i := range a.out {
		h := &a.out[i].Holds
		if a.out[i].Kind != plan.CheckHolds || h.Max == "" {
			continue
		}
		var values, took []float64
		for _, t := range a.answersTo(a.e.Seq, a.e.Response.Status) {
			if n, ok := measure.Largest(t.at(a.out[i].Place)); ok {
				values, took = append(values, n), append(took, t.span.To.Sub(t.span.From).Seconds())
			}
		}
		if !measure.GrowsWith(values, took) {
			continue
		}
		if h.Max = ""; strings.HasPrefix(h.Min.String(), "-") {
			h.Min = ""
		} else if h.Min != "" {
			h.Min = "0"
		}
	}
}
