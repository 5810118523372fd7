package verdict

import (
	"math"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Strong is what evidence counts for, beside other evidence, that looks like one thing in the world only.
const Strong = 8.0

// Explanation is one answer to why a place moves: see [mapfile.Explanation], which it becomes.
type Explanation struct {
	Category mapfile.Category
	Weight   float64
	Evidence []mapfile.Evidence
}

// First puts an explanation before others, whose weights are shares of 1: as much as what is left over counts. What
// they have for the same category is evidence for it.
func First(others []Explanation, first Explanation) []Explanation {
	out := []Explanation{first}
	for _, e := range others {
		if e.Category == first.Category {
			out[0].Evidence = append(out[0].Evidence, e.Evidence...)
			continue
		}
		out = append(out, e)
	}
	return Normalized(out)
}

// Normalized makes shares of the whole of strengths, with two digits.
func Normalized(out []Explanation) []Explanation {
	sum := 0.0
	for _, e := range out {
		sum += e.Weight
	}
	for i := range out {
		out[i].Weight = math.Round(100*out[i].Weight/sum) / 100
	}
	return out
}
