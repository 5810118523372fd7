package js

import "errors"

// Member is a member of a class.
type Member struct {
	Name   string
	Value  *Node // a function, or what a field begins with; nil where it begins with nothing
	Method bool
	Getter bool // a method that is called where the member is asked for
	Static bool // it is one of the class itself
}

// class reads a class, from its keyword on.
func (p *Parser) class() (*Node, error) {
	n := &Node{Form: NodeClass, First: p.Pos, Tokens: p.Tokens}
	p.Pos++
	if p.Pos < p.End && p.Tokens[p.Pos].Kind == Word && !p.peek("extends") && !p.peek("implements") {
		n.Text = p.Tokens[p.Pos].Text
		p.Pos++
	}
	p.typeParameters()
	if p.accept("extends") {
		base, err := p.unary()
		if err != nil {
			return nil, err
		}
		n.Args = []*Node{base}
	}
	for p.Pos < p.End && !p.peek("{") { // interfaces
		if p.typeParameters(); p.peek("{") {
			break
		}
		p.Pos++
	}
	if p.Pos >= p.End {
		return nil, p.want("{")
	}
	inner := &Parser{Tokens: p.Tokens, Pos: p.Pos + 1, End: p.Tokens[p.Pos].match, depth: p.depth, Typed: p.Typed}
	for inner.Pos < inner.End {
		m, err := inner.member()
		if err != nil {
			return nil, err
		}
		if m.Name != "" {
			n.Members = append(n.Members, m)
		}
	}
	p.Pos = inner.End + 1
	n.Last = p.Pos
	return n, nil
}

// typeParameters goes over types in angle brackets.
func (p *Parser) typeParameters() { p.Pos = p.angled(p.Pos) }

// maxAngled bounds how many tokens types in angle brackets have.
const maxAngled = 1000

// angled is behind types in angle brackets that begin at a token; the token itself where none do.
func (p *Parser) angled(from int) int {
	if !p.Typed || from >= p.End || !p.Tokens[from].Is("<") {
		return from
	}
	depth := 0
	for at := from; at < min(p.End, from+maxAngled); at++ {
		switch t := p.Tokens[at]; {
		case t.Is("<"):
			depth++
		case t.Is(">"), t.Is(">>"), t.Is(">>>"):
			if depth -= len(t.Text); depth <= 0 {
				return at + 1
			}
		case t.match > at:
			at = t.match
		case t.Is(";"):
			return from
		}
	}
	return from
}

// member reads one member of a class. One that has no name, or only a type, has the name "".
func (p *Parser) member() (Member, error) {
	if p.accept(";") {
		return Member{}, nil
	}
	if p.accept("@") { // a decorator
		_, err := p.unary()
		return Member{}, err
	}
	m := Member{}
	for p.modified() {
		m.Static = m.Static || p.peek("static")
		m.Getter = m.Getter || p.peek("get")
		m.Method = m.Method || p.peek("set") // left out below
		p.Pos++
	}
	setter := m.Method
	if p.peek("{") { // static {…}
		p.Pos = p.Tokens[p.Pos].match + 1
		return Member{}, nil
	}
	switch t := p.Tokens[p.Pos]; {
	case t.Kind == Word || t.Kind == JsString:
		m.Name = t.Text
		p.Pos++
	case t.Is("["):
		p.Pos = t.match + 1
	default:
		return m, errForm
	}
	if p.Typed && !p.accept("?") {
		p.accept("!")
	}
	if m.Method = p.Pos < p.End && p.Tokens[p.typeArguments(p.Pos)].Is("("); m.Method {
		m.Value = p.method()
		if m.Value == nil || setter {
			m.Name = ""
		}
		return m, nil
	}
	return m, p.field(&m)
}

// modified reports whether a word stands here that says something of the member behind it: static, async.
func (p *Parser) modified() bool {
	if p.Pos+1 >= p.End {
		return false
	}
	next := p.Tokens[p.Pos+1]
	if next.Kind != Word && next.Kind != JsString && !next.Is("[") && !next.Is("*") && !(next.Is("{") && p.peek("static")) {
		return false
	}
	switch t := p.Tokens[p.Pos]; {
	case t.Is("static"), t.Is("async"), t.Is("get"), t.Is("set"), t.Is("*"),
		p.Typed && (isAccess(t) || t.Is("abstract") || t.Is("declare")):
		return !next.newline
	}
	return false
}

// isAccess reports whether a word says who may use a member. Before a parameter of a constructor, it makes that a
// member.
func isAccess(t Token) bool {
	return t.Is("public") || t.Is("private") || t.Is("protected") || t.Is("readonly") || t.Is("override")
}

// field reads the type of a field and what it begins with.
func (p *Parser) field(m *Member) error {
	p.annotation()
	if p.accept("=") {
		x, err := p.expression()
		if err != nil {
			return err
		}
		m.Value = x
	}
	if p.Pos < p.End && !p.accept(";") && !p.Tokens[p.Pos].newline {
		return errors.New("a field does not end")
	}
	return nil
}

// annotation goes over the type of what is declared.
func (p *Parser) annotation() {
	if !p.Typed || !p.accept(":") {
		return
	}
	for p.Pos < p.End && !p.peek("=") && !p.peek(";") && !p.Tokens[p.Pos].newline {
		if m := p.Tokens[p.Pos].match; m > p.Pos {
			p.Pos = m
		}
		p.Pos++
	}
}

// method reads the parameters and the body of a method; nil where it has no body.
func (p *Parser) method() *Node {
	n := &Node{Form: NodeFunction, First: p.Pos, Tokens: p.Tokens}
	p.Pos = p.typeArguments(p.Pos)
	n.params = Block{p.Pos + 1, p.Tokens[p.Pos].match}
	n.Keys = p.words(n.params)
	p.Pos = n.params.To + 1
	if after := p.returned(p.Pos); after < p.End && p.Tokens[after].Is("{") && (after == p.Pos || p.Typed) {
		n.From, n.To = after+1, p.Tokens[after].match
		p.Pos = n.To + 1
		n.Last = p.Pos
		return n
	}
	p.skip()
	return nil
}

// words lists the names in parameters, without those of types that stand behind them.
func (p *Parser) words(b Block) []string {
	var out []string
	for at := b.From; at < b.To; {
		inType := false
		for stop := p.next(at, b.To); at < stop; at++ {
			t := p.Tokens[at]
			inType = p.Typed && t.Is(":") || inType && !t.Is("=")
			last := max(at, t.match)
			if !inType {
				for _, t := range p.Tokens[at : last+1] {
					if t.Kind == Word {
						out = append(out, t.Text)
					}
				}
			}
			at = last
		}
		at++
	}
	return out
}

// isMethod reports whether a member of an object is a function that is written as a method: get(id) {…}.
func (p *Parser) isMethod() bool {
	at := p.Pos
	for at+1 < p.End && (p.Tokens[at].Is("async") || p.Tokens[at].Is("*")) && !p.Tokens[at+1].Is("(") {
		at++
	}
	return at+1 < p.End && p.Tokens[at].Kind == Word && p.Tokens[p.typeArguments(at+1)].Is("(")
}
