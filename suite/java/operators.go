package java

import "github.com/flaketap/flaketap/suite/script"

// The nodes of expressions that people write, beside those that a generator does.
type (
	Binary struct { // x op y
		Op   string
		X, Y Node
		At   int // the token of its operator
	}
	Not      struct{ X Node }
	Negative struct{ X Node }
	Ternary  struct{ Cond, X, Y Node }
	Index    struct{ X, I Node }
	Cast     struct { // (typ) x
		Typ string
		X   Node
	}
	Array  struct{ Elems []Node } // new T[] {…}
	Lambda struct {               // params -> tokens
		Params   []string
		From, To int
		Block    bool // the tokens are those of a block, without its braces
	}
	Opaque struct{ What string } // a value of which nothing is known but why
)

// operation reads an expression with operators.
func (p *Parser) operation() Node {
	if p.depth++; p.depth > script.MaxDepth {
		return nil
	}
	defer func() { p.depth-- }()
	if x, ok := p.lambda(); ok {
		return x
	}
	cond := p.binary(0)
	if cond == nil || !p.accept("?") {
		return cond
	}
	x := p.operation()
	if x == nil || !p.accept(":") {
		return nil
	}
	if y := p.operation(); y != nil {
		return Ternary{cond, x, y}
	}
	return nil
}

// operators are those of two operands, by how tightly they bind.
func operators() [][]string {
	return [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">", "instanceof"}, {"+", "-"}, {"*", "/", "%"}}
}

// binary reads operations that bind at least as tightly as a level; a sum becomes one node.
func (p *Parser) binary(level int) Node {
	levels := operators()
	if level == len(levels) {
		return p.signed()
	}
	x := p.binary(level + 1)
	var sum []Node
	for x != nil {
		at, op := p.pos, ""
		for _, o := range levels[level] {
			if p.accept(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		y := p.binary(level + 1)
		switch {
		case y == nil:
			return nil
		case op == "+":
			if sum == nil {
				sum = []Node{x}
			}
			sum = append(sum, y)
			x = Sum{sum[:len(sum):len(sum)]}
		default:
			x, sum = Binary{op, x, y, at}, nil
		}
	}
	return x
}

// signed reads an operand with what stands before it.
func (p *Parser) signed() Node {
	from := p.pos
	switch {
	case p.accept("!"):
		if p.depth++; p.depth > script.MaxDepth {
			return nil
		}
		defer func() { p.depth-- }()
		if x := p.signed(); x != nil {
			return Not{x}
		}
		return nil
	case p.peek("-"):
		if x := p.unary(); x != nil {
			return x
		}
		if p.pos = from + 1; p.pos < p.end {
			if x := p.postfix(p.primary()); x != nil {
				return Negative{x}
			}
		}
		return nil
	}
	return p.postfix(p.primary())
}

// lambda reads x -> …, () -> … and (a, b) -> …, to the end of what is read; false where there is none.
func (p *Parser) lambda() (Node, bool) {
	if p.pos >= p.end {
		return nil, false
	}
	last := p.pos
	if p.peek("(") {
		last = p.Match[p.pos]
	} else if p.Tokens[p.pos].Kind != NameToken {
		return nil, false
	}
	if last+1 >= p.end || !p.Tokens[last+1].Is("->") {
		return nil, false
	}
	x := Lambda{From: last + 2, To: p.end}
	for i := p.pos; i <= last; i++ {
		if t := &p.Tokens[i]; t.Kind == NameToken && (i == last || p.Tokens[i+1].Is(",") || p.Tokens[i+1].Is(")")) {
			x.Params = append(x.Params, t.Text)
		}
	}
	if x.From < p.end && p.Tokens[x.From].Is("{") && p.Match[x.From] == p.end-1 {
		x.From, x.To, x.Block = x.From+1, p.end-1, true
	}
	p.pos = p.end
	return x, true
}

// array reads what follows the type of new T[] {…}.
func (p *Parser) array() Node {
	for p.peek("[") {
		p.pos = p.Match[p.pos] + 1
	}
	if p.depth++; !p.peek("{") || p.depth > script.MaxDepth {
		return Opaque{"an array"}
	}
	defer func() { p.depth-- }()
	c, _ := p.call(nil, "", p.pos).(Call)
	out := Array{}
	for _, a := range c.Args {
		if a.X == nil && p.Tokens[a.From].Is("{") && p.Match[a.From] == a.To-1 { // of an array of arrays
			inner := *p
			inner.pos, inner.end = a.From, a.To
			a.X = inner.array()
		}
		out.Elems = append(out.Elems, a.X)
	}
	return out
}

// element reads what follows a value in brackets.
func (p *Parser) element(x Node) Node {
	end := p.Match[p.pos]
	i := p.Parse(p.pos+1, end)
	p.pos = end + 1
	if i == nil {
		return nil
	}
	return Index{x, i}
}

// cast reads what is cast to a type that stood in parentheses.
func (p *Parser) cast(from, to int) Node {
	typ := ""
	for i := from; i < to && p.Tokens[i].Kind == NameToken || i < to && p.Tokens[i].Is("."); i++ {
		typ = p.Tokens[i].Text
	}
	if x := p.postfix(p.primary()); x != nil {
		return Cast{typ, x}
	}
	return nil
}
