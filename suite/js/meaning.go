package js

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Reading reads JavaScript's expressions to their meaning.
type Reading struct {
	// own reads what a library gives: the parts of an answer, helper functions. It is asked first.
	Own     func(n *Node) (expr.Expr, bool)
	Aliases map[string]expr.Expr // what a local name stands for
	// Names is what any other name stands for, and whether that is known; nil where such a name stands for itself.
	Names   func(id string) (expr.Expr, bool)
	changes []change
}

// Meaning returns what an expression means as a value, false where it cannot be said.
func (r *Reading) Meaning(n *Node) (expr.Expr, bool) {
	x, ok := r.unchecked(n)
	if ok && r.isChanged(x, func(change) bool { return true }) {
		return nil, false
	}
	return x, ok
}

// unchecked is what an expression means before any statement changed what it leads to.
func (r *Reading) unchecked(n *Node) (expr.Expr, bool) {
	if n == nil {
		return nil, false
	}
	if x, ok := r.Own(n); ok {
		return x, true
	}
	switch n.Form {
	case NodeName:
		return r.name(n.Text)
	case NodeNumber:
		return numberMeaning(n.Text)
	case NodeString:
		return expr.Str{Value: n.Text}, true
	case NodeTemplate:
		if len(n.Args) == 0 {
			return expr.Str{Value: n.Keys[0]}, true
		}
	case NodeMember:
		return r.member(n)
	case NodeIndex:
		x, ok := r.Meaning(n.Args[0])
		i, okIndex := r.Meaning(n.Args[1])
		switch i.(type) {
		case expr.Str, expr.Num:
			return expr.Index{X: x, I: i}, ok && okIndex
		}
	case NodeCall:
		return r.called(n)
	case NodeUnary:
		return r.unary(n)
	case NodeBinary:
		return r.binary(n)
	case NodeArray:
		seq := expr.List{}
		for _, e := range n.Args {
			x, ok := r.Meaning(e)
			if !ok {
				return nil, false
			}
			seq.Elems = append(seq.Elems, x)
		}
		return seq, true
	case NodeObject:
		return r.object(n)
	}
	return nil, false
}

func (r *Reading) name(id string) (expr.Expr, bool) {
	switch id {
	case "true":
		return expr.Bool{Value: true}, true
	case "false":
		return expr.Bool{}, true
	case "null":
		return expr.Null{}, true
	case "Infinity":
		return expr.Inf{}, true
	case "undefined", "NaN", "this":
		return nil, false
	}
	if x, ok := r.Aliases[id]; ok {
		return x, x != nil
	}
	if r.Names != nil {
		return r.Names(id)
	}
	return expr.Name{ID: id}, true
}

// numberMeaning gives a number the value that JavaScript reads: a float of 64 bits.
func numberMeaning(text string) (expr.Expr, bool) {
	text = strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(text, 0, 64); err == nil && (i == 0 || len(text) < 16 && text[0] != '0') {
		return expr.Num{Text: strconv.FormatInt(i, 10)}, true
	}
	if len(text) > 1 && strings.ContainsAny(text[1:2], "xXbBoO") {
		n, ok := new(big.Int).SetString(text, 0)
		if !ok || n.BitLen() > 53 {
			return nil, false
		}
		return expr.Num{Text: n.String()}, true
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return nil, false // a large integer with its n, or out of range
	case strings.ContainsAny(text, ".eE"):
		return expr.Num{Text: text}, true
	}
	return expr.Num{Text: new(big.Float).SetFloat64(f).Text('f', 0)}, true
}

func (r *Reading) member(n *Node) (expr.Expr, bool) {
	if object, name, args := n.Args[0].Method(); n.Text == "length" && name == "keys" && object.Is("Object") &&
		len(args) == 1 {
		x, ok := r.Meaning(args[0])
		return expr.Len{X: x}, ok
	}
	x, ok := r.Meaning(n.Args[0])
	if n.Text == "length" {
		return expr.Length{X: x}, ok
	}
	return expr.Index{X: x, I: expr.Str{Value: n.Text}}, ok
}

// called reads calls of the functions that JavaScript itself has.
func (r *Reading) called(n *Node) (expr.Expr, bool) {
	object, name, args := n.Method()
	if object == nil {
		if n.Args[0].Is("String") && len(n.Args) == 2 {
			x, ok := r.Meaning(n.Args[1])
			return expr.ToText{X: x}, ok
		}
		return nil, false
	}
	if object.Form == NodePattern && name == "test" && len(args) == 1 {
		return r.Matched(args[0], object)
	}
	if object.Is("Math") {
		return r.most(name, args)
	}
	if object.Is("JSON") && name == "parse" && len(args) == 1 {
		return r.tokenPart(args[0])
	}
	if object.Form == NodeName && len(args) > 0 {
		x, ok := r.Meaning(args[0])
		switch object.Text + "." + name {
		case "Array.isArray":
			y, _ := expr.Typed(x, "array")
			return y, ok
		case "Number.isInteger", "Number.isSafeInteger":
			y, _ := expr.Typed(x, "integer")
			return y, ok
		case "Object.hasOwn":
			key, isText := r.Text(args, 1)
			return expr.Cmp(key, expr.In, x), ok && isText
		}
	}
	x, ok := r.Meaning(object)
	if !ok {
		return nil, false
	}
	switch name {
	case "startsWith", "endsWith":
		key, ok := r.Text(args, 0)
		if name == "startsWith" {
			return expr.HasPrefix{X: x, Prefix: key}, ok && len(args) == 1
		}
		return expr.HasSuffix{X: x, Suffix: key}, ok && len(args) == 1
	case "hasOwnProperty":
		key, ok := r.Text(args, 0)
		return expr.Cmp(key, expr.In, x), ok
	case "includes":
		if len(args) == 1 {
			e, ok := r.Meaning(args[0])
			return expr.Cmp(e, expr.In, x), ok
		}
	case "toString":
		return expr.ToText{X: x}, len(args) == 0
	case "match":
		if len(args) == 1 && args[0].Form == NodePattern {
			return r.Matched(object, args[0])
		}
	}
	return r.ofList(x, name, args)
}

// tokenPart reads what JSON.parse is given in what is written for an [expr.TokenPart]:
// Buffer.from(x.split(".")[0], "base64").toString().
func (r *Reading) tokenPart(n *Node) (expr.Expr, bool) {
	bytes, text, none := n.Method()
	if bytes == nil || text != "toString" || len(none) > 0 {
		return nil, false
	}
	buffer, from, args := bytes.Method()
	if buffer == nil || !buffer.Is("Buffer") || from != "from" || len(args) != 2 || args[0].Form != NodeIndex ||
		args[1].Form != NodeString || !strings.HasPrefix(args[1].Text, "base64") {
		return nil, false
	}
	nth, split := args[0].Args[1], args[0].Args[0]
	of, name, by := split.Method()
	if of == nil || name != "split" || len(by) != 1 || by[0].Form != NodeString || by[0].Text != "." ||
		nth.Form != NodeNumber || nth.Text != "0" && nth.Text != "1" {
		return nil, false
	}
	x, ok := r.Meaning(of)
	return expr.TokenPart{X: x, Nth: int(nth.Text[0] - '0')}, ok
}

// Text returns an argument that is a string written out.
func (r *Reading) Text(args []*Node, i int) (expr.Expr, bool) {
	if i >= len(args) {
		return nil, false
	}
	x, ok := r.Meaning(args[i])
	_, isText := x.(expr.Str)
	return x, ok && isText
}

// Pattern returns a regular expression that is written out, and its flags.
func Pattern(n *Node) (pattern, flags string) { return n.Text, n.flags }

// Matched reads that a text has a piece that a regular expression matches.
func (r *Reading) Matched(text, pattern *Node) (expr.Expr, bool) {
	x, ok := r.Meaning(text)
	re, known := literal.RegexpOfJavaScript(pattern.Text, pattern.flags)
	return expr.Match{X: x, Pattern: re}, ok && known
}

func (r *Reading) unary(n *Node) (expr.Expr, bool) {
	switch n.Text {
	case "!":
		x, ok := r.Truth(n.Args[0])
		return Opposite(x), ok
	case "-", "+":
		x, ok := r.Meaning(n.Args[0])
		switch x := x.(type) {
		case expr.Num:
			if n.Text == "+" {
				return x, ok
			}
			return expr.Neg{X: x}, ok
		case expr.Inf:
			return expr.Inf{Negative: x.Negative != (n.Text == "-")}, ok
		}
	case "await":
		return r.Meaning(n.Args[0])
	}
	return nil, false
}

func (r *Reading) binary(n *Node) (expr.Expr, bool) {
	switch n.Text {
	case "&&", "||":
		if x, ok := r.emptyBody(n); ok {
			return x, true
		}
		return r.joined(n, func(e *Node) (expr.Expr, bool) { // what is no condition is its own value
			x, ok := r.Meaning(e)
			return x, ok && expr.IsCondition(x)
		})
	case "+":
		x, okX := r.Meaning(n.Args[0])
		y, okY := r.Meaning(n.Args[1])
		return expr.Arith{X: x, Y: y}, okX && okY
	case "-":
		x, okX := r.Meaning(n.Args[0])
		y, okY := r.Meaning(n.Args[1])
		return expr.Arith{Op: expr.Subtract, X: x, Y: y}, okX && okY
	case "===", "==", "!==", "!=":
		equality := Strict
		if len(n.Text) == 2 {
			equality = Loose
		}
		x, ok := r.Equal(n.Args[0], n.Args[1], equality)
		if n.Text[0] == '!' && ok {
			return Opposite(x), true
		}
		return x, ok
	case "<", "<=", ">", ">=":
		x, okX := r.Meaning(n.Args[0])
		y, okY := r.Meaning(n.Args[1])
		return expr.Cmp(x, order()[n.Text], y), okX && okY
	}
	return nil, false
}

// flattened lists the operands of a chain of one operator.
func flattened(n *Node, op string, out []*Node) []*Node {
	for n.Form == NodeBinary && n.Text == op {
		out = append(out, n.Args[1])
		n = n.Args[0]
	}
	out = append(out, n)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Equality is what a comparison takes for equal.
type Equality int

// The equalities of JavaScript: === and ==. Loosely, null and undefined are equal.
const (
	Strict Equality = iota
	Loose
)

// Equal reads that two expressions are equal.
func (r *Reading) Equal(a, b *Node, by Equality) (expr.Expr, bool) {
	if a.Form == NodeString || a.Form == NodeNumber || a.Is("null") || a.Is("undefined") || a.Is("true") || a.Is("false") {
		a, b = b, a
	}
	if a.Form == NodeUnary && a.Text == "typeof" && b.Form == NodeString {
		x, ok := r.Meaning(a.Args[0])
		if !ok {
			return nil, false
		}
		return expr.Typed(x, b.Text)
	}
	if same, ok := r.Joined(a, b); ok {
		return same, true
	}
	if a.Form == NodeBinary && a.Text == "??" {
		return r.otherwise(a, b)
	}
	x, ok := r.Meaning(a)
	if !ok {
		return nil, false
	}
	if b.Is("undefined") || by == Loose && b.Is("null") {
		none, found := expr.Missing(x)
		null := expr.IsNull(x)
		switch {
		case by == Strict:
			return none, found
		case found:
			return expr.Or{Xs: []expr.Expr{none, null}}, true
		}
		return null, true
	}
	y, ok := r.Meaning(b)
	if by == Loose {
		return looselyEqual(x, y), ok
	}
	return expr.Same(x, y), ok
}

// order are the operators of JavaScript that tell the order of two values.
func order() map[string]expr.Op {
	return map[string]expr.Op{"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}
}

// emptyBody reads how EvoMaster asks for an empty body: x===null || x===undefined || x==="" || Object.keys(x).length
// === 0.
func (r *Reading) emptyBody(n *Node) (expr.Expr, bool) {
	parts := flattened(n, "||", nil)
	if len(parts) != 4 {
		return nil, false
	}
	var xs [4]expr.Expr
	for i, p := range parts {
		if p.Form != NodeBinary || p.Text != "===" {
			return nil, false
		}
		var ok bool
		if xs[i], ok = r.Meaning(p.Args[0]); !ok {
			return nil, false
		}
	}
	last, ok := xs[3].(expr.Len)
	if !ok || !parts[0].Args[1].Is("null") || !parts[1].Args[1].Is("undefined") ||
		parts[2].Args[1].Form != NodeString || parts[3].Args[1].Text != "0" {
		return nil, false
	}
	same := expr.Identical(xs[0], xs[1]) && expr.Identical(xs[0], xs[2]) && expr.Identical(xs[0], last.X)
	return expr.IsEmpty{X: xs[0]}, same
}
