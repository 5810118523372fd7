package build

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/measure"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A number that moves, but by very little of itself, is known well: a sum of floating-point numbers whose last digits
// follow the order in which they were added, what is left of a session that has just begun. It is asserted to stay
// where it was, with room for a slower machine. Counts are none of these: they go on.

// narrow has numbers that move by little stay where they are. An integer does where it is a time: the map says so, or
// the longer ago an earlier answer of the test is, the less it is, as what is left of a session.
func (a *asserting) narrow() {
	if a.mode != suite.Relax {
		return
	}
	for i := range a.out {
		c := &a.out[i]
		f := a.volatile(c.Place)
		if c.Kind != plan.CheckHolds || f == nil || c.Near != nil || timely(c.Holds) || c.Holds.Monotone != "" ||
			f.Category == mapfile.State || a.dependence.is(f) || c.Holds.Type != "integer" && c.Holds.Type != "number" {
			continue
		}
		var values []float64
		for _, t := range a.answersTo(a.e.Seq, a.e.Response.Status) {
			if n, ok := measure.Largest(t.at(c.Place)); ok {
				values = append(values, n)
			}
		}
		timed := f.Category == mapfile.Time || c.Holds.Type == "integer" && a.runsOut(c.Place)
		if low, high, ok := measure.Band(values, c.Holds.Type, timed); ok {
			c.Holds.Min, c.Holds.Max = json.Number(low), json.Number(high)
		}
	}
}

// runsOut reports whether a number is the less the more time has passed since an earlier answer of the test.
func (a *asserting) runsOut(place exchange.Place) bool {
	if a.context == nil {
		return false
	}
	now := a.executed(a.e.Seq)
	return slices.ContainsFunc(a.context.order, func(seq uint64) bool {
		before := a.executed(seq)
		var used, passed []float64
		for _, x := range now {
			began := earlier.LastBefore(before, x)
			left, err := strconv.ParseFloat(x.Texts[place], 64)
			if began == nil || err != nil {
				continue
			}
			used, passed = append(used, -left), append(passed, x.At.Sub(began.At).Seconds())
		}
		return measure.GrowsWith(used, passed)
	})
}
