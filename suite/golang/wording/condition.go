package wording

import (
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/pattern"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/values"
)

// Binding says how tightly a condition that is written binds.
type Binding int

const (
	Loosest   Binding = iota // ||
	Middle                   // &&
	Comparing                // ==
	Tightest
)

// Says writes a condition as an expression of Go; ok is false where it has none that compiles.
func (p Printer) Says(x expr.Expr) (text string, binds Binding, ok bool) {
	if name := p.tested(x); name != "" {
		return name, Tightest, true
	}
	if t, ok := p.TypedTest(x); ok {
		return t.Inline(), Tightest, true
	}
	switch x := x.(type) {
	case expr.And:
		return p.joined(p.telling(x.Xs), " && ", Middle)
	case expr.Or:
		return p.joined(x.Xs, " || ", Loosest)
	case expr.Not:
		return p.Denies(x.X)
	case expr.IsType:
		if each := typing.Each(x); len(each) > 1 {
			return p.joined(each, " || ", Loosest)
		}
	case expr.Between:
		return p.Says(expr.And{Xs: []expr.Expr{expr.Cmp(x.X, expr.Ge, x.Low), expr.Cmp(x.X, expr.Le, x.High)}})
	case expr.Compare:
		return p.comparison(x)
	}
	text, ok = p.textTest(x)
	return text, Tightest, ok
}

// Denies writes the opposite of a condition.
func (p Printer) Denies(x expr.Expr) (text string, binds Binding, ok bool) {
	if name := p.tested(x); name != "" {
		return "!" + name, Tightest, true
	}
	if t, ok := p.TypedTest(x); ok {
		return "!" + t.Inline(), Tightest, true
	}
	switch x := x.(type) {
	case expr.And:
		return p.deniedEach(p.telling(x.Xs), " || ", Loosest)
	case expr.Or:
		return p.deniedEach(x.Xs, " && ", Middle)
	case expr.IsType:
		if each := typing.Each(x); len(each) > 1 {
			return p.deniedEach(each, " && ", Middle)
		}
	case expr.Not:
		return p.Says(x.X)
	case expr.Between:
		return p.Denies(expr.And{Xs: []expr.Expr{expr.Cmp(x.X, expr.Ge, x.Low), expr.Cmp(x.X, expr.Le, x.High)}})
	case expr.Compare:
		switch x.Op {
		case expr.Lt, expr.Le, expr.Gt, expr.Ge, expr.Eq, expr.Ne, expr.Is, expr.IsNot:
			return p.comparison(logic.Opposite(x).(expr.Compare))
		}
		text, binds, ok = p.comparison(x)
	default:
		text, ok = p.textTest(x)
		binds = Tightest
	}
	if strings.HasPrefix(text, "!") && binds == Tightest {
		return text[1:], Tightest, ok
	}
	if binds < Tightest {
		text = "(" + text + ")"
	}
	return "!" + text, Tightest, ok
}

// tested is the name of a variable that holds whether a condition is true; "" where there is none.
func (p Printer) tested(x expr.Expr) string {
	for _, n := range p.Names.Tests {
		if expr.Identical(n.X, x) {
			return n.Name
		}
	}
	return ""
}

func (p Printer) joined(xs []expr.Expr, by string, binds Binding) (string, Binding, bool) {
	return join(xs, by, binds, p.Says)
}

func (p Printer) deniedEach(xs []expr.Expr, by string, binds Binding) (string, Binding, bool) {
	return join(xs, by, binds, p.Denies)
}

func join(xs []expr.Expr, by string, binds Binding, write func(expr.Expr) (string, Binding, bool)) (
	string, Binding, bool) {
	var out []string
	for _, x := range xs {
		text, inner, ok := write(x)
		if !ok {
			return "", 0, false
		}
		if inner != binds && inner < Comparing {
			text = "(" + text + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, by), binds, len(out) > 0
}

// comparison writes a comparison of a place with a value, or with another place.
func (p Printer) comparison(x expr.Compare) (string, Binding, bool) {
	switch x.Op {
	case expr.In, expr.NotIn:
		return p.membership(x)
	}
	op := map[expr.Op]string{expr.Eq: " == ", expr.Is: " == ", expr.Ne: " != ", expr.IsNot: " != ", expr.Lt: " < ", expr.Le: " <= ",
		expr.Gt: " > ", expr.Ge: " >= "}[x.Op]
	of, t, ok := p.Place(x.X)
	if !ok {
		return p.text(x, op)
	}
	if typing.IsMoment(typing.Pointee(t)) && op == " != " && isNoMoment(x.Y) {
		if _, isPointer := typing.Under(t).(*types.Pointer); isPointer {
			return of + " != nil", Comparing, true
		}
		return "!" + of + ".IsZero()", Tightest, true
	}
	if typing.IsSlice(t) || typing.IsMap(t) || expr.IsComposite(x.Y) {
		return p.deepEqual(x, of, t)
	}
	switch typing.Under(t).(type) {
	case *types.Basic:
	case *types.Interface:
		if op != " == " && op != " != " {
			return "", 0, false // a typed test says it
		}
	case *types.Pointer:
		_, isNull := x.Y.(expr.Null)
		return of + op + "nil", Comparing, isNull && (op == " == " || op == " != ")
	default:
		return "", 0, false
	}
	if text, ok := values.Value(x.Y, t); ok {
		if b, isBool := x.Y.(expr.Bool); isBool && !typing.IsAny(t) {
			if b.Value == (op == " == ") {
				return of, Tightest, true
			}
			return "!" + of, Tightest, true
		}
		return of + op + text, Comparing, true
	}
	other, u, ok := p.Place(x.Y)
	return of + op + other, Comparing, ok && types.Identical(t, u)
}

// isNoMoment reports whether a text is none of a moment: an empty one, or that of a time.Time which nothing was put
// into.
func isNoMoment(x expr.Expr) bool {
	return x == expr.Expr(expr.Str{}) || x == typing.NoMoment()
}

// text compares the text of a body, which a variable has as bytes perhaps.
func (p Printer) text(x expr.Compare, op string) (string, Binding, bool) {
	n, counts := expr.Counted(x.X), false
	if n != nil {
		zero, _ := expr.Token(x.Y)
		of, t, ok := p.Place(n)
		counts = ok && zero == "0" && (typing.IsString(t) || typing.IsBytes(t))
		return "len(" + of + ")" + op + "0", Comparing, counts
	}
	return "", 0, false
}

// deepEqual compares what == does not.
func (p Printer) deepEqual(x expr.Compare, of string, t types.Type) (string, Binding, bool) {
	if x.Op != expr.Eq && x.Op != expr.Ne {
		return "", 0, false
	}
	not := ""
	if x.Op == expr.Ne {
		not = "!"
	}
	if typing.IsBytes(t) {
		text, ok := values.Value(x.Y, types.Typ[types.String])
		return "string(" + of + ")" + map[string]string{"": " == ", "!": " != "}[not] + text, Comparing, ok
	}
	value, ok := values.Value(x.Y, t)
	if !ok {
		return "", 0, false
	}
	name, function := p.Imports["github.com/google/go-cmp/cmp"], ".Equal("
	if name == "" {
		name, function = p.library("reflect"), ".DeepEqual("
	}
	return not + name + function + of + ", " + value + ")", Tightest, name != ""
}

// membership writes that a value is one of some, that a text has a piece, that there is a member of a name.
func (p Printer) membership(x expr.Compare) (string, Binding, bool) {
	if set, ok := asSet(x.Y); ok {
		var all []expr.Expr
		for _, e := range set {
			all = append(all, expr.Same(x.X, e))
		}
		if len(all) == 0 {
			return "", 0, false
		}
		if x.Op == expr.NotIn {
			return p.Denies(expr.AnyOf(all...))
		}
		return p.Says(expr.AnyOf(all...))
	}
	key, isText := x.X.(expr.Str)
	if of, ok := x.Y.(expr.Answer); ok && of.Part == expr.Headers && isText {
		header, _, ok := p.header(of.Var, key.Value)
		return header + map[expr.Op]string{expr.In: " != ", expr.NotIn: " == "}[x.Op] + `""`, Comparing, ok
	}
	of, t, ok := p.Place(x.Y)
	if !ok {
		return "", 0, false
	}
	not := ""
	if x.Op == expr.NotIn {
		not = "!"
	}
	switch u := typing.Under(typing.Pointee(t)).(type) {
	case *types.Basic:
		if !isText || !typing.IsString(t) {
			break
		}
		if name := p.library("strings"); name != "" {
			return not + name + ".Contains(" + of + ", " + quoted(key) + ")", Tightest, true
		}
	case *types.Interface:
		if x.Op == expr.NotIn && isText && typing.IsAny(t) {
			return "!func() bool { _, ok := " + of + ".(map[string]any)[" + quoted(key) + "]; return ok }()", Tightest, true
		}
	case *types.Map:
		if isText && typing.IsMap(t) {
			return not + "func() bool { _, ok := " + of + "[" + quoted(key) + "]; return ok }()", Tightest, true
		}
	case *types.Slice:
		if typing.IsBytes(t) {
			name := p.library("bytes")
			return not + name + ".Contains(" + of + ", []byte(" + quoted(key) + "))", Tightest, name != "" && isText
		}
		value, ok := values.Value(x.X, u.Elem())
		name := p.Imports["slices"]
		return not + name + ".Contains(" + of + ", " + value + ")", Tightest, ok && name != "" && !typing.IsAny(u.Elem())
	case *types.Struct:
		return p.zeroField(x, of, t)
	}
	return "", 0, false
}

// zeroField writes that a field has its zero value, as one that the answer lacks has.
func (p Printer) zeroField(x expr.Compare, of string, t types.Type) (string, Binding, bool) {
	place, typ, ok := p.step(of, t, x.X)
	zero := expr.Expr(nil)
	if ok {
		zero = typing.ZeroOf(typ)
	}
	if zero == nil || x.Op != expr.NotIn {
		return "", 0, false
	}
	if typing.IsSlice(typ) || typing.IsMap(typ) {
		return place + " == nil", Comparing, true
	}
	text, ok := values.Value(zero, typ)
	return place + " == " + text, Comparing, ok
}

func asSet(x expr.Expr) ([]expr.Expr, bool) {
	switch x := x.(type) {
	case expr.Set:
		return x.Elems, true
	case expr.List:
		return x.Elems, true
	}
	return nil, false
}

// textTest writes what is asked of a text by a function of the library, where the file imports it.
func (p Printer) textTest(x expr.Expr) (string, bool) {
	of := func(x expr.Expr) (string, bool) {
		text, t, ok := p.Place(x)
		if ok && typing.IsBytes(t) {
			text = "string(" + text + ")"
		}
		return text, ok && (typing.IsString(t) || typing.IsBytes(t))
	}
	switch x := x.(type) {
	case expr.Match:
		text, ok := of(x.X)
		if !ok || p.library("regexp") == "" {
			return "", false
		}
		return p.matching(x, text), true
	case expr.HasPrefix:
		text, ok := of(x.X)
		prefix, isText := x.Prefix.(expr.Str)
		return p.affixed(".HasPrefix(", text, prefix, ok && isText)
	case expr.HasSuffix:
		text, ok := of(x.X)
		suffix, isText := x.Suffix.(expr.Str)
		return p.affixed(".HasSuffix(", text, suffix, ok && isText)
	case expr.IsEmpty:
		text, ok := of(x.X)
		return text + ` == ""`, ok
	case expr.IsDigits:
		return p.textTest(expr.Match{X: x.X, Pattern: "[0-9]+", Full: true})
	case expr.IsType: // of a number that is typed
		text, t, ok := p.Place(x.X)
		_, whole := typing.OfJSON(x.Types)
		return text + " == float64(int64(" + text + "))", ok && whole && typing.IsFloat(t)
	case expr.SameItems:
		return p.sameItems(x)
	}
	return "", false
}

// sameItems compares two lists in any order.
func (p Printer) sameItems(x expr.SameItems) (string, bool) {
	of, t, ok := p.Place(x.X)
	list, isList := x.Y.(expr.List)
	name := p.Imports["slices"]
	if !ok || !isList || name == "" || !typing.IsString(typing.ElemOf(t)) {
		return "", false
	}
	list.Elems = slices.SortedFunc(slices.Values(list.Elems), func(a, b expr.Expr) int {
		x, _ := a.(expr.Str)
		y, _ := b.(expr.Str)
		return strings.Compare(x.Value, y.Value)
	})
	want, ok := values.Value(list, t)
	return name + ".Equal(" + name + ".Sorted(" + name + ".Values(" + of + ")), " + want + ")", ok
}

// affixed writes what package strings says of a text and another one.
func (p Printer) affixed(function, text string, by expr.Str, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	name := p.library("strings")
	return name + function + text + ", " + quoted(by) + ")", name != ""
}

func (p Printer) matching(x expr.Match, text string) string {
	return p.library("regexp") + ".MustCompile(" + pattern.Literal(x) + ").MatchString(" + text + ")"
}
