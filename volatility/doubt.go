package volatility

import (
	"math"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Doubts are the places of a map that are called stable after fewer observations than a bound takes.
type Doubts struct {
	Wanted int // observations, none of them a change, that bring a bound down to the one asked for
	Places []Doubt

	of     map[operationKey]map[*mapfile.Field]int // the numbers of an operation's doubts
	from   map[operationKey]*mapfile.Operation
	reader compare.Reader
}

// Doubt is one such place of an operation.
type Doubt struct {
	Operation *mapfile.Operation
	Field     *mapfile.Field
	Missing   int // further observations that it takes
}

// Observations is how many observations, none of them a change, bring the bound on the chance of a change down to one
// in (0, 1), with 95 % confidence: n with 1 - 0.05^(1/n) <= bound (Clopper and Pearson 1934, no changes in n).
func Observations(bound float64) int { return int(math.Ceil(math.Log(0.05) / math.Log1p(-bound))) }

// DoubtsAbout returns the doubts about a map at the bound that is asked for, in the order of the map. What the protocol
// moves, what says no more than another place, and what moved already or is explained to move, is in none.
func DoubtsAbout(m *mapfile.Map, bound float64) *Doubts {
	d := &Doubts{Wanted: Observations(bound), of: map[operationKey]map[*mapfile.Field]int{},
		from: map[operationKey]*mapfile.Operation{}}
	for _, o := range m.Operations {
		key := operationKey{o.Operation, o.Status}
		for _, f := range o.Fields {
			if f.Volatile() || !f.Counts() || f.Bound <= bound || f.Of >= d.Wanted {
				continue
			}
			if d.of[key] == nil {
				d.of[key], d.from[key] = map[*mapfile.Field]int{}, o
			}
			d.of[key][f] = len(d.Places)
			d.Places = append(d.Places, Doubt{o, f, d.Wanted - f.Of})
		}
	}
	return d
}

// In returns the positions in Places of the doubts about what was recorded in an exchange, which is whole: further
// answers to its request are observations of these. Each is there once, however many elements of an array it has.
func (d *Doubts) In(e *exchange.Exchange, op exchange.Operation) []int {
	if e.Response == nil {
		return nil
	}
	key := operationKey{op, e.Response.Status}
	open, from := d.of[key], d.from[key]
	if len(open) == 0 {
		return nil
	}
	var in []int
	seen := make(map[*mapfile.Field]bool, len(open))
	take := func(place exchange.Place) {
		f := from.At(place)
		if i, doubted := open[f]; f != nil && doubted && !seen[f] {
			seen[f] = true
			in = append(in, i)
		}
	}
	take(exchange.PlaceStatus)
	answer := d.reader.Read(e.Response, nil)
	answer.Each(func(general []byte, _ string) { take(exchange.Place(general)) })
	return in
}
