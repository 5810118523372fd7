// Package measure tells what the numbers of one place have in common, in all answers that were seen of it: whether they
// are times that the API measured ([GrowsWith]), and between which numbers they stay ([Band]).
package measure

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/volatility/notation"
)

// MinTimed is how many answers it takes for anything to be told of their numbers.
const MinTimed = 20

// The least that speaks for a time that was measured: how alike the two orders are, and how many times more alike than
// those of chance commonly are, which is so once in a thousand places.
const (
	minAlike   = 0.3
	minSurpass = 3.1
)

// Largest returns the largest of the numbers among raw tokens; ok is false where there is none.
func Largest(tokens []string) (n float64, ok bool) {
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

// GrowsWith reports whether values are the larger the longer something took, by the correlation of their ranks.
func GrowsWith(values, took []float64) bool {
	n := float64(len(values))
	if len(values) < MinTimed {
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

// How much a number moves of itself, at most: one of which the last digits are noise, and a time that the API measured.
const (
	digits      = 1e-6
	timedSpread = 0.05
	// room is how many times as far as it has moved it may go, and leastRoom at least, of itself.
	room      = 10
	leastRoom = 1e-9
)

// Band returns between which numbers those of a place stay; false where they move by more of themselves, or nothing
// says so.
func Band(values []float64, kind string, timed bool) (low, high string, ok bool) {
	if len(values) < MinTimed {
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
	case kind == "integer" && timed && spread <= timedSpread*least:
		return float(math.Floor(least / 2)), float(math.Ceil(most * 2)), true
	}
	return "", "", false
}

func float(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
