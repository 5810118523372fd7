package meaning

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Said is what an assertion says: what is evaluated, and what of it makes a claim about one place, where that is less.
type Said struct{ Means, Claims expr.Expr }

// Says is an assertion that makes a claim with all that it says.
func Says(x expr.Expr) Said { return Said{x, x} }

// Of says what a resolved expression means. What has no meaning that is known is an [expr.Unknown].
func Of(x java.Node) expr.Expr {
	switch x := x.(type) {
	case java.Text:
		return expr.Str{Value: x.Token.Text}
	case java.Number:
		if n := Literal(x.Text); n != nil {
			return n
		}
	case java.Name:
		if lit := Constant(x.ID); lit != nil {
			return lit
		}
	case Value:
		if x.isObject() {
			return expr.Unknown{What: "what objects of a class compare"}
		}
		return x.X
	case java.Sum:
		return meaningOfSum(x)
	case java.Array:
		list := expr.List{Elems: []expr.Expr{}}
		for _, e := range x.Elems {
			list.Elems = append(list.Elems, Of(e))
		}
		return list
	case Map:
		return meaningOfMap(x)
	case java.Binary:
		return meaningOfBinary(x)
	case java.Not:
		if v, ok := x.X.(java.Binary); ok && v.Op == "==" {
			return Different(v.X, v.Y).Means
		}
		return expr.Negate(Of(x.X))
	case java.Negative:
		return expr.Neg{X: Of(x.X)}
	case java.Ternary:
		return expr.If{Cond: Of(x.Cond), Then: Of(x.X), Else: Of(x.Y)}
	case java.Opaque:
		return expr.Unknown{What: x.What}
	case interface{ What() string }:
		return expr.Unknown{What: x.What()}
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
		case Value:
			textual, literal = textual || y.Typ == "String", false
		case java.Number:
		default:
			literal = false
		}
	}
	var pieces []expr.Expr
	for _, y := range x.Xs {
		piece := Of(y)
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

func meaningOfMap(x Map) expr.Expr {
	out := expr.Object{}
	for i, k := range x.Keys {
		key, ok := Of(k).(expr.Str)
		if !ok {
			return expr.Unknown{What: "a key that is not a text"}
		}
		out.Keys, out.Values = append(out.Keys, key.Value), append(out.Values, Of(x.Values[i]))
	}
	return out
}

func meaningOfBinary(x java.Binary) expr.Expr {
	switch x.Op {
	case "&&":
		return expr.AllOf(conjuncts(x)...)
	case "||":
		return expr.AnyOf(Of(x.X), Of(x.Y))
	case "==":
		return Same(x.X, x.Y).Means
	case "!=":
		return Different(x.X, x.Y).Means
	case "-":
		return expr.Arith{Op: expr.Subtract, X: Of(x.X), Y: Of(x.Y)}
	case "instanceof":
		if of := Instance(Of(x.X), java.Field{X: x.Y, Name: "class"}); of != nil {
			return of
		}
	}
	if op, ok := map[string]expr.Op{"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}[x.Op]; ok {
		return expr.Cmp(Of(x.X), op, Of(x.Y))
	}
	return expr.Unknown{What: "the operator " + x.Op}
}

// conjuncts are what the operands of an "and" mean, each by itself.
func conjuncts(x java.Node) []expr.Expr {
	if and, ok := x.(java.Binary); ok && and.Op == "&&" {
		return append(conjuncts(and.X), conjuncts(and.Y)...)
	}
	return []expr.Expr{Of(x)}
}

// Stripped is a value that Java made a text of, as one that was a text before.
func Stripped(x expr.Expr) expr.Expr {
	if text, ok := x.(expr.ToText); ok {
		return text.X
	}
	return x
}

// IsPlainText reports whether a text is not that of a number, a truth, an array or an object, so that only a text is
// equal to it.
func IsPlainText(x expr.Expr) bool {
	text, ok := x.(expr.Str)
	if !ok || text.Value == "true" || text.Value == "false" || text.Value == "null" {
		return false
	}
	_, number := expr.Number(text.Value)
	return !number && !strings.HasPrefix(text.Value, "[") && !strings.HasPrefix(text.Value, "{")
}

// Same says that a value is what is expected.
func Same(actual, want java.Node) Said {
	v, isValue := actual.(Value)
	if w, ok := want.(Value); ok && !isValue {
		v, isValue, want = w, true, actual
	}
	lit := Of(want)
	if text, ok := lit.(expr.Str); ok && v.Joins != nil {
		return Same(v.Joins.List, v.Joins.pieces(text.Value))
	}
	if !isValue {
		return Says(expr.Same(Of(actual), lit))
	}
	if header, ok := v.X.(expr.Get); ok && expr.IsLiteral(lit) && !expr.Identical(header.Default, lit) {
		v.X = WithoutDefault(v.X) // orElse gives what is another
	}
	x := v.X
	switch lit := lit.(type) {
	case expr.Null:
		return v.IsNull()
	case expr.Str:
		if IsPlainText(lit) {
			x = Stripped(x)
		}
	case expr.List:
		if v.isLoose() {
			return v.has(lit)
		}
		return v.asTexts(lit.Elems).Spread(func(array expr.Expr) expr.Expr { return expr.Cmp(array, expr.Eq, lit) })
	}
	if text, ok := x.(expr.ToText); ok {
		return Said{expr.Same(x, lit), expr.Same(text.X, lit)}
	}
	if v.Bound && isZero(lit) && (v.Typ == "boolean" || IsNumeric(v.Typ) && v.Typ == strings.ToLower(v.Typ)) {
		return Said{unset(x, expr.Or{Xs: []expr.Expr{expr.IsNull(x), expr.Same(x, lit)}}), expr.Same(x, lit)}
	}
	return v.Within(x, func(x expr.Expr) expr.Expr { return expr.Same(x, lit) })
}

// WithoutDefault is a header that orElse gives another text for where there is none, and any other expression itself.
func WithoutDefault(x expr.Expr) expr.Expr {
	if or, ok := x.(expr.Get); ok {
		header := expr.Index{X: or.X, I: or.Key}
		if _, _, isHeader := expr.HeaderOf(header); isHeader {
			return header
		}
	}
	return x
}

// unset says that a member of what Jackson made is not in its JSON, so that nothing was put into it, or that x is true.
func unset(member, x expr.Expr) expr.Expr {
	if i, ok := member.(expr.Index); ok {
		if _, named := i.I.(expr.Str); named {
			return expr.AnyOf(expr.Cmp(i.I, expr.NotIn, i.X), x)
		}
	}
	return x
}

// asTexts is a list of what Java made texts of, to be compared with some values: all but plain texts are compared as
// texts, which numbers are not otherwise.
func (v Value) asTexts(values []expr.Expr) Value {
	made := func(x expr.Expr) bool { return !IsPlainText(x) }
	each, ok := v.X.(expr.Each)
	if ok && v.Elem == "String" && slices.ContainsFunc(values, made) {
		each.Elem = expr.ToText{X: Stripped(each.Elem)}
		v.X = each
	}
	return v
}

// isObject reports whether a value is an object of a class of the suite, or a list of such: their members compare, as
// far as the class has them, or it is asked which object each is.
func (v Value) isObject() bool {
	typ := v.Typ
	if typ == "List" || typ == "array" {
		if typ = v.Elem; typ == "" {
			return false
		}
	}
	switch typ {
	case "String", "boolean", "Boolean", "Object", "Map", "BigDecimal", "BigInteger":
		return false
	}
	return v.Bound && !IsNumeric(typ)
}

// isZero reports whether a literal is what a variable of Java's has that nothing is put into.
func isZero(lit expr.Expr) bool {
	n, isNumber := Number(lit)
	b, isBool := lit.(expr.Bool)
	return isNumber && n == 0 || isBool && !b.Value
}

// IsNull says that there is null, or nothing where that is null.
func (v Value) IsNull() Said {
	x := Stripped(v.X)
	missing, ok := expr.Missing(x)
	_, _, isHeader := expr.HeaderOf(x)
	switch {
	case ok && (isHeader || IsTree(v.Typ)):
		return Says(missing)
	case v.Bound:
		return Said{unset(x, expr.IsNull(x)), expr.IsNull(x)}
	case v.Null:
		return Said{Tolerant(x, expr.IsNull(x)), expr.IsNull(x)}
	}
	return Says(expr.IsNull(x))
}

// NotNull says that there is something.
func (v Value) NotNull() Said {
	x := Stripped(v.X)
	name, answer, isHeader := expr.HeaderOf(x)
	switch index, ok := x.(expr.Index); {
	case isHeader:
		return Says(expr.Cmp(expr.Str{Value: name}, expr.In, expr.Answer{Var: answer, Part: expr.Headers}))
	case ok && IsTree(v.Typ):
		if _, isName := index.I.(expr.Str); isName {
			return Says(expr.Cmp(index.I, expr.In, index.X))
		}
	}
	return Says(expr.Cmp(x, expr.IsNot, expr.Null{}))
}

// Different says that a value is not what is given.
func Different(actual, other java.Node) Said {
	v, isValue := actual.(Value)
	if w, ok := other.(Value); ok && !isValue {
		v, isValue, other = w, true, actual
	}
	if isValue && Of(other) == expr.Expr(expr.Null{}) {
		return v.NotNull()
	}
	x := expr.Negate(Same(actual, other).Means)
	if isValue && v.Null {
		return Says(Tolerant(Stripped(v.X), x))
	}
	return Says(x)
}

// Spread says something of the array that a value is: a name behind a list leads to the list of its elements' members.
func (v Value) Spread(of func(array expr.Expr) expr.Expr) Said {
	if !v.Null {
		return Says(of(v.X))
	}
	return Said{expr.Spread(v.X, of), of(v.X)}
}

// Membership says that what a value looks for is among the elements of what a path leads to, or that it is not.
func (v Value) Membership(among bool) Said {
	of, ok := v.X.(expr.Compare)
	if !ok {
		return Says(v.X)
	}
	return Value{X: of.Y, Null: true}.Spread(func(array expr.Expr) expr.Expr {
		if among {
			return expr.Cmp(of.X, expr.In, array)
		}
		return expr.Cmp(of.X, expr.NotIn, array)
	})
}

// Within says something of a value where a path leads to: an index behind a name may be one into the list of all
// elements' members of that name.
func (v Value) Within(path expr.Expr, of func(x expr.Expr) expr.Expr) Said {
	root, steps := expr.Steps(path)
	plain := of(path)
	if _, isBody := expr.BodyOf(root); !v.Null || !isBody {
		return Says(plain)
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
		or = append(or, expr.And{Xs: []expr.Expr{IsType(steps[n].X, expr.TypeArray), of(x)}})
	}
	if len(or) == 0 {
		return Says(plain)
	}
	return Said{expr.Or{Xs: append(or, plain)}, plain}
}

// Constant is what a name of the language stands for; nil for any other name.
func Constant(name string) expr.Expr {
	switch name {
	case "true":
		return expr.Bool{Value: true}
	case "false":
		return expr.Bool{}
	case "null":
		return expr.Null{}
	case "Infinity", "NaN":
		return expr.Undefined{ID: name}
	}
	return nil
}
