package meaning

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// Ordered is a list in the order of what Key is for its elements, which Key calls Name.
type Ordered struct {
	List    syntax.Node
	Name    string
	Key     syntax.Node
	Falling bool
}

func (o Ordered) meaning() expr.Expr {
	return expr.Ordered{List: Of(o.List), Var: o.Name, Key: optionalMeaning(o.Key), Falling: o.Falling}
}

// orderedAs reads sorted(x), min(x) and max(x): the least and the greatest are the first of a list in order.
func orderedAs(fn string, x expr.Expr) (expr.Expr, bool) {
	switch fn {
	case "sorted":
		return expr.Ordered{List: x}, true
	case "min":
		return expr.Index{X: expr.Ordered{List: x}, I: expr.Int(0)}, true
	case "max":
		return expr.Index{X: expr.Ordered{List: x, Falling: true}, I: expr.Int(0)}, true
	}
	return nil, false
}
