package java

import (
	"slices"

	"github.com/flaketap/flaketap/suite/script"
)

// infixes are Kotlin's operators of two operands, by how tightly they bind; "name" is any function that stands between
// its operands.
func infixes() [][]string {
	return [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"is", "in", "!"}, {"?:"}, {"name"}, {".."},
		{"+", "-"}, {"*", "/", "%"}, {"as"}}
}

// joined reads operations of Kotlin's that bind at least as tightly as a level; a sum becomes one node.
func (p *Parser) joined(level int) Node {
	levels := infixes()
	if level == len(levels) {
		return p.signed()
	}
	if level == 0 {
		if p.depth++; p.depth > script.MaxDepth {
			return nil
		}
		defer func() { p.depth-- }()
	}
	from := p.pos
	x := p.joined(level + 1)
	var sum []Node
	for x != nil {
		at := p.pos
		op := p.infix(levels[level])
		switch op {
		case "":
			return x
		case "is", "!is", "as":
			x = p.ofType(x, op, at)
			continue
		case "?:":
			if p.pos < p.end && p.leaves() {
				p.pos = p.end
				return x
			}
		}
		operand := p.pos
		y := p.joined(level + 1)
		if y == nil {
			return nil
		}
		if op == "+" && sum == nil {
			sum = []Node{x}
		}
		switch op {
		case "+":
			sum = append(sum, y)
			x = Sum{sum[:len(sum):len(sum)]}
			continue
		case "in":
			x = Call{X: y, Name: "contains", Args: []Argument{{From: from, To: at, X: x}}}
		case "!in":
			x = Not{Call{X: y, Name: "contains", Args: []Argument{{From: from, To: at, X: x}}}}
		case "==", "!=", "<=", ">=", "<", ">", "||", "&&", "-", "*", "/", "%", "?:", "..":
			x = Binary{op, x, y, at}
		default:
			x = Call{X: x, Name: op, Args: []Argument{{From: operand, To: p.pos, X: y}}, From: at, To: p.pos}
		}
		sum = nil
	}
	return nil
}

// infix steps over one of some operators, and returns it; "" where another token follows.
func (p *Parser) infix(of []string) string {
	if p.pos >= p.end {
		return ""
	}
	t := &p.Tokens[p.pos]
	next := func(text string) bool {
		return p.pos+1 < p.end && p.Tokens[p.pos+1].Is(text) && !p.Tokens[p.pos+1].Quoted
	}
	switch {
	case of[0] == "name":
		if t.Kind != NameToken || !t.Quoted && slices.Contains([]string{"is", "in", "as", "else"}, t.Text) {
			return ""
		}
	case of[0] == "..":
		if !t.Is(".") || !next(".") {
			return ""
		}
		p.pos += 2
		return ".."
	case t.Is("!") && slices.Contains(of, "!"):
		for _, name := range []string{"is", "in"} {
			if next(name) {
				p.pos += 2
				return "!" + name
			}
		}
		return ""
	case t.Quoted || !slices.Contains(of, t.Text) || t.Kind != NameToken && t.Kind != OpToken:
		return ""
	}
	p.pos++
	return t.Text
}

// leaves reports whether what follows gives no value: an error, a return.
func (p *Parser) leaves() bool {
	t := &p.Tokens[p.pos]
	return t.Kind == NameToken && slices.Contains([]string{"throw", "return", "error", "fail", "break", "continue"}, t.Text)
}

// ofType reads the type behind is and as.
func (p *Parser) ofType(x Node, op string, at int) Node {
	if op == "as" {
		safe := p.accept("?")
		typ := ""
		typ, p.pos = KotlinType(p.Tokens, p.pos, p.end)
		if safe {
			return Opaque{"a cast that may give nothing"}
		}
		return Cast{typ, x}
	}
	name := ""
	name, p.pos = KotlinType(p.Tokens, p.pos, p.end)
	out := Node(Binary{"instanceof", x, Name{name}, at})
	if op == "!is" {
		out = Not{out}
	}
	return out
}

// begun reads what only Kotlin's expressions begin with; false where the expression begins as one of Java does.
func (p *Parser) begun(t *Token) (Node, bool) {
	switch {
	case t.Is("{"):
		return p.braces(), true
	case t.Quoted:
		return nil, false
	case t.Is("if") && p.pos+1 < p.end && p.Tokens[p.pos+1].Is("("):
		return p.choice(), true
	case t.Is("throw"), t.Is("return"), t.Is("::"):
		p.pos = p.end
		return Opaque{"what leaves a function"}, true
	}
	return nil, false
}

// braces reads a lambda: { a, b -> … }.
func (p *Parser) braces() Node {
	end := p.Match[p.pos]
	x := Lambda{From: p.pos + 1, To: end, Block: true}
	for i := p.pos + 1; i < end && (p.Tokens[i].Kind == NameToken || p.Tokens[i].Is(",") || p.Tokens[i].Is("->")); i++ {
		if !p.Tokens[i].Is("->") {
			continue
		}
		for _, t := range p.Tokens[p.pos+1 : i] {
			if t.Kind == NameToken {
				x.Params = append(x.Params, t.Text)
			}
		}
		x.From = i + 1
		break
	}
	p.pos = end + 1
	return x
}

// choice reads if (…) a else b.
func (p *Parser) choice() Node {
	if p.depth++; p.depth > script.MaxDepth {
		return nil
	}
	defer func() { p.depth-- }()
	end := p.Match[p.pos+1]
	cond := p.Parse(p.pos+2, end)
	p.pos = end + 1
	x := p.branch()
	if p.accept(";"); !p.accept("else") {
		return Opaque{"an if without else"}
	}
	y := p.branch()
	if cond == nil || x == nil || y == nil {
		return Opaque{"an if"}
	}
	return Ternary{cond, x, y}
}

// branch reads what an if gives: an expression, or the one that stands between its braces.
func (p *Parser) branch() Node {
	if !p.peek("{") {
		return p.joined(0)
	}
	from, end := p.pos+1, p.Match[p.pos]
	p.pos = end + 1
	if from < end && p.Tokens[end-1].Is(";") {
		return p.Parse(from, end-1)
	}
	return nil
}

// trailing ends a call, with the lambda that may stand behind its arguments.
func (p *Parser) trailing(c *Call) {
	if p.kotlin && p.peek("{") {
		from := p.pos
		x := p.braces()
		c.Args = append(c.Args, Argument{From: from, To: p.pos, X: x})
	}
	c.To = p.pos
}
