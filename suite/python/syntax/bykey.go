package syntax

import "errors"

// ByKey is an object that is made of the elements of a list: {key: value for name in list if cond}.
type ByKey struct {
	Key, Value Node
	Names      []string
	List       Node
	Cond       Node // nil where not given
}

// byKey reads what follows the first member of an object that is made of a list: one for, at most one if.
func (p *parser) byKey(key, value Node) (Node, error) {
	out := ByKey{Key: key, Value: value}
	p.accept("for")
	for !p.accept("in") {
		if p.pos == len(p.tokens) || p.tokens[p.pos].Kind != TokenName {
			return nil, errors.New("a name is missing after for")
		}
		out.Names = append(out.Names, p.tokens[p.pos].Text)
		p.pos++
		p.accept(",")
	}
	var err error
	out.List, err = p.or()
	if err == nil && p.accept("if") {
		out.Cond, err = p.or()
	}
	if err == nil {
		err = p.want("}")
	}
	return out, err
}

// comprehension reads what follows the element of a comprehension: one for, at most one if.
func (p *parser) comprehension(elem Node) (Node, error) {
	c := Comp{Elem: elem}
	p.accept("for")
	if p.pos == len(p.tokens) || p.tokens[p.pos].Kind != TokenName {
		return nil, errors.New("a name is missing after for")
	}
	c.Name = p.tokens[p.pos].Text
	p.pos++
	if p.accept(",") && p.pos < len(p.tokens) && p.tokens[p.pos].Kind == TokenName {
		c.Value = p.tokens[p.pos].Text
		p.pos++
	}
	err := p.want("in")
	if err == nil {
		c.List, err = p.or()
	}
	if err == nil && p.accept("if") {
		c.Cond, err = p.or()
	}
	return c, err
}
