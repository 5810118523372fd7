package earlier

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

const (
	// minSaid is in how many executions two values must be one, and how many of them differ, before that is asserted.
	minSaid = 3
	// maxChance is how likely it may be that draws of fewer values agree in all executions, and minApart in how many of
	// these the value has to be another than the most frequent one.
	maxChance = 0.005
	minApart  = 2
)

// Same finds the place of an earlier answer that said in every execution what a place says now. unit is how long a
// value that follows the clock stays as it is: executions in which the answers came closer together show nothing.
func Same(now []Answer, place exchange.Place, earlier []Answer, unit time.Duration) (exchange.Place, bool) {
	if len(earlier) < minSaid || len(now) < minSaid {
		return "", false
	}
	segments := place.Segments()
	name := segments[len(segments)-1]
	for _, at := range slices.Sorted(maps.Keys(earlier[0].Texts)) {
		s := at.Segments()
		if at.Root() == place.Root() && strings.EqualFold(s[len(s)-1], name) && saysSame(now, place, earlier, at, unit) {
			return at, true
		}
	}
	return "", false
}

func saysSame(now []Answer, place exchange.Place, earlier []Answer, at exchange.Place, unit time.Duration) bool {
	before, agreed, values := map[string]*Answer{}, map[string]int{}, map[string]int{}
	for i := range earlier {
		x := &earlier[i]
		text, ok := x.Texts[at]
		if !ok {
			return false
		}
		values[text]++
		before[x.In] = x
	}
	for _, x := range now {
		first := before[x.In]
		if first == nil {
			continue
		}
		if x.Texts[place] != first.Texts[at] {
			return false
		}
		if x.At.Sub(first.At) >= 2*unit {
			agreed[first.Texts[at]]++
		}
	}
	most, n := 0, 0
	for _, times := range agreed {
		most, n = max(most, times), n+times
	}
	return n >= minSaid && (len(values) >= minSaid || n-most >= minApart && byChance(values, agreed) <= maxChance)
}

// byChance is how likely it is that a draw agrees with an earlier one each time that it did (agreed says how often with
// each value), if it gives each value as often as that was seen.
func byChance(seen, agreed map[string]int) float64 {
	all := 0
	for _, times := range seen {
		all += times
	}
	chance := 1.0
	for value, times := range agreed {
		chance *= math.Pow(float64(seen[value])/float64(all), float64(times))
	}
	return chance
}
