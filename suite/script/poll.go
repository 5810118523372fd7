package script

import "github.com/flaketap/flaketap/suite/expr"

// Answers lists the calls of a test whose answers a value is made of.
func (t *Test) Answers(x expr.Expr) []*Call {
	var out []*Call
	if x == nil {
		return nil
	}
	expr.Walk(x, func(y expr.Expr) {
		id := ""
		switch y := y.(type) {
		case expr.Answer:
			id = y.Var
		case expr.Name:
			id = y.ID
		}
		for _, c := range t.Calls {
			if id != "" && c.Var == id {
				out = append(out, c)
			}
		}
	})
	return out
}

// Computed reports whether a value in a loop may be more than a part of one turn's answers: it is counted up, or put
// together, of what may be of an earlier turn, or is not known.
func Computed(x expr.Expr) bool {
	found := false
	if x != nil {
		expr.Walk(x, func(y expr.Expr) {
			switch y.(type) {
			case expr.Arith, expr.List, expr.Unknown:
				found = true
			}
		})
	}
	return found
}
