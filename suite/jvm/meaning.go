package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// said is what an assertion says: what is evaluated, and what of it makes a claim about one place, where that is less.
type said struct{ means, claims expr.Expr }

func says(x expr.Expr) said { return said{x, x} }

// meaning says what a resolved expression means. What has no meaning that is known is an [expr.Unknown].
func meaning(x java.Node) expr.Expr {
	switch x := x.(type) {
	case java.Text:
		return expr.Str{Value: x.Token.Text}
	case java.Number:
		if n := numberLiteral(x.Text); n != nil {
			return n
		}
	case java.Name:
		if lit := (&reader{}).literalOf(x); lit != nil {
			return lit
		}
	case valueNode:
		return x.x
	case java.Sum:
		return meaningOfSum(x)
	case java.Array:
		list := expr.List{Elems: []expr.Expr{}}
		for _, e := range x.Elems {
			list.Elems = append(list.Elems, meaning(e))
		}
		return list
	case mapNode:
		return meaningOfMap(x)
	case java.Binary:
		return meaningOfBinary(x)
	case java.Not:
		if v, ok := x.X.(java.Binary); ok && v.Op == "==" {
			return different(v.X, v.Y).means
		}
		return expr.Negate(meaning(x.X))
	case java.Negative:
		return expr.Neg{X: meaning(x.X)}
	case java.Ternary:
		return expr.If{Cond: meaning(x.Cond), Then: meaning(x.X), Else: meaning(x.Y)}
	case java.Opaque:
		return expr.Unknown{What: x.What}
	case answerNode:
		return expr.Unknown{What: "an answer as a whole"}
	}
	return expr.Unknown{What: "an expression of an unknown form"}
}

// meaningOfSum puts texts one behind the other, or adds numbers.
func meaningOfSum(x java.Sum) expr.Expr {
	textual, literal := false, true
	for _, y := range x.Xs {
		switch y := y.(type) {
		case java.Text:
			textual = true
		case valueNode:
			textual, literal = textual || y.typ == "String", false
		case java.Number:
		default:
			literal = false
		}
	}
	var pieces []expr.Expr
	for _, y := range x.Xs {
		piece := meaning(y)
		switch n := y.(type) {
		case java.Text:
		case java.Number:
			if textual {
				piece = expr.Str{Value: strings.TrimRight(n.Text, "lL")}
			}
		default:
			if _, done := piece.(expr.ToText); textual && !done {
				piece = expr.ToText{X: piece}
			}
		}
		pieces = append(pieces, piece)
	}
	if textual && literal {
		return expr.Str{Value: java.WrittenText(x)}
	}
	return expr.Sum(pieces...)
}

func meaningOfMap(x mapNode) expr.Expr {
	out := expr.Object{}
	for i, k := range x.keys {
		key, ok := meaning(k).(expr.Str)
		if !ok {
			return expr.Unknown{What: "a key that is not a text"}
		}
		out.Keys, out.Values = append(out.Keys, key.Value), append(out.Values, meaning(x.values[i]))
	}
	return out
}

func meaningOfBinary(x java.Binary) expr.Expr {
	switch x.Op {
	case "&&":
		return expr.And{Xs: []expr.Expr{meaning(x.X), meaning(x.Y)}}
	case "||":
		return expr.Or{Xs: []expr.Expr{meaning(x.X), meaning(x.Y)}}
	case "==":
		return same(x.X, x.Y).means
	case "!=":
		return different(x.X, x.Y).means
	case "-":
		return expr.Arith{Op: expr.Subtract, X: meaning(x.X), Y: meaning(x.Y)}
	case "instanceof":
		if of := instance(meaning(x.X), java.Field{X: x.Y, Name: "class"}); of != nil {
			return of
		}
	}
	if op, ok := map[string]expr.Op{"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}[x.Op]; ok {
		return expr.Cmp(meaning(x.X), op, meaning(x.Y))
	}
	return expr.Unknown{What: "the operator " + x.Op}
}

// stripped is a value that Java made a text of, as one that was a text before.
func stripped(x expr.Expr) expr.Expr {
	if text, ok := x.(expr.ToText); ok {
		return text.X
	}
	return x
}

// isPlainText reports whether a text is not that of a number, a truth, an array or an object, so that only a text is
// equal to it.
func isPlainText(x expr.Expr) bool {
	text, ok := x.(expr.Str)
	if !ok || text.Value == "true" || text.Value == "false" || text.Value == "null" {
		return false
	}
	_, number := expr.Number(text.Value)
	return !number && !strings.HasPrefix(text.Value, "[") && !strings.HasPrefix(text.Value, "{")
}

// same says that a value is what is expected.
func same(actual, want java.Node) said {
	v, isValue := actual.(valueNode)
	if w, ok := want.(valueNode); ok && !isValue {
		v, isValue, want = w, true, actual
	}
	lit := meaning(want)
	if !isValue {
		return says(expr.Same(meaning(actual), lit))
	}
	x := v.x
	switch lit := lit.(type) {
	case expr.Null:
		return v.isNull()
	case expr.Str:
		if isPlainText(lit) {
			x = stripped(x)
		}
	case expr.List:
		return v.spread(func(array expr.Expr) expr.Expr { return expr.Cmp(array, expr.Eq, lit) })
	}
	if text, ok := x.(expr.ToText); ok {
		return said{expr.Same(x, lit), expr.Same(text.X, lit)}
	}
	return v.within(x, func(x expr.Expr) expr.Expr { return expr.Same(x, lit) })
}

// isNull says that there is null, or nothing where that is null.
func (v valueNode) isNull() said {
	x := stripped(v.x)
	missing, ok := expr.Missing(x)
	_, _, isHeader := expr.HeaderOf(x)
	switch {
	case ok && (isHeader || isTree(v.typ)):
		return says(missing)
	case v.null:
		return said{tolerant(x, expr.IsNull(x)), expr.IsNull(x)}
	}
	return says(expr.IsNull(x))
}

// notNull says that there is something.
func (v valueNode) notNull() said {
	x := stripped(v.x)
	name, answer, isHeader := expr.HeaderOf(x)
	switch index, ok := x.(expr.Index); {
	case isHeader:
		return says(expr.Cmp(expr.Str{Value: name}, expr.In, expr.Answer{Var: answer, Part: expr.Headers}))
	case ok && isTree(v.typ):
		if _, isName := index.I.(expr.Str); isName {
			return says(expr.Cmp(index.I, expr.In, index.X))
		}
	}
	return says(expr.Cmp(x, expr.IsNot, expr.Null{}))
}

// different says that a value is not what is given.
func different(actual, other java.Node) said {
	v, isValue := actual.(valueNode)
	if w, ok := other.(valueNode); ok && !isValue {
		v, isValue, other = w, true, actual
	}
	if isValue && meaning(other) == expr.Expr(expr.Null{}) {
		return v.notNull()
	}
	x := expr.Negate(same(actual, other).means)
	if isValue && v.null {
		return says(tolerant(stripped(v.x), x))
	}
	return says(x)
}

// spread says something of the array that a value is: a name behind a list leads to the list of its elements' members.
func (v valueNode) spread(of func(array expr.Expr) expr.Expr) said {
	if !v.null {
		return says(of(v.x))
	}
	return said{expr.Spread(v.x, of), of(v.x)}
}

// within says something of a value where a path leads to: an index behind a name may be one into the list of all
// elements' members of that name.
func (v valueNode) within(path expr.Expr, of func(x expr.Expr) expr.Expr) said {
	root, steps := expr.Steps(path)
	plain := of(path)
	if _, isBody := expr.BodyOf(root); !v.null || !isBody {
		return says(plain)
	}
	var or []expr.Expr
	for n := range steps {
		end := n
		for end < len(steps) && !isIndex(steps[end].I) {
			end++
		}
		if end == n || end == len(steps) {
			continue
		}
		const element = "e"
		var elem expr.Expr = expr.Name{ID: element}
		for _, step := range steps[n:end] {
			elem = expr.Get{X: elem, Key: step.I}
		}
		var x expr.Expr = expr.Each{Elem: elem, Var: element, List: steps[n].X}
		for _, step := range steps[end:] {
			x = expr.Index{X: x, I: step.I}
		}
		or = append(or, expr.And{Xs: []expr.Expr{isType(steps[n].X, expr.TypeArray), of(x)}})
	}
	if len(or) == 0 {
		return says(plain)
	}
	return said{expr.Or{Xs: append(or, plain)}, plain}
}
