package syntax

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/suite/script"
)

// The nodes of a Python expression, as far as suites use them.
type (
	Node interface{}

	StrLit struct{ S string }
	NumLit struct{ Text string }
	Text   struct{ Parts []Node } // an f-string: its texts and the values in its braces, in order
	Name   struct{ Id string }
	Attr   struct {
		X    Node
		Name string
	}
	Index struct{ X, I Node }
	Slice struct{ From, To Node } // nil where not given
	Call  struct {
		Fn      Node
		Args    []Node
		Kw      []Keyword
		Awaited bool
	}
	Keyword struct {
		Name string // "*" and "**" for arguments that are spread
		X    Node
	}
	Unary struct {
		Op string // "not", "-", "+"
		X  Node
	}
	Binary struct {
		Op   string // "+", "-", "*", "//", "%", "/"
		X, Y Node
	}
	Compare struct {
		X   Node
		Ops []string // "==", "in", "not in", "is", "is not", …
		Ys  []Node
	}
	Logic struct {
		Op string // "and", "or"
		Xs []Node
	}
	Seq struct {
		Tuple bool
		Elems []Node
	}
	Dict struct{ Keys, Values []Node }
	// Spread stands for the key of **other in an object that is written out
	Spread struct{}
	Set    struct{ Of Node } // {a, b} as a Seq, {elem for name in list} as a Comp
	Comp   struct {          // [elem for name in list if cond], and the same as a generator
		Elem  Node
		Name  string
		List  Node
		Cond  Node   // nil where not given
		Value string // the second of two names, as in: for name, value in object.items(); "" for one
	}
	// Named is a value that gets a name where it stands: (name := x).
	Named struct {
		Name string
		X    Node
	}
	IfElse struct{ X, Cond, Y Node } // x if cond else y
)

// parser reads an expression from tokens, by precedence climbing.
type parser struct {
	tokens []Token
	pos    int
	depth  int
}

var errDeep = errors.New("an expression nests too deeply")

// ParseExpr reads tokens that are one expression and nothing more.
func ParseExpr(tokens []Token) (Node, error) {
	p := &parser{tokens: tokens}
	x, err := p.tuple()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.tokens) {
		return nil, fmt.Errorf("unexpected %q", p.tokens[p.pos].Text)
	}
	return x, nil
}

// value reads an expression that stands where a comma may follow it: one that may be conditional.
func (p *parser) value() (Node, error) {
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	x, err := p.or()
	if err != nil || !p.accept("if") {
		return x, err
	}
	cond, err := p.or()
	if err == nil {
		err = p.want("else")
	}
	if err != nil {
		return nil, err
	}
	y, err := p.value()
	return IfElse{x, cond, y}, err
}

// peek reports whether the next token is the name or operator given.
func (p *parser) peek(text string) bool {
	return p.pos < len(p.tokens) && p.tokens[p.pos].Text == text &&
		(p.tokens[p.pos].Kind == TokenName || p.tokens[p.pos].Kind == TokenNumber || p.tokens[p.pos].Kind == TokenOp)
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
	return fmt.Errorf("found %q, want %q", p.tokens[p.pos].Text, text)
}

// tuple reads one expression, or several with commas between.
func (p *parser) tuple() (Node, error) {
	x, err := p.value()
	if err != nil || !p.peek(",") {
		return x, err
	}
	seq := Seq{Tuple: true, Elems: []Node{x}}
	for p.accept(",") {
		if p.pos == len(p.tokens) || p.peek(")") {
			break
		}
		if x, err = p.value(); err != nil {
			return nil, err
		}
		seq.Elems = append(seq.Elems, x)
	}
	return seq, nil
}

func (p *parser) or() (Node, error) {
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	return p.logic("or", func() (Node, error) { return p.logic("and", p.not) })
}

func (p *parser) logic(op string, next func() (Node, error)) (Node, error) {
	x, err := next()
	if err != nil || !p.peek(op) {
		return x, err
	}
	xs := []Node{x}
	for p.accept(op) {
		if x, err = next(); err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return Logic{op, xs}, nil
}

func (p *parser) not() (Node, error) {
	if !p.accept("not") {
		return p.compare()
	}
	if p.depth++; p.depth > script.MaxDepth {
		return nil, errDeep
	}
	defer func() { p.depth-- }()
	x, err := p.not()
	return Unary{"not", x}, err
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
	case p.peek("not") && p.pos+1 < len(p.tokens) && p.tokens[p.pos+1].Text == "in":
		p.pos += 2
		return "not in"
	}
	return ""
}

func (p *parser) compare() (Node, error) {
	x, err := p.union()
	if err != nil {
		return nil, err
	}
	c := Compare{X: x}
	for {
		op := p.comparison()
		if op == "" {
			break
		}
		y, err := p.union()
		if err != nil {
			return nil, err
		}
		c.Ops, c.Ys = append(c.Ops, op), append(c.Ys, y)
	}
	if len(c.Ops) == 0 {
		return x, nil
	}
	return c, nil
}

func (p *parser) union() (Node, error) { return p.binary([]string{"|"}, p.sum) }
func (p *parser) sum() (Node, error)   { return p.binary([]string{"+", "-"}, p.term) }
func (p *parser) term() (Node, error)  { return p.binary([]string{"*", "//", "/", "%"}, p.unary) }

func (p *parser) binary(ops []string, next func() (Node, error)) (Node, error) {
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
		var y Node
		y, err = next()
		x = Binary{op, x, y}
	}
	return nil, err
}

func (p *parser) unary() (Node, error) {
	for _, op := range []string{"-", "+"} {
		if p.accept(op) {
			if p.depth++; p.depth > script.MaxDepth {
				return nil, errDeep
			}
			defer func() { p.depth-- }()
			x, err := p.unary()
			return Unary{op, x}, err
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
			if p.pos == len(p.tokens) || p.tokens[p.pos].Kind != TokenName {
				return nil, errors.New("a name is missing after a dot")
			}
			x = Attr{x, p.tokens[p.pos].Text}
			p.pos++
		case p.accept("["):
			x, err = p.index(x)
		case p.accept("("):
			x, err = p.call(x)
		default:
			if call, ok := x.(Call); ok && awaited {
				call.Awaited = true
				return call, nil
			}
			return x, nil
		}
	}
	return nil, err
}

func (p *parser) index(x Node) (Node, error) {
	var from, to Node
	var err error
	if !p.peek(":") {
		if from, err = p.value(); err != nil {
			return nil, err
		}
	}
	if !p.accept(":") {
		return Index{x, from}, p.want("]")
	}
	if !p.peek("]") {
		if to, err = p.value(); err != nil {
			return nil, err
		}
	}
	return Index{x, Slice{from, to}}, p.want("]")
}

func (p *parser) call(fn Node) (Node, error) {
	c := Call{Fn: fn}
	for !p.accept(")") {
		spread := ""
		for _, stars := range []string{"**", "*"} {
			if p.accept(stars) {
				spread = stars
				break
			}
		}
		if spread != "" {
			x, err := p.value()
			if err != nil {
				return nil, err
			}
			c.Kw = append(c.Kw, Keyword{spread, x})
		} else if p.pos+1 < len(p.tokens) && p.tokens[p.pos].Kind == TokenName && p.tokens[p.pos+1].Text == "=" {
			name := p.tokens[p.pos].Text
			p.pos += 2
			x, err := p.value()
			if err != nil {
				return nil, err
			}
			c.Kw = append(c.Kw, Keyword{name, x})
		} else {
			x, err := p.value()
			if err == nil && p.peek("for") {
				x, err = p.comprehension(x)
			}
			if err != nil {
				return nil, err
			}
			c.Args = append(c.Args, x)
		}
		if !p.accept(",") && !p.peek(")") {
			return nil, p.want(")")
		}
	}
	return c, nil
}

func (p *parser) atom() (Node, error) {
	if p.pos == len(p.tokens) {
		return nil, errors.New("unexpected end of expression")
	}
	t := p.tokens[p.pos]
	p.pos++
	switch t.Kind {
	case TokenString, TokenFormat:
		p.pos--
		return p.text()
	case tokenOpaque:
		return nil, errors.New("bytes are not understood")
	case TokenNumber:
		return NumLit{t.Text}, nil
	case TokenName:
		if t.Text == "lambda" {
			return p.lambda()
		}
		return Name{t.Text}, nil
	}
	switch t.Text {
	case "(":
		if p.accept(")") {
			return Seq{Tuple: true}, nil
		}
		if p.pos+1 < len(p.tokens) && p.tokens[p.pos].Kind == TokenName && p.tokens[p.pos+1].Text == ":=" {
			name := p.tokens[p.pos].Text
			p.pos += 2
			x, err := p.value()
			if err != nil {
				return nil, err
			}
			return Named{name, x}, p.want(")")
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
	return nil, fmt.Errorf("unexpected %q", t.Text)
}

func (p *parser) list() (Node, error) {
	seq := Seq{}
	for !p.accept("]") {
		x, err := p.value()
		if err != nil {
			return nil, err
		}
		if len(seq.Elems) == 0 && p.peek("for") {
			c, err := p.comprehension(x)
			if err != nil {
				return nil, err
			}
			return c, p.want("]")
		}
		seq.Elems = append(seq.Elems, x)
		if !p.accept(",") && !p.peek("]") {
			return nil, p.want("]")
		}
	}
	return seq, nil
}

func (p *parser) dict() (Node, error) {
	d := Dict{}
	for !p.accept("}") {
		if p.accept("**") {
			of, err := p.value()
			if err != nil {
				return nil, err
			}
			d.Keys, d.Values = append(d.Keys, Spread{}), append(d.Values, of)
			if !p.accept(",") && !p.peek("}") {
				return nil, p.want("}")
			}
			continue
		}
		k, err := p.or()
		if err == nil && len(d.Keys) == 0 && !p.peek(":") {
			return p.set(k)
		}
		if err == nil {
			err = p.want(":")
		}
		if err != nil {
			return nil, err
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		if len(d.Keys) == 0 && p.peek("for") {
			return p.byKey(k, v)
		}
		d.Keys, d.Values = append(d.Keys, k), append(d.Values, v)
		if !p.accept(",") && !p.peek("}") {
			return nil, p.want("}")
		}
	}
	return d, nil
}

// Set reads {a, b}, or {elem for name in list}, behind its first element.
func (p *parser) set(first Node) (Node, error) {
	if p.peek("for") {
		c, err := p.comprehension(first)
		if err != nil {
			return nil, err
		}
		return Set{c}, p.want("}")
	}
	seq := Seq{Elems: []Node{first}}
	for p.accept(",") && !p.peek("}") {
		x, err := p.value()
		if err != nil {
			return nil, err
		}
		seq.Elems = append(seq.Elems, x)
	}
	return Set{seq}, p.want("}")
}
