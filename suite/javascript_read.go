package suite

import (
	"math/big"
	"strconv"
	"strings"
)

// jsReading reads JavaScript's expressions to their meaning: expressions in Python's notation.
type jsReading struct {
	// own reads what a library gives: the parts of an answer, helper functions. It is asked first.
	own     func(n *jsNode) (expr, bool)
	aliases map[string]expr // what a local name stands for
}

// meaning returns what an expression means as a value, false where it cannot be said.
func (r *jsReading) meaning(n *jsNode) (expr, bool) {
	if x, ok := r.own(n); ok {
		return x, true
	}
	switch n.form {
	case nodeName:
		return r.name(n.text)
	case nodeNumber:
		return jsNumberMeaning(n.text)
	case nodeString:
		return pyStr{n.text}, true
	case nodeTemplate:
		if len(n.args) == 0 {
			return pyStr{n.keys[0]}, true
		}
	case nodeMember:
		return r.member(n)
	case nodeIndex:
		x, ok := r.meaning(n.args[0])
		i, okIndex := r.meaning(n.args[1])
		switch i.(type) {
		case pyStr, pyNum:
			return pyIndex{x, i}, ok && okIndex
		}
	case nodeCall:
		return r.called(n)
	case nodeUnary:
		return r.unary(n)
	case nodeBinary:
		return r.binary(n)
	case nodeArray:
		seq := pySeq{}
		for _, e := range n.args {
			x, ok := r.meaning(e)
			if !ok {
				return nil, false
			}
			seq.elems = append(seq.elems, x)
		}
		return seq, true
	case nodeObject:
		d := pyDict{}
		for i, k := range n.keys {
			x, ok := r.meaning(n.args[i])
			if !ok {
				return nil, false
			}
			d.keys, d.values = append(d.keys, pyStr{k}), append(d.values, x)
		}
		return d, true
	}
	return nil, false
}

func (r *jsReading) name(id string) (expr, bool) {
	switch id {
	case "true":
		return pyName{"True"}, true
	case "false":
		return pyName{"False"}, true
	case "null":
		return pyName{"None"}, true
	case "Infinity":
		return pyCall{fn: pyName{"float"}, args: []expr{pyStr{"inf"}}}, true
	case "undefined", "NaN", "this", "True", "False", "None", "len", "str", "length", "float", "isinstance":
		return nil, false
	}
	if x, ok := r.aliases[id]; ok {
		return x, x != nil
	}
	return pyName{id}, true
}

// jsNumberMeaning gives a number the value that JavaScript reads: a float of 64 bits.
func jsNumberMeaning(text string) (expr, bool) {
	text = strings.ReplaceAll(text, "_", "")
	if i, err := strconv.ParseInt(text, 0, 64); err == nil && (i == 0 || len(text) < 16 && text[0] != '0') {
		return pyNum{strconv.FormatInt(i, 10)}, true
	}
	if len(text) > 1 && strings.ContainsAny(text[1:2], "xXbBoO") {
		n, ok := new(big.Int).SetString(text, 0)
		if !ok || n.BitLen() > 53 {
			return nil, false
		}
		return pyNum{n.String()}, true
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return nil, false // a large integer with its n, or out of range
	case strings.ContainsAny(text, ".eE"):
		return pyNum{text}, true
	}
	return pyNum{new(big.Float).SetFloat64(f).Text('f', 0)}, true
}

func (r *jsReading) member(n *jsNode) (expr, bool) {
	if object, name, args := n.args[0].method(); n.text == "length" && name == "keys" && object.is("Object") && len(args) == 1 {
		x, ok := r.meaning(args[0])
		return pyCall{fn: pyName{"len"}, args: []expr{x}}, ok
	}
	x, ok := r.meaning(n.args[0])
	if n.text == "length" {
		return pyCall{fn: pyName{"length"}, args: []expr{x}}, ok
	}
	return pyIndex{x, pyStr{n.text}}, ok
}

// missing says that there is nothing where x looks: what JavaScript calls undefined.
func missing(x expr) (expr, bool) {
	i, ok := x.(pyIndex)
	if !ok {
		return nil, false
	}
	switch key := i.i.(type) {
	case pyStr:
		return pyCompare{key, []string{"not in"}, []expr{i.x}}, true
	case pyNum:
		return pyCompare{pyCall{fn: pyName{"length"}, args: []expr{i.x}}, []string{"<="}, []expr{key}}, true
	}
	return nil, false
}

// jsTypes says what the types that typeof tells apart, and some more, are in Python.
func jsTyped(x expr, name string) (expr, bool) {
	is := func(types ...string) expr {
		var t expr = pyName{types[0]}
		if len(types) > 1 {
			seq := pySeq{tuple: true}
			for _, name := range types {
				seq.elems = append(seq.elems, pyName{name})
			}
			t = seq
		}
		return pyCall{fn: pyName{"isinstance"}, args: []expr{x, t}}
	}
	number := func(types ...string) expr { // a boolean is an int in Python
		return pyBool{"and", []expr{is(types...), pyUnary{"not", is("bool")}}}
	}
	null := pyCompare{x, []string{"is"}, []expr{pyName{"None"}}}
	switch name {
	case "string":
		return is("str"), true
	case "boolean":
		return is("bool"), true
	case "number":
		return number("float", "int"), true
	case "integer":
		return number("int"), true
	case "array":
		return is("list"), true
	case "dict":
		return is("dict"), true
	case "null":
		return null, true
	case "object":
		return pyBool{"or", []expr{null, is("dict", "list")}}, true
	case "undefined":
		return missing(x)
	}
	return nil, false
}

// called reads calls of the functions that JavaScript itself has.
func (r *jsReading) called(n *jsNode) (expr, bool) {
	object, name, args := n.method()
	if object == nil {
		if n.args[0].is("String") && len(n.args) == 2 {
			x, ok := r.meaning(n.args[1])
			return pyCall{fn: pyName{"str"}, args: []expr{x}}, ok
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
			y, _ := jsTyped(x, "array")
			return y, ok
		case "Number.isInteger", "Number.isSafeInteger":
			y, _ := jsTyped(x, "integer")
			return y, ok
		case "Object.hasOwn":
			key, isText := r.text(args, 1)
			return pyCompare{key, []string{"in"}, []expr{x}}, ok && isText
		}
	}
	x, ok := r.meaning(object)
	if !ok {
		return nil, false
	}
	switch name {
	case "startsWith", "endsWith":
		key, ok := r.text(args, 0)
		return pyCall{fn: pyAttr{x, strings.ToLower(name)}, args: []expr{key}}, ok && len(args) == 1
	case "hasOwnProperty":
		key, ok := r.text(args, 0)
		return pyCompare{key, []string{"in"}, []expr{x}}, ok
	case "includes":
		if len(args) == 1 {
			e, ok := r.meaning(args[0])
			return pyCompare{e, []string{"in"}, []expr{x}}, ok
		}
	case "toString":
		return pyCall{fn: pyName{"str"}, args: []expr{x}}, len(args) == 0
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
func (r *jsReading) text(args []*jsNode, i int) (expr, bool) {
	if i >= len(args) {
		return nil, false
	}
	x, ok := r.meaning(args[i])
	_, isText := x.(pyStr)
	return x, ok && isText
}

// matched reads that a text has a piece that a regular expression matches.
func (r *jsReading) matched(text, pattern *jsNode) (expr, bool) {
	x, ok := r.meaning(text)
	re, known := regexpOfJS(pattern.text, pattern.flags)
	return searchOf(re, x), ok && known
}

// searchOf is the meaning of a search for a regular expression in a text.
func searchOf(re string, text expr) expr {
	return pyCall{fn: pyAttr{pyCall{fn: pyName{"__import__"}, args: []expr{pyStr{"re"}}}, "search"}, args: []expr{pyStr{re}, text}}
}

// each reads what is done with each element of an array.
func (r *jsReading) each(list expr, name string, args []*jsNode) (expr, bool) {
	if len(args) != 1 || args[0].form != nodeFunction || len(args[0].args) != 1 || len(args[0].keys) != 1 {
		return nil, false
	}
	inner := &jsReading{own: r.own, aliases: map[string]expr{}}
	for k, v := range r.aliases {
		inner.aliases[k] = v
	}
	param := args[0].keys[0]
	inner.aliases[param] = pyName{param}
	if name == "map" {
		elem, ok := inner.meaning(args[0].args[0])
		return pyComp{elem: elem, name: param, list: list}, ok
	}
	elem, ok := inner.truth(args[0].args[0])
	fn := map[string]string{"some": "any", "every": "all"}[name]
	return pyCall{fn: pyName{fn}, args: []expr{pyComp{elem: elem, name: param, list: list}}}, ok
}

func (r *jsReading) unary(n *jsNode) (expr, bool) {
	switch n.text {
	case "!":
		x, ok := r.truth(n.args[0])
		return pyUnary{"not", x}, ok && isBoolean(x)
	case "-", "+":
		x, ok := r.meaning(n.args[0])
		switch x.(type) {
		case pyNum, pyCall: // a number, or infinity
			if n.text == "+" {
				return x, ok
			}
			if call, isCall := x.(pyCall); isCall {
				return pyCall{fn: call.fn, args: []expr{pyStr{"-inf"}}}, ok && isName(call.fn, "float")
			}
			return pyUnary{"-", x}, ok
		}
	case "await":
		return r.meaning(n.args[0])
	}
	return nil, false
}

func (r *jsReading) binary(n *jsNode) (expr, bool) {
	switch n.text {
	case "&&", "||":
		if x, ok := r.emptyBody(n); ok {
			return x, true
		}
		op := map[string]string{"&&": "and", "||": "or"}[n.text]
		out := pyBool{op: op}
		for _, e := range flattened(n, n.text, nil) {
			x, ok := r.truth(e)
			if !ok {
				return nil, false
			}
			out.xs = append(out.xs, x)
		}
		return out, true
	case "+":
		x, okX := r.meaning(n.args[0])
		y, okY := r.meaning(n.args[1])
		return pyBinary{"+", x, y}, okX && okY
	case "===", "==", "!==", "!=":
		x, ok := r.equal(n.args[0], n.args[1], len(n.text) == 2)
		if n.text[0] == '!' && ok {
			return negated(x), true
		}
		return x, ok
	case "<", "<=", ">", ">=":
		x, okX := r.meaning(n.args[0])
		y, okY := r.meaning(n.args[1])
		return pyCompare{x, []string{n.text}, []expr{y}}, okX && okY
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
func (r *jsReading) truth(n *jsNode) (expr, bool) {
	x, ok := r.meaning(n)
	if !ok || isBoolean(x) {
		return x, ok
	}
	falsy := pySeq{tuple: true, elems: []expr{pyName{"None"}, pyName{"False"}, pyNum{"0"}, pyStr{""}}}
	return pyCompare{x, []string{"not in"}, []expr{falsy}}, true
}

// isBoolean reports whether an expression is true or false in both languages.
func isBoolean(x expr) bool {
	switch x := x.(type) {
	case pyCompare, pyBool:
		return true
	case pyUnary:
		return x.op == "not"
	case pyCall:
		if attr, ok := x.fn.(pyAttr); ok {
			return attr.name == "startswith" || attr.name == "endswith" || attr.name == "search" || attr.name == "fullmatch"
		}
		name, _ := x.fn.(pyName)
		return name.id == "isinstance" || name.id == "any" || name.id == "all" || name.id == "is_empty" || name.id == "is_valid_uri_or_empty"
	}
	return false
}

// equal reads that two expressions are equal; loosely, null and undefined are.
func (r *jsReading) equal(a, b *jsNode, loose bool) (expr, bool) {
	if a.form == nodeString || a.form == nodeNumber || a.is("null") || a.is("undefined") || a.is("true") || a.is("false") {
		a, b = b, a
	}
	if a.form == nodeUnary && a.text == "typeof" && b.form == nodeString {
		x, ok := r.meaning(a.args[0])
		if !ok {
			return nil, false
		}
		return jsTyped(x, b.text)
	}
	x, ok := r.meaning(a)
	if !ok {
		return nil, false
	}
	if b.is("undefined") || loose && b.is("null") {
		none, found := missing(x)
		null := pyCompare{x, []string{"is"}, []expr{pyName{"None"}}}
		switch {
		case !loose:
			return none, found
		case found:
			return pyBool{"or", []expr{none, null}}, true
		}
		return null, true
	}
	y, ok := r.meaning(b)
	return sameAs(x, y), ok
}

// sameAs says that a value is another; null, true and false are nothing else.
func sameAs(x, y expr) expr {
	op := "=="
	if name, ok := y.(pyName); ok && (name.id == "None" || name.id == "True" || name.id == "False") {
		op = "is"
	}
	return pyCompare{x, []string{op}, []expr{y}}
}

// negated says the opposite.
func negated(x expr) expr {
	if c, ok := x.(pyCompare); ok && len(c.ops) == 1 {
		opposite := map[string]string{"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
		if op, ok := opposite[c.ops[0]]; ok {
			return pyCompare{c.x, []string{op}, c.ys}
		}
	}
	if not, ok := x.(pyUnary); ok && not.op == "not" {
		return not.x
	}
	return pyUnary{"not", x}
}

// emptyBody reads how EvoMaster asks for an empty body: x===null || x===undefined || x==="" || Object.keys(x).length === 0.
func (r *jsReading) emptyBody(n *jsNode) (expr, bool) {
	parts := flattened(n, "||", nil)
	if len(parts) != 4 {
		return nil, false
	}
	var xs [4]expr
	for i, p := range parts {
		if p.form != nodeBinary || p.text != "===" {
			return nil, false
		}
		var ok bool
		if xs[i], ok = r.meaning(p.args[0]); !ok {
			return nil, false
		}
	}
	last, ok := xs[3].(pyCall)
	if !ok || !isName(last.fn, "len") || !parts[0].args[1].is("null") || !parts[1].args[1].is("undefined") ||
		parts[2].args[1].form != nodeString || parts[3].args[1].text != "0" {
		return nil, false
	}
	x := pySource(xs[0])
	same := pySource(xs[1]) == x && pySource(xs[2]) == x && pySource(last.args[0]) == x
	return pyCall{fn: pyName{"is_empty"}, args: []expr{xs[0]}}, same
}
