package js

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Ready writes a condition that a test waits for, about the status and a variable called body, in pieces that && joins,
// or || does. There are none for nil, and ok is false where there are no words for it.
func Ready(x expr.Expr, status string) (pieces []string, ok bool) {
	if x == nil {
		return nil, true
	}
	parts, join := script.Pieces(x, " &&", " ||")
	for i, part := range parts {
		w := &Writer{Words: Words{Own: inBody, Part: func(_ string, what expr.Part) (string, bool) {
			return status, what == expr.Status
		}}}
		text := w.Cond(part, AnyLevel)
		if i < len(parts)-1 {
			text += join
		}
		if pieces = append(pieces, text); w.Failed || strings.ContainsAny(text, "\r\n") {
			return nil, false
		}
	}
	return pieces, true
}

// inBody is a value of the body, of which any part may be missing.
func inBody(x expr.Expr) (string, bool) {
	if of, ok := x.(expr.Len); ok {
		text, ok := inBody(of.X)
		return text + "?.length", ok
	}
	if _, ok := expr.BodyOf(x); !ok {
		return "", false
	}
	text := "body"
	_, steps := expr.Steps(x)
	for _, step := range steps {
		one := Steps([]expr.Expr{step.I})
		if strings.HasPrefix(one, "[") {
			one = "." + one
		}
		text += "?" + one
	}
	return text, true
}
