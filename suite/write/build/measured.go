package build

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

// A number that is the larger the longer its answer took is a time that the API measured, whatever it is called. The
// largest that was seen says nothing of a slower machine, so no more is asserted than that it is not negative.

// The least that speaks for that: answers that were timed, how alike the two orders are, and how many times more alike
// than those of chance commonly are, which is so once in a thousand places.
const (
	minTimed   = 20
	minAlike   = 0.3
	minSurpass = 3.1
)

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
			if n, ok := largest(t.at(a.out[i].Place)); ok {
				values, took = append(values, n), append(took, t.span.To.Sub(t.span.From).Seconds())
			}
		}
		if !growsWith(values, took) {
			continue
		}
		if h.Max = ""; strings.HasPrefix(h.Min.String(), "-") {
			h.Min = ""
		} else if h.Min != "" {
			h.Min = "0"
		}
	}
}

// largest returns the largest of the numbers among raw tokens; ok is false where there is none.
func largest(tokens []string) (n float64, ok bool) {
	for _, raw := range tokens {
		if v := notation.ScalarOf(raw); v.Numeric() {
			x := notation.Float(v.Raw)
			if !ok || x > n {
				n, ok = x, true
			}
		}
	}
	return n, ok
}

// growsWith reports whether values are the larger the longer something took, by the correlation of their ranks.
func growsWith(values, took []float64) bool {
	n := float64(len(values))
	if len(values) < minTimed {
		return false
	}
	x, y := ranks(values), ranks(took)
	middle := (n - 1) / 2
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - middle) * (y[i] - middle)
		xx += (x[i] - middle) * (x[i] - middle)
		yy += (y[i] - middle) * (y[i] - middle)
	}
	alike := xy / math.Sqrt(xx*yy) // NaN where all are equal
	return alike >= minAlike && alike*math.Sqrt(n-1) >= minSurpass
}

// ranks returns which place each of some numbers has in their order, from 0; equal ones share the mean of theirs.
func ranks(numbers []float64) []float64 {
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(numbers[i], numbers[j]) })
	out := make([]float64, len(numbers))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && numbers[order[to]] == numbers[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}
