package expect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
)

// Expectation is a chain of calls that asserts something: expect(subject).not.toBe(…).
type Expectation struct {
	Subject *js.Node
	Words   []string // between the subject and the matcher: "not", "rejects"
	Matcher string
	Args    []*js.Node
}

// Not reports whether the opposite is asserted.
func (e Expectation) Not() bool { return e.Has("not") }

func (e Expectation) Has(word string) bool {
	for _, w := range e.Words {
		if w == word {
			return true
		}
	}
	return false
}

// Of reads a chain that begins with a call of expect.
func Of(n *js.Node) (Expectation, bool) {
	for n.Form == js.NodeUnary && (n.Text == "await" || n.Text == "void") {
		n = n.Args[0]
	}
	object, name, args := n.Method()
	e := Expectation{Matcher: name, Args: args}
	for object != nil && object.Form == js.NodeMember {
		e.Words = append(e.Words, object.Text)
		object = object.Args[0]
	}
	if object == nil || object.Form != js.NodeCall || !object.Args[0].Is("expect") || len(object.Args) < 2 {
		return e, false
	}
	e.Subject = object.Args[1]
	return e, true
}

// reading reads what Jest's matchers assert.
type reading struct{ *js.Reading }

// Meaning is what one of Jest's matchers asserts; false where it is not understood.
func Meaning(by *js.Reading, e Expectation) (expr.Expr, bool) {
	by.Meaning(e.Subject) // what it sends is sent before what the matcher is given
	return reading{by}.meaningOf(e)
}

// meaningOf reads what one of Jest's matchers asserts.
func (r reading) meaningOf(e Expectation) (expr.Expr, bool) {
	x, ok := r.matcherMeaning(e)
	if !ok || !e.Not() {
		return x, ok
	}
	switch e.Matcher {
	case "toContain", "toContainEqual":
		return expr.Not{X: x}, true
	case "toBeTruthy":
		return js.Opposite(x), true
	case "toBe", "toEqual", "toStrictEqual": // undefined is equal to nothing else
		if _, compares := x.(expr.Compare); compares {
			return js.Opposite(x), true
		}
		subject, _ := r.Meaning(e.Subject)
		if missing, ok := expr.Missing(subject); ok {
			return expr.AnyOf(missing, expr.Negate(x)), true
		}
		return js.Opposite(x), true
	}
	return expr.Unless(x), true
}

func (r reading) matcherMeaning(e Expectation) (expr.Expr, bool) {
	switch len(e.Args) {
	case 0:
		return r.stateMatcher(e)
	case 1:
		return r.comparison(e)
	}
	switch e.Matcher {
	case "toHaveProperty":
		x, ok := r.property(e.Subject, e.Args[0])
		y, known := r.Meaning(e.Args[1])
		return expr.Same(x, y), ok && known
	case "member":
		x, ok := r.member(e.Subject, e.Args[0])
		y, known := r.Meaning(e.Args[1])
		return expr.Same(x, y), ok && known
	case "closeTo":
		x, ok := r.Meaning(e.Subject)
		y, known := r.Meaning(e.Args[0])
		delta, isNumber := r.Meaning(e.Args[1])
		near, written := expr.Near(x, y, delta)
		return near, ok && known && isNumber && written
	case "toBeCloseTo":
		return r.closeTo(e.Subject, e.Args[0], e.Args[1].Text)
	}
	return nil, false
}

// closeTo reads that a number is another but for what is behind so many digits.
func (r reading) closeTo(subject, number *js.Node, digits string) (expr.Expr, bool) {
	x, ok := r.Meaning(subject)
	y, known := r.Meaning(number)
	n, err := strconv.Atoi(digits)
	if !ok || !known || err != nil || n < 0 || n > 15 {
		return nil, false
	}
	return expr.Near(x, y, expr.Num{Text: "0." + strings.Repeat("0", n) + "5"})
}

// member is the member of an object that is named by a text as it stands, without points.
func (r reading) member(subject, key *js.Node) (expr.Expr, bool) {
	x, ok := r.Meaning(subject)
	return expr.Index{X: x, I: expr.Str{Value: key.Text}}, ok && key.Form == js.NodeString
}

// stateMatcher reads the matchers that compare with nothing.
func (r reading) stateMatcher(e Expectation) (expr.Expr, bool) {
	switch e.Matcher {
	case "toBeTruthy":
		return r.Truth(e.Subject)
	case "toBeFalsy":
		x, ok := r.Truth(e.Subject)
		return js.Opposite(x), ok
	}
	x, ok := r.Meaning(e.Subject)
	if !ok {
		return nil, false
	}
	switch e.Matcher {
	case "toBeNull":
		return expr.Same(x, expr.Null{}), true
	case "toBeUndefined":
		return expr.Missing(x)
	case "toBeDefined":
		x, ok := expr.Missing(x)
		return expr.Negate(x), ok
	}
	return nil, false
}

// comparison reads the matchers that compare with one thing.
func (r reading) comparison(e Expectation) (expr.Expr, bool) {
	arg := e.Args[0]
	switch e.Matcher {
	case "toBe", "toEqual", "toStrictEqual":
		if object, name, args := arg.Method(); object.Is("expect") && name == "any" && len(args) == 1 {
			x, ok := r.Meaning(e.Subject)
			y, known := expr.Typed(x, typeNamed(args[0]))
			return y, ok && known
		}
		if e.Matcher == "toBe" && (arg.Form == js.NodeArray || arg.Form == js.NodeObject) {
			return nil, false // nothing is what is made anew
		}
		if x, ok := r.arrays(e, arg); ok {
			return x, true
		}
		if x, ok := r.toBe(e.Subject, arg); ok {
			return x, true
		}
		return r.shaped(e.Subject, arg, whole)
	case "toBeCloseTo":
		return r.closeTo(e.Subject, arg, "2")
	case "isOfType":
		x, ok := r.Meaning(e.Subject)
		is, known := expr.Typed(x, arg.Text)
		return is, ok && known && arg.Form == js.NodeString
	case "member":
		x, ok := r.member(e.Subject, arg)
		of := x.(expr.Index)
		return expr.Cmp(of.I, expr.In, of.X), ok
	case "toHaveLength":
		return r.length(e.Subject, arg)
	case "toMatchObject":
		return r.shaped(e.Subject, arg, among)
	case "toHaveProperty":
		x, ok := r.property(e.Subject, arg)
		if i, isIndex := x.(expr.Index); isIndex && ok {
			return expr.Cmp(i.I, expr.In, i.X), true
		}
		return nil, false
	case "toMatch":
		if arg.Form == js.NodePattern {
			return r.Matched(e.Subject, arg)
		}
	}
	x, okX := r.Meaning(e.Subject)
	y, okY := r.Meaning(arg)
	if !okX || !okY {
		return nil, false
	}
	switch e.Matcher {
	case "toContain", "toContainEqual":
		if seq, ok := x.(expr.List); ok {
			x = expr.Set(seq)
		}
		return expr.Cmp(y, expr.In, x), true
	case "toMatch":
		return expr.Cmp(y, expr.In, x), true
	}
	op, ok := map[string]expr.Op{"toBeLessThan": expr.Lt, "toBeLessThanOrEqual": expr.Le, "toBeGreaterThan": expr.Gt,
		"toBeGreaterThanOrEqual": expr.Ge}[e.Matcher]
	return expr.Cmp(x, op, y), ok
}

// length reads how long a subject is, as its member length has it.
func (r reading) length(subject, number *js.Node) (expr.Expr, bool) {
	n, ok := r.Meaning(&js.Node{Form: js.NodeMember, Text: "length", Args: []*js.Node{subject}})
	y, known := r.Meaning(number)
	return expr.Cmp(n, expr.Eq, y), ok && known
}

// toBe reads that a subject is a value; that a condition is true says the condition.
func (r reading) toBe(subject, value *js.Node) (expr.Expr, bool) {
	if value.Is("true") || value.Is("false") {
		x, ok := r.Meaning(subject)
		if ok && expr.IsCondition(x) {
			if value.Is("false") {
				return js.Opposite(x), true
			}
			return x, true
		}
	}
	return r.Equal(subject, value, js.Strict)
}

// arrays reads that an array, sorted, is a list that is written out, and that it has all of some elements:
// expect([...x].sort()).toEqual([…]), expect(x).toEqual(expect.arrayContaining([…])).
func (r reading) arrays(e Expectation, arg *js.Node) (expr.Expr, bool) {
	if object, name, args := arg.Method(); object.Is("expect") && name == "arrayContaining" && len(args) == 1 {
		array, ok := r.Meaning(e.Subject)
		wanted, known := r.Meaning(args[0])
		list, isList := wanted.(expr.List)
		var has []expr.Expr
		for _, elem := range list.Elems {
			has = append(has, expr.Cmp(elem, expr.In, array))
		}
		return expr.And{Xs: has}, ok && known && isList && len(has) > 0
	}
	if list, ok := r.Meaning(arg); ok {
		if same, ok := r.NamesAs(e.Subject, list); ok {
			return same, true
		}
	}
	array, by, ok := r.Sorted(e.Subject)
	if !ok {
		return nil, false
	}
	list, other, sorted := r.Sorted(arg)
	if !sorted {
		list, ok = r.Meaning(arg)
	}
	if _, isList := list.(expr.List); sorted && isList && other == by {
		return expr.SameItems{X: array, Y: list}, true
	}
	same, known := js.SortedAs(array, by, list)
	return same, ok && !sorted && known
}

// property reads the place that toHaveProperty names: members with points between, or a list of them.
func (r reading) property(subject, path *js.Node) (expr.Expr, bool) {
	x, ok := r.Meaning(subject)
	var keys []string
	switch {
	case path.Form == js.NodeString:
		keys = strings.Split(path.Text, ".")
	case path.Form == js.NodeArray:
		for _, k := range path.Args {
			if k.Form != js.NodeString {
				return nil, false
			}
			keys = append(keys, k.Text)
		}
	}
	for _, k := range keys {
		x = expr.Index{X: x, I: expr.Str{Value: k}}
	}
	return x, ok && len(keys) > 0
}

// extent says whether an object may have members that its description does not speak of.
type extent int

const (
	whole extent = iota
	among
)

// maxShape bounds how many statements one description comes to.
const maxShape = 1000

// shaped reads that a value is as an object or an array describes it, in which types may stand: toMatchObject({…}),
// toEqual({id: expect.any(Number), …}), expect.objectContaining({…}).
func (r reading) shaped(subject, shape *js.Node, by extent) (expr.Expr, bool) {
	x, ok := r.Meaning(subject)
	if !ok {
		return nil, false
	}
	says, ok := r.shape(x, shape, by)
	return expr.AllOf(says...), ok && len(says) > 0 && len(says) < maxShape
}

// shape lists what a description says of a value.
func (r reading) shape(x expr.Expr, shape *js.Node, by extent) (says []expr.Expr, ok bool) {
	if object, name, args := shape.Method(); object.Is("expect") && len(args) == 1 {
		switch name {
		case "any":
			typed, known := expr.Typed(x, typeNamed(args[0]))
			return []expr.Expr{typed}, known
		case "objectContaining":
			return r.shape(x, args[0], among)
		case "stringContaining", "stringMatching":
			return r.piece(x, args[0])
		}
		return nil, false
	}
	if shape.Form != js.NodeObject && shape.Form != js.NodeArray || isScalars(shape) {
		y, ok := r.Meaning(shape)
		return same(x, y, by), ok
	}
	switch {
	case shape.Form == js.NodeArray:
		says = append(says, expr.Cmp(expr.Length{X: x}, expr.Eq, expr.Int(len(shape.Args))))
	case by == whole:
		says = append(says, expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(len(shape.Args))))
	}
	for i, part := range shape.Args {
		key := expr.Int(i)
		if shape.Form == js.NodeObject {
			key = expr.Str{Value: shape.Keys[i]}
		}
		inner, ok := r.shape(expr.At(x, key), part, by)
		if !ok || part.Text == js.Spread || len(says) > maxShape {
			return nil, false
		}
		says = append(says, inner...)
	}
	return says, true
}

// same says that a value is another one, which a name stands for, or that it has its members.
func same(x, y expr.Expr, by extent) (says []expr.Expr) {
	of, isObject := y.(expr.Object)
	if by == whole || !isObject {
		return []expr.Expr{expr.Same(x, y)}
	}
	for i, key := range of.Keys {
		says = append(says, same(expr.Index{X: x, I: expr.Str{Value: key}}, of.Values[i], by)...)
	}
	return says
}

// isScalars reports whether an array is written out of texts and numbers alone, which it is compared with as a whole.
func isScalars(shape *js.Node) bool {
	return shape.Form == js.NodeArray && len(shape.Args) > 0 && !slices.ContainsFunc(shape.Args, func(n *js.Node) bool {
		return n.Form != js.NodeString && n.Form != js.NodeNumber
	})
}

// piece reads that a text has another one in it, or a piece that a regular expression matches.
func (r reading) piece(x expr.Expr, piece *js.Node) (says []expr.Expr, ok bool) {
	if piece.Form == js.NodePattern {
		re, ok := literal.RegexpOfJavaScript(js.Pattern(piece))
		return []expr.Expr{expr.Match{X: x, Pattern: re}}, ok
	}
	text, ok := r.Text([]*js.Node{piece}, 0)
	return []expr.Expr{expr.Cmp(text, expr.In, x)}, ok
}

// typeNamed is the type that a constructor makes.
func typeNamed(constructor *js.Node) string {
	return map[string]string{"String": "string", "Number": "number", "Boolean": "boolean", "Array": "array"}[constructor.Text]
}

// Relation returns the relation that the matcher of an Expectation means by "in".
func (e Expectation) Relation() exchange.Relation {
	if e.Matcher == "toHaveProperty" || e.Matcher == "toBeDefined" {
		return exchange.Present
	}
	return ""
}

// IsSnapshot reports whether a matcher compares with a snapshot.
func (e Expectation) IsSnapshot() bool {
	return e.Matcher == "toMatchSnapshot" || e.Matcher == "toMatchInlineSnapshot"
}
