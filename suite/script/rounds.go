package script

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// Given is a value that a run of a test, or a turn of a loop, is given, by the name that it has in the source.
type Given struct {
	Name  string
	Value expr.Expr
}

// Round is what a statement asserts in one run of its test, or in one turn of a loop.
type Round struct {
	Said  expr.Expr
	Given []Given // the values that still have their names where the statement stands
}

// Rounds are what one statement asserts in all runs of its test: one assertion, which holds where it holds in each.
type Rounds struct {
	Turns
	All []Round
}

// Add notes a further round.
func (o *Rounds) Add(one Round, turn Turn) {
	o.All, o.Turns = append(o.All, one), append(o.Turns, turn)
}

// Said is what the statement asserts in all rounds.
func (o *Rounds) Said() expr.Expr {
	var all []expr.Expr
	for _, one := range o.All {
		all = append(all, Conjuncts(one.Said)...)
	}
	return expr.AllOf(all...)
}

// expects notes the statuses that an assertion expects in the runs of its test.
func (t *Test) expects(a *Assertion) {
	for _, x := range Conjuncts(a.Meaning) {
		one := Assertion{Meaning: x}
		if x != nil && (Claims{Test: t}).Any(&one, x) && one.Place == exchange.PlaceStatus && one.Relation == exchange.Equal {
			t.Calls[one.Call].ExpectedStatus = one.Value
		}
	}
}

// Conjuncts are the conditions of which all hold where one does: those of an "and", or itself.
func Conjuncts(x expr.Expr) []expr.Expr {
	if and, ok := x.(expr.And); ok {
		return and.Xs
	}
	return []expr.Expr{x}
}

// Alike is what is said of each round alike, as it is said of the last one; false where something is said of some of
// them alone. A value that each round is given is called by its name.
func (o *Rounds) Alike(x expr.Expr) (expr.Expr, bool) {
	said, shared, ok := o.Apart(Conjuncts(x))
	if !ok || !o.Turns.Alike() {
		return nil, false
	}
	end := o.All[len(o.All)-1]
	tries := [][]Given{nil, end.Given}
	for _, p := range end.Given {
		tries = append(tries, []Given{p})
	}
	for _, params := range tries {
		if one, ok := o.same(said, params); ok {
			all := append(slices.Clone(shared), one...)
			return expr.AllOf(all...), len(all) > 0
		}
	}
	return nil, false
}

// same is what is said of every round, with values called by some of their names.
func (o *Rounds) same(said [][]expr.Expr, params []Given) ([]expr.Expr, bool) {
	var out []expr.Expr
	for i, one := range said {
		one = slices.Clone(one)
		for _, p := range params {
			at := slices.IndexFunc(o.All[i].Given, func(q Given) bool { return q.Name == p.Name })
			if at < 0 {
				return nil, false
			}
			for n := range one {
				one[n] = expr.Subst(one[n], o.All[i].Given[at].Value, expr.Name{ID: p.Name})
			}
		}
		if i > 0 && !slices.EqualFunc(one, out, expr.Identical) {
			return nil, false
		}
		out = one
	}
	return out, true
}

// Everywhere reports whether a name means in each round what it does in the last one: of is what it means in a round,
// nil where it means nothing there.
func (o *Rounds) Everywhere(value expr.Expr, of func(round int) expr.Expr) bool {
	for i := range o.All {
		own := of(i)
		if own == nil || !expr.Identical(value, o.Renamed(i, own)) {
			return false
		}
	}
	return true
}
