package js

import (
	"slices"
	"strings"
)

// Each is what a loop goes over: for (const param of list).
type Each struct {
	Param Param
	List  *Node
}

// each reads the head of a loop over the elements of a list; nil where it is another.
func (p *Parser) each() *Each {
	if p.End-p.Pos < 4 || !declares(p.Tokens, p.Pos+1) {
		return nil
	}
	open := p.Pos + 1
	stop := max(open, p.Tokens[open].match) + 1
	if stop >= p.End || !p.Tokens[stop].Is("of") {
		return nil
	}
	p.Pos = stop + 1
	list, err := p.expression()
	if err != nil || p.Pos != p.End {
		return nil
	}
	return &Each{Param: p.param(open, stop), List: list}
}

// Leaves reports whether what stands in a block may leave it before its end, or go on with its next turn.
func (b Block) Leaves(tokens []Token) bool {
	for i := b.From; i < b.To; i++ {
		t := tokens[i]
		switch {
		case t.Kind != Word, i > 0 && (tokens[i-1].Is(".") || tokens[i-1].Is("?.")):
		case t.Is("break"), t.Is("continue"), t.Is("return"), t.Is("yield"):
			return true
		}
	}
	return false
}

// Async reports whether a function is async: whoever calls it goes on before it has ended.
func (n *Node) Async() bool { return n.First < len(n.Tokens) && n.Tokens[n.First].Is("async") }

// Columns are the names of the columns of a table that a template holds, as its first line has them with bars between;
// nil where they are no names.
func Columns(template *Node) []string {
	names := strings.Split(template.Keys[0], "|")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	if slices.ContainsFunc(names, func(name string) bool { return !Identifier.MatchString(name) }) {
		return nil
	}
	return names
}
