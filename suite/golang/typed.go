package golang

import (
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

func quoted(s expr.Str) string { return literal.Go(s.Value) }

// typedTest is a condition about a value whose static type is any, which has to be of another for what is asked of it:
// n, ok := v["price"].(float64); ok && n >= 0. Written so, it cannot panic.
type typedTest struct {
	of    string // what the value is called
	typ   string
	name  string   // that it gets
	tests []string // of that; none where its type is all that is asked
}

// inline writes it as an expression.
func (t typedTest) inline() string {
	if len(t.tests) == 0 {
		return "func() bool { _, ok := " + t.of + ".(" + t.typ + "); return ok }()"
	}
	return "func() bool { " + t.name + ", ok := " + t.of + ".(" + t.typ + "); return " + t.holds() + " }()"
}

// holds is the condition itself, behind its assignment.
func (t typedTest) holds() string { return strings.Join(append([]string{"ok"}, t.tests...), " && ") }

// denied is its opposite.
func (t typedTest) denied() string {
	if len(t.tests) == 0 {
		return "!ok"
	}
	rest := strings.Join(t.tests, " && ")
	if len(t.tests) > 1 || strings.Contains(rest, " && ") {
		return "!ok || !(" + rest + ")"
	}
	for _, op := range [][2]string{{" >= ", " < "}, {" <= ", " > "}, {" == ", " != "}, {" > ", " <= "}, {" < ", " >= "}} {
		if before, after, found := strings.Cut(rest, op[0]); found && isWord(before) {
			return "!ok || " + before + op[1] + after
		}
	}
	return "!ok || !" + rest
}

// declared is the assignment before it.
func (t typedTest) declared() string {
	name := t.name
	if len(t.tests) == 0 {
		name = "_"
	}
	return name + ", ok := " + t.of + ".(" + t.typ + ")"
}

// typedTest reads a condition as one about a value of type any; false where it is another, or none is needed.
func (p printer) typedTest(x expr.Expr) (typedTest, bool) {
	if and, ok := x.(expr.And); ok {
		return p.severalTyped(and.Xs)
	}
	subject, typ, test := p.asked(x)
	if subject == nil {
		return typedTest{}, false
	}
	of, t, ok := p.place(subject)
	if !ok || !isAny(t) {
		return typedTest{}, false
	}
	out := typedTest{of: of, typ: typ, name: variables()[typ]}
	if test != "" {
		out.tests = []string{test}
	}
	return out, true
}

// severalTyped reads several conditions about one value.
func (p printer) severalTyped(xs []expr.Expr) (typedTest, bool) {
	var out typedTest
	for i, x := range xs {
		if not, ok := x.(expr.Not); ok && out.typ == "float64" {
			if is, ok := not.X.(expr.IsType); ok && slices.Equal(is.Types, []expr.Type{expr.TypeBool}) {
				continue // a float64 is none
			}
		}
		one, ok := p.typedTest(x)
		if !ok || i > 0 && (one.of != out.of || one.typ != out.typ) {
			return typedTest{}, false
		}
		out.of, out.typ, out.name = one.of, one.typ, one.name
		out.tests = append(out.tests, one.tests...)
	}
	return out, len(xs) > 0
}

// variables are names of values by their types.
func variables() map[string]string {
	return map[string]string{"string": "text", "float64": "number", "bool": "is", "[]any": "list", "map[string]any": "object"}
}

// asked is what a condition looks at, the type that this must have, and what is asked of it by the name that variables
// has; nil where the condition asks nothing of that kind.
func (p printer) asked(x expr.Expr) (subject expr.Expr, typ, test string) {
	switch x := x.(type) {
	case expr.IsType:
		typ, whole := goType(x.Types)
		if typ == "" {
			return nil, "", ""
		}
		if whole {
			test = "number == float64(int64(number))"
		}
		return x.X, typ, test
	case expr.Between:
		low, ok := p.value(x.Low, types.Typ[types.Float64])
		high, too := p.value(x.High, types.Typ[types.Float64])
		if ok && too {
			return x.X, "float64", low + " <= number && number <= " + high
		}
	case expr.Match:
		if p.imports["regexp"] != "" {
			return x.X, "string", p.matching(x, "text")
		}
	case expr.IsDigits:
		return p.asked(expr.Match{X: x.X, Pattern: "[0-9]+", Full: true})
	case expr.HasPrefix, expr.HasSuffix:
		return p.askedOfText(x)
	case expr.Compare:
		return p.askedByComparing(x)
	}
	return nil, "", ""
}

func (p printer) askedOfText(x expr.Expr) (expr.Expr, string, string) {
	name := p.imports["strings"]
	if name == "" {
		return nil, "", ""
	}
	switch x := x.(type) {
	case expr.HasPrefix:
		if s, ok := x.Prefix.(expr.Str); ok {
			return x.X, "string", name + ".HasPrefix(text, " + quoted(s) + ")"
		}
	case expr.HasSuffix:
		if s, ok := x.Suffix.(expr.Str); ok {
			return x.X, "string", name + ".HasSuffix(text, " + quoted(s) + ")"
		}
	}
	return nil, "", ""
}

func (p printer) askedByComparing(x expr.Compare) (expr.Expr, string, string) {
	op, ordered := map[expr.Op]string{expr.Lt: " < ", expr.Le: " <= ", expr.Gt: " > ", expr.Ge: " >= "}[x.Op]
	if counted := expr.Counted(x.X); counted != nil {
		if x.Op == expr.Eq {
			op, ordered = " == ", true
		}
		n, ok := p.value(x.Y, types.Typ[types.Int])
		if ordered && ok {
			return counted, "[]any", "len(list)" + op + n
		}
		return nil, "", ""
	}
	if n, ok := p.value(x.Y, types.Typ[types.Float64]); ok && ordered {
		return x.X, "float64", "number" + op + n
	}
	key, isText := x.X.(expr.Str)
	if _, isSet := asSet(x.Y); isSet || !isText || x.Op != expr.In {
		return nil, "", ""
	}
	return nil, "", p.imports["strings"] + quoted(key) // of an any it is not known what has it
}

// goType is the type that encoding/json gives a value of some types of JSON, and whether it is a whole number; "" where
// they are of several.
func goType(all []expr.Type) (typ string, whole bool) {
	names := map[expr.Type]string{expr.TypeBool: "bool", expr.TypeObject: "map[string]any", expr.TypeFloat: "float64", expr.TypeInt: "float64",
		expr.TypeArray: "[]any", expr.TypeString: "string"}
	whole = len(all) > 0
	for i, t := range all {
		if i > 0 && names[t] != typ {
			return "", false
		}
		typ, whole = names[t], whole && t == expr.TypeInt
	}
	return typ, whole
}
