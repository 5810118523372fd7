package jvm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
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
		_, isValue = v.(valueNode)
	}
	for _, l := range links {
		l.Args = r.arguments(l)
		if slices.Contains([]string{"as", "describedAs", "withFailMessage", "overridingErrorMessage", "isNotNull"}, l.Name) && l.Name != "isNotNull" {
			continue
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
		what, ok := said{}, false
		if known && isValue {
			what, ok = r.linkOf(v.(valueNode), l)
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

// linkOf says what one link of AssertJ's says of a value; false where it is another.
func (r *follower) linkOf(v valueNode, l java.Call) (said, bool) {
	args := make([]expr.Expr, len(l.Args))
	for i, a := range l.Args {
		args[i] = meaning(a.X)
	}
	x := stripped(v.x)
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
	case "isIn":
		if set, ok := args[0].(expr.List); ok && len(args) == 1 {
			list = set
		}
		return says(expr.Cmp(v.textual(list.Elems...), expr.In, expr.Set(list))), true
	case "isBetween":
		if len(args) == 2 {
			return says(expr.Between{Low: args[0], X: x, High: args[1]}), true
		}
	case "containsExactly":
		return v.spread(func(array expr.Expr) expr.Expr { return expr.Cmp(array, expr.Eq, list) }), true
	case "containsExactlyInAnyOrder":
		return v.spread(func(array expr.Expr) expr.Expr { return expr.SameItems{X: array, Y: list} }), true
	case "contains":
		return v.spread(func(of expr.Expr) expr.Expr {
			var all []expr.Expr
			for _, e := range args {
				all = append(all, expr.Cmp(e, expr.In, of))
			}
			return expr.AllOf(all...)
		}), true
	case "isCloseTo":
		if within, ok := l.Args[len(args)-1].X.(java.Call); ok && len(args) == 2 && len(within.Args) == 1 {
			return near(v, l.Args[0].X, within.Args[0].X), true
		}
	}
	return said{}, false
}

// textual is a value for a comparison with others: what was a text before, where all of these are texts.
func (v valueNode) textual(others ...expr.Expr) expr.Expr {
	if slices.ContainsFunc(others, func(x expr.Expr) bool { return !isPlainText(x) }) {
		return v.x
	}
	return stripped(v.x)
}

// linkAlone reads the links that take nothing.
func (r *follower) linkAlone(v valueNode, x expr.Expr, name string) (said, bool) {
	switch name {
	case "isNull":
		return v.isNull(), true
	case "isNotNull":
		return v.notNull(), true
	case "isTrue", "isFalse":
		if v.typ == "boolean" && expr.IsCondition(v.x) {
			if name == "isFalse" {
				return says(expr.Negate(v.x)), true
			}
			return says(v.x), true
		}
		return says(expr.Same(x, expr.Bool{Value: name == "isTrue"})), true
	case "isEmpty":
		return v.spread(isEmpty), v.typ != "Optional"
	case "isNotEmpty":
		return says(expr.Cmp(expr.Len{X: x}, expr.Gt, expr.Num{Text: "0"})), v.typ != "Optional"
	case "isPositive":
		return says(expr.Cmp(x, expr.Gt, expr.Num{Text: "0"})), true
	case "isZero":
		return says(expr.Cmp(x, expr.Eq, expr.Num{Text: "0"})), true
	}
	return said{}, false
}

// linkOfOne reads the links that take one thing.
func linkOfOne(v valueNode, x expr.Expr, l java.Call, arg expr.Expr) (said, bool) {
	text, isText := arg.(expr.Str)
	if op, ok := map[string]expr.Op{"isGreaterThan": expr.Gt, "isGreaterThanOrEqualTo": expr.Ge, "isLessThan": expr.Lt,
		"isLessThanOrEqualTo": expr.Le}[l.Name]; ok {
		return says(expr.Cmp(x, op, arg)), true
	}
	switch l.Name {
	case "isEqualTo":
		return same(v, l.Args[0].X), true
	case "isNotEqualTo":
		return different(v, l.Args[0].X), true
	case "hasSize", "hasLength":
		return v.spread(func(of expr.Expr) expr.Expr { return expr.Cmp(expr.Len{X: stripped(of)}, expr.Eq, arg) }), true
	case "startsWith":
		return says(expr.HasPrefix{X: x, Prefix: arg}), isText
	case "endsWith":
		return says(expr.HasSuffix{X: x, Suffix: arg}), isText
	case "matches":
		return says(expr.Match{X: x, Pattern: text.Value, Full: true}), isText
	case "contains":
		if v.typ == "String" {
			return says(expr.Cmp(arg, expr.In, x)), isText
		}
	case "doesNotContain":
		return says(expr.Cmp(arg, expr.NotIn, x)), v.typ == "String" && isText
	case "containsKey":
		return says(expr.Cmp(arg, expr.In, x)), isText
	case "isInstanceOf":
		is := instance(x, l.Args[0].X)
		return says(is), is != nil
	}
	return said{}, false
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
		if p.s.is(x.X) && isNumeric(p.s.typ) {
			text = ".isBetween(" + args([]expr.Expr{x.Low, x.High}) + ")"
		}
	case expr.IsType:
		if p.s.is(x.X) && p.s.typ == "String" && len(x.Types) == 1 && x.Types[0] == expr.TypeString {
			text = ".isNotNull()"
		}
	}
	return text, text != "" && !q.failed
}

// number is a number that is written out.
func number(x expr.Expr) (float64, bool) {
	text, ok := numeral(x)
	n, err := strconv.ParseFloat(text, 64)
	return n, ok && err == nil
}

// decimal writes a number out.
func decimal(n float64) expr.Expr { return expr.Numeral(strconv.FormatFloat(n, 'f', -1, 64)) }
