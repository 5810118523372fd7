package suite

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// jsReading reads JavaScript's expressions to their meaning.
type jsReading struct {
	// own reads what a library gives: the parts of an answer, helper functions. It is asked first.
	own     func(n *jsNode) (expr.Expr, bool)
	aliases map[string]expr.Expr // what a local name stands for
}

// meaning returns what an expression means as a value, false where it cannot be said.
func (r *jsReading) meaning(n *jsNode) (expr.Expr, bool) {
	if x, ok := r.own(n); ok {
		return x, true
	}
	switch n.form {
	case nodeName:
		return r.name(n.text)
	case nodeNumber:
		return jsNumberMeaning(n.text)
	case nodeString:
		return expr.Str{Value: n.text}, true
	case nodeTemplate:
		if len(n.args) == 0 {
			return expr.Str{Value: n.keys[0]}, true
		}
	case nodeMember:
		return r.member(n)
	case nodeIndex:
		x, ok := r.meaning(n.args[0])
		i, okIndex := r.meaning(n.args[1])
		switch i.(type) {
		case expr.Str, expr.Num:
			return expr.Index{X: x, I: i}, ok && okIndex
		}
	case nodeCall:
		return r.called(n)
	case nodeUnary:
		return r.unary(n)
	case nodeBinary:
		return r.binary(n)
	case nodeArray:
		seq := expr.List{}
		for _, e := range n.args {
			x, ok := r.meaning(e)
			if !ok {
				return nil, false
			}
			seq.Elems = append(seq.Elems, x)
		}
		return seq, true
	case nodeObject:
		d := expr.Object{}
		for i, k := range n.keys {
			x, ok := r.meaning(n.args[i])
			if !ok {
				return nil, false
			}
			d.Keys, d.Values = append(d.Keys, k), append(d.Values, x)
		}
		return d, true
	}
	return nil, false
}

func (r *jsReading) name(id string) (expr.Expr, bool) {
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
	if x, ok := r.aliases[id]; ok {
		return x, x != nil
	}
	return expr.Name{ID: id}, true
}

// jsNumberMeaning gives a number the value that JavaScript reads: a float of 64 bits.
func jsNumberMeaning(text string) (expr.Expr, bool) {
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

func (r *jsReading) member(n *jsNode) (expr.Expr, bool) {
	if object, name, args := n.args[0].method(); n.text == "length" && name == "keys" && object.is("Object") && len(args) == 1 {
		x, ok := r.meaning(args[0])
		return expr.Len{X: x}, ok
	}
	x, ok := r.meaning(n.args[0])
	if n.text == "length" {
		return expr.Length{X: x}, ok
	}
	return expr.Index{X: x, I: expr.Str{Value: n.text}}, ok
}

// called reads calls of the functions that JavaScript itself has.
func (r *jsReading) called(n *jsNode) (expr.Expr, bool) {
	object, name, args := n.method()
	if object == nil {
		if n.args[0].is("String") && len(n.args) == 2 {
			x, ok := r.meaning(n.args[1])
			return expr.ToText{X: x}, ok
		}
		return nil, false
	}
	if object.form == nodePattern && name == "test" && len(args) == 1 {
		return r.matched(args[0], object)
	}
	if object.form == nodeName && len(args) > 0 {
		x, ok := r.meaning(args[0])
		switch object.text + "." + name {
		case "Array.isArray":
			y, _ := expr.Typed(x, "array")
			return y, ok
		case "Number.isInteger", "Number.isSafeInteger":
			y, _ := expr.Typed(x, "integer")
			return y, ok
		case "Object.hasOwn":
			key, isText := r.text(args, 1)
			return expr.Cmp(key, expr.In, x), ok && isText
		}
	}
	x, ok := r.meaning(object)
	if !ok {
		return nil, false
	}
	switch name {
	case "startsWith", "endsWith":
		key, ok := r.text(args, 0)
		if name == "startsWith" {
			return expr.HasPrefix{X: x, Prefix: key}, ok && len(args) == 1
		}
		return expr.HasSuffix{X: x, Suffix: key}, ok && len(args) == 1
	case "hasOwnProperty":
		key, ok := r.text(args, 0)
		return expr.Cmp(key, expr.In, x), ok
	case "includes":
		if len(args) == 1 {
			e, ok := r.meaning(args[0])
			return expr.Cmp(e, expr.In, x), ok
		}
	case "toString":
		return expr.ToText{X: x}, len(args) == 0
	case "match":
		if len(args) == 1 && args[0].form == nodePattern {
			return r.matched(object, args[0])
		}
	case "map", "some", "every":
		return r.each(x, name, args)
	}
	return nil, false
}

// text returns an argument that is a string written out.
func (r *jsReading) text(args []*jsNode, i int) (expr.Expr, bool) {
	if i >= len(args) {
		return nil, false
	}
	x, ok := r.meaning(args[i])
	_, isText := x.(expr.Str)
	return x, ok && isText
}

// matched reads that a text has a piece that a regular expression matches.
func (r *jsReading) matched(text, pattern *jsNode) (expr.Expr, bool) {
	x, ok := r.meaning(text)
	re, known := regexpOfJS(pattern.text, pattern.flags)
	return expr.Match{X: x, Pattern: re}, ok && known
}

// each reads what is done with each element of an array.
func (r *jsReading) each(list expr.Expr, name string, args []*jsNode) (expr.Expr, bool) {
	if len(args) != 1 || args[0].form != nodeFunction || len(args[0].args) != 1 || len(args[0].keys) != 1 {
		return nil, false
	}
	inner := &jsReading{own: r.own, aliases: map[string]expr.Expr{}}
	for k, v := range r.aliases {
		inner.aliases[k] = v
	}
	param := args[0].keys[0]
	inner.aliases[param] = expr.Name{ID: param}
	if name == "map" {
		elem, ok := inner.meaning(args[0].args[0])
		return expr.Each{Elem: elem, Var: param, List: list}, ok
	}
	elem, ok := inner.truth(args[0].args[0])
	each := expr.Each{Elem: elem, Var: param, List: list}
	if name == "some" {
		return expr.Any{X: each}, ok
	}
	return expr.All{X: each}, ok
}

func (r *jsReading) unary(n *jsNode) (expr.Expr, bool) {
	switch n.text {
	case "!":
		x, ok := r.truth(n.args[0])
		return expr.Not{X: x}, ok && expr.IsCondition(x)
	case "-", "+":
		x, ok := r.meaning(n.args[0])
		switch x := x.(type) {
		case expr.Num:
			if n.text == "+" {
				return x, ok
			}
			return expr.Neg{X: x}, ok
		case expr.Inf:
			return expr.Inf{Negative: x.Negative != (n.text == "-")}, ok
		}
	case "await":
		return r.meaning(n.args[0])
	}
	return nil, false
}

func (r *jsReading) binary(n *jsNode) (expr.Expr, bool) {
	switch n.text {
	case "&&", "||":
		if x, ok := r.emptyBody(n); ok {
			return x, true
		}
		var out []expr.Expr
		for _, e := range flattened(n, n.text, nil) {
			x, ok := r.truth(e)
			if !ok {
				return nil, false
			}
			out = append(out, x)
		}
		if n.text == "||" {
			return expr.Or{Xs: out}, true
		}
		return expr.And{Xs: out}, true
	case "+":
		x, okX := r.meaning(n.args[0])
		y, okY := r.meaning(n.args[1])
		return expr.Arith{X: x, Y: y}, okX && okY
	case "===", "==", "!==", "!=":
		x, ok := r.equal(n.args[0], n.args[1], len(n.text) == 2)
		if n.text[0] == '!' && ok {
			return expr.Negate(x), true
		}
		return x, ok
	case "<", "<=", ">", ">=":
		x, okX := r.meaning(n.args[0])
		y, okY := r.meaning(n.args[1])
		return expr.Cmp(x, jsOrder()[n.text], y), okX && okY
	}
	return nil, false
}

// flattened lists the operands of a chain of one operator.
func flattened(n *jsNode, op string, out []*jsNode) []*jsNode {
	for n.form == nodeBinary && n.text == op {
		out = append(out, n.args[1])
		n = n.args[0]
	}
	out = append(out, n)
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// truth reads an expression of which only is asked whether JavaScript takes it for true.
func (r *jsReading) truth(n *jsNode) (expr.Expr, bool) {
	x, ok := r.meaning(n)
	if !ok || expr.IsCondition(x) {
		return x, ok
	}
	return expr.Cmp(x, expr.NotIn, expr.Falsy()), true
}

// equal reads that two expressions are equal; loosely, null and undefined are.
func (r *jsReading) equal(a, b *jsNode, loose bool) (expr.Expr, bool) {
	if a.form == nodeString || a.form == nodeNumber || a.is("null") || a.is("undefined") || a.is("true") || a.is("false") {
		a, b = b, a
	}
	if a.form == nodeUnary && a.text == "typeof" && b.form == nodeString {
		x, ok := r.meaning(a.args[0])
		if !ok {
			return nil, false
		}
		return expr.Typed(x, b.text)
	}
	x, ok := r.meaning(a)
	if !ok {
		return nil, false
	}
	if b.is("undefined") || loose && b.is("null") {
		none, found := expr.Missing(x)
		null := expr.IsNull(x)
		switch {
		case !loose:
			return none, found
		case found:
			return expr.Or{Xs: []expr.Expr{none, null}}, true
		}
		return null, true
	}
	y, ok := r.meaning(b)
	return expr.Same(x, y), ok
}

// jsOrder are the operators of JavaScript that tell the order of two values.
func jsOrder() map[string]expr.Op {
	return map[string]expr.Op{"<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge}
}

// emptyBody reads how EvoMaster asks for an empty body: x===null || x===undefined || x==="" || Object.keys(x).length === 0.
func (r *jsReading) emptyBody(n *jsNode) (expr.Expr, bool) {
	parts := flattened(n, "||", nil)
	if len(parts) != 4 {
		return nil, false
	}
	var xs [4]expr.Expr
	for i, p := range parts {
		if p.form != nodeBinary || p.text != "===" {
			return nil, false
		}
		var ok bool
		if xs[i], ok = r.meaning(p.args[0]); !ok {
			return nil, false
		}
	}
	last, ok := xs[3].(expr.Len)
	if !ok || !parts[0].args[1].is("null") || !parts[1].args[1].is("undefined") ||
		parts[2].args[1].form != nodeString || parts[3].args[1].text != "0" {
		return nil, false
	}
	same := expr.Identical(xs[0], xs[1]) && expr.Identical(xs[0], xs[2]) && expr.Identical(xs[0], last.X)
	return expr.IsEmpty{X: xs[0]}, same
}
