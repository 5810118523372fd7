package source

import "github.com/flaketap/flaketap/suite/expr"

// most writes the first element of a list in order, as Python's min and max give it.
func (p Printer) most(x expr.Index) (string, bool) {
	list, ok := x.X.(expr.Ordered)
	if !ok || !expr.Identical(x.I, expr.Int(0)) || p.Own != nil && p.Own(list) != "" {
		return "", false
	}
	if list.Falling {
		return "max(" + p.inOrder(list) + ")", true
	}
	return "min(" + p.inOrder(list) + ")", true
}

// sorted writes a list in order.
func (p Printer) sorted(x expr.Ordered) string {
	if x.Falling {
		return "sorted(" + p.inOrder(x) + ", reverse=True)"
	}
	return "sorted(" + p.inOrder(x) + ")"
}

// inOrder writes a list and by what it is in order.
func (p Printer) inOrder(x expr.Ordered) string {
	if x.Key == nil {
		return p.write(x.List)
	}
	return p.write(x.List) + ", key=lambda " + x.Var + ": " + p.write(x.Key)
}
