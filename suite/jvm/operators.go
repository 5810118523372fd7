package jvm

import "github.com/flaketap/flaketap/suite/script"

// The nodes of expressions that people write, beside those that a generator does.
type (
	binaryNode struct { // x op y
		op   string
		x, y node
		at   int // the token of its operator
	}
	notNode     struct{ x node }
	negNode     struct{ x node }
	ternaryNode struct{ cond, x, y node }
	indexNode   struct{ x, i node }
	castNode    struct { // (typ) x
		typ string
		x   node
	}
	arrayNode  struct{ elems []node } // new T[] {…}
	lambdaNode struct {               // params -> tokens
		params   []string
		from, to int
		block    bool // the tokens are those of a block, without its braces
	}
	opaqueNode struct{ what string } // a value of which nothing is known but why
)

// operation reads an expression with operators.
func (p *parser) operation() node {
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
		return ternaryNode{cond, x, y}
	}
	return nil
}

// operators are those of two operands, by how tightly they bind.
func operators() [][]string {
	return [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">", "instanceof"}, {"+", "-"}, {"*", "/", "%"}}
}

// binary reads operations that bind at least as tightly as a level; a sum becomes one node.
func (p *parser) binary(level int) node {
	levels := operators()
	if level == len(levels) {
		return p.signed()
	}
	x := p.binary(level + 1)
	var sum []node
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
				sum = []node{x}
			}
			sum = append(sum, y)
			x = sumNode{sum[:len(sum):len(sum)]}
		default:
			x, sum = binaryNode{op, x, y, at}, nil
		}
	}
	return x
}

// signed reads an operand with what stands before it.
func (p *parser) signed() node {
	from := p.pos
	switch {
	case p.accept("!"):
		if p.depth++; p.depth > script.MaxDepth {
			return nil
		}
		defer func() { p.depth-- }()
		if x := p.signed(); x != nil {
			return notNode{x}
		}
		return nil
	case p.peek("-"):
		if x := p.unary(); x != nil {
			return x
		}
		if p.pos = from + 1; p.pos < p.end {
			if x := p.postfix(p.primary()); x != nil {
				return negNode{x}
			}
		}
		return nil
	}
	return p.postfix(p.primary())
}

// lambda reads x -> …, () -> … and (a, b) -> …, to the end of what is read; false where there is none.
func (p *parser) lambda() (node, bool) {
	if p.pos >= p.end {
		return nil, false
	}
	last := p.pos
	if p.peek("(") {
		last = p.match[p.pos]
	} else if p.tokens[p.pos].kind != tokName {
		return nil, false
	}
	if last+1 >= p.end || !p.tokens[last+1].is("->") {
		return nil, false
	}
	x := lambdaNode{from: last + 2, to: p.end}
	for i := p.pos; i <= last; i++ {
		if t := &p.tokens[i]; t.kind == tokName && (i == last || p.tokens[i+1].is(",") || p.tokens[i+1].is(")")) {
			x.params = append(x.params, t.text)
		}
	}
	if x.from < p.end && p.tokens[x.from].is("{") && p.match[x.from] == p.end-1 {
		x.from, x.to, x.block = x.from+1, p.end-1, true
	}
	p.pos = p.end
	return x, true
}

// array reads what follows the type of new T[] {…}.
func (p *parser) array() node {
	for p.peek("[") {
		p.pos = p.match[p.pos] + 1
	}
	if !p.peek("{") {
		return opaqueNode{"an array"}
	}
	c, _ := p.call(nil, "", p.pos).(callNode)
	out := arrayNode{}
	for _, a := range c.args {
		out.elems = append(out.elems, a.x)
	}
	return out
}

// element reads what follows a value in brackets.
func (p *parser) element(x node) node {
	end := p.match[p.pos]
	i := p.parse(p.pos+1, end)
	p.pos = end + 1
	if i == nil {
		return nil
	}
	return indexNode{x, i}
}

// cast reads what is cast to a type that stood in parentheses.
func (p *parser) cast(from, to int) node {
	typ := ""
	for i := from; i < to && p.tokens[i].kind == tokName || i < to && p.tokens[i].is("."); i++ {
		typ = p.tokens[i].text
	}
	if x := p.postfix(p.primary()); x != nil {
		return castNode{typ, x}
	}
	return nil
}
