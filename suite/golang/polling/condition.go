package polling

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/values"
	"github.com/flaketap/flaketap/suite/script"
)

// condition writes a condition as a function of the status, and of a function that has any part of the body; nil where
// there is none, and false where it has no words for it.
func condition(x expr.Expr) (string, bool) {
	const head = "func(status int, body func(path ...any) any) bool { return "
	if x == nil {
		return "nil", true
	}
	parts, word := script.Pieces(x, " && ", " || ")
	var out []string
	for _, part := range parts {
		text, ok := one(part)
		if !ok || strings.ContainsAny(text, "\r\n") {
			return "", false
		}
		out = append(out, text)
	}
	return head + strings.Join(out, word) + " }", true
}

// one writes a condition about one value.
func one(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.IsType:
		of, ok := part(x.X)
		return "(" + of + " == true || " + of + " == false)", ok && len(x.Types) == 1 && x.Types[0] == expr.TypeBool
	case expr.Compare:
		return comparison(x)
	}
	return "", false
}

func comparison(x expr.Compare) (string, bool) {
	if of, ok := x.X.(expr.Answer); ok && of.Part == expr.Status {
		text, ok := values.Value(x.Y, types.Typ[types.Int])
		return "status == " + text, ok && x.Op == expr.Eq
	}
	if n := expr.Counted(x.X); n != nil { // there is an element of that number
		of, ok := part(n)
		text, _ := expr.Token(x.Y)
		least, err := strconv.Atoi(text)
		return strings.TrimSuffix(of, ")") + ", " + strconv.Itoa(least-1) + ") != nil", ok && err == nil && least > 0 && x.Op == expr.Ge
	}
	op := map[expr.Op]string{expr.Eq: " == ", expr.Is: " == ", expr.IsNot: " != "}[x.Op]
	of, ok := part(x.X)
	text, said := values.Value(x.Y, types.Universe.Lookup("any").Type())
	return of + op + text, ok && said && op != "" && !expr.IsComposite(x.Y)
}

// part writes what leads to a part of the body.
func part(x expr.Expr) (string, bool) {
	_, steps := expr.Steps(x)
	if _, ok := expr.BodyOf(x); !ok || len(steps) == 0 {
		return "", false
	}
	var path []string
	for _, step := range steps {
		switch i := step.I.(type) {
		case expr.Str:
			path = append(path, literal.Go(i.Value))
		case expr.Num:
			path = append(path, i.Text)
		}
	}
	return "body(" + strings.Join(path, ", ") + ")", true
}
