package wording

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/pattern"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/values"
)

// Words are the assertion of testify's that says a condition, and what it is given; false where none does.
func (p Printer) Words(x expr.Expr) (name string, args []string, ok bool) {
	switch x := x.(type) {
	case expr.Compare:
		return p.comparing(x)
	case expr.Match:
		of, t, ok := p.Place(x.X)
		return "Regexp", []string{pattern.Literal(x), asString(of, typing.IsBytes(t))}, ok && (typing.IsString(t) || typing.IsBytes(t) || typing.IsAny(t))
	case expr.IsDigits:
		return p.Words(expr.Match{X: x.X, Pattern: "[0-9]+", Full: true})
	case expr.HasPrefix:
		if s, isText := x.Prefix.(expr.Str); isText {
			return p.Words(expr.Match{X: x.X, Pattern: "^" + literal.QuoteRegexp(s.Value)})
		}
	case expr.SameItems:
		of, t, ok := p.Place(x.X)
		list, too := values.Value(x.Y, t)
		return "ElementsMatch", []string{list, of}, ok && too
	case expr.IsType:
		of, t, ok := p.Place(x.X)
		typ, whole := typing.OfJSON(x.Types)
		sample := map[string]string{"string": `""`, "float64": "float64(0)", "bool": "false", "[]any": "[]any{}",
			"map[string]any": "map[string]any{}"}[typ]
		return "IsType", []string{sample, of}, ok && typing.IsAny(t) && sample != "" && !whole
	}
	return "", nil, false
}

// countsBytes reports whether what is counted are the bytes of a text.
func countsBytes(x expr.Expr) bool {
	of, ok := x.(expr.Len)
	if !ok {
		return false
	}
	_, ok = of.X.(expr.Bytes)
	return ok
}

func asString(of string, bytes bool) string {
	if bytes {
		return "string(" + of + ")"
	}
	return of
}

// comparing is words for a comparison.
func (p Printer) comparing(x expr.Compare) (name string, args []string, ok bool) {
	if x.Op == expr.In || x.Op == expr.NotIn {
		return p.containing(x)
	}
	if counted := expr.Counted(x.X); counted != nil && x.Op == expr.Eq {
		of, t, ok := p.Place(counted)
		n, isNumber := values.Value(x.Y, typing.IntType())
		return "Len", []string{of, n}, ok && isNumber && !typing.IsBytes(t) && (!typing.IsString(t) || countsBytes(x.X))
	}
	of, t, ok := p.Place(x.X)
	if !ok {
		return "", nil, false
	}
	if _, isNull := x.Y.(expr.Null); isNull {
		name := map[expr.Op]string{expr.Eq: "Nil", expr.Is: "Nil", expr.Ne: "NotNil", expr.IsNot: "NotNil"}[x.Op]
		return name, []string{of}, name != ""
	}
	value, ok := values.Value(x.Y, t)
	if !ok {
		other, u, known := p.Place(x.Y)
		value, ok = other, known && typing.SameType(t, u)
	} else if typ, named := values.TypeName(t); typing.IsNumber(t) && !typing.IsAny(t) && typ != "int" &&
		typ != "float64" {
		value, ok = typ+"("+value+")", named
	} else if typ == "float64" && !strings.ContainsAny(value, ".e") {
		value = "float64(" + value + ")"
	}
	switch x.Op {
	case expr.Eq, expr.Is:
		return "Equal", []string{value, of}, ok
	case expr.Ne, expr.IsNot:
		return "NotEqual", []string{value, of}, ok
	}
	name = map[expr.Op]string{expr.Lt: "Less", expr.Le: "LessOrEqual", expr.Gt: "Greater", expr.Ge: "GreaterOrEqual"}[x.Op]
	return name, []string{of, value}, ok && name != ""
}

// containing is words for what says that something is in something else.
func (p Printer) containing(x expr.Compare) (name string, args []string, ok bool) {
	name = map[expr.Op]string{expr.In: "Contains", expr.NotIn: "NotContains"}[x.Op]
	if set, isSet := asSet(x.Y); isSet {
		of, t, ok := p.Place(x.X)
		if !ok {
			return "", nil, false
		}
		list, ok := values.List(set, typing.SliceOf(t))
		return name, []string{list, of}, ok
	}
	of, t, ok := p.Place(x.Y)
	key, isText := x.X.(expr.Str)
	switch {
	case !ok:
	case typing.IsString(t), typing.IsBytes(t), typing.IsMap(t), typing.IsAny(t):
		return name, []string{asString(of, typing.IsBytes(t)), quoted(key)}, isText
	case typing.IsSlice(t):
		value, ok := values.Value(x.X, typing.ElemOf(t))
		return name, []string{of, value}, ok
	}
	return "", nil, false
}
