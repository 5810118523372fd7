package suite

import (
	"errors"
	"fmt"
)

// jsForm is what a node of a JavaScript expression is.
type jsForm uint8

const (
	nodeName     jsForm = iota // text
	nodeNumber                 // text
	nodeString                 // text: the value of a string
	nodePattern                // text, flags
	nodeTemplate               // keys: the texts around args
	nodeMember                 // args[0].text
	nodeIndex                  // args[0][args[1]]
	nodeCall                   // args[0](args[1:]…)
	nodeUnary                  // text args[0]; text is an operator, await or new among them
	nodeBinary                 // args[0] text args[1]; the logical operators and assignments too
	nodeChoice                 // args[0] ? args[1] : args[2]
	nodeArray                  // args
	nodeObject                 // keys: args
	nodeFunction               // keys: its parameters; args[0]: its value, where it has no body in braces
)

// jsNode is a node of a JavaScript expression.
type jsNode struct {
	form  jsForm
	text  string
	flags string
	keys  []string
	args  []*jsNode
	first int // its tokens, the second bound behind the last one
	last  int
	from  int // of a function: the tokens of its body, braces not included
	to    int
}

// is reports whether a node is a name.
func (n *jsNode) is(name string) bool { return n != nil && n.form == nodeName && n.text == name }

// method returns the object and the arguments of a call of a method, and its name.
func (n *jsNode) method() (object *jsNode, name string, args []*jsNode) {
	if n != nil && n.form == nodeCall && n.args[0].form == nodeMember {
		return n.args[0].args[0], n.args[0].text, n.args[1:]
	}
	return nil, "", nil
}

// Bounds on how many links and operands a chain may have.
const (
	maxLinks    = 1000
	maxOperands = 5000
)

// jsParser reads expressions and statements from tokens, by precedence climbing.
type jsParser struct {
	tokens []jsToken
	pos    int
	end    int
	depth  int
	nested int  // statements within statements
	typed  bool // the file is TypeScript's
}

var errJSForm = errors.New("an expression of a form that is not read")

func (p *jsParser) peek(text string) bool { return p.pos < p.end && p.tokens[p.pos].is(text) }

func (p *jsParser) accept(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.pos++
	return true
}

func (p *jsParser) want(text string) error {
	if p.accept(text) {
		return nil
	}
	if p.pos >= p.end {
		return fmt.Errorf("%q is missing at the end", text)
	}
	return fmt.Errorf("%q stands where %q is wanted", p.tokens[p.pos].text, text)
}

// node makes a node that ends at the present token.
func (p *jsParser) node(form jsForm, first int, text string, args ...*jsNode) *jsNode {
	return &jsNode{form: form, first: first, last: p.pos, text: text, args: args}
}

// expression reads an expression; of several with commas between, only one is read.
func (p *jsParser) expression() (*jsNode, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	first := p.pos
	if f, err := p.function(); f != nil || err != nil {
		return f, err
	}
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	switch {
	case p.accept("?"):
		yes, err := p.expression()
		if err == nil {
			err = p.want(":")
		}
		if err != nil {
			return nil, err
		}
		no, err := p.expression()
		if err != nil {
			return nil, err
		}
		return p.node(nodeChoice, first, "", x, yes, no), nil
	case p.pos < p.end && p.tokens[p.pos].kind == jsMark:
		switch op := p.tokens[p.pos].text; op {
		case "=", "+=", "-=", "*=", "/=", "%=", "||=", "&&=", "??=", "|=", "&=", "^=", "<<=", ">>=", ">>>=", "**=":
			p.pos++
			y, err := p.expression()
			if err != nil {
				return nil, err
			}
			return p.node(nodeBinary, first, op, x, y), nil
		}
	}
	return x, nil
}

// jsPrecedence is how strongly an operator of two operands binds; 0 for what is none.
func jsPrecedence(t jsToken) int {
	if t.kind == jsWord {
		if t.text == "in" || t.text == "instanceof" {
			return 7
		}
		return 0
	}
	if t.kind != jsMark {
		return 0
	}
	switch t.text {
	case "||", "??":
		return 1
	case "&&":
		return 2
	case "|":
		return 3
	case "^":
		return 4
	case "&":
		return 5
	case "==", "!=", "===", "!==":
		return 6
	case "<", ">", "<=", ">=":
		return 7
	case "<<", ">>", ">>>":
		return 8
	case "+", "-":
		return 9
	case "*", "/", "%":
		return 10
	case "**":
		return 11
	}
	return 0
}

func (p *jsParser) binary(least int) (*jsNode, error) {
	first := p.pos
	x, err := p.unary()
	for n := 0; err == nil && p.pos < p.end; n++ {
		if n > maxOperands {
			return nil, errDeep
		}
		t := p.tokens[p.pos]
		strength := jsPrecedence(t)
		if strength <= least {
			return x, nil
		}
		p.pos++
		var y *jsNode
		if y, err = p.binary(strength); err == nil {
			x = p.node(nodeBinary, first, t.text, x, y)
		}
	}
	return x, err
}

func (p *jsParser) unary() (*jsNode, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	first := p.pos
	if p.pos < p.end && (p.tokens[p.pos].kind == jsMark || p.tokens[p.pos].kind == jsWord) {
		switch op := p.tokens[p.pos].text; op {
		case "!", "-", "+", "~", "++", "--", "typeof", "void", "delete", "await", "yield":
			p.pos++
			x, err := p.unary()
			if err != nil {
				return nil, err
			}
			return p.node(nodeUnary, first, op, x), nil
		}
	}
	x, err := p.postfix()
	if err == nil && p.pos < p.end && !p.tokens[p.pos].newline && (p.accept("++") || p.accept("--")) {
		x = p.node(nodeUnary, first, "++", x)
	}
	for err == nil && p.typed && (p.peek("as") || p.peek("satisfies")) {
		p.pos++
		err = p.skipType()
	}
	return x, err
}

// skipType goes over a type of TypeScript behind as: names, points, brackets, arguments.
func (p *jsParser) skipType() error {
	for p.pos < p.end {
		switch t := p.tokens[p.pos]; {
		case t.kind == jsWord || t.is(".") || t.is("|"):
			p.pos++
		case t.is("["):
			p.pos = t.match + 1
		default:
			return nil
		}
	}
	return nil
}

func (p *jsParser) postfix() (*jsNode, error) {
	first := p.pos
	x, err := p.primary()
	for n := 0; err == nil && p.pos < p.end; n++ {
		if n > maxLinks {
			return nil, errDeep
		}
		t := p.tokens[p.pos]
		switch {
		case t.is(".") || t.is("?."):
			p.pos++
			if t.text == "?." && (p.peek("[") || p.peek("(")) {
				continue
			}
			if p.pos == p.end || p.tokens[p.pos].kind != jsWord {
				return nil, errors.New("a name is missing after a point")
			}
			p.pos++
			x = p.node(nodeMember, first, p.tokens[p.pos-1].text, x)
		case t.is("["):
			p.pos++
			var i *jsNode
			if i, err = p.expression(); err == nil {
				err = p.want("]")
			}
			x = p.node(nodeIndex, first, "", x, i)
		case t.is("("):
			var args []*jsNode
			args, err = p.list(")")
			x = p.node(nodeCall, first, "", append([]*jsNode{x}, args...)...)
		case t.kind == jsTemplate:
			return nil, errJSForm
		case p.typed && t.is("!") && !t.newline:
			p.pos++
		default:
			return x, nil
		}
	}
	return x, err
}

// list reads expressions in brackets, with commas between.
func (p *jsParser) list(closing string) ([]*jsNode, error) {
	p.pos++
	var out []*jsNode
	for !p.accept(closing) {
		first := p.pos
		spread := p.accept("...")
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		if spread {
			x = p.node(nodeUnary, first, "...", x)
		}
		out = append(out, x)
		if !p.accept(",") && !p.peek(closing) {
			return nil, p.want(closing)
		}
	}
	return out, nil
}

func (p *jsParser) primary() (*jsNode, error) {
	if p.pos >= p.end {
		return nil, errors.New("an expression ends too early")
	}
	first := p.pos
	t := p.tokens[p.pos]
	switch t.kind {
	case jsWord:
		p.pos++
		if t.text == "new" {
			x, err := p.postfix()
			if err != nil {
				return nil, err
			}
			return p.node(nodeUnary, first, "new", x), nil
		}
		return p.node(nodeName, first, t.text), nil
	case jsNumber:
		p.pos++
		return p.node(nodeNumber, first, t.text), nil
	case jsString:
		p.pos++
		return p.node(nodeString, first, t.text), nil
	case jsRegexp:
		p.pos++
		n := p.node(nodePattern, first, t.text)
		n.flags = t.flags
		return n, nil
	case jsTemplate:
		return p.template(t)
	}
	switch t.text {
	case "(":
		p.pos++
		x, err := p.expression()
		if err == nil {
			err = p.want(")")
		}
		return x, err
	case "[":
		elems, err := p.list("]")
		return p.node(nodeArray, first, "", elems...), err
	case "{":
		return p.object()
	}
	return nil, fmt.Errorf("unexpected %q", t.text)
}

// template reads the expressions of a template literal.
func (p *jsParser) template(t jsToken) (*jsNode, error) {
	first := p.pos
	var args []*jsNode
	for _, hole := range t.holes {
		inner := &jsParser{tokens: hole, end: len(hole), depth: p.depth, typed: p.typed}
		x, err := inner.expression()
		if err != nil || inner.pos < inner.end {
			return nil, errors.Join(err, errJSForm)
		}
		args = append(args, x)
	}
	p.pos++
	n := p.node(nodeTemplate, first, "", args...)
	n.keys = t.parts
	return n, nil
}

// object reads an object literal of plain members.
func (p *jsParser) object() (*jsNode, error) {
	first := p.pos
	var keys []string
	var values []*jsNode
	for p.pos++; !p.accept("}"); {
		if p.pos >= p.end {
			return nil, p.want("}")
		}
		t := p.tokens[p.pos]
		if t.kind != jsWord && t.kind != jsString && t.kind != jsNumber {
			return nil, errJSForm
		}
		p.pos++
		var x *jsNode
		if t.kind == jsWord && (p.peek(",") || p.peek("}")) {
			x = p.node(nodeName, p.pos-1, t.text)
		} else {
			if err := p.want(":"); err != nil {
				return nil, err
			}
			var err error
			if x, err = p.expression(); err != nil {
				return nil, err
			}
		}
		keys, values = append(keys, t.text), append(values, x)
		if !p.accept(",") && !p.peek("}") {
			return nil, p.want("}")
		}
	}
	n := p.node(nodeObject, first, "", values...)
	n.keys = keys
	return n, nil
}

// function reads a function of either kind; nil where there is none. What its body does is left to who wants to know.
func (p *jsParser) function() (*jsNode, error) {
	first := p.pos
	at := p.pos
	if at < p.end && p.tokens[at].is("async") && at+1 < p.end && !p.tokens[at+1].newline {
		at++
	}
	if at >= p.end {
		return nil, nil
	}
	t := p.tokens[at]
	plain := t.is("function")
	if plain {
		for at++; at < p.end && (p.tokens[at].is("*") || p.tokens[at].kind == jsWord); {
			at++
		}
	}
	n := &jsNode{form: nodeFunction, first: first}
	switch {
	case at < p.end && p.tokens[at].is("("):
		if after := p.tokens[at].match + 1; !plain && (after >= p.end || !p.tokens[after].is("=>")) {
			return nil, nil
		}
		for _, t := range p.tokens[at+1 : p.tokens[at].match] {
			if t.kind == jsWord {
				n.keys = append(n.keys, t.text)
			}
		}
		at = p.tokens[at].match + 1
	case t.kind == jsWord && !plain:
		n.keys = []string{t.text}
		at++
	default:
		return nil, nil
	}
	if !plain {
		if at >= p.end || !p.tokens[at].is("=>") {
			return nil, nil
		}
		at++
	}
	if at < p.end && p.tokens[at].is("{") {
		n.from, n.to = at+1, p.tokens[at].match
		p.pos = n.to + 1
		n.last = p.pos
		return n, nil
	}
	if plain {
		return nil, errJSForm
	}
	p.pos, n.from = at, at
	x, err := p.expression()
	n.args, n.to, n.last = []*jsNode{x}, p.pos, p.pos
	return n, err
}
