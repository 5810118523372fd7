package wording

import (
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/values"
)

func quoted(s expr.Str) string { return literal.Go(s.Value) }

// TypedTest is a condition about a value whose static type is any, which has to be of another for what is asked of it:
// n, ok := v["price"].(float64); ok && n >= 0. Written so, it cannot panic.
type TypedTest struct {
	of    string // what the value is called
	typ   string
	Name  string // that it gets
	tests []test // of that; none where its type is all that is asked
}

// test is a condition and its opposite.
type test struct{ says, denies string }

// Inline writes it as an expression.
func (t TypedTest) Inline() string {
	holds := []string{"ok"}
	for _, one := range t.tests {
		holds = append(holds, one.says)
	}
	return "func() bool { " + t.Declared() + "; return " + strings.Join(holds, " && ") + " }()"
}

// Denied is its opposite, behind its assignment.
func (t TypedTest) Denied() string {
	fails := []string{"!ok"}
	for _, one := range t.tests {
		fails = append(fails, one.denies)
	}
	return strings.Join(fails, " || ")
}

// Declared is the assignment before it.
func (t TypedTest) Declared() string {
	name := t.Name
	if len(t.tests) == 0 {
		name = "_"
	}
	return name + ", ok := " + t.of + ".(" + t.typ + ")"
}

// TypedTest reads a condition as one about a value of type any; false where it is another, or none is needed.
func (p Printer) TypedTest(x expr.Expr) (TypedTest, bool) {
	if and, ok := x.(expr.And); ok {
		return p.severalTyped(and.Xs)
	}
	subject, typ, asks := p.asked(x)
	if subject == nil {
		return TypedTest{}, false
	}
	of, t, ok := p.Place(subject)
	if !ok || !typing.IsAny(t) {
		return TypedTest{}, false
	}
	out := TypedTest{of: of, typ: typ, Name: typing.Names()[typ]}
	if asks.says != "" {
		out.tests = []test{asks}
	}
	return out, true
}

// severalTyped reads several conditions about one value.
func (p Printer) severalTyped(xs []expr.Expr) (TypedTest, bool) {
	var out TypedTest
	for i, x := range xs {
		if not, ok := x.(expr.Not); ok && out.typ == "float64" {
			if is, ok := not.X.(expr.IsType); ok && slices.Equal(is.Types, []expr.Type{expr.TypeBool}) {
				continue // a float64 is none
			}
		}
		one, ok := p.TypedTest(x)
		if !ok || i > 0 && (one.of != out.of || one.typ != out.typ) {
			return TypedTest{}, false
		}
		out.of, out.typ, out.Name = one.of, one.typ, one.Name
		out.tests = append(out.tests, one.tests...)
	}
	return out, len(xs) > 0
}

// asked is what a condition looks at, the type that this must have, and what is asked of it by the name that variables
// has; nil where the condition asks nothing of that kind.
func (p Printer) asked(x expr.Expr) (subject expr.Expr, typ string, asks test) {
	switch x := x.(type) {
	case expr.IsType:
		typ, whole := typing.OfJSON(x.Types)
		if typ == "" {
			return nil, "", test{}
		}
		if whole {
			asks = test{"n == float64(int64(n))", "n != float64(int64(n))"}
		}
		return x.X, typ, asks
	case expr.Between:
		low, ok := values.Value(x.Low, types.Typ[types.Float64])
		high, too := values.Value(x.High, types.Typ[types.Float64])
		if ok && too {
			return x.X, "float64", test{low + " <= n && n <= " + high, "n < " + low + " || n > " + high}
		}
	case expr.Match:
		if p.library("regexp") != "" {
			return x.X, "string", affirmed(p.matching(x, "s"))
		}
	case expr.IsDigits:
		return p.asked(expr.Match{X: x.X, Pattern: "[0-9]+", Full: true})
	case expr.HasPrefix:
		prefix, isText := x.Prefix.(expr.Str)
		if name := p.library("strings"); isText && name != "" {
			return x.X, "string", affirmed(name + ".HasPrefix(s, " + quoted(prefix) + ")")
		}
	case expr.HasSuffix:
		suffix, isText := x.Suffix.(expr.Str)
		if name := p.library("strings"); isText && name != "" {
			return x.X, "string", affirmed(name + ".HasSuffix(s, " + quoted(suffix) + ")")
		}
	case expr.Compare:
		return p.askedByComparing(x)
	}
	return nil, "", test{}
}

func affirmed(says string) test { return test{says, "!" + says} }

// askedByComparing is asked for what has an order, and for lengths.
func (p Printer) askedByComparing(x expr.Compare) (expr.Expr, string, test) {
	ordered := map[expr.Op][2]string{expr.Lt: {" < ", " >= "}, expr.Le: {" <= ", " > "}, expr.Gt: {" > ", " <= "}, expr.Ge: {" >= ", " < "}}
	op, ok := ordered[x.Op]
	if counted := expr.Counted(x.X); counted != nil {
		if x.Op == expr.Eq {
			op, ok = [2]string{" == ", " != "}, true
		}
		n, isNumber := values.Value(x.Y, typing.IntType())
		if ok && isNumber && countsBytes(x.X) {
			return counted, "string", test{"len(s)" + op[0] + n, "len(s)" + op[1] + n}
		}
		if ok && isNumber {
			return counted, "[]any", test{"len(list)" + op[0] + n, "len(list)" + op[1] + n}
		}
		return nil, "", test{}
	}
	if n, isNumber := values.Value(x.Y, types.Typ[types.Float64]); ok && isNumber {
		return x.X, "float64", test{"n" + op[0] + n, "n" + op[1] + n}
	}
	return nil, "", test{}
}

// telling leaves out of several conditions what the static types say: all of them, where nothing else is said.
func (p Printer) telling(xs []expr.Expr) []expr.Expr {
	told := slices.DeleteFunc(slices.Clone(xs), p.isStatic)
	if len(told) == 0 {
		return xs
	}
	return told
}

// isStatic reports whether a condition follows from the static type of what it looks at.
func (p Printer) isStatic(x expr.Expr) bool {
	if not, ok := x.(expr.Not); ok {
		is, ok := not.X.(expr.IsType)
		if !ok {
			return false
		}
		_, t, ok := p.Place(is.X)
		return ok && typing.IsNumber(t) && slices.Equal(is.Types, []expr.Type{expr.TypeBool})
	}
	is, ok := x.(expr.IsType)
	if !ok {
		return false
	}
	_, t, ok := p.Place(is.X)
	return ok && slices.ContainsFunc(is.Types, func(one expr.Type) bool {
		switch one {
		case expr.TypeString:
			return typing.IsString(t)
		case expr.TypeInt:
			return typing.IsInteger(t)
		case expr.TypeFloat:
			return typing.IsFloat(t)
		case expr.TypeBool:
			return typing.IsBoolean(t)
		}
		return false
	})
}
