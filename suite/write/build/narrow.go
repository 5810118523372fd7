package build

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A number that moves, but by very little of itself, is known well: a sum of floating-point numbers whose last digits
// follow the order in which they were added, what is left of a session that has just begun. It is asserted to stay
// where it was, with room for a slower machine. Counts are none of these: they go on.

// How much a number moves of itself, at most: one of which the last digits are noise, and a time that the API measured.
const (
	digits  = 1e-6
	measure = 0.05
	// room is how many times as far as it has moved it may go, and leastRoom at least, of itself.
	room      = 10
	leastRoom = 1e-9
)

// narrow has numbers that move by little stay where they are.
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
			if n, ok := largest(t.at(c.Place)); ok {
				values = append(values, n)
			}
		}
		if low, high, ok := band(values, c.Holds.Type, f.Category); ok {
			c.Holds.Min, c.Holds.Max = json.Number(low), json.Number(high)
		}
	}
}

// band returns between which numbers those of a place stay; false where they move by more of themselves, or nothing
// says so.
func band(values []float64, kind string, why mapfile.Category) (low, high string, ok bool) {
	if len(values) < minTimed {
		return "", "", false
	}
	least, most := slices.Min(values), slices.Max(values)
	spread := most - least
	if least <= 0 || math.IsInf(most, 0) {
		return "", "", false
	}
	switch {
	case kind == "number" && spread <= digits*least:
		margin := max(room*spread, leastRoom*most)
		return float(least - margin), float(most + margin), true
	case kind == "integer" && why == mapfile.Time && spread <= measure*least:
		return float(math.Floor(least / 2)), float(math.Ceil(most * 2)), true
	}
	return "", "", false
}

func float(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
