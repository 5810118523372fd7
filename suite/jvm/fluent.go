package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// fluent reads the links of AssertJ's behind assertThat(…), each of which asserts something.
func (r *follower) fluent(first java.Call, args []java.Argument, links []java.Call, sends bool) {
	known := slices.ContainsFunc(r.file.module.Imports, func(name string) bool {
		return strings.Contains(name,
			"org.assertj.")
	})
	v, isValue := java.Node(nil), false
	if len(args) == 1 {
		v = args[0].X
		_, isValue = v.(meaning.Value)
	}
	for _, l := range links {
		l.Args = r.arguments(l)
		if slices.Contains([]string{"as", "describedAs", "withFailMessage", "overridingErrorMessage", "isNotNull"}, l.Name) && l.Name != "isNotNull" {
			continue
		}
		if value, ok := v.(meaning.Value); ok && known && l.Name == "extracting" {
			v = r.extracted(value, l)
			if _, isValue = v.(meaning.Value); isValue {
				continue
			}
		}
		a := r.add(l.From, l.To)
		if a == nil {
			continue
		}
		f := form{fluent: true, names: r.names(), in: r.in}
		r.file.forms[a.At.Start] = f
		if sends {
			a.Reason = "it sends a request itself"
			continue
		}
		what, ok := meaning.Said{}, false
		if known && isValue {
			what, ok = r.linkOf(v.(meaning.Value), l)
		}
		if !ok {
			if a.Reason = unreadable(l.Args); a.Reason == notRead {
				a.Reason = unreadable(args)
			}
			known = known && strings.HasPrefix(l.Name, "is") // any other may go on with another value
			continue
		}
		r.understood(a, what, f, first.Args[0])
	}
}

// extracted is the list of what a member is of the elements of a list that Jackson made; nil where it is another.
func (r *follower) extracted(v meaning.Value, l java.Call) java.Node {
	if !v.Bound || v.Elem == "" || len(l.Args) != 1 {
		return nil
	}
	class, name, ok := strings.Cut(r.file.module.Joined(l.Args[0].From, l.Args[0].To), "::")
	if text, isText := l.Args[0].X.(java.Text); isText {
		name, class, ok = text.Token.Text, v.Elem, true
	}
	const element = "e"
	elem, isValue := r.boundAs(expr.Name{ID: element}, v.Elem, "").(meaning.Value)
	if !ok || class != v.Elem || !isValue {
		return nil
	}
	x, ok := r.memberOf(elem, java.Call{Name: name})
	member, isValue := x.(meaning.Value)
	if !ok || !isValue {
		return nil
	}
	return meaning.Value{X: expr.Each{Elem: meaning.Stripped(member.X), Var: element, List: v.X}, Typ: "List", Bound: true,
		Elem: member.Typ}
}

// linkOf says what one link of AssertJ's says of a value; false where it is another.
func (r *follower) linkOf(v meaning.Value, l java.Call) (meaning.Said, bool) {
	args := make([]expr.Expr, len(l.Args))
	for i, a := range l.Args {
		args[i] = meaning.Of(a.X)
	}
	x := meaning.Stripped(v.X)
	switch len(args) {
	case 0:
		return r.linkAlone(v, x, l.Name)
	case 1:
		if what, ok := linkOfOne(v, x, l, args[0]); ok {
			return what, true
		}
	}
	list := expr.List{Elems: args}
	switch l.Name {
	case "containsEntry":
		if len(args) == 2 && v.Typ == "Map" {
			of := meaning.OfValue(v, java.Call{Name: "get", Args: l.Args[:1]})
			member, ok := of.(meaning.Value)
			return meaning.Same(member, l.Args[1].X), ok && expr.IsLiteral(args[1]) && args[1] != expr.Expr(expr.Null{})
		}
	case "containsOnly":
		return v.Spread(func(array expr.Expr) expr.Expr { return onlyOf(array, args) }), len(args) > 0
	case "isIn":
		if set, ok := args[0].(expr.List); ok && len(args) == 1 {
			list = set
		}
		return meaning.Says(expr.Cmp(v.Textual(list.Elems...), expr.In, expr.Set(list))), true
	case "isBetween":
		if len(args) == 2 {
			return meaning.Says(expr.Between{Low: args[0], X: x, High: args[1]}), true
		}
	case "containsExactly":
		return v.Spread(func(array expr.Expr) expr.Expr { return expr.Cmp(array, expr.Eq, list) }), true
	case "containsExactlyInAnyOrder":
		return v.Spread(func(array expr.Expr) expr.Expr { return expr.SameItems{X: array, Y: list} }), true
	case "contains":
		if v.Typ == "Optional" {
			return meaning.Said{}, false
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
			return meaning.Near(v, l.Args[0].X, within.Args[0].X), true
		}
	}
	return meaning.Said{}, false
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

// linkAlone reads the links that take nothing.
func (r *follower) linkAlone(v meaning.Value, x expr.Expr, name string) (meaning.Said, bool) {
	switch name {
	case "isNull":
		return v.IsNull(), true
	case "isNotNull":
		return v.NotNull(), true
	case "isTrue", "isFalse":
		if v.Typ == "boolean" && expr.IsCondition(v.X) {
			if name == "isFalse" {
				return meaning.Says(expr.Negate(v.X)), true
			}
			return meaning.Says(v.X), true
		}
		return meaning.Says(expr.Same(x, expr.Bool{Value: name == "isTrue"})), true
	case "isEmpty":
		return v.Spread(meaning.IsEmpty), v.Typ != "Optional"
	case "isNotEmpty":
		return meaning.Says(expr.Cmp(expr.Len{X: x}, expr.Gt, expr.Num{Text: "0"})), v.Typ != "Optional"
	case "isNotBlank":
		return meaning.Says(expr.Cmp(expr.Trim{X: x}, expr.Ne, expr.Str{})), v.Typ == "String"
	case "isPositive":
		return meaning.Says(expr.Cmp(x, expr.Gt, expr.Num{Text: "0"})), true
	case "isZero":
		return meaning.Same(v, java.Number{Text: "0"}), true
	}
	return meaning.Said{}, false
}

// linkOfOne reads the links that take one thing.
func linkOfOne(v meaning.Value, x expr.Expr, l java.Call, arg expr.Expr) (meaning.Said, bool) {
	text, isText := arg.(expr.Str)
	if op, ok := map[string]expr.Op{"isGreaterThan": expr.Gt, "isGreaterThanOrEqualTo": expr.Ge, "isLessThan": expr.Lt,
		"isLessThanOrEqualTo": expr.Le}[l.Name]; ok {
		return meaning.Says(expr.Cmp(x, op, arg)), true
	}
	switch l.Name {
	case "isEqualByComparingTo":
		if isText && v.Typ == "BigDecimal" {
			_, number := expr.Number(text.Value)
			return meaning.Same(v, java.Number{Text: text.Value}), number
		}
		return meaning.Same(v, l.Args[0].X), meaning.IsLiteral(l.Args[0].X) && !isText
	case "isEqualTo":
		return meaning.Same(v, l.Args[0].X), true
	case "isNotEqualTo":
		return meaning.Different(v, l.Args[0].X), true
	case "hasSize", "hasLength":
		return v.Spread(func(of expr.Expr) expr.Expr {
			return expr.Cmp(expr.Len{X: meaning.Stripped(of)}, expr.Eq, arg)
		}), true
	case "startsWith":
		return meaning.Says(expr.HasPrefix{X: x, Prefix: arg}), isText
	case "endsWith":
		return meaning.Says(expr.HasSuffix{X: x, Suffix: arg}), isText
	case "matches":
		return meaning.Says(expr.Match{X: x, Pattern: text.Value, Full: true}), isText
	case "contains":
		if v.Typ == "Optional" { // that it is this, and no other
			return meaning.Same(meaning.Value{X: v.X, Typ: "String", Null: true}, l.Args[0].X), isText
		}
		if v.Typ == "String" {
			return meaning.Says(expr.Cmp(arg, expr.In, x)), isText
		}
	case "doesNotContain":
		return meaning.Says(expr.Cmp(arg, expr.NotIn, x)), v.Typ == "String" && isText
	case "containsKey":
		return meaning.Says(expr.Cmp(arg, expr.In, x)), isText
	case "isInstanceOf":
		is := meaning.Instance(x, l.Args[0].X)
		return meaning.Says(is), is != nil
	}
	return meaning.Said{}, false
}

// link writes a condition as a link of AssertJ's own; false where it has none for it.
func (p *conditionWriter) link(x expr.Expr) (string, bool) {
	q := *p
	args := func(xs []expr.Expr) string {
		all := make([]string, len(xs))
		for i, y := range xs {
			all[i] = q.literal(y, p.s.typ)
		}
		return strings.Join(all, ", ")
	}
	text := ""
	switch x := x.(type) {
	case expr.Match:
		if p.s.is(x.X) && x.Full && p.s.typ == "String" {
			text = ".matches(" + p.links.literal(x.Pattern) + ")"
		}
	case expr.Compare:
		set, isSet := x.Y.(expr.Set)
		switch piece, isText := x.X.(expr.Str); {
		case isSet && p.s.is(x.X) && p.s.typ != "":
			text = ".isIn(" + args(set.Elems) + ")"
		case isText && x.Op == expr.In && p.s.is(x.Y) && p.s.typ == "String":
			text = ".contains(" + p.links.literal(piece.Value) + ")"
		}
	case expr.Between:
		if p.s.is(x.X) && meaning.IsNumeric(p.s.typ) {
			text = ".isBetween(" + args([]expr.Expr{x.Low, x.High}) + ")"
		}
	case expr.IsType:
		if p.s.is(x.X) && p.s.typ == "String" && len(x.Types) == 1 && x.Types[0] == expr.TypeString {
			text = ".isNotNull()"
		}
	}
	return text, text != "" && !q.failed
}
