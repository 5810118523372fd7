package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/syntax"
)

// turnsOf are the values of the names of a loop over what is written out, for each of its turns; false for any other
// loop, and where a turn may not run to its end.
func (r *follower) turnsOf(st syntax.Statement) (turns []map[string]syntax.Node, ok bool) {
	in := topLevel(st.Tokens, "in")
	last := len(st.Tokens) - 1
	if !st.Is("for") || in < 2 || st.Tokens[last].Text != ":" || !r.own || r.rows != nil || r.file.said != nil ||
		r.inside(conditional) || r.inside(repeated) || r.leavesOut(st) || storesShots(r.fn) {
		return nil, false
	}
	var names []string
	for _, t := range st.Tokens[1:in] {
		switch {
		case t.Kind == syntax.TokenName:
			names = append(names, t.Text)
		case t.Text != "," && t.Text != "(" && t.Text != ")":
			return nil, false
		}
	}
	calls := len(r.test.Calls)
	x, err := syntax.ParseExpr(st.Tokens[in+1 : last])
	list, written := x.(syntax.Seq)
	if name, ok := x.(syntax.Name); ok && err == nil {
		list, written = r.named(name).(syntax.Seq)
	}
	if err != nil || !written || len(list.Elems) == 0 || len(list.Elems) > maxCases {
		return nil, false
	}
	for _, e := range list.Elems {
		one, ok := r.caseOf(names, e)
		if !ok || len(r.test.Calls) > calls || slices.ContainsFunc(names, func(n string) bool {
			_, unknown := one[n].(pyOpaque)
			return unknown
		}) {
			return nil, false
		}
		turns = append(turns, one)
	}
	return turns, true
}

// unrolled follows the turns of a loop, and is how many statements stand in it.
func (r *follower) unrolled(loop syntax.Statement, turns []map[string]syntax.Node) int {
	n := 0
	for n < len(r.ahead) && len(r.ahead[n].Indent) > len(loop.Indent) {
		n++
	}
	body := r.ahead[:n]
	r.rows, r.fn.unrolled = &rows{said: map[int]*rounds{}}, true
	for _, given := range turns {
		r.rows.begins(r, given)
		r.follow(body)
	}
	r.rows = nil
	return n
}
