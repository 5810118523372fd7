package python

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// sharing is an assertion in a function that does more than assert, and what it says each time that a test comes to it.
type sharing struct {
	*script.Assertion
	form   form
	all    []script.Saying
	names  []scope
	reason string // why it is not known what it says in one of them
}

// passed notes what an assertion in a function says as a test comes to it.
func (r *follower) passed(a *script.Assertion, f form, said expr.Expr, names scope, calls int) {
	of := r.file.shared[a.At.Start]
	what := expr.UnknownIn(said)
	switch {
	case of.reason != "" && of.reason != script.UnderCondition:
	case len(r.test.Calls) > calls:
		of.reason = "it sends a request itself"
	case what != "":
		of.reason = what + " is not known in " + r.test.Name
	case r.inside(conditional), r.left:
		of.reason = script.UnderCondition
	}
	of.form = f
	of.all = append(of.all, script.Saying{Test: r.test, Says: said, Names: r.literals()})
	of.names = append(of.names, names)
}

// literals are the names that stand for what is written out, and that.
func (r *follower) literals() map[string]expr.Expr {
	out := map[string]expr.Expr{}
	for name, x := range r.env {
		if _, unknown := x.(meaning.Opaque); unknown {
			continue
		}
		if value := meaning.Of(x); expr.IsLiteral(value) {
			out[name] = value
		}
	}
	return out
}

// unite tells what the assertions of functions say in all calls of these.
func (w *suiteFile) unite() {
	for _, at := range slices.Sorted(maps.Keys(w.shared)) {
		of := w.shared[at]
		if of.Reason != "" {
			continue // of a form that is not known
		}
		said, uses, ok := script.Shared(of.all)
		switch {
		case of.reason != "" && of.reason != script.UnderCondition:
			of.Reason = "it stands in a function that tests share: " + of.reason
		case w.calledToAssert[at], !ok:
			of.Reason = "it stands in a function that tests share, and says something else in each"
		default:
			of.Reason = of.reason
			of.Meaning, of.Uses = said, uses
			if !(script.Claims{Test: of.all[0].Test}).Any(of.Assertion, said) {
				of.Relation, of.Place, of.Value, of.Call = "", "", "", 0
			}
			w.names[of.Assertion], w.forms[of.Assertion] = common(of.names, uses), of.form
		}
	}
}

// common are the names of the first use that mean the same in each.
func common(all []scope, uses []script.Use) scope {
	out := scope{answers: script.Everywhere(uses, all[0].answers, func(i int) map[string]string { return all[i].answers })}
	for _, v := range all[0].values {
		if everyUse(uses, func(i int, u script.Use) bool {
			return slices.ContainsFunc(all[i].values, func(o named) bool {
				return o.name == v.name && expr.Identical(o.value, u.Of(v.value))
			})
		}) {
			out.values = append(out.values, v)
		}
	}
	return out
}

func everyUse(uses []script.Use, holds func(i int, u script.Use) bool) bool {
	for i, u := range uses {
		if !holds(i, u) {
			return false
		}
	}
	return true
}
