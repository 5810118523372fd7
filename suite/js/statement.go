package js

import (
	"slices"
)

// Block is a range of tokens that hold statements.
type Block struct{ From, To int }

// Statement is one statement.
type Statement struct {
	Keyword string   // "if", "try", "for", "const", "return", "{"; "" for an expression, "?" for what is not read
	Export  string   // "export" or "default" where it gives what it declares, or X, to other files
	X       *Node    // an expression, a condition
	Names   []string // of a declaration
	Values  []*Node  // of them; nil where there is none
	Taken   []*Node  // of a declaration: values that a pattern takes apart
	Parts   []Part   // of a declaration: what its patterns take
	Each    *Each    // of a loop over the elements of a list; nil for any other
	Blocks  []Block  // its parts, in order; of try: what is tried, what catches, what ends it
	First   int      // its tokens, the second bound behind the last one
	Last    int
}

// Statement reads the next statement.
func (p *Parser) Statement() Statement {
	first := p.Pos
	p.depth = 0
	s := Statement{First: first}
	t := p.Tokens[p.Pos]
	var err error
	if t.Is("export") && p.Pos+1 < p.End { // export const …: what is exported is declared all the same
		p.Pos++
		if s.Export = "export"; p.accept("default") {
			s.Export = "default"
		}
		if p.Pos < p.End && (p.declares() || s.Export == "default") {
			t = p.Tokens[p.Pos]
		} else {
			p.Pos, s.Export = first, ""
		}
	}
	switch {
	case s.Export == "default" && !p.declares():
		s.X, err = p.expression()
	case t.Is(";"):
		p.Pos++
	case t.Is("{"):
		s.Keyword = "{"
		s.Blocks = []Block{p.block()}
	case t.Is("if"), t.Is("for"), t.Is("while"), t.Is("with"), t.Is("do"), t.Is("try"):
		s.Keyword = t.Text
		p.Pos++
		err = p.compound(&s)
	case t.Is("const") || t.Is("let") || t.Is("var"):
		s.Keyword = t.Text
		p.Pos++
		err = p.declaration(&s)
	case t.Is("return") || t.Is("throw"):
		s.Keyword = t.Text
		if p.Pos++; p.Pos < p.End && !p.peek(";") && !p.Tokens[p.Pos].newline {
			s.X, err = p.expression()
		}
	case p.declaresFunction():
		err = p.named(&s)
	case p.declaresClass():
		err = p.namedClass(&s)
	case t.Is("import") && !(p.Pos+1 < p.End && p.Tokens[p.Pos+1].Is("(")), t.Is("export"), t.Is("switch"),
		t.Is("type"), t.Is("interface"):
		err = errForm
	default:
		s.X, err = p.expression()
	}
	if err == nil && s.Blocks == nil && s.Keyword != "function" && s.Keyword != "class" && !p.ended(first) {
		err = errForm
	}
	if err != nil {
		s = Statement{Keyword: "?", First: first}
		p.Pos = first
		p.skip()
	}
	if p.Pos == first { // whatever happens, there is progress
		p.Pos++
	}
	s.Last = p.Pos
	return s
}

// declaresFunction reports whether a function is declared here: function f(…) {…}, async function f(…) {…}.
func (p *Parser) declaresFunction() bool {
	return p.peek("function") || p.peek("async") && p.Pos+1 < p.End && p.Tokens[p.Pos+1].Is("function")
}

// declaresClass reports whether a class is declared here.
func (p *Parser) declaresClass() bool {
	return p.peek("class") || p.Typed && p.peek("abstract") && p.Pos+1 < p.End && p.Tokens[p.Pos+1].Is("class")
}

// declares reports whether something is declared here that has a value.
func (p *Parser) declares() bool {
	return p.peek("const") || p.peek("let") || p.peek("var") || p.declaresFunction() || p.declaresClass()
}

// namedClass reads a class that is declared, as the value of its name.
func (p *Parser) namedClass(s *Statement) error {
	p.accept("abstract")
	c, err := p.class()
	if err != nil {
		return err
	}
	s.Keyword = "class"
	if s.X = c; c.Text != "" {
		s.Names, s.Values, s.X = []string{c.Text}, []*Node{c}, nil
	}
	return nil
}

// named reads a function that is declared, as the value of its name.
func (p *Parser) named(s *Statement) error {
	f, err := p.function()
	if err != nil {
		return err
	}
	s.Keyword = "function"
	if s.X = f; f.name != "" {
		s.Names, s.Values, s.X = []string{f.name}, []*Node{f}, nil
	}
	return nil
}

// ended reports whether a statement ends here, and goes over its semicolon.
func (p *Parser) ended(first int) bool {
	return p.accept(";") || p.Pos >= p.End || p.Tokens[p.Pos].newline || p.peek("}") ||
		p.Pos > first && p.Tokens[p.Pos-1].Is(";")
}

// skip goes to the end of a statement that is not read.
func (p *Parser) skip() {
	for first := p.Pos; p.Pos < p.End; {
		t := p.Tokens[p.Pos]
		if t.Is(";") {
			p.Pos++
			return
		}
		if p.Pos > first && t.newline {
			before := p.Tokens[p.Pos-1]
			goesOn := before.Kind == mark && !before.Is(")") && !before.Is("]") && !before.Is("}")
			continues := t.Kind == mark && !t.Is("{") && !t.Is("(") && !t.Is("[") && !t.Is("!")
			if !goesOn && !continues {
				return
			}
		}
		if t.Kind == mark && t.match > p.Pos {
			p.Pos = t.match
		}
		p.Pos++
	}
}

// block goes over a block, or a single statement, and returns what is in it.
func (p *Parser) block() Block {
	if p.peek("{") {
		b := Block{p.Pos + 1, p.Tokens[p.Pos].match}
		p.Pos = b.To + 1
		return b
	}
	b := Block{From: p.Pos}
	if p.Pos < p.End {
		if p.nested++; p.nested < MaxNested {
			p.Statement()
		} else {
			p.skip()
		}
		p.nested--
	}
	b.To = p.Pos
	return b
}

// compound reads what follows the keyword of a statement that holds others.
func (p *Parser) compound(s *Statement) error {
	if s.Keyword != "do" && s.Keyword != "try" {
		p.accept("await")
		if !p.peek("(") {
			return errForm
		}
		head := &Parser{Tokens: p.Tokens, Pos: p.Pos + 1, End: p.Tokens[p.Pos].match, Typed: p.Typed}
		if s.Keyword == "for" {
			loop := *head
			s.Each = loop.each()
		}
		if x, err := head.expression(); err == nil && head.Pos == head.End {
			s.X = x
		}
		p.Pos = head.End + 1
	}
	s.Blocks = append(s.Blocks, p.block())
	switch s.Keyword {
	case "if":
		if p.accept("else") {
			s.Blocks = append(s.Blocks, p.block())
		}
	case "do":
		if p.accept("while") && p.peek("(") {
			p.Pos = p.Tokens[p.Pos].match + 1
		}
		p.accept(";")
	case "try":
		for _, keyword := range []string{"catch", "finally"} {
			if !p.accept(keyword) {
				s.Blocks = append(s.Blocks, Block{})
				continue
			}
			if p.peek("(") {
				p.Pos = p.Tokens[p.Pos].match + 1
			}
			s.Blocks = append(s.Blocks, p.block())
		}
	}
	return nil
}

// declaration reads what follows const, let or var. A pattern declares all names in it, of no known value.
func (p *Parser) declaration(s *Statement) error {
	for {
		if p.Pos >= p.End {
			return errForm
		}
		open := p.Pos
		t := p.Tokens[open]
		var names []string
		switch {
		case t.Kind == Word:
			names = []string{t.Text}
			p.Pos++
		case t.Is("{") || t.Is("["):
			for _, part := range p.parts(open, nil, nil) {
				names = append(names, part.Name)
			}
			p.Pos = t.match + 1
		default:
			return errForm
		}
		p.annotation()
		var x *Node
		if p.accept("=") {
			var err error
			if x, err = p.expression(); err != nil {
				return err
			}
		}
		s.Names = append(s.Names, names...)
		s.Values = append(s.Values, slices.Repeat([]*Node{x}, len(names))...)
		if t.Kind != Word { // what a pattern takes from a value is not read
			for i := range names {
				s.Values[len(s.Values)-1-i] = nil
			}
			if x != nil {
				s.Taken = append(s.Taken, x)
				s.Parts = append(s.Parts, p.parts(open, x, nil)...)
			}
		}
		if !p.accept(",") {
			return nil
		}
	}
}

// Context is what a statement stands in.
type Context struct {
	Condition bool // it may not be come to
	Guarded   bool // in a try that catches
	Depth     int
}
