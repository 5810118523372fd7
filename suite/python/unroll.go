package python

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// turnsOf are the values of the names of a loop over what is written out, for each of its turns; false for any other
// loop, and where a turn may not run to its end.
func (r *follower) turnsOf(st syntax.Statement) (turns []map[string]syntax.Node, ok bool) {
	in := syntax.TopLevel(st.Tokens, "in")
	last := len(st.Tokens) - 1
	if !st.Is("for") || in < 2 || st.Tokens[last].Text != ":" || r.own && r.rows != nil || r.file.said != nil ||
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
	if err != nil {
		return nil, false
	}
	list, written := r.listed(x)
	if !written || len(list.Elems) == 0 && r.own || len(list.Elems) > maxCases {
		return nil, false
	}
	for _, e := range list.Elems {
		one, ok := r.caseOf(names, e)
		if !ok || len(r.test.Calls) > calls || slices.ContainsFunc(names, func(n string) bool {
			_, unknown := one[n].(meaning.Opaque)
			return unknown
		}) {
			return nil, false
		}
		turns = append(turns, one)
	}
	return turns, true
}

// listed is a list that is written out, as it is or as the members of an object that is.
func (r *follower) listed(x syntax.Node) (syntax.Seq, bool) {
	call, _ := x.(syntax.Call)
	fn, isMethod := call.Fn.(syntax.Attr)
	if isMethod && fn.Name == "items" && len(call.Args)+len(call.Kw) == 0 {
		of := fn.X
		if name, ok := of.(syntax.Name); ok {
			of = r.named(name)
		}
		members, ok := of.(syntax.Dict)
		var out syntax.Seq
		for i, key := range members.Keys {
			if _, written := key.(syntax.StrLit); !written {
				return syntax.Seq{}, false
			}
			out.Elems = append(out.Elems, syntax.Seq{Tuple: true, Elems: []syntax.Node{key, members.Values[i]}})
		}
		return out, ok
	}
	if name, ok := x.(syntax.Name); ok {
		x = r.named(name)
	}
	list, ok := x.(syntax.Seq)
	return list, ok
}

// unrolled follows the turns of a loop, and is how many statements stand in it.
func (r *follower) unrolled(loop syntax.Statement, turns []map[string]syntax.Node) int {
	n := 0
	for n < len(r.ahead) && len(r.ahead[n].Indent) > len(loop.Indent) {
		n++
	}
	body := r.ahead[:n]
	if !r.own { // each turn is a use of its own of what the function asserts
		for _, given := range turns {
			maps.Copy(r.env, given)
			r.follow(body)
		}
		return n
	}
	r.rows, r.fn.unrolled = &rows{said: map[int]*rounds{}}, true
	for _, given := range turns {
		r.rows.begins(r, given)
		r.follow(body)
	}
	r.rows = nil
	return n
}
