package meaning

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Link is what one link of AssertJ's says of a value; false where it is another.
func (v Value) Link(l java.Call) (Said, bool) {
	args := make([]expr.Expr, len(l.Args))
	for i, a := range l.Args {
		args[i] = Of(a.X)
	}
	if v.Typ == "List" && strings.HasPrefix(l.Name, "contains") {
		v = v.asTexts(args)
	}
	x := Stripped(v.X)
	switch len(args) {
	case 0:
		return linkAlone(v, x, l.Name)
	case 1:
		if what, ok := linkOfOne(v, x, l, args[0]); ok {
			return what, true
		}
	}
	list := expr.List{Elems: args}
	switch l.Name {
	case "containsEntry":
		if len(args) == 2 && (v.Typ == "Map" || v.Typ == "") {
			of := OfValue(v, java.Call{Name: "get", Args: l.Args[:1]})
			member, ok := of.(Value)
			ok = ok && args[1] != expr.Expr(expr.Null{})
			return Same(member, l.Args[1].X), ok && (expr.IsLiteral(args[1]) || expr.FromAnswer(args[1]))
		}
	case "containsOnly":
		return v.Spread(func(array expr.Expr) expr.Expr { return onlyOf(array, args) }), len(args) > 0
	case "isIn":
		if set, ok := args[0].(expr.List); ok && len(args) == 1 {
			list = set
		}
		return Says(expr.Cmp(v.Textual(list.Elems...), expr.In, expr.Set(list))), true
	case "isBetween":
		if len(args) == 2 {
			return Says(expr.Between{Low: args[0], X: x, High: args[1]}), true
		}
	case "containsExactly":
		return v.Spread(func(array expr.Expr) expr.Expr { return expr.Cmp(array, expr.Eq, list) }), true
	case "containsExactlyInAnyOrder":
		return v.Spread(func(array expr.Expr) expr.Expr { return expr.SameItems{X: array, Y: list} }), true
	case "contains":
		if v.Typ == "Optional" {
			return Said{}, false
		}
		return v.Spread(func(of expr.Expr) expr.Expr {
			var all []expr.Expr
			for _, e := range args {
				all = append(all, expr.Cmp(e, expr.In, of))
			}
			return expr.AllOf(all...)
		}), true
	case "isCloseTo":
		if within, ok := l.Args[len(args)-1].X.(java.Call); ok && len(args) == 2 && len(within.Args) == 1 {
			return Near(v, l.Args[0].X, within.Args[0].X), true
		}
	}
	return Said{}, false
}

// linkAlone reads the links that take nothing.
func linkAlone(v Value, x expr.Expr, name string) (Said, bool) {
	switch name {
	case "isNull":
		return v.IsNull(), true
	case "isNotNull":
		return v.NotNull(), true
	case "isTrue", "isFalse":
		if v.Typ == "boolean" && expr.IsCondition(v.X) {
			if name == "isFalse" {
				return Says(expr.Negate(v.X)), true
			}
			return Says(v.X), true
		}
		return Says(expr.Same(x, expr.Bool{Value: name == "isTrue"})), true
	case "isEmpty":
		return v.Spread(IsEmpty), v.Typ != "Optional"
	case "isNotEmpty":
		return Says(expr.Cmp(expr.Len{X: x}, expr.Gt, expr.Num{Text: "0"})), v.Typ != "Optional"
	case "isNotBlank":
		return Says(expr.Cmp(expr.Trim{X: x}, expr.Ne, expr.Str{})), v.Typ == "String"
	case "isPositive":
		return Says(expr.Cmp(x, expr.Gt, expr.Num{Text: "0"})), true
	case "isZero":
		return Same(v, java.Number{Text: "0"}), true
	}
	return Said{}, false
}

// onlyOf says that an array has all of some elements, and no others, each as often as it likes.
func onlyOf(array expr.Expr, args []expr.Expr) expr.Expr {
	const element = "e"
	all := []expr.Expr{expr.All{X: expr.Each{Elem: expr.Cmp(expr.Name{ID: element}, expr.In, expr.Set{Elems: args}),
		Var: element, List: array}}}
	for _, e := range args {
		all = append(all, expr.Cmp(e, expr.In, array))
	}
	return expr.AllOf(all...)
}

// linkOfOne reads the links that take one thing.
func linkOfOne(v Value, x expr.Expr, l java.Call, arg expr.Expr) (Said, bool) {
	text, isText := arg.(expr.Str)
	if op, ok := map[string]expr.Op{"isGreaterThan": expr.Gt, "isGreaterThanOrEqualTo": expr.Ge, "isLessThan": expr.Lt,
		"isLessThanOrEqualTo": expr.Le}[l.Name]; ok {
		return Says(expr.Cmp(x, op, arg)), true
	}
	switch l.Name {
	case "isEqualByComparingTo":
		if isText && v.Typ == "BigDecimal" {
			_, number := expr.Number(text.Value)
			return Same(v, java.Number{Text: text.Value}), number
		}
		return Same(v, l.Args[0].X), IsLiteral(l.Args[0].X) && !isText
	case "isEqualTo":
		return Same(v, l.Args[0].X), true
	case "isNotEqualTo":
		return Different(v, l.Args[0].X), true
	case "hasSize", "hasLength":
		return v.Spread(func(of expr.Expr) expr.Expr {
			return expr.Cmp(expr.Len{X: Stripped(of)}, expr.Eq, arg)
		}), true
	case "startsWith":
		return Says(expr.HasPrefix{X: x, Prefix: arg}), isText
	case "endsWith":
		return Says(expr.HasSuffix{X: x, Suffix: arg}), isText
	case "matches":
		return Says(expr.Match{X: x, Pattern: text.Value, Full: true}), isText
	case "contains":
		if v.Typ == "Optional" { // that it is this, and no other
			return Same(Value{X: v.X, Typ: "String", Null: true}, l.Args[0].X), isText
		}
		if v.Typ == "String" {
			return Says(expr.Cmp(arg, expr.In, x)), isText
		}
	case "doesNotContain":
		return Says(expr.Cmp(arg, expr.NotIn, x)), v.Typ == "String" && isText
	case "containsKey":
		return Says(expr.Cmp(arg, expr.In, x)), isText
	case "isInstanceOf":
		is := Instance(x, l.Args[0].X)
		return Says(is), is != nil
	}
	return Said{}, false
}
