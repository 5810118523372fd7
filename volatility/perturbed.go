package volatility

import (
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// The conditions under which runs are played, by the names they are stored with, and what a place depends on that moves
// under them alone.
var (
	movesTime  = []string{"delay", "clock"}
	movesEnv   = []string{"language", "accept-language", "tz", "lang", "hostname", "tmp", "user", "connection", "restart"}
	movesState = []string{"order", "workers"}
	movesRand  = []string{"double"}
)

// perturbed returns the name of the condition that a run was played under, "" where it was played as recorded. Under
// several it tells of none what did it: that is "?".
func perturbed(r exchange.Run) string {
	switch len(r.Conditions.Perturb) {
	case 0:
		return ""
	case 1:
		name, _, _ := strings.Cut(r.Conditions.Perturb[0], "=")
		return name
	}
	return "?"
}

// movedOnlyBy is the rule for a place that is still in runs played as recorded, and moves under conditions of one kind.
func movedOnlyBy(names []string) func(*tally, conditions) []string {
	return func(t *tally, c conditions) []string {
		var codes []string
		moved, runs := 0, 0
		for _, name := range names {
			if n := t.by[name]; n > 0 {
				moved, runs = moved+n, runs+c.perturbed[name]
				codes = append(codes, "moved-only-by:"+name)
			}
		}
		all := 0
		for _, n := range t.by {
			all += n
		}
		if moved == 0 || moved < all || chance(moved, runs, c.perturbed[""]) > mostChance {
			return nil
		}
		return codes
	}
}

// mostChance is what the chance may be at most of what moves in any run to have moved in those of one kind alone. Three
// runs as recorded are enough for a place that moved once, one for a place that moved twice.
const mostChance = 0.25

// chance is that of so many moves to fall upon some runs alone, beside others in which they could have come as well.
func chance(moves, runs, others int) float64 {
	return math.Pow(float64(runs)/float64(max(runs+others, 1)), float64(moves))
}

// onlyPerturbed reports whether a place was still in all runs but those under a condition of their own.
func onlyPerturbed(codes []string) bool {
	return len(codes) > 0 && strings.HasPrefix(codes[0], "moved-only-by:")
}

// evenly reports whether numbers, in any order, are all of those that counting on by one step gives.
func evenly(numbers []float64) bool {
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if step := numbers[i] - numbers[i-1]; step == 0 || step != numbers[1]-numbers[0] {
			return false
		}
	}
	return true
}
