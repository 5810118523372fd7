package python

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/suite/script"
)

// The nodes of a Python expression, as far as suites use them.
type (
	node interface{}

	strLit struct{ s string }
	numLit struct{ text string }
	pyText struct{ parts []node } // an f-string: its texts and the values in its braces, in order
	pyName struct{ id string }
	pyAttr struct {
		x    node
		name string
	}
	pyIndex struct{ x, i node }
	pySlice struct{ from, to node } // nil where not given
	pyCall  struct {
		fn      node
		args    []node
		kw      []pyKeyword
		awaited bool
	}
	pyKeyword struct {
		name string // "*" and "**" for arguments that are spread
		x    node
	}
	pyUnary struct {
		op string // "not", "-", "+"
		x  node
	}
	pyBinary struct {
		op   string // "+", "-", "*", "//", "%", "/"
		x, y node
	}
	pyCompare struct {
		x   node
		ops []string // "==", "in", "not in", "is", "is not", …
		ys  []node
	}
	logic struct {
		op string // "and", "or"
		xs []node
	}
	pySeq struct {
		tuple bool
		elems []node
	}
	pyDict struct{ keys, values []node }
	// pySpread stands for the key of **other in an object that is written out
	pySpread struct{}
	pySet    struct{ of node } // {a, b} as a pySeq, {elem for name in list} as a pyComp
	pyComp   struct {          // [elem for name in list if cond], and the same as a generator
		elem node
		name string
		list node
		cond node // nil where not given
	}
	ifElse struct{ x, cond, y node } // x if cond else y
)

// parser reads an expression from tokens, by precedence climbing.
type parser struct {
	tokens []token
	pos    int
	depth  int
}

var errDeep = errors.New("an expression nests too deeply")

// parseExpr reads tokens that are one expression and nothing more.
func parseExpr(tokens []token) (node, error) {
	p := &parser{tokens: tokens}
	x, err := p.tuple()
	if err == nil && p.accept("if") {
		x, err = p.conditional(x)
	}
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.tokens) {
		return nil, fmt.Errorf("unexpected %q", p.tokens[p.pos].text)
	}
	return x, nil
}

// conditional reads what follows the first value of a conditional expression.
func (p *parser) conditional(x node) (node, error) {
	cond, err := p.or()
	if err == nil {
		err = p.want("else")
	}
	if err != nil {
		return nil, err
	}
	y, err := p.or()
	return ifElse{x, cond, y}, err
}

// peek reports whether the next token is the name or operator given.
func (p *parser) peek(text string) bool {
	return p.pos < len(p.tokens) && p.tokens[p.pos].text == text &&
		(p.tokens[p.pos].kind == tokenName || p.tokens[p.pos].kind == tokenNumber || p.tokens[p.pos].kind == tokenOp)
}

func (p *parser) accept(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) want(text string) error {
	if p.accept(text) {
		return nil
	}
	if p.pos == len(p.tokens) {
		return fmt.Errorf("%q is missing at the end", text)
	}
	return fmt.Errorf("found %q, want %q", p.tokens[p.pos].text, text)
}

// tuple reads one expression, or several with commas between.
func (p *parser) tuple() (node, error) {
	x, err := p.or()
	if err != nil || !p.peek(",") {
		return x, err
	}
	seq := pySeq{tuple: true, elems: []node{x}}
	for p.accept(",") {
		if p.pos == len(p.tokens) || p.peek(")") {
			break
		}
		if x, err = p.or(); err != nil {
			return nil, err
		}
		seq.elems = append(seq.elems, x)
	}
	return seq, nil
}

func (p *parser) or() (node, error) {
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	return p.logic("or", func() (node, error) { return p.logic("and", p.not) })
}

func (p *parser) logic(op string, next func() (node, error)) (node, error) {
	x, err := next()
	if err != nil || !p.peek(op) {
		return x, err
	}
	xs := []node{x}
	for p.accept(op) {
		if x, err = next(); err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return logic{op, xs}, nil
}

func (p *parser) not() (node, error) {
	if !p.accept("not") {
		return p.compare()
	}
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	x, err := p.not()
	return pyUnary{"not", x}, err
}

// comparison reads a comparison operator; "" where there is none.
func (p *parser) comparison() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">", "in"} {
		if p.accept(op) {
			return op
		}
	}
	switch {
	case p.accept("is"):
		if p.accept("not") {
			return "is not"
		}
		return "is"
	case p.peek("not") && p.pos+1 < len(p.tokens) && p.tokens[p.pos+1].text == "in":
		p.pos += 2
		return "not in"
	}
	return ""
}

func (p *parser) compare() (node, error) {
	x, err := p.sum()
	if err != nil {
		return nil, err
	}
	c := pyCompare{x: x}
	for {
		op := p.comparison()
		if op == "" {
			break
		}
		y, err := p.sum()
		if err != nil {
			return nil, err
		}
		c.ops, c.ys = append(c.ops, op), append(c.ys, y)
	}
	if len(c.ops) == 0 {
		return x, nil
	}
	return c, nil
}

func (p *parser) sum() (node, error)  { return p.binary([]string{"+", "-"}, p.term) }
func (p *parser) term() (node, error) { return p.binary([]string{"*", "//", "/", "%"}, p.unary) }

func (p *parser) binary(ops []string, next func() (node, error)) (node, error) {
	x, err := next()
	for err == nil {
		op := ""
		for _, o := range ops {
			if p.accept(o) {
				op = o
				break
			}
		}
		if op == "" {
			return x, nil
		}
		var y node
		y, err = next()
		x = pyBinary{op, x, y}
	}
	return nil, err
}

func (p *parser) unary() (node, error) {
	for _, op := range []string{"-", "+"} {
		if p.accept(op) {
			if p.depth++; p.depth > script.MaxDepth {
				return nil, errDeep
			}
			defer func() { p.depth-- }()
			x, err := p.unary()
			return pyUnary{op, x}, err
		}
	}
	awaited := p.peek("await")
	for p.peek("await") { // what is awaited is what is meant
		p.pos++
	}
	x, err := p.atom()
	for err == nil {
		switch {
		case p.accept("."):
			if p.pos == len(p.tokens) || p.tokens[p.pos].kind != tokenName {
				return nil, errors.New("a name is missing after a dot")
			}
			x = pyAttr{x, p.tokens[p.pos].text}
			p.pos++
		case p.accept("["):
			x, err = p.index(x)
		case p.accept("("):
			x, err = p.call(x)
		default:
			if call, ok := x.(pyCall); ok && awaited {
				call.awaited = true
				return call, nil
			}
			return x, nil
		}
	}
	return nil, err
}

func (p *parser) index(x node) (node, error) {
	var from, to node
	var err error
	if !p.peek(":") {
		if from, err = p.or(); err != nil {
			return nil, err
		}
	}
	if !p.accept(":") {
		return pyIndex{x, from}, p.want("]")
	}
	if !p.peek("]") {
		if to, err = p.or(); err != nil {
			return nil, err
		}
	}
	return pyIndex{x, pySlice{from, to}}, p.want("]")
}

func (p *parser) call(fn node) (node, error) {
	c := pyCall{fn: fn}
	for !p.accept(")") {
		spread := ""
		for _, stars := range []string{"**", "*"} {
			if p.accept(stars) {
				spread = stars
				break
			}
		}
		if spread != "" {
			x, err := p.or()
			if err != nil {
				return nil, err
			}
			c.kw = append(c.kw, pyKeyword{spread, x})
		} else if p.pos+1 < len(p.tokens) && p.tokens[p.pos].kind == tokenName && p.tokens[p.pos+1].text == "=" {
			name := p.tokens[p.pos].text
			p.pos += 2
			x, err := p.or()
			if err != nil {
				return nil, err
			}
			c.kw = append(c.kw, pyKeyword{name, x})
		} else {
			x, err := p.or()
			if err == nil && p.peek("for") {
				x, err = p.comprehension(x)
			}
			if err != nil {
				return nil, err
			}
			c.args = append(c.args, x)
		}
		if !p.accept(",") && !p.peek(")") {
			return nil, p.want(")")
		}
	}
	return c, nil
}

// comprehension reads what follows the element of a comprehension: one for, at most one if.
func (p *parser) comprehension(elem node) (node, error) {
	c := pyComp{elem: elem}
	p.accept("for")
	if p.pos == len(p.tokens) || p.tokens[p.pos].kind != tokenName {
		return nil, errors.New("a name is missing after for")
	}
	c.name = p.tokens[p.pos].text
	p.pos++
	err := p.want("in")
	if err == nil {
		c.list, err = p.or()
	}
	if err == nil && p.accept("if") {
		c.cond, err = p.or()
	}
	return c, err
}

func (p *parser) atom() (node, error) {
	if p.pos == len(p.tokens) {
		return nil, errors.New("unexpected end of expression")
	}
	t := p.tokens[p.pos]
	p.pos++
	switch t.kind {
	case tokenString, tokenFormat:
		p.pos--
		return p.text()
	case tokenOpaque:
		return nil, errors.New("bytes are not understood")
	case tokenNumber:
		return numLit{t.text}, nil
	case tokenName:
		return pyName{t.text}, nil
	}
	switch t.text {
	case "(":
		if p.accept(")") {
			return pySeq{tuple: true}, nil
		}
		x, err := p.tuple()
		if err != nil {
			return nil, err
		}
		return x, p.want(")")
	case "[":
		return p.list()
	case "{":
		return p.dict()
	}
	return nil, fmt.Errorf("unexpected %q", t.text)
}

func (p *parser) list() (node, error) {
	seq := pySeq{}
	for !p.accept("]") {
		x, err := p.or()
		if err != nil {
			return nil, err
		}
		if len(seq.elems) == 0 && p.peek("for") {
			c, err := p.comprehension(x)
			if err != nil {
				return nil, err
			}
			return c, p.want("]")
		}
		seq.elems = append(seq.elems, x)
		if !p.accept(",") && !p.peek("]") {
			return nil, p.want("]")
		}
	}
	return seq, nil
}

func (p *parser) dict() (node, error) {
	d := pyDict{}
	for !p.accept("}") {
		if p.accept("**") {
			of, err := p.or()
			if err != nil {
				return nil, err
			}
			d.keys, d.values = append(d.keys, pySpread{}), append(d.values, of)
			if !p.accept(",") && !p.peek("}") {
				return nil, p.want("}")
			}
			continue
		}
		k, err := p.or()
		if err == nil && len(d.keys) == 0 && !p.peek(":") {
			return p.set(k)
		}
		if err == nil {
			err = p.want(":")
		}
		if err != nil {
			return nil, err
		}
		v, err := p.or()
		if err != nil {
			return nil, err
		}
		d.keys, d.values = append(d.keys, k), append(d.values, v)
		if !p.accept(",") && !p.peek("}") {
			return nil, p.want("}")
		}
	}
	return d, nil
}

// set reads {a, b}, or {elem for name in list}, behind its first element.
func (p *parser) set(first node) (node, error) {
	if p.peek("for") {
		c, err := p.comprehension(first)
		if err != nil {
			return nil, err
		}
		return pySet{c}, p.want("}")
	}
	seq := pySeq{elems: []node{first}}
	for p.accept(",") && !p.peek("}") {
		x, err := p.or()
		if err != nil {
			return nil, err
		}
		seq.elems = append(seq.elems, x)
	}
	return pySet{seq}, p.want("}")
}
