package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
)

// sortedAs reads sorted(x) == [1, 2]: the list has these elements in any order. It is false where that is not what is
// compared, or where the list is in another order, so that nothing would be equal to it.
func sortedAs(x pyCompare) (expr.Expr, bool) {
	if of, ok := x.x.(pyItems); ok {
		list, isList := meaning(x.ys[0]).(expr.List)
		return expr.SameItems{X: meaning(of.x), Y: list}, isList
	}
	call, ok := x.x.(pyCall)
	if !ok || !isPyName(call.fn, "sorted") || len(call.args) != 1 || len(call.kw) > 0 || len(x.ops) != 1 || x.ops[0] != "==" {
		return nil, false
	}
	list, ok := meaning(x.ys[0]).(expr.List)
	inOrder, known := source.InOrder(list.Elems)
	if !ok || !known || !slices.EqualFunc(inOrder, list.Elems, expr.Identical) {
		return nil, false
	}
	return expr.SameItems{X: meaning(call.args[0]), Y: list}, true
}

// setAs reads {x for x in list} == {1, 2}: each of the elements is one of these, and each of these is there.
func setAs(x pyCompare) (expr.Expr, bool) {
	if len(x.ops) != 1 || x.ops[0] != "==" {
		return nil, false
	}
	a, ok := x.x.(pySet)
	b, too := x.ys[0].(pySet)
	if _, written := a.of.(pySeq); written {
		a, b = b, a
	}
	each, isEach := a.of.(pyComp)
	elems, isWritten := b.of.(pySeq)
	if !ok || !too || !isEach || !isWritten || len(elems.elems) > maxSet {
		return nil, false
	}
	all, _ := meaning(each).(expr.Each)
	set := meanings(elems.elems)
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

// pyItems is a list of which the order does not count, as assertCountEqual compares it.
type pyItems struct{ x node }
