package golang

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/wording"
	"github.com/flaketap/flaketap/suite/script"
)

// sharing is an assertion in a function that does more than assert, and what it says each time that a test comes to it.
type sharing struct {
	*script.Assertion
	form   form
	all    []script.Saying
	names  []wording.Names
	types  map[string]types.Type // of the names that stand for what is written out
	reason string                // why it is not known what it says in one of them
}

// because notes why it is not known what an assertion says; that it stands under a condition is the least of reasons.
func (o *sharing) because(reason string) {
	if o.reason == "" || o.reason == script.UnderCondition {
		o.reason = cmp.Or(reason, o.reason)
	}
}

// passed notes what an assertion in a function says as a test comes to it.
func (r *follower) passed(of *sharing, f form, said expr.Expr) {
	said = logic.Simplified(said)
	what := expr.UnknownIn(said)
	switch {
	case size(boolean(said)) > maxSize:
		of.because("it is made of too many values")
	case what != "":
		of.because(what + " is not known in " + r.test.Name)
	case !expr.Mentions[expr.Answer](said):
		of.because("it is not about an answer")
	case !r.OwnLines(of.At):
		of.because("other code stands on its lines")
	case f.sends != nil:
		of.because("it sends a request itself")
	case r.several:
		of.because("a test that calls the function runs with several values")
	case r.cond > 0 || r.unclear:
		of.because(script.UnderCondition)
	}
	names, written := r.scopeAt(f.pos()), map[string]expr.Expr{}
	of.types = map[string]types.Type{}
	if inner := r.Pkg.Scope().Innermost(f.pos()); inner != nil {
		for o, c := range r.env {
			p, isPlain := c.value.(plain)
			_, visible := inner.LookupParent(o.Name(), f.pos())
			if visible == o && isPlain && p.typ != nil && expr.IsLiteral(p.x) {
				written[o.Name()], of.types[o.Name()] = p.x, p.typ
			}
		}
	}
	of.form = f
	of.all = append(of.all, script.Saying{Test: r.test.Test, Says: said, Names: written})
	of.names = append(of.names, names)
	r.test.uses = append(r.test.uses, said)
}

// unite tells what the assertions of functions say in all calls of these.
func (g *suite) unite() {
	const shared = "it stands in a function that tests share"
	for _, s := range slices.SortedFunc(maps.Keys(g.shared), func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) }) {
		of := g.shared[s]
		said, uses, ok := script.Shared(of.all)
		switch {
		case of.reason != "" && of.reason != script.UnderCondition:
			of.Reason = shared + ": " + of.reason
			continue
		case g.calledToAssert[s], !ok, script.NamesMembers(said):
			of.Reason = shared + ", and says something else in each"
			continue
		case g.calledElsewhere(s):
			of.Reason = shared + ", with those of other files"
			continue
		}
		of.Reason, of.Uses = of.reason, uses
		of.Meaning, g.plain[of.Assertion] = lenient.Exact(said)
		if !(script.Claims{Test: of.all[0].Test}).Any(of.Assertion, g.plain[of.Assertion]) {
			of.Relation, of.Place, of.Value, of.Call = "", "", "", 0
		}
		of.form.names = common(of.names, uses)
		for name := range uses[0].Values {
			x := expr.Name{ID: name}
			of.form.names.Values = append(of.form.names.Values, wording.Named{Name: name, X: x, Raw: x, Type: of.types[name]})
		}
		g.forms[of.Assertion] = of.form
	}
}

// calledElsewhere reports whether other files name the function that a statement stands in.
func (g *suite) calledElsewhere(s ast.Stmt) bool {
	for _, d := range g.Syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || s.Pos() < f.Pos() || f.End() < s.Pos() {
			continue
		}
		for id, o := range g.Info.Uses {
			if o == g.Info.Defs[f.Name] && !g.Holds(id.Pos()) {
				return true
			}
		}
	}
	return false
}

// common are the names of the first use that mean the same in each.
func common(all []wording.Names, uses []script.Use) wording.Names {
	out := wording.Names{}
	out.Answers = script.Everywhere(uses, all[0].Answers, func(i int) map[string]string { return all[i].Answers })
	out.Headers = script.Everywhere(uses, all[0].Headers, func(i int) map[string]string { return all[i].Headers })
	alike := func(of func(i int) []wording.Named) []wording.Named {
		return slices.DeleteFunc(slices.Clone(of(0)), func(v wording.Named) bool {
			for i, u := range uses {
				if !slices.ContainsFunc(of(i), func(o wording.Named) bool {
					return o.Name == v.Name && expr.Identical(o.Raw, u.Of(v.Raw)) && o.Type != nil && types.Identical(o.Type, v.Type)
				}) {
					return true
				}
			}
			return false
		})
	}
	out.Values = alike(func(i int) []wording.Named { return all[i].Values })
	out.Tests = alike(func(i int) []wording.Named { return all[i].Tests })
	return out
}
