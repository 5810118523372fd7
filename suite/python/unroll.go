package python

import "slices"

// turnsOf are the values of the names of a loop over what is written out, for each of its turns; false for any other
// loop, and where a turn may not run to its end.
func (r *follower) turnsOf(st statement) (turns []map[string]node, ok bool) {
	in := topLevel(st.tokens, "in")
	last := len(st.tokens) - 1
	if !st.is("for") || in < 2 || st.tokens[last].text != ":" || !r.own || r.rows != nil || r.file.said != nil ||
		r.inside(conditional) || r.inside(repeated) || r.leavesOut(st) || storesShots(r.fn) {
		return nil, false
	}
	var names []string
	for _, t := range st.tokens[1:in] {
		switch {
		case t.kind == tokenName:
			names = append(names, t.text)
		case t.text != "," && t.text != "(" && t.text != ")":
			return nil, false
		}
	}
	calls := len(r.test.Calls)
	x, err := parseExpr(st.tokens[in+1 : last])
	list, written := x.(pySeq)
	if name, ok := x.(pyName); ok && err == nil {
		list, written = r.named(name).(pySeq)
	}
	if err != nil || !written || len(list.elems) == 0 || len(list.elems) > maxCases {
		return nil, false
	}
	for _, e := range list.elems {
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
func (r *follower) unrolled(loop statement, turns []map[string]node) int {
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
