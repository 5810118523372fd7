package js

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/suite/script"
)

// nodeForm is what a node of a JavaScript expression is.
type nodeForm uint8

const (
	NodeName     nodeForm = iota // text
	NodeNumber                   // text
	NodeString                   // text: the value of a string
	NodePattern                  // text, flags
	NodeTemplate                 // keys: the texts around args
	NodeMember                   // args[0].text
	NodeIndex                    // args[0][args[1]]
	NodeCall                     // args[0](args[1:]…)
	NodeUnary                    // text args[0]; text is an operator, await or new among them
	NodeBinary                   // args[0] text args[1]; the logical operators and assignments too
	NodeChoice                   // args[0] ? args[1] : args[2]
	NodeArray                    // args
	NodeObject                   // keys: args
	NodeFunction                 // keys: its parameters; args[0]: its value, where it has no body in braces
	NodeClass                    // text: its name; args[0]: what it extends, if anything
)

// Node is a node of a JavaScript expression.
type Node struct {
	Form  nodeForm
	Text  string
	flags string
	Keys  []string
	Args  []*Node
	First int // its tokens, the second bound behind the last one
	Last  int
	From  int // of a function: the tokens of its body, braces not included
	To    int

	Tokens  []Token   // of a function or a class: those that its tokens are counted in, of the file or of a template
	Holes   [][]Token // of a template: those of its expressions
	Members []Member  // of a class
	Arrow   bool      // of a function: this is what it is around it

	name   string // of a function: what it is declared as
	params Block  // of a function: the tokens of its parameters
}

// Is reports whether a node is a name.
func (n *Node) Is(name string) bool { return n != nil && n.Form == NodeName && n.Text == name }

// Method returns the object and the arguments of a call of a method, and its name.
func (n *Node) Method() (object *Node, name string, args []*Node) {
	if n != nil && n.Form == NodeCall && n.Args[0].Form == NodeMember {
		return n.Args[0].Args[0], n.Args[0].Text, n.Args[1:]
	}
	return nil, "", nil
}

// Bounds on how many links and operands a chain may have.
const (
	maxLinks    = 1000
	maxOperands = 5000
)

// Parser reads expressions and statements from tokens, by precedence climbing.
type Parser struct {
	Tokens []Token
	Pos    int
	End    int
	depth  int
	nested int  // statements within statements
	Typed  bool // the file is TypeScript's
}

var (
	errForm = errors.New("an unknown form of expression")
	errDeep = errors.New("an expression nests too deeply")
)

func (p *Parser) peek(text string) bool { return p.Pos < p.End && p.Tokens[p.Pos].Is(text) }

func (p *Parser) accept(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.Pos++
	return true
}

func (p *Parser) want(text string) error {
	if p.accept(text) {
		return nil
	}
	if p.Pos >= p.End {
		return fmt.Errorf("%q is missing at the end", text)
	}
	return fmt.Errorf("found %q, want %q", p.Tokens[p.Pos].Text, text)
}

// node makes a node that ends at the present token.
func (p *Parser) node(form nodeForm, first int, text string, args ...*Node) *Node {
	return &Node{Form: form, First: first, Last: p.Pos, Text: text, Args: args}
}

// expression reads an expression; of several with commas between, only one is read.
func (p *Parser) expression() (*Node, error) {
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	first := p.Pos
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
		return p.node(NodeChoice, first, "", x, yes, no), nil
	case p.Pos < p.End && p.Tokens[p.Pos].Kind == mark:
		switch op := p.Tokens[p.Pos].Text; op {
		case "=", "+=", "-=", "*=", "/=", "%=", "||=", "&&=", "??=", "|=", "&=", "^=", "<<=", ">>=", ">>>=", "**=":
			p.Pos++
			y, err := p.expression()
			if err != nil {
				return nil, err
			}
			return p.node(NodeBinary, first, op, x, y), nil
		}
	}
	return x, nil
}

// precedence is how strongly an operator of two operands binds; 0 for what is none.
func precedence(t Token) int {
	if t.Kind == Word {
		if t.Text == "in" || t.Text == "instanceof" {
			return 7
		}
		return 0
	}
	if t.Kind != mark {
		return 0
	}
	switch t.Text {
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

func (p *Parser) binary(least int) (*Node, error) {
	first := p.Pos
	x, err := p.unary()
	for n := 0; err == nil && p.Pos < p.End; n++ {
		if n > maxOperands {
			return nil, errDeep
		}
		t := p.Tokens[p.Pos]
		strength := precedence(t)
		if strength <= least {
			return x, nil
		}
		p.Pos++
		var y *Node
		if y, err = p.binary(strength); err == nil {
			x = p.node(NodeBinary, first, t.Text, x, y)
		}
	}
	return x, err
}

func (p *Parser) unary() (*Node, error) {
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	first := p.Pos
	if p.Pos < p.End && (p.Tokens[p.Pos].Kind == mark || p.Tokens[p.Pos].Kind == Word) {
		switch op := p.Tokens[p.Pos].Text; op {
		case "!", "-", "+", "~", "++", "--", "typeof", "void", "delete", "await", "yield":
			p.Pos++
			x, err := p.unary()
			if err != nil {
				return nil, err
			}
			return p.node(NodeUnary, first, op, x), nil
		}
	}
	x, err := p.postfix()
	if err == nil && p.Pos < p.End && !p.Tokens[p.Pos].newline && (p.accept("++") || p.accept("--")) {
		x = p.node(NodeUnary, first, "++", x)
	}
	for err == nil && p.Typed && (p.peek("as") || p.peek("satisfies")) {
		p.Pos++
		err = p.skipType()
	}
	return x, err
}

func (p *Parser) postfix() (*Node, error) {
	first := p.Pos
	x, err := p.primary()
	for n := 0; err == nil && p.Pos < p.End; n++ {
		if n > maxLinks {
			return nil, errDeep
		}
		t := p.Tokens[p.Pos]
		switch {
		case t.Is(".") || t.Is("?."):
			p.Pos++
			if t.Text == "?." && (p.peek("[") || p.peek("(")) {
				continue
			}
			if p.Pos == p.End || p.Tokens[p.Pos].Kind != Word {
				return nil, errors.New("a name is missing after a dot")
			}
			p.Pos++
			x = p.node(NodeMember, first, p.Tokens[p.Pos-1].Text, x)
		case t.Is("["):
			p.Pos++
			var i *Node
			if i, err = p.expression(); err == nil {
				err = p.want("]")
			}
			x = p.node(NodeIndex, first, "", x, i)
		case t.Is("("):
			var args []*Node
			args, err = p.list(")")
			x = p.node(NodeCall, first, "", append([]*Node{x}, args...)...)
		case t.Kind == JsTemplate && x.Form == NodeMember && x.Text == "each": // a table of Jest's
			var table *Node
			table, err = p.template(t)
			x = p.node(NodeCall, first, "", x, table)
		case t.Kind == JsTemplate:
			return nil, errForm
		case p.typeArguments(p.Pos) > p.Pos:
			p.Pos = p.typeArguments(p.Pos)
		case p.Typed && t.Is("!") && !t.newline:
			p.Pos++
		default:
			return x, nil
		}
	}
	return x, err
}

// list reads expressions in brackets, with commas between.
func (p *Parser) list(closing string) ([]*Node, error) {
	p.Pos++
	var out []*Node
	for !p.accept(closing) {
		first := p.Pos
		spread := p.accept("...")
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		if spread {
			x = p.node(NodeUnary, first, "...", x)
		}
		out = append(out, x)
		if !p.accept(",") && !p.peek(closing) {
			return nil, p.want(closing)
		}
	}
	return out, nil
}

func (p *Parser) primary() (*Node, error) {
	if p.Pos >= p.End {
		return nil, errors.New("unexpected end of expression")
	}
	first := p.Pos
	t := p.Tokens[p.Pos]
	switch t.Kind {
	case Word:
		p.Pos++
		switch {
		case t.Text == "class" && p.Pos < p.End && p.Tokens[p.Pos].Kind == Word || p.peek("{") && t.Text == "class":
			p.Pos--
			return p.class()
		case t.Text == "new":
			x, err := p.postfix()
			if err != nil {
				return nil, err
			}
			return p.node(NodeUnary, first, "new", x), nil
		}
		return p.node(NodeName, first, t.Text), nil
	case numberToken:
		p.Pos++
		return p.node(NodeNumber, first, t.Text), nil
	case JsString:
		p.Pos++
		return p.node(NodeString, first, t.Text), nil
	case regexpToken:
		p.Pos++
		n := p.node(NodePattern, first, t.Text)
		n.flags = t.flags
		return n, nil
	case JsTemplate:
		return p.template(t)
	}
	switch t.Text {
	case "(":
		p.Pos++
		x, err := p.expression()
		if err == nil {
			err = p.want(")")
		}
		return x, err
	case "[":
		elems, err := p.list("]")
		return p.node(NodeArray, first, "", elems...), err
	case "{":
		return p.object()
	}
	return nil, fmt.Errorf("unexpected %q", t.Text)
}

// template reads the expressions of a template literal.
func (p *Parser) template(t Token) (*Node, error) {
	first := p.Pos
	var args []*Node
	for _, hole := range t.Holes {
		inner := &Parser{Tokens: hole, End: len(hole), depth: p.depth, Typed: p.Typed}
		x, err := inner.expression()
		if err != nil || inner.Pos < inner.End {
			return nil, errors.Join(err, errForm)
		}
		args = append(args, x)
	}
	p.Pos++
	n := p.node(NodeTemplate, first, "", args...)
	n.Keys, n.Holes = t.Parts, t.Holes
	return n, nil
}

// Spread is the key of a member of an object literal that stands for all members of another object: {...x}.
const Spread = "..."

// object reads an object literal of plain members.
func (p *Parser) object() (*Node, error) {
	first := p.Pos
	var keys []string
	var values []*Node
	for p.Pos++; !p.accept("}"); {
		if p.Pos >= p.End {
			return nil, p.want("}")
		}
		if p.isMethod() {
			m, err := p.member()
			if err != nil || m.Value == nil {
				return nil, errForm
			}
			keys, values = append(keys, m.Name), append(values, m.Value)
			if !p.accept(",") && !p.peek("}") {
				return nil, p.want("}")
			}
			continue
		}
		t := p.Tokens[p.Pos]
		if t.Kind != Word && t.Kind != JsString && t.Kind != numberToken && !t.Is(Spread) {
			return nil, errForm
		}
		p.Pos++
		var x *Node
		if t.Is(Spread) {
			of, err := p.expression()
			if err != nil {
				return nil, err
			}
			x = p.node(NodeUnary, p.Pos-1, Spread, of)
		} else if t.Kind == Word && (p.peek(",") || p.peek("}")) {
			x = p.node(NodeName, p.Pos-1, t.Text)
		} else {
			if err := p.want(":"); err != nil {
				return nil, err
			}
			var err error
			if x, err = p.expression(); err != nil {
				return nil, err
			}
		}
		keys, values = append(keys, t.Text), append(values, x)
		if !p.accept(",") && !p.peek("}") {
			return nil, p.want("}")
		}
	}
	n := p.node(NodeObject, first, "", values...)
	n.Keys = keys
	return n, nil
}

// function reads a function of either kind; nil where there is none. What its body does is left to who wants to know.
func (p *Parser) function() (*Node, error) {
	first := p.Pos
	at := p.Pos
	if at < p.End && p.Tokens[at].Is("async") && at+1 < p.End && !p.Tokens[at+1].newline {
		at++
	}
	if at >= p.End {
		return nil, nil
	}
	t := p.Tokens[at]
	plain := t.Is("function")
	n := &Node{Form: NodeFunction, First: first, Tokens: p.Tokens, Arrow: !plain}
	if plain {
		for at++; at < p.End && (p.Tokens[at].Is("*") || p.Tokens[at].Kind == Word); at++ {
			n.name = p.Tokens[at].Text
		}
		at = p.typeArguments(at)
	}
	switch {
	case at < p.End && p.Tokens[at].Is("("):
		n.params = Block{at + 1, p.Tokens[at].match}
		after := p.returned(n.params.To + 1)
		if !plain && (after >= p.End || !p.Tokens[after].Is("=>")) {
			return nil, nil
		}
		n.Keys, at = p.words(n.params), after
	case t.Kind == Word && !plain:
		n.Keys, n.params = []string{t.Text}, Block{at, at + 1}
		at++
	default:
		return nil, nil
	}
	if !plain {
		if at >= p.End || !p.Tokens[at].Is("=>") {
			return nil, nil
		}
		at++
	}
	if at < p.End && p.Tokens[at].Is("{") {
		n.From, n.To = at+1, p.Tokens[at].match
		p.Pos = n.To + 1
		n.Last = p.Pos
		return n, nil
	}
	if plain {
		return nil, errForm
	}
	p.Pos, n.From = at, at
	x, err := p.expression()
	n.Args, n.To, n.Last = []*Node{x}, p.Pos, p.Pos
	return n, err
}
