package meaning

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// sortedAs reads sorted(x) == [1, 2]: the list has these elements in any order. It is false where that is not what is
// compared, or where the list is in another order, so that nothing would be equal to it.
func sortedAs(x syntax.Compare) (expr.Expr, bool) {
	if of, ok := x.X.(Items); ok {
		list, isList := Of(x.Ys[0]).(expr.List)
		return expr.SameItems{X: Of(of.X), Y: list}, isList
	}
	call, ok := x.X.(syntax.Call)
	if !ok || !syntax.IsName(call.Fn, "sorted") || len(call.Args) != 1 || len(call.Kw) > 0 || len(x.Ops) != 1 || x.Ops[0] != "==" {
		return nil, false
	}
	list, ok := Of(x.Ys[0]).(expr.List)
	inOrder, known := source.InOrder(list.Elems)
	if !ok || !known || !slices.EqualFunc(inOrder, list.Elems, expr.Identical) {
		return nil, false
	}
	return expr.SameItems{X: Of(call.Args[0]), Y: list}, true
}

// setAs reads {x for x in list} == {1, 2}: each of the elements is one of these, and each of these is there.
func setAs(x syntax.Compare) (expr.Expr, bool) {
	if len(x.Ops) != 1 || x.Ops[0] != "==" {
		return nil, false
	}
	a, ok := x.X.(syntax.Set)
	b, too := x.Ys[0].(syntax.Set)
	if _, written := a.Of.(syntax.Seq); written {
		a, b = b, a
	}
	each, isEach := a.Of.(syntax.Comp)
	elems, isWritten := b.Of.(syntax.Seq)
	if !ok || !too || !isEach || !isWritten || len(elems.Elems) > maxSet {
		return nil, false
	}
	all, _ := Of(each).(expr.Each)
	set := meanings(elems.Elems)
	within := all
	within.Elem = expr.Cmp(all.Elem, expr.In, expr.Set{Elems: set})
	says := []expr.Expr{expr.All{X: within}}
	for _, e := range set {
		says = append(says, expr.Cmp(e, expr.In, all))
	}
	return expr.AllOf(says...), true
}

// maxSet bounds the elements of a set that a list is compared with.
const maxSet = 50

// Items is a list of which the order does not count, as assertCountEqual compares it.
type Items struct{ X syntax.Node }
