package golang

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// maxRows bounds how many values a loop is followed with.
const maxRows = 64

// rows is a loop over values that are written out, which is followed with each of them: what one statement asserts in
// all its rounds is one assertion, which holds where it holds in each.
type rows struct {
	said map[ast.Stmt]*rounds
	from int // how many calls the test had sent when the round began
}

// rounds is what one statement asserts in the rounds of a loop.
type rounds struct {
	*script.Assertion
	all []round
}

// round is what is asserted in one round, and how values are called there; from and to say which of the test's calls
// the round sent before.
type round struct {
	said     expr.Expr
	names    scope
	from, to int
}

// written are the values that a loop goes over, where they are written out in an order, and each round runs to its end
// before the next one begins.
func (r *follower) written(s *ast.RangeStmt, of value) (keys, values []value, ok bool) {
	if !r.own || r.cond > 0 || r.unclear || r.several || !isWhole(s.Body) {
		return nil, nil, false
	}
	switch of := deref(of).(type) {
	case list:
		values = of.elems
	case plain:
		switch x := of.x.(type) {
		case expr.List:
			for _, e := range x.Elems {
				values = append(values, plain{x: e, typ: elemOf(of.typ), ints: of.ints})
			}
		default:
			return nil, nil, false
		}
	default:
		return nil, nil, false
	}
	for i := range values {
		keys = append(keys, plain{x: expr.Int(i), typ: types.Typ[types.Int]})
	}
	return keys, values, len(values) > 0 && len(values) <= maxRows
}

// isWhole reports whether the body of a loop always runs to its end, and at once.
func isWhole(body *ast.BlockStmt) bool {
	whole, depth := true, 0
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BranchStmt, *ast.GoStmt, *ast.DeferStmt:
			whole = false
		case *ast.ReturnStmt:
			whole = whole && depth > 0
		case *ast.SelectorExpr:
			whole = whole && n.Sel.Name != "Parallel"
		case *ast.FuncLit:
			depth++
			ast.Inspect(n.Body, inspect)
			depth--
			return false
		}
		return whole
	}
	ast.Inspect(body, inspect)
	return whole
}

// each follows the body of a loop with each value.
func (r *follower) each(s *ast.RangeStmt, keys, values []value) {
	outer := r.rows
	if r.rows == nil {
		r.rows = &rows{said: map[ast.Stmt]*rounds{}}
	}
	for i := range values {
		r.rows.from = len(r.calls)
		for x, v := range map[ast.Expr]value{s.Key: keys[i], s.Value: values[i]} {
			if x != nil {
				r.set(x, v)
			}
		}
		r.block(s.Body.List)
	}
	r.rows = outer
}

// inRounds has a statement that asserts in the rounds of a loop be one assertion, of all that it says in them; said is
// what it does in this one.
func (r *follower) inRounds(s ast.Stmt, f *form, said expr.Expr) expr.Expr {
	if r.rows == nil {
		return said
	}
	of := r.rows.said[s]
	of.all = append(of.all, round{said, f.names, r.rows.from, len(r.calls)})
	f.rounds, of.Runs = of, len(of.all) > 1
	var all []expr.Expr
	for _, one := range of.all {
		all = append(all, one.said)
	}
	return expr.AllOf(all...)
}

// listed is the assertion that a statement was in an earlier round of a loop; nil where it was none.
func (r *follower) listed(s ast.Stmt) *script.Assertion {
	if r.rows == nil || !r.own || r.rows.said[s] == nil {
		return nil
	}
	return r.rows.said[s].Assertion
}

// alike is what is said of each round of a loop alike, as it is said of the last one, and how values are called in all;
// false where something is said of some of them alone.
func (o *rounds) alike(x expr.Expr) (expr.Expr, scope, bool) {
	said := make([][]expr.Expr, len(o.all))
	var shared []expr.Expr
	for _, y := range parts[expr.And](x) {
		of, ok := o.roundOf(y)
		switch {
		case !ok:
			return nil, scope{}, false
		case of < 0:
			shared = append(shared, y)
		default:
			said[of] = append(said[of], o.renamed(of, y))
		}
	}
	last := said[len(said)-1]
	end := o.all[len(o.all)-1]
	for i, one := range said {
		if o.all[i].to-o.all[i].from != end.to-end.from || !slices.EqualFunc(one, last, expr.Identical) {
			return nil, scope{}, false
		}
	}
	return expr.AllOf(append(shared, last...)...), o.names(), len(shared)+len(last) > 0
}

// roundOf is the round of which a condition speaks, -1 where it speaks of none; ok is false where it speaks of several.
func (o *rounds) roundOf(x expr.Expr) (of int, ok bool) {
	of, ok = -1, true
	expr.Walk(x, func(y expr.Expr) {
		answer, isAnswer := y.(expr.Answer)
		for i, one := range o.all {
			if n := callNumber(answer.Var); isAnswer && one.from <= n && n < one.to {
				ok = ok && (of < 0 || of == i)
				of = i
			}
		}
	})
	return of, ok
}

// renamed is what is said of a round as said of the last one: of the call that it sent as long before.
func (o *rounds) renamed(of int, x expr.Expr) expr.Expr {
	var answers []expr.Answer
	expr.Walk(x, func(y expr.Expr) {
		if answer, ok := y.(expr.Answer); ok && !slices.Contains(answers, answer) {
			answers = append(answers, answer)
		}
	})
	for _, answer := range answers {
		x = expr.Subst(x, answer, expr.Answer{Var: o.renamedCall(of, answer.Var), Part: answer.Part})
	}
	return x
}

func (o *rounds) renamedCall(of int, name string) string {
	one, last := o.all[of], o.all[len(o.all)-1]
	if n := callNumber(name); one.from <= n && n < one.to {
		return callName(last.to - one.to + n)
	}
	return name
}

// names are those of the last round that mean the same in each.
func (o *rounds) names() scope {
	out := o.all[len(o.all)-1].names
	for i, one := range o.all {
		out.answers = o.sameNames(i, out.answers, one.names.answers)
		out.headers = o.sameNames(i, out.headers, one.names.headers)
		out.values = o.sameValues(i, out.values, one.names.values)
		out.tests = o.sameValues(i, out.tests, one.names.tests)
	}
	return out
}

func (o *rounds) sameNames(of int, names, own map[string]string) map[string]string {
	out := map[string]string{}
	for call, name := range own {
		if call = o.renamedCall(of, call); names[call] == name {
			out[call] = name
		}
	}
	return out
}

func (o *rounds) sameValues(of int, values, own []named) []named {
	return slices.DeleteFunc(slices.Clone(values), func(v named) bool {
		return !slices.ContainsFunc(own, func(w named) bool {
			return v.name == w.name && expr.Identical(v.raw, o.renamed(of, w.raw))
		})
	})
}
