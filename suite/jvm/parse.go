package jvm

import (
	"github.com/flaketap/flaketap/suite/script"
)

// The nodes of an expression of Java or Kotlin, as far as suites use them. What is none of these is nil.
type (
	node interface{}

	textNode struct{ token *lexeme } // a string literal
	num      struct{ text string }   // a number literal, with its sign and suffix
	nameNode struct{ id string }     // a variable, a type
	sumNode  struct{ xs []node }     // two or more, added
	callNode struct {                // x.name(args), name(args), new name(args)
		x        node // nil for a function or a constructor
		name     string
		args     []callArg
		from, to int // its tokens, from the point before its name on
	}
	field struct { // x.name, x::name
		x    node
		name string
	}
)

// callArg is an argument: its tokens, and what they say.
type callArg struct {
	from, to int
	x        node
}

// parser reads expressions from the tokens of a file.
type parser struct {
	tokens []lexeme
	match  []int // of an opening bracket, where it is closed
	pos    int
	end    int
	depth  int
	// operators says that expressions have operators beside +, as those of people do.
	operators bool
}

// matches pairs the brackets of tokens, which the lexer has checked.
func matches(tokens []lexeme) []int {
	out := make([]int, len(tokens))
	var open []int
	for i := range tokens {
		if tokens[i].kind != tokOp {
			continue
		}
		switch tokens[i].text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			out[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return out
}

// parse reads tokens that are one expression; nil where they are anything else.
func (p parser) parse(from, to int) node {
	p.pos, p.end, p.depth = from, to, p.depth+1
	if p.depth > script.MaxDepth {
		return nil
	}
	var x node
	if p.operators {
		x = p.operation()
	} else {
		x = p.sum()
	}
	if p.pos != p.end {
		return nil
	}
	return x
}

func (p *parser) peek(text string) bool { return p.pos < p.end && p.tokens[p.pos].is(text) }

func (p *parser) accept(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) sum() node {
	x := p.unary()
	if x == nil || !p.peek("+") {
		return x
	}
	xs := []node{x}
	for p.accept("+") {
		if x = p.unary(); x == nil {
			return nil
		}
		xs = append(xs, x)
	}
	return sumNode{xs}
}

func (p *parser) unary() node {
	if p.accept("-") {
		if p.pos < p.end && p.tokens[p.pos].kind == tokNumber {
			p.pos++
			return num{"-" + p.tokens[p.pos-1].text}
		}
		return nil
	}
	return p.postfix(p.primary())
}

// primary reads a literal, a name, a call of a function, or what stands in parentheses; a cast is stepped over.
func (p *parser) primary() node {
	if p.pos == p.end {
		return nil
	}
	t := &p.tokens[p.pos]
	switch {
	case t.kind == tokString:
		p.pos++
		return textNode{t}
	case t.kind == tokNumber:
		p.pos++
		return num{t.text}
	case t.is("new"):
		p.pos++
		return p.constructor()
	case t.kind == tokName:
		from := p.pos
		p.pos++
		p.typeArguments()
		if p.peek("(") {
			return p.call(nil, t.text, from)
		}
		return nameNode{t.text}
	case t.is("("):
		end := p.match[p.pos]
		inner := p.parse(p.pos+1, end)
		from := p.pos + 1
		p.pos = end + 1
		if p.pos < p.end && (p.tokens[p.pos].kind != tokOp && !p.peek("instanceof") || p.peek("(")) {
			if p.depth++; p.depth > script.MaxDepth {
				return nil
			}
			defer func() { p.depth-- }()
			if p.operators {
				return p.cast(from, end)
			}
			return p.primary()
		}
		return inner
	}
	return nil
}

// constructor reads what follows new: a name, with packages, and arguments.
func (p *parser) constructor() node {
	from, name := p.pos, ""
	for p.pos < p.end && p.tokens[p.pos].kind == tokName {
		name = p.tokens[p.pos].text
		p.pos++
		p.typeArguments()
		if !p.accept(".") {
			break
		}
	}
	if p.operators && p.peek("[") {
		return p.array()
	}
	if name == "" || !p.peek("(") {
		return nil
	}
	x := p.call(nil, name, from)
	if p.operators && p.peek("{") {
		p.pos = p.match[p.pos] + 1
		return opaqueNode{"a class without a name"}
	}
	return x
}

// typeArguments steps over <A, B<C>> where arguments in parentheses follow.
func (p *parser) typeArguments() {
	if !p.peek("<") {
		return
	}
	depth := 0
	for i := p.pos; i < p.end; i++ {
		switch t := &p.tokens[i]; {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
		case t.kind == tokName || t.is(".") || t.is(",") || t.is("?") || t.is("*"):
		default:
			return
		}
		if depth == 0 {
			if i+1 < p.end && p.tokens[i+1].is("(") {
				p.pos = i + 1
			}
			return
		}
	}
}

// call reads the arguments of a call, of which the tokens from its name on, or from the point before it, are read.
func (p *parser) call(x node, name string, from int) node {
	end := p.match[p.pos]
	c := callNode{x: x, name: name, from: from}
	at := p.pos + 1
	for i := at; i <= end; i++ {
		switch t := &p.tokens[i]; {
		case i == end || t.is(","):
			if i > at || i < end {
				c.args = append(c.args, callArg{at, i, p.parse(at, i)})
			}
			at = i + 1
		case t.is("(") || t.is("[") || t.is("{"):
			i = p.match[i]
		}
	}
	p.pos = end + 1
	c.to = p.pos
	return c
}

// postfix reads the calls and fields of an expression.
func (p *parser) postfix(x node) node {
	for x != nil && p.pos < p.end {
		from := p.pos
		switch {
		case p.accept("!!"):
			continue
		case p.operators && p.peek("["):
			x = p.element(x)
			continue
		case p.accept("."), p.accept("?."), p.accept("::"):
		default:
			return x
		}
		if p.peek("<") { // of Java: Matchers.<Object>anyOf(…)
			for p.pos < p.end && !p.accept(">") {
				p.pos++
			}
		}
		if p.pos == p.end || p.tokens[p.pos].kind != tokName {
			return nil
		}
		name := p.tokens[p.pos].text
		p.pos++
		p.typeArguments()
		if p.peek("(") {
			x = p.call(x, name, from)
		} else {
			x = field{x, name}
		}
	}
	return x
}

// chain takes an expression apart into what it begins with and the calls on it, in order. Fields between them are
// left out, but those before the first call: org.hamcrest.Matchers.equalTo(1) is the call of a function.
func chain(x node) (root node, links []callNode) {
	for {
		switch n := x.(type) {
		case callNode:
			links = append(links, n)
			x = n.x
		case field:
			x = n.x
		default:
			for i, j := 0, len(links)-1; i < j; i, j = i+1, j-1 {
				links[i], links[j] = links[j], links[i]
			}
			return x, links
		}
	}
}
