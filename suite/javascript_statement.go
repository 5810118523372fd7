package suite

import (
	"slices"
)

// jsBlock is a range of tokens that hold statements.
type jsBlock struct{ from, to int }

// jsStatement is one statement.
type jsStatement struct {
	keyword string    // "if", "try", "for", "const", "return", "{"; "" for an expression, "?" for what is not read
	x       *jsNode   // an expression, a condition
	names   []string  // of a declaration
	values  []*jsNode // of them; nil where there is none
	taken   []*jsNode // of a declaration: values that a pattern takes apart
	blocks  []jsBlock // its parts, in order; of try: what is tried, what catches, what ends it
	first   int       // its tokens, the second bound behind the last one
	last    int
}

// statement reads the next statement.
func (p *jsParser) statement() jsStatement {
	first := p.pos
	p.depth = 0
	s := jsStatement{first: first}
	t := p.tokens[p.pos]
	var err error
	switch {
	case t.is(";"):
		p.pos++
	case t.is("{"):
		s.keyword = "{"
		s.blocks = []jsBlock{p.block()}
	case t.is("if"), t.is("for"), t.is("while"), t.is("with"), t.is("do"), t.is("try"):
		s.keyword = t.text
		p.pos++
		err = p.compound(&s)
	case t.is("const") || t.is("let") || t.is("var"):
		s.keyword = t.text
		p.pos++
		err = p.declaration(&s)
	case t.is("return") || t.is("throw"):
		s.keyword = t.text
		if p.pos++; p.pos < p.end && !p.peek(";") && !p.tokens[p.pos].newline {
			s.x, err = p.expression()
		}
	case t.is("function"), t.is("class"), t.is("import"), t.is("export"), t.is("switch"), t.is("type"), t.is("interface"):
		err = errJSForm
		if f, ferr := p.function(); f != nil && ferr == nil {
			s.keyword, err = "function", nil
		}
	default:
		s.x, err = p.expression()
	}
	if err == nil && s.blocks == nil && s.keyword != "function" && !p.ended(first) {
		err = errJSForm
	}
	if err != nil {
		s = jsStatement{keyword: "?", first: first}
		p.pos = first
		p.skip()
	}
	if p.pos == first { // whatever happens, there is progress
		p.pos++
	}
	s.last = p.pos
	return s
}

// ended reports whether a statement ends here, and goes over its semicolon.
func (p *jsParser) ended(first int) bool {
	return p.accept(";") || p.pos >= p.end || p.tokens[p.pos].newline || p.peek("}") || p.pos > first && p.tokens[p.pos-1].is(";")
}

// skip goes to the end of a statement that is not read.
func (p *jsParser) skip() {
	for first := p.pos; p.pos < p.end; {
		t := p.tokens[p.pos]
		if t.is(";") {
			p.pos++
			return
		}
		if p.pos > first && t.newline {
			before := p.tokens[p.pos-1]
			goesOn := before.kind == jsMark && !before.is(")") && !before.is("]") && !before.is("}")
			continues := t.kind == jsMark && !t.is("{") && !t.is("(") && !t.is("[") && !t.is("!")
			if !goesOn && !continues {
				return
			}
		}
		if t.kind == jsMark && t.match > p.pos {
			p.pos = t.match
		}
		p.pos++
	}
}

// block goes over a block, or a single statement, and returns what is in it.
func (p *jsParser) block() jsBlock {
	if p.peek("{") {
		b := jsBlock{p.pos + 1, p.tokens[p.pos].match}
		p.pos = b.to + 1
		return b
	}
	b := jsBlock{from: p.pos}
	if p.pos < p.end {
		if p.nested++; p.nested < maxNested {
			p.statement()
		} else {
			p.skip()
		}
		p.nested--
	}
	b.to = p.pos
	return b
}

// compound reads what follows the keyword of a statement that holds others.
func (p *jsParser) compound(s *jsStatement) error {
	if s.keyword != "do" && s.keyword != "try" {
		p.accept("await")
		if !p.peek("(") {
			return errJSForm
		}
		head := &jsParser{tokens: p.tokens, pos: p.pos + 1, end: p.tokens[p.pos].match, typed: p.typed}
		if x, err := head.expression(); err == nil && head.pos == head.end {
			s.x = x
		}
		p.pos = head.end + 1
	}
	s.blocks = append(s.blocks, p.block())
	switch s.keyword {
	case "if":
		if p.accept("else") {
			s.blocks = append(s.blocks, p.block())
		}
	case "do":
		if p.accept("while") && p.peek("(") {
			p.pos = p.tokens[p.pos].match + 1
		}
		p.accept(";")
	case "try":
		for _, keyword := range []string{"catch", "finally"} {
			if !p.accept(keyword) {
				s.blocks = append(s.blocks, jsBlock{})
				continue
			}
			if p.peek("(") {
				p.pos = p.tokens[p.pos].match + 1
			}
			s.blocks = append(s.blocks, p.block())
		}
	}
	return nil
}

// declaration reads what follows const, let or var. A pattern declares all names in it, of no known value.
func (p *jsParser) declaration(s *jsStatement) error {
	for {
		if p.pos >= p.end {
			return errJSForm
		}
		t := p.tokens[p.pos]
		var names []string
		switch {
		case t.kind == jsWord:
			names = []string{t.text}
			p.pos++
		case t.is("{") || t.is("["):
			for _, t := range p.tokens[p.pos:t.match] {
				if t.kind == jsWord {
					names = append(names, t.text)
				}
			}
			p.pos = t.match + 1
		default:
			return errJSForm
		}
		if p.typed && p.accept(":") {
			for p.pos < p.end && !p.peek("=") && !p.peek(";") && !p.tokens[p.pos].newline {
				if m := p.tokens[p.pos].match; m > p.pos {
					p.pos = m
				}
				p.pos++
			}
		}
		var x *jsNode
		if p.accept("=") {
			var err error
			if x, err = p.expression(); err != nil {
				return err
			}
		}
		s.names = append(s.names, names...)
		s.values = append(s.values, slices.Repeat([]*jsNode{x}, len(names))...)
		if t.kind != jsWord { // what a pattern takes from a value is not read
			for i := range names {
				s.values[len(s.values)-1-i] = nil
			}
			if x != nil {
				s.taken = append(s.taken, x)
			}
		}
		if !p.accept(",") {
			return nil
		}
	}
}

// jsContext is what a statement stands in.
type jsContext struct {
	condition bool // it may not be come to
	guarded   bool // in a try that catches
	depth     int
}
