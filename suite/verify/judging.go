package verify

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// operations are those of the answers that the original suite sees.
type operations struct {
	paths *flow.Paths
	of    map[uint64]exchange.Operation // by Seq
}

// operationsOf tells the operations of a suite's requests apart: by the map's templates where one fits, so that its
// judgements apply, and else by what can be seen.
func operationsOf(exchanges []*exchange.Exchange, known *mapfile.Map) operations {
	var templates []string
	if known != nil {
		for _, op := range known.Operations {
			templates = append(templates, op.Template)
		}
	}
	stated := flow.NewPaths(templates)
	bindings := flow.Bindings(exchanges)
	seen := flow.Operations(exchanges, bindings)
	for _, e := range exchanges {
		if _, ok := stated.Template(&e.Request); !ok {
			templates = append(templates, seen[e.Seq].Template)
		}
	}
	o := operations{paths: flow.NewPaths(templates)}
	o.of = flow.Rules{Paths: o.paths}.Operations(exchanges, bindings)
	return o
}

// answersAt is a place in the answers of an operation that have one status.
type answersAt struct {
	op     exchange.Operation
	status int
	place  exchange.Place
}

// judging says of places what the map knows, and of answers that it does not know, what moved in the runs of the suite
// itself. These see less: what moves seldom may have stood still, so that the same seed may choose other mutants the
// next time.
func judging(t *transcript, ops operations, known *mapfile.Map, ruled []rules.Rule) func(exchange.Operation, int,
	exchange.Place) mutant.Judgement {
	moved, holds, gone := motions(t, ops)
	if known != nil {
		for _, op := range known.Operations {
			for _, f := range op.Fields {
				if f.Volatile() {
					markParents(answersAt{op.Operation, op.Status, f.Place}, holds)
				}
			}
		}
	}
	ignored := ignores(ruled)
	return func(op exchange.Operation, status int, place exchange.Place) mutant.Judgement {
		if known != nil && known.Operation(op, status) != nil {
			j := mutant.Known(known.Operation(op, status), place)
			j.Unordered = j.Unordered || holds[answersAt{op, status, place}]
			return j
		}
		j := mutant.Judgement{Volatile: moved[answersAt{op, status, exchange.PlaceStatus}]}
		for p := place; p != ""; p = p.Parent() {
			j.Volatile = j.Volatile || moved[answersAt{op, status, p}]
		}
		at := answersAt{op, status, place}
		j.Unordered, j.Optional, j.Ignored = holds[at], gone[at], ignored(op, status, place)
		return j
	}
}

// motions returns the places that moved in the runs of a suite, those that hold such places, and those that come and
// go.
func motions(t *transcript, ops operations) (moved, holds, gone map[answersAt]bool) {
	moved, holds, gone = map[answersAt]bool{}, map[answersAt]bool{}, map[answersAt]bool{}
	for m, how := range t.moved {
		e := t.exchanges[m.at]
		if e.Response == nil {
			continue
		}
		at := answersAt{ops.of[e.Seq], e.Response.Status, m.place}
		moved[at] = true
		gone[at] = gone[at] || how.gone
		markParents(at, holds)
	}
	return moved, holds, gone
}

// ignores reports for places that no map knows whether the user's rules ignore them, or what they are in.
func ignores(ruled []rules.Rule) func(exchange.Operation, int, exchange.Place) bool {
	return func(op exchange.Operation, status int, place exchange.Place) bool {
		if len(ruled) == 0 {
			return false
		}
		one := &mapfile.Operation{Operation: op, Status: status}
		for p := place; p != ""; p = p.Parent() {
			one.Fields = append(one.Fields, &mapfile.Field{Place: p, Judgement: mapfile.Stable})
		}
		rules.Apply(&mapfile.Map{Operations: []*mapfile.Operation{one}}, ruled)
		return slices.ContainsFunc(one.Fields, (*mapfile.Field).Ignored)
	}
}

// markParents marks what a place is a part of: where something moves within an array, its order may be what moves.
func markParents(at answersAt, marked map[answersAt]bool) {
	for at.place = at.place.Parent(); at.place != ""; at.place = at.place.Parent() {
		marked[at] = true
	}
}
