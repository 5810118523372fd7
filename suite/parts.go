package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// maxParts bounds into how many statements an assertion is taken apart.
const maxParts = 200

// several weakens an assertion that says several things at once, each by itself: what moves is weakened, and the others
// stay. It says why by the first that moves.
func (w *weakening) several(xs []expr.Expr) (expr.Expr, string) {
	says := w.parts(xs, w.trials)
	if len(says) == 0 {
		return nil, ""
	}
	x := expr.AllOf(says...)
	text, ok := w.p.script.Writer.Assert(w.p.script, w.t, w.a, x)
	if !ok && w.a.Runs {
		return w.alikeInRuns(xs)
	}
	if !ok && !w.a.Snapshot { // some are more than the language has words for
		said := slices.DeleteFunc(slices.Clone(says), func(y expr.Expr) bool {
			_, sayable := w.p.script.Writer.Assert(w.p.script, w.t, w.a, y)
			return !sayable
		})
		if len(said) == 0 || len(said) == len(says) {
			return nil, ""
		}
		x = expr.AllOf(said...)
		text, ok = w.p.script.Writer.Assert(w.p.script, w.t, w.a, x)
	}
	if _, failed := hold(x, w.trials); failed > 0 || !ok {
		return nil, ""
	}
	return x, text
}

// members gives what can be said of an object or an array that is written out member by member, as one statement.
func (w *weakening) members() []expr.Expr {
	var says []expr.Expr
	count := 0
	of := func(step, value expr.Expr) {
		says = append(says, expr.Same(expr.Index{X: w.subject, I: step}, value))
		count++
	}
	switch all := w.literal().(type) {
	case expr.Object:
		for i, key := range all.Keys {
			of(expr.Str{Value: key}, all.Values[i])
		}
		if w.p.script.Writer.CountsMembers || w.a.Snapshot {
			says = append(says, expr.Cmp(expr.Len{X: w.subject}, expr.Eq, expr.Int(count)))
		}
	case expr.List:
		says = append(says, expr.Cmp(expr.Length{X: w.subject}, expr.Eq, expr.Int(len(all.Elems))))
		for i, e := range all.Elems {
			if !expr.IsComposite(e) {
				return nil // scalars are looked for among those that were seen
			}
			of(expr.Int(i), e)
		}
	}
	if count == 0 || count > maxParts || len(w.active) == 0 {
		return nil
	}
	said := w.parts(says, w.active)
	if len(said) == 0 {
		return nil
	}
	return []expr.Expr{expr.AllOf(said...)}
}

// parts are the strongest statements that are true of what some conditions say.
func (w *weakening) parts(xs []expr.Expr, trials []expr.Scope) []expr.Expr {
	var out []expr.Expr
	for _, x := range xs {
		one := w.part(x, trials)
		if and, ok := one.(expr.And); ok {
			out = append(out, and.Xs...)
		} else if one != nil {
			out = append(out, one)
		}
		if len(out) > maxParts {
			return nil
		}
	}
	return out
}

// partOf is the weakening of one condition of several, as the executions show that it is meant.
func (w *weakening) partOf(x expr.Expr, trials []expr.Scope) *weakening {
	if meant, ok := expr.Unspread(x, trials); ok {
		x = meant
	}
	a := *w.a
	a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	a.Meaning, a.Prior, a.Guards, a.Rebound = x, nil, nil, false
	if claims := (script.Claims{Test: w.t}); !claims.Any(&a, x) && !claims.Any(&a, expr.Equality(x)) {
		a.Relation = ""
	}
	one := &weakening{p: w.p, t: w.t, a: &a, whole: cmp.Or(w.whole, w.a)}
	one.trials, one.failed = hold(x, trials)
	if shot := a.Snapshot; one.failed > 0 && (a.Ours || a.Relation == "" && shot) {
		a.Ours, a.Snapshot = true, false // a matcher admits more than one value, as statements of flaketap's do
		w.p.reclaim(w.t, &a)
		a.Snapshot = shot
	}
	if a.Relation != "" {
		one.field = w.p.field(w.t, &a)
	}
	return one
}

// moves reports whether the condition fails in a trial, or is about a place that moves elsewhere.
func (w *weakening) moves() bool { return w.failed > 0 || w.a.Relation != "" && w.wouldMove() }

// part is the strongest statement that is true of what one condition says; nil where there is none.
func (w *weakening) part(x expr.Expr, trials []expr.Scope) expr.Expr {
	one := w.partOf(x, trials)
	if !one.moves() && len(one.trials) == len(trials) {
		return one.a.Meaning
	}
	if one.a.Relation == "" {
		return w.halves(one.a.Meaning, trials)
	}
	if w.field == nil {
		w.field = one.field
	}
	if one.subject = one.a.Subject(); one.subject == nil || len(one.trials) < len(trials) {
		return nil
	}
	best, _ := one.weaker()
	if w.moved = append(w.moved, one.moved...); len(one.moved) == 0 && one.failed > 0 {
		w.moved = append(w.moved, one.a.Place)
	}
	return best
}
