package python

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// each reads for name in list, where the list is taken from an answer: what is asserted in its block is said of all
// elements. It is false for any other loop.
func (r *follower) each(st syntax.Statement, tokens []syntax.Token) (expr.Each, bool) {
	n := len(tokens)
	if n < 5 || tokens[0].Text != "for" || tokens[1].Kind != syntax.TokenName || tokens[2].Text != "in" || tokens[n-1].Text != ":" ||
		r.inside(conditional) || r.inside(repeated) || r.leavesOut(st) {
		return expr.Each{}, false
	}
	calls := len(r.test.Calls)
	list := meaning.Of(r.valueAt(st, tokens[3:n-1]))
	_, written := list.(expr.List)
	if what := expr.UnknownIn(list); what != "" || written || !expr.FromAnswer(list) || len(r.test.Calls) > calls {
		return expr.Each{}, false
	}
	name := tokens[1].Text
	r.env[name] = meaning.Element{Name: name}
	return expr.Each{Var: name, List: list}, true
}

// ofElement gives a name, in a loop over a list of an answer, what is made of the element: it stands for that up to the
// end of the loop. It is false where the name is given something else, or stood for something before.
func (r *follower) ofElement(name string, x syntax.Node) bool {
	each := r.around()
	if _, stood := r.env[name]; each.Var == "" || stood || r.inside(conditional) || expr.UnknownIn(meaning.Of(x)) != "" {
		return false
	}
	last := &r.blocks[len(r.blocks)-1]
	if last.kind != repeated || !expr.Mentions[expr.Name](meaning.Of(x)) {
		return false
	}
	r.env[name], last.names = x, append(last.names, name)
	return true
}

// leavesOut reports whether a loop may end early, or go on before its end.
func (r *follower) leavesOut(loop syntax.Statement) bool {
	for _, st := range r.ahead {
		switch {
		case len(st.Indent) <= len(loop.Indent):
			return false
		case st.Is("break"), st.Is("continue"), st.Is("return"), st.Is("yield"):
			return true
		}
		for _, t := range st.Tokens { // if x: continue
			if t.Kind == syntax.TokenName && (t.Text == "break" || t.Text == "continue" || t.Text == "return") {
				return true
			}
		}
	}
	return false
}

// leaveBlock ends the innermost block.
func (r *follower) leaveBlock() {
	last := r.blocks[len(r.blocks)-1]
	if last.kind == repeated {
		for _, name := range append(last.names, last.each.Var) {
			r.env[name] = meaning.Opaque{What: "the variable of a loop"}
		}
	}
	if last.raises != nil {
		last.raises.to = len(r.test.Calls)
	}
	r.blocks = r.blocks[:len(r.blocks)-1]
}

// around is the loop over a list of an answer that the statement stands in; without one, that of no name.
func (r *follower) around() expr.Each {
	for _, b := range r.blocks {
		if b.kind == repeated {
			return b.each
		}
	}
	return expr.Each{}
}

// ofEach is what an assertion says in a loop over a list of an answer: it holds for all elements.
func (r *follower) ofEach(said expr.Expr) expr.Expr {
	each := r.around()
	if each.Var == "" {
		return said
	}
	if all, ok := expr.OfEach(said, each); ok {
		return all
	}
	return meaning.Unknown("whether the loop runs at all")
}
