package js

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// Part is a name that a pattern gives a part of a value: a and b of {a, x: [b]}.
type Part struct {
	Name  string
	Of    *Node       // the value; nil where that is the argument of a function
	Steps []expr.Expr // the way to the part: texts are keys, numbers are indices
	Known bool        // the part is what is there: it is no rest, and has no default
	// Rest is whether it is an object of the members that the pattern does not take, which Without lists: the rest of
	// {id, ...rest}; or an array of the elements behind some. Steps lead to the object, or the array, that both are of.
	Rest    bool
	Without []string
	// After is how many elements of an array stand before its rest, where Without is nil.
	After   int
	Default *Node // what it is where nothing is there; nil where it has none
}

// Param is a parameter of a function: a name, or the parts of a pattern.
type Param struct {
	Name    string
	Parts   []Part
	Default *Node // nil where there is none
	Rest    bool
	Field   bool // of a constructor: it is a member too (TypeScript)
}

// next is where an element of a list in brackets ends that begins at a token: at a comma, or at the end of the list.
func (p *Parser) next(at, end int) int {
	for ; at < end && !p.Tokens[at].Is(","); at++ {
		if m := p.Tokens[at].match; m > at {
			at = m
		}
	}
	return min(at, end)
}

// parts lists the names of the pattern whose bracket opens at a token.
func (p *Parser) parts(open int, of *Node, steps []expr.Expr) []Part {
	if len(steps) > MaxNested {
		return nil
	}
	var out []Part
	taken := []string{} // of an object
	end := p.Tokens[open].match
	plain := p.Tokens[open].Is("{") // an object, none of whose keys are computed
	for at, n := open+1, 0; at < end; n++ {
		stop := p.next(at, end)
		step := expr.Int(n)
		if p.Tokens[open].Is("[") && at+2 == stop && p.Tokens[at].Is("...") {
			out = append(out, Part{Name: p.Tokens[at+1].Text, Of: of, Steps: steps, Rest: true, After: n})
			break
		}
		if p.Tokens[open].Is("{") && at < stop {
			t := p.Tokens[at]
			if plain && t.Is("...") && at+2 == stop {
				out = append(out, Part{Name: p.Tokens[at+1].Text, Of: of, Steps: steps, Rest: true, Without: taken})
				break
			}
			plain = plain && t.match < 0
			taken = append(taken, t.Text)
			step = expr.Str{Value: t.Text}
			if at+1 < stop && p.Tokens[at+1].Is(":") && t.match < 0 {
				at += 2
			}
		}
		out = append(out, p.part(at, stop, of, append(slices.Clip(steps), step))...)
		at = stop + 1
	}
	return out
}

// part is what one element of a pattern takes: a name, or the parts of a pattern within.
func (p *Parser) part(at, stop int, of *Node, steps []expr.Expr) []Part {
	if at >= stop {
		return nil
	}
	switch t := p.Tokens[at]; {
	case t.Is("...") && at+1 < stop:
		return []Part{{Name: p.Tokens[at+1].Text, Of: of}}
	case t.Kind == Word:
		return []Part{{Name: t.Text, Of: of, Steps: steps, Known: at+1 == stop, Default: p.otherwise(at+1, stop)}}
	case t.match > at:
		inner := p.parts(at, of, steps)
		for i := range inner {
			if t.match+1 == stop || p.isEmpty(t.match+1, stop) {
				continue
			}
			inner[i] = Part{Name: inner[i].Name, Of: of}
		}
		return inner
	}
	return nil
}

// otherwise is the default that begins with = at a token; nil where there is none.
func (p *Parser) otherwise(at, stop int) *Node {
	if at >= stop || !p.Tokens[at].Is("=") {
		return nil
	}
	inner := &Parser{Tokens: p.Tokens, Pos: at + 1, End: stop, Typed: p.Typed, depth: p.depth}
	x, err := inner.expression()
	if err != nil || inner.Pos != stop {
		return nil
	}
	return x
}

// isEmpty reports whether a default is an object or an array with nothing in it: what is taken of that is not there
// either way.
func (p *Parser) isEmpty(at, stop int) bool {
	x := p.otherwise(at, stop)
	return x != nil && (x.Form == NodeObject || x.Form == NodeArray) && len(x.Args) == 0
}

// Params lists the parameters of a function.
func (p *Parser) Params(f *Node) []Param {
	var out []Param
	for at := f.params.From; at < f.params.To; {
		stop := p.next(at, f.params.To)
		if at < stop {
			out = append(out, p.param(at, stop))
		}
		at = stop + 1
	}
	return out
}

func (p *Parser) param(at, stop int) Param {
	var one Param
	if one.Rest = p.Tokens[at].Is("..."); one.Rest && at+1 < stop {
		at++
	}
	for p.Typed && at+1 < stop && isAccess(p.Tokens[at]) && p.Tokens[at+1].Kind == Word {
		one.Field = true
		at++
	}
	switch t := p.Tokens[at]; {
	case t.Kind == Word:
		one.Name = t.Text
	case t.match > at:
		one.Parts = p.parts(at, nil, nil)
		at = t.match
	}
	for ; at < stop; at++ {
		if p.Tokens[at].Is("=") {
			inner := &Parser{Tokens: p.Tokens, Pos: at + 1, End: stop, Typed: p.Typed}
			if x, err := inner.expression(); err == nil && inner.Pos == stop {
				one.Default = x
			}
			break
		}
		if m := p.Tokens[at].match; m > at {
			at = m
		} else if p.Typed {
			at = max(at, p.angled(at)-1)
		}
	}
	return one
}

// typeArguments is behind the type arguments that begin at a token and that a call follows, as in get<Order>(url), or
// behind those of a function that is declared; the token itself where there are none.
func (p *Parser) typeArguments(at int) int {
	if !p.Typed || at >= p.End || !p.Tokens[at].Is("<") {
		return at
	}
	depth := 0
	for i := at; i < p.End; i++ {
		switch t := p.Tokens[i]; {
		case t.Is("<"):
			depth++
		case t.Is(">"), t.Is(">>"), t.Is(">>>"):
			if depth -= len(t.Text); depth <= 0 {
				if i+1 < p.End && p.Tokens[i+1].Is("(") {
					return i + 1
				}
				return at
			}
		case t.match > i:
			i = t.match
		case t.Kind == Word, t.Kind == JsString, t.Is("."), t.Is(","), t.Is("|"), t.Is("&"), t.Is("?"), t.Is(":"):
		default:
			return at
		}
	}
	return at
}

// returned is behind the type of what a function returns, if one begins at the token.
func (p *Parser) returned(at int) int {
	if !p.Typed || at >= p.End || !p.Tokens[at].Is(":") {
		return at
	}
	if at++; at < p.End && p.Tokens[at].Is("{") { // a type that is written out
		at = p.Tokens[at].match + 1
	}
	for ; at < p.End && !p.Tokens[at].Is("=>") && !p.Tokens[at].Is("{"); at++ {
		t := p.Tokens[at]
		if t.Is(";") || t.Is(",") && t.newline || t.Is(")") {
			break
		}
		if t.match > at {
			at = t.match
		} else if behind := p.angled(at); behind > at {
			at = behind - 1
		}
	}
	return at
}

// skipType goes over a type of TypeScript behind as: names, points, brackets, arguments.
func (p *Parser) skipType() error {
	joins := func() bool { // a type has to follow
		before := &p.Tokens[p.Pos-1]
		return before.Is("as") || before.Is("satisfies") || before.Is("|") || before.Is("&")
	}
	for p.Pos < p.End {
		switch t := p.Tokens[p.Pos]; {
		case t.Kind == Word, t.Kind == JsString && joins(), t.Is("."), t.Is("|"), t.Is("&"):
			p.Pos++
		case t.Is("["), t.Is("{") && joins():
			p.Pos = t.match + 1
		default:
			behind := p.angled(p.Pos)
			if behind == p.Pos {
				return nil
			}
			p.Pos = behind
		}
	}
	return nil
}
