package condition

import "math"

// mostChance is what the chance may be at most of what moves in any run to have moved in those of one kind alone. Three
// runs as recorded are enough for a place that moved once, one for a place that moved twice.
const mostChance = 0.25

// ByChance reports whether so many moves may have fallen upon some runs alone, beside others in which they could have
// come as well.
func ByChance(moves, runs, others int) bool {
	return math.Pow(float64(runs)/float64(max(runs+others, 1)), float64(moves)) > mostChance
}
