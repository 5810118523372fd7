package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// A loop over a list of an answer is followed once, with a name for the element: what it asserts holds for all of them,
// and a list that it appends to each time is that of what it appends.

// through is what is known of the loops over lists of answers that a statement stands in, the outermost first.
type through struct {
	of     []expr.Each     // without what is made of the elements
	filled map[*cell]plain // what the innermost appends to the lists of variables, as an element of these
}

// fromAnswer reports whether a value is taken from an answer, or is the element of a list of one.
func fromAnswer(x expr.Expr) bool {
	return expr.UnknownIn(x) == "" && (expr.Mentions[expr.Answer](x) || expr.Mentions[expr.Name](x))
}

// throughList follows a loop over a list of an answer; false where it is none that runs to its end with each element,
// or sends requests, whose number would be the list's.
func (r *follower) throughList(s *ast.RangeStmt, all value) bool {
	of, ok := deref(all).(plain)
	if !ok || !r.own || r.cond > len(r.loops.of) || r.unclear || r.several || !source.IsWhole(s.Body) ||
		!typing.IsSlice(of.typ) || typing.IsBytes(of.typ) || expr.IsLiteral(of.x) || !fromAnswer(of.x) ||
		sendsWithin(s.Body) {
		return false
	}
	outer := r.loops
	each := expr.Each{Var: fmt.Sprintf("element %d", r.Offset(s.Pos())), List: of.x}
	r.loops = through{of: append(slices.Clone(outer.of), each), filled: map[*cell]plain{}}
	calls, listed := len(r.calls), len(r.test.Assertions)
	looped := r.looped
	r.looped = true
	r.cond++
	if s.Key != nil {
		r.set(s.Key, opaque{"the number of an element"})
	}
	if s.Value != nil {
		r.set(s.Value, plain{x: expr.Name{ID: each.Var}, typ: typing.ElemOf(of.typ)})
	}
	r.block(s.Body.List)
	for _, x := range []ast.Expr{s.Key, s.Value} {
		if x != nil {
			r.set(x, opaque{"the variable of a loop"})
		}
	}
	r.cond--
	filled := r.loops.filled
	r.loops, r.looped = outer, looped
	if len(r.calls) > calls {
		for _, a := range r.test.Assertions[listed:] {
			r.unlist(a, "the test runs with several values")
		}
		return true
	}
	for c, elem := range filled {
		if c.value != beingFilled() {
			continue // something else changed it
		}
		c.value = opaque{"a list that is filled in loops within each other"}
		if len(outer.of) == 0 {
			all := expr.Each{Elem: elem.x, Var: each.Var, List: each.List}
			c.value = r.retyped(bounded(plain{x: all, null: elem.null}), c.typ)
		}
	}
	return true
}

// sendsWithin reports whether statements call what sends a request by its name, so that a loop of them is not followed
// as one.
func sendsWithin(body *ast.BlockStmt) bool {
	sends := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				n, sending := sendingMethods()[s.Sel.Name]
				sends = sends || sending && n == len(call.Args) && n > 1 || s.Sel.Name == "Run"
			}
		}
		return !sends
	})
	return sends
}

// fills follows list = append(list, x) in a loop over a list of an answer, where the list is empty before the loop;
// false where an assignment is another.
func (r *follower) fills(s *ast.AssignStmt) bool {
	if len(r.loops.of) == 0 || r.cond > len(r.loops.of) || s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	c := r.env[r.Info.Uses[id]]
	call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if c == nil || !ok || !isAppend(r.File, call) || len(call.Args) != 2 || call.Ellipsis.IsValid() ||
		c.level != r.cond-1 {
		return false
	}
	to, ok := call.Args[0].(*ast.Ident)
	own, isPlain := c.value.(plain)
	list, isList := own.x.(expr.List)
	if !ok || r.Info.Uses[to] != r.Info.Uses[id] || !isPlain || !isList || len(list.Elems) > 0 {
		return false
	}
	v, ok := r.eval(call.Args[1]).(plain)
	if !ok || !fromAnswer(v.x) {
		return false
	}
	c.value = beingFilled()
	r.loops.filled[c] = plain{x: v.x, null: own.null}
	return true
}

// beingFilled is a list in the loop that appends to it.
func beingFilled() value { return opaque{"a list that a loop fills"} }

// isAppend reports whether a call is one of the language's append.
func isAppend(f *source.File, call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "append" && f.Info.Types[call.Fun].IsBuiltin()
}

// ofEach is what a condition says in loops over lists of answers: it holds for all elements. One that is not about the
// elements says nothing where a list is empty.
func (r *follower) ofEach(said expr.Expr) expr.Expr {
	for _, each := range slices.Backward(r.loops.of) {
		all, ok := expr.OfEach(logic.Simplified(said), each)
		if !ok {
			return expr.Unknown{What: "whether the loop runs at all"}
		}
		said = all
	}
	return said
}

// within is what is said of the elements of a list, where no more is said; false where something else is.
func within(x expr.Expr, each expr.Each) (expr.Expr, bool) {
	guards := []expr.Expr(nil)
	if or, ok := x.(expr.Or); ok {
		guards, x = or.Xs[:len(or.Xs)-1], or.Xs[len(or.Xs)-1]
	}
	all, ok := x.(expr.All)
	if !ok {
		return nil, false
	}
	of, ok := all.X.(expr.Each)
	if !ok || of.Var != each.Var || of.Cond != nil ||
		!expr.Identical(lenient.Indexed(of.List), lenient.Indexed(each.List)) {
		return nil, false
	}
	for _, g := range guards { // no loop runs through a list that is not there
		if !slices.ContainsFunc(lenient.Nothing(each.List), func(y expr.Expr) bool { return expr.Identical(y, g) }) {
			return nil, false
		}
	}
	return of.Elem, true
}

// appended is a list that is written out with elements behind it; false where it is not known.
func appended(all []value) (value, bool) {
	if len(all) == 0 {
		return nil, false
	}
	switch to := all[0].(type) {
	case list:
		out := list{typ: to.typ, elems: slices.Clone(to.elems)}
		for _, v := range all[1:] {
			out.elems = append(out.elems, deref(v))
		}
		return out, true
	case plain:
		own, ok := to.x.(expr.List)
		if !ok {
			return nil, false
		}
		out := plain{typ: to.typ, ints: to.ints}
		elems := slices.Clone(own.Elems)
		for _, v := range all[1:] {
			p, ok := v.(plain)
			if !ok {
				return nil, false
			}
			elems, out.ints = append(elems, p.x), out.ints || p.ints && typing.IsAny(typing.ElemOf(to.typ))
		}
		out.x = expr.List{Elems: elems}
		return out, true
	}
	return nil, false
}

// inOrder says that a list is sorted.
func inOrder(full string, args []value) (value, bool) {
	if !slices.Contains([]string{"sort.StringsAreSorted", "sort.IntsAreSorted", "sort.Float64sAreSorted", "slices.IsSorted"}, full) || len(args) != 1 {
		return nil, false
	}
	p, ok := deref(args[0]).(plain)
	if elem := typing.ElemOf(p.typ); !ok || !typing.IsString(elem) && !typing.IsNumber(elem) {
		return nil, false
	}
	return plain{x: expr.InOrder{X: p.x}, typ: types.Typ[types.Bool]}, true
}
