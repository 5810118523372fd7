package java

import (
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// The nodes of an expression of Java or Kotlin, as far as suites use them. What is none of these is nil.
type (
	Node interface{}

	Text   struct{ Token *Token } // a string literal
	Number struct{ Text string }  // a number literal, with its sign and suffix
	Name   struct{ ID string }    // a variable, a type
	Sum    struct{ Xs []Node }    // two or more, added
	Call   struct {               // x.name(args), name(args), new name(args)
		X        Node // nil for a function or a constructor
		Name     string
		Args     []Argument
		From, To int    // its tokens, from the point before its name on
		Typ      string // what stands between < and >, where that is one type of Kotlin's
		Safe     bool   // ?. stands before it
	}
	Field struct { // x.name, x::name
		X    Node
		Name string
	}
)

// Argument is an argument: its tokens, and what they say.
type Argument struct {
	From, To int
	X        Node
	Name     string // of the parameter, where it is said
}

// Parser reads expressions from the tokens of a file.
type Parser struct {
	Tokens []Token
	Match  []int // of an opening bracket, where it is closed
	pos    int
	end    int
	depth  int
	// operators says that expressions have operators beside +, as those of people do.
	operators bool
	kotlin    bool   // they are Kotlin's
	typ       string // the type argument that was read last
}

// Matches pairs the brackets of tokens, which the lexer has checked.
func Matches(tokens []Token) []int {
	out := make([]int, len(tokens))
	var open []int
	for i := range tokens {
		if tokens[i].Kind != OpToken {
			continue
		}
		switch tokens[i].Text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			out[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return out
}

// Parse reads tokens that are one expression; nil where they are anything else.
func (p Parser) Parse(from, to int) Node {
	p.pos, p.end, p.depth = from, to, p.depth+1
	if p.depth > script.MaxDepth {
		return nil
	}
	var x Node
	if p.kotlin {
		x = p.joined(0)
	} else if p.operators {
		x = p.operation()
	} else {
		x = p.sum()
	}
	if p.pos != p.end {
		return nil
	}
	return x
}

func (p *Parser) peek(text string) bool { return p.pos < p.end && p.Tokens[p.pos].Is(text) }

func (p *Parser) accept(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.pos++
	return true
}

func (p *Parser) sum() Node {
	x := p.unary()
	if x == nil || !p.peek("+") {
		return x
	}
	xs := []Node{x}
	for p.accept("+") {
		if x = p.unary(); x == nil {
			return nil
		}
		xs = append(xs, x)
	}
	return Sum{xs}
}

func (p *Parser) unary() Node {
	if p.accept("-") {
		if p.pos < p.end && p.Tokens[p.pos].Kind == tokNumber {
			p.pos++
			return Number{"-" + p.Tokens[p.pos-1].Text}
		}
		return nil
	}
	return p.postfix(p.primary())
}

// primary reads a literal, a name, a call of a function, or what stands in parentheses; a cast is stepped over.
func (p *Parser) primary() Node {
	if p.pos == p.end {
		return nil
	}
	t := &p.Tokens[p.pos]
	if p.kotlin {
		if x, ok := p.begun(t); ok {
			return x
		}
	}
	switch {
	case t.Kind == StringToken:
		p.pos++
		return Text{t}
	case t.Kind == tokNumber:
		p.pos++
		return Number{t.Text}
	case t.Is("new") && !p.kotlin:
		p.pos++
		return p.constructor()
	case t.Kind == NameToken:
		from := p.pos
		p.pos++
		p.typeArguments()
		if p.peek("(") || p.kotlin && p.peek("{") {
			return p.call(nil, t.Text, from)
		}
		return Name{t.Text}
	case t.Is("("):
		end := p.Match[p.pos]
		inner := p.Parse(p.pos+1, end)
		from := p.pos + 1
		p.pos = end + 1
		if !p.kotlin && p.pos < p.end && (p.Tokens[p.pos].Kind != OpToken && !p.peek("instanceof") || p.peek("(")) {
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
func (p *Parser) constructor() Node {
	from, name := p.pos, ""
	for p.pos < p.end && p.Tokens[p.pos].Kind == NameToken {
		name = p.Tokens[p.pos].Text
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
		p.pos = p.Match[p.pos] + 1
		return Opaque{"a class without a name"}
	}
	return x
}

// typeArguments steps over <A, B<C>> where arguments in parentheses follow.
func (p *Parser) typeArguments() {
	p.typ = ""
	last, ok := p.types(p.pos)
	if !ok || last+1 >= p.end || !p.Tokens[last+1].Is("(") && !(p.kotlin && p.Tokens[last+1].Is("{")) {
		return
	}
	if p.kotlin {
		p.typ, _ = KotlinType(p.Tokens, p.pos+1, last)
	}
	p.pos = last + 1
}

// types finds where <A, B<C>> ends that begins at a token; false where nothing of the kind does.
func (p *Parser) types(from int) (last int, ok bool) {
	depth := 0
	for i := from; i < p.end; i++ {
		switch t := &p.Tokens[i]; {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Kind == NameToken || t.Is(".") || t.Is(",") || t.Is("?") || t.Is("*"):
		default:
			return 0, false
		}
		if depth == 0 {
			return i, i > from
		}
	}
	return 0, false
}

// call reads the arguments of a call, of which the tokens from its name on, or from the point before it, are read.
func (p *Parser) call(x Node, name string, from int) Node {
	c := Call{X: x, Name: name, From: from, Typ: p.typ}
	if p.peek("{") && p.kotlin {
		p.trailing(&c)
		return c
	}
	end := p.Match[p.pos]
	at := p.pos + 1
	for i := at; i <= end; i++ {
		switch t := &p.Tokens[i]; {
		case i == end || t.Is(","):
			if i > at || i < end {
				c.Args = append(c.Args, p.argument(at, i))
			}
			at = i + 1
		case t.Is("(") || t.Is("[") || t.Is("{"):
			i = p.Match[i]
		case t.Is("<"):
			last, ok := p.types(i) // whose commas part no arguments where it is called with some, or a name follows a point
			if ok && last < end && (p.Tokens[last+1].Is("(") || p.Tokens[i-1].Is(".") && p.Tokens[last+1].Kind == NameToken) {
				i = last
			}
		}
	}
	p.pos = end + 1
	p.trailing(&c)
	return c
}

// argument reads an argument, which may say of which parameter it is.
func (p *Parser) argument(from, to int) Argument {
	if p.kotlin && from+1 < to && p.Tokens[from].Kind == NameToken && p.Tokens[from+1].Is(":") {
		return Argument{From: from + 2, To: to, X: p.Parse(from+2, to), Name: p.Tokens[from].Text}
	}
	return Argument{From: from, To: to, X: p.Parse(from, to)}
}

// postfix reads the calls and fields of an expression.
func (p *Parser) postfix(x Node) Node {
	for x != nil && p.pos < p.end {
		from := p.pos
		switch {
		case p.kotlin && p.peek(".") && p.pos+1 < p.end && p.Tokens[p.pos+1].Is("."):
			return x // a range
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
		if p.pos == p.end || p.Tokens[p.pos].Kind != NameToken {
			return nil
		}
		name := p.Tokens[p.pos].Text
		p.pos++
		p.typeArguments()
		switch {
		case p.peek("("), p.kotlin && p.peek("{"):
			x = p.call(x, name, from)
			if c, ok := x.(Call); ok && p.Tokens[from].Is("?.") {
				c.Safe = true
				x = c
			}
		case p.kotlin && strings.HasPrefix(name, "is") && name != "is": // what Java calls, Kotlin may look up
			x = Call{X: x, Name: name, From: from, To: p.pos}
		default:
			x = Field{x, name}
		}
	}
	return x
}

// Chain takes an expression apart into what it begins with and the calls on it, in order. Fields between them are
// left out, but those before the first call: org.hamcrest.Matchers.equalTo(1) is the call of a function.
func Chain(x Node) (root Node, links []Call) {
	for {
		switch n := x.(type) {
		case Call:
			links = append(links, n)
			x = n.X
		case Field:
			x = n.X
		default:
			for i, j := 0, len(links)-1; i < j; i, j = i+1, j-1 {
				links[i], links[j] = links[j], links[i]
			}
			return x, links
		}
	}
}
