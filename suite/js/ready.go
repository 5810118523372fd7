package js

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Ready writes a condition that a test waits for, about the status and a variable called body, in pieces that && joins,
// or || does. There are none for nil, and ok is false where there are no words for it.
func Ready(x expr.Expr, status string) (pieces []string, ok bool) {
	return ReadyOf(x, func(x expr.Expr) (string, bool) {
		of, ok := x.(expr.Answer)
		return map[expr.Part]string{expr.Status: status, expr.JSON: "body"}[of.Part], ok && (of.Part == expr.Status || of.Part == expr.JSON)
	})
}

// ReadyOf is [Ready] about other variables: own says how a value is called, false where it has no name.
func ReadyOf(x expr.Expr, own func(expr.Expr) (string, bool)) (pieces []string, ok bool) {
	if x == nil {
		return nil, true
	}
	parts, join := script.Pieces(x, " &&", " ||")
	for i, part := range parts {
		w := &Writer{Words: Words{Own: func(x expr.Expr) (string, bool) { return within(x, own) },
			Part: func(string, expr.Part) (string, bool) { return "", false }}}
		text := w.Cond(part, AnyLevel)
		if is, ok := part.(expr.Compare); ok && is.Op == expr.IsNot && is.Y == expr.Expr(expr.Null{}) {
			text = strings.Replace(text, "!== null", "!= null", 1) // what is missing is not there either
		}
		if i < len(parts)-1 {
			text += join
		}
		if pieces = append(pieces, text); w.Failed || strings.ContainsAny(text, "\r\n") {
			return nil, false
		}
	}
	return pieces, true
}

// within is a value that has a name, or one within it, of which any part may be missing.
func within(x expr.Expr, own func(expr.Expr) (string, bool)) (string, bool) {
	if text, ok := own(x); ok {
		return text, true
	}
	switch x := x.(type) {
	case expr.Len:
		text, ok := within(x.X, own)
		return text + "?.length", ok
	case expr.Index:
		_, literal := expr.BodyOf(x)
		text, ok := within(x.X, own)
		one := Steps([]expr.Expr{x.I})
		if strings.HasPrefix(one, "[") {
			one = "." + one
		}
		return text + "?" + one, ok && literal
	}
	return "", false
}
