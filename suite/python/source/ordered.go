package source

import "github.com/flaketap/flaketap/suite/expr"

// most writes the first element of a list in order, as Python's min and max give it.
func (p Printer) most(x expr.Index) (string, bool) {
	list, ok := x.X.(expr.Ordered)
	if !ok || !expr.Identical(x.I, expr.Int(0)) || p.Own != nil && p.Own(list) != "" {
		return "", false
	}
	if list.Falling {
		return p.ordered("max", list, false), true
	}
	return p.ordered("min", list, false), true
}

// ordered writes a call of sorted, min or max.
func (p Printer) ordered(function string, x expr.Ordered, reverse bool) string {
	text := function + "(" + p.write(x.List)
	if x.Key != nil {
		text += ", key=lambda " + x.Var + ": " + p.write(x.Key)
	}
	if reverse {
		text += ", reverse=True"
	}
	return text + ")"
}
