package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// alikeInRuns weakens an assertion that says something in each of the runs of its test: what stands in its place can
// be said of all runs alike alone. Where one of the conditions about a place moves, all about that place become the
// strongest statement that is true of each; the other conditions stay.
func (w *weakening) alikeInRuns(xs []expr.Expr) (expr.Expr, string) {
	parts := make([]*weakening, len(xs))
	moving := map[exchange.Place][]*weakening{}
	for i, x := range xs {
		parts[i] = w.partOf(x, w.trials)
		if parts[i].a.Relation == "" {
			w.p.reclaim(w.t, parts[i].a)
		}
		if at := parts[i].a.Place; parts[i].moves() {
			moving[at] = []*weakening{}
		}
	}
	for _, one := range parts {
		if all, moves := moving[one.a.Place]; moves {
			moving[one.a.Place] = append(all, one)
		}
	}
	said := map[*weakening]expr.Expr{}
	for place, all := range moving {
		for _, says := range waysInRuns(place, all) {
			if text, ok := w.writtenTrue(expr.AllOf(says...)); ok && text != "" {
				for i, one := range all {
					said[one] = says[i]
				}
				break
			}
		}
	}
	var says []expr.Expr
	for _, one := range parts {
		if x, known := said[one]; known {
			says = append(says, x)
		} else if moving[one.a.Place] == nil {
			says = append(says, one.a.Meaning)
		}
	}
	if len(says) == 0 {
		return nil, ""
	}
	x := expr.AllOf(says...)
	text, ok := w.writtenTrue(x)
	if !ok {
		return nil, ""
	}
	return x, text
}

// writtenTrue is a statement as it is written in the place of the assertion; false where some trial contradicts it, or
// knows nothing of it, or the suite's language cannot make it.
func (w *weakening) writtenTrue(x expr.Expr) (string, bool) {
	if seen, failed := hold(x, w.trials); failed > 0 || len(seen) < len(w.trials) {
		return "", false
	}
	return w.p.script.Writer.Assert(w.p.script, w.t, w.a, x)
}

// waysInRuns are what can be said in the place of conditions about one place, the strongest first: one statement for
// each of them.
func waysInRuns(place exchange.Place, all []*weakening) [][]expr.Expr {
	for _, one := range all {
		if one.a.Relation != exchange.Equal || one.a.Subject() == nil {
			return nil
		}
	}
	if place == exchange.PlaceStatus {
		return statusesInRuns(all)
	}
	var out [][]expr.Expr
	guarded := slices.ContainsFunc(all, (*weakening).statusMoves)
	add := func(say func(one *weakening) expr.Expr) {
		says := make([]expr.Expr, len(all))
		for i, one := range all {
			if says[i] = say(one); guarded {
				says[i] = one.whereExpected(says[i])
			}
		}
		out = append(out, says)
	}
	if guarded && !slices.ContainsFunc(all, (*weakening).wouldMove) {
		add(func(one *weakening) expr.Expr { return one.a.Meaning })
	}
	var values []any
	for _, one := range all {
		one.subject, one.active = one.a.Subject(), one.trials
		if guarded {
			one.exclude(one.whereExpected(nil))
		}
		seen, claimed := one.samples()
		if values = append(values, seen...); one.a.Prior == nil {
			values = append(values, claimed)
		} else {
			values = append(values, one.a.Prior.Values...)
		}
	}
	if !slices.ContainsFunc(all, func(one *weakening) bool { return !expr.IsScalars(one.literal()) }) {
		add(func(one *weakening) expr.Expr { return expr.SameItems{X: one.a.Subject(), Y: one.literal()} })
	}
	for i := range expr.Shapes(all[0].a.Subject(), values) {
		add(func(one *weakening) expr.Expr { return expr.Shapes(one.a.Subject(), values)[i] })
	}
	return out
}

// statusMoves reports whether the answer came with another status than the suite expects.
func (w *weakening) statusMoves() bool {
	claimed, ok := w.claimedStatus()
	return ok && slices.ContainsFunc(expr.Distinct(w.status(), w.trials), func(s string) bool { return s != claimed })
}

// status is that of the answer which an assertion is about.
func (w *weakening) status() expr.Expr { return expr.Answer{Var: w.variable(), Part: expr.Status} }

// whereExpected says something where the answer has the status that the suite expects, if it expects one; nothing is
// that the status is another.
func (w *weakening) whereExpected(x expr.Expr) expr.Expr {
	claimed, ok := w.claimedStatus()
	if !ok {
		return cmp.Or(x, expr.Expr(expr.Bool{}))
	}
	other := expr.Cmp(w.status(), expr.Ne, expr.Numeral(claimed))
	if x == nil {
		return other
	}
	return expr.AnyOf(other, x)
}

// statusesInRuns says of the statuses of several runs that each is the one that the suite expects or one of those that
// came instead in any run, and then that each is one of all of them.
func statusesInRuns(all []*weakening) [][]expr.Expr {
	var instead, known []string
	for _, one := range all {
		expected := one.expectedStatuses()
		instead = append(instead, without(expr.Distinct(one.a.Subject(), one.trials), expected)...)
		known = append(known, expected...)
	}
	slices.Sort(instead)
	instead = slices.Compact(instead)
	known = append(known, instead...)
	slices.Sort(known)
	known = slices.Compact(known)
	own, each := make([]expr.Expr, len(all)), make([]expr.Expr, len(all))
	differ := false
	for i, one := range all {
		expected := one.expectedStatuses()
		differ = differ || !slices.Equal(expected, all[0].expectedStatuses())
		own[i] = expr.StatusIn(one.a.Subject(), append(expected, without(instead, expected)...))
		each[i] = expr.StatusIn(one.a.Subject(), known)
	}
	if differ {
		return [][]expr.Expr{own, each}
	}
	return [][]expr.Expr{each}
}

// expectedStatuses are those that the condition admits.
func (w *weakening) expectedStatuses() []string {
	if w.a.Prior == nil {
		return []string{w.a.Value}
	}
	var out []string
	for _, v := range w.a.Prior.Values {
		out = append(out, expr.Show(v))
	}
	return out
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}
