package polling

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// condition writes a condition about an answer in pieces, with what joins them where the language wants it; none for
// nil, and false where it has no words for it.
func (s Site) condition(x expr.Expr) ([]string, bool) {
	if x == nil {
		return nil, true
	}
	parts, join := script.Pieces(x, "&&", "||")
	var out []string
	for i, part := range parts {
		text, ok := s.one(part)
		if !ok || strings.ContainsAny(text, "\r\n") {
			return nil, false
		}
		switch {
		case s.Kotlin && i < len(parts)-1:
			text += " " + join
		case !s.Kotlin && i > 0:
			text = join + " " + text
		}
		out = append(out, text)
	}
	return out, true
}

// one writes a condition about one value.
func (s Site) one(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.IsType:
		is := " instanceof Boolean"
		if s.Kotlin {
			is = " is Boolean"
		}
		of, ok := s.comparedWith(x.X, expr.Null{})
		return of + is, ok && s.Value == nil && len(x.Types) == 1 && x.Types[0] == expr.TypeBool
	case expr.Compare:
		return s.comparison(x)
	}
	return "", false
}

func (s Site) comparison(x expr.Compare) (string, bool) {
	text, isToken := expr.Token(x.Y)
	n, err := strconv.ParseInt(text, 10, 32)
	isInt := isToken && err == nil
	if of, ok := x.X.(expr.Answer); ok && of.Part == expr.Status {
		if s.Value != nil {
			return s.answer() + s.Value.Status + " == " + text, isInt && x.Op == expr.Eq
		}
		return s.answer() + ".statusCode() == " + text, isInt && x.Op == expr.Eq
	}
	if list := expr.Counted(x.X); list != nil { // there is an element of that number
		of, ok := s.comparedWith(expr.Index{X: list, I: expr.Int(int(n) - 1)}, expr.Null{})
		return s.null(of, expr.IsNot), ok && isInt && n > 0 && x.Op == expr.Ge
	}
	of, ok := s.comparedWith(x.X, x.Y)
	switch y := x.Y.(type) {
	case expr.Null:
		return s.null(of, x.Op), ok && (x.Op == expr.Is || x.Op == expr.IsNot)
	case expr.Bool:
		if s.Kotlin {
			return of + " == " + strconv.FormatBool(y.Value), ok && x.Op == expr.Is
		}
		return "Boolean." + strings.ToUpper(strconv.FormatBool(y.Value)) + ".equals(" + of + ")", ok && x.Op == expr.Is
	case expr.Str:
		if s.Kotlin {
			return of + " == " + literal.Kotlin(y.Value), ok && x.Op == expr.Eq
		}
		return literal.Java(y.Value) + ".equals(" + of + ")", ok && x.Op == expr.Eq
	}
	if s.Kotlin || s.Value != nil {
		return of + " == " + text, ok && isInt && x.Op == expr.Eq
	}
	return "Integer.valueOf(" + text + ").equals(" + of + ")", ok && isInt && x.Op == expr.Eq
}

// null writes that a part is null, or not.
func (s Site) null(of string, op expr.Op) string {
	switch {
	case s.Value != nil && s.Value.Null != "" && op == expr.Is:
		return of + s.Value.Null
	case s.Value != nil && s.Value.Null != "":
		return "!" + of + s.Value.Null
	case op == expr.Is:
		return of + " == null"
	}
	return of + " != null"
}

// answer is how a condition calls the answer.
func (s Site) answer() string {
	if s.Kotlin {
		return "it"
	}
	return s.Free
}

// part writes what leads to a part of the body.
func (s Site) part(x expr.Expr) (string, bool) {
	_, steps := expr.Steps(x)
	if _, ok := expr.BodyOf(x); !ok || len(steps) == 0 {
		return "", false
	}
	var path []expr.Expr
	for _, step := range steps {
		path = append(path, step.I)
	}
	if s.Kotlin {
		return "it.path<Any?>(" + literal.Kotlin(meaning.PathTo(path)) + ")", true
	}
	return s.Free + ".path(" + literal.Java(meaning.PathTo(path)) + ")", true
}
