package mapfile

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/relation"
)

// Computed says what a value is exactly, by other values of the same answer, in the plainest arithmetic.
type Computed struct {
	By Computation
	Of []exchange.Place // one, or two of Sum and Difference
}

// Computation is how a [Computed] value follows from others.
type Computation uint8

// The computations.
const (
	Same       Computation = iota // it is the other one, or its text
	Count                         // it is the number of elements of an array
	Sum                           // it is the sum of two numbers
	Difference                    // it is the first number less the second
)

// Computed returns those of the relations that say what the value is.
func (h Holds) Computed() []Computed {
	var out []Computed
	for _, r := range h.Relations {
		by, ok := map[relation.Kind]Computation{relation.Equal: Same, relation.Count: Count, relation.Sum: Sum,
			relation.Difference: Difference}[r.Is]
		if ok {
			out = append(out, Computed{by, r.Of})
		}
	}
	return out
}
