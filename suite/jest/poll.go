package jest

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// loop is a loop that is followed once, whose turns are not known: one that waits for something. What each of them
// gives a name is, behind the loop, what the last turn gave it: the part of the last answer to what the loop sends.
type loop struct {
	from int  // how many calls the test had before it
	once bool // it has a turn at least
	left bool // it may have been left, or a turn begun, before this statement, and behind what it sent
	// same are the names that its turns give the answer to what was sent right before it, and is sent again, with their
	// values before it: one call stands for all of these
	same map[string]value
}

// turns enters a loop or a condition, and returns what leaves it again.
func (r *follower) turns(st js.Statement) (leave func()) {
	if st.Keyword == "if" || st.Keyword == "with" {
		restore := r.under()
		return func() {
			restore()
			if l := r.loop; l != nil && len(r.test.Calls) > l.from &&
				slices.ContainsFunc(st.Blocks, func(b js.Block) bool { return b.Leaves(r.tokens) }) {
				l.left = true
			}
		}
	}
	outer, sure := r.loop, r.sure
	r.sure = outer == nil && !r.in.Condition || outer != nil && sure
	r.loop = &loop{from: len(r.test.Calls), once: st.Keyword == "do", same: map[string]value{}}
	return func() {
		r.join()
		r.loop, r.sure = outer, sure
	}
}

// join has the call right before a loop stand for those of its turns, where it has the names of these.
func (r *follower) join() {
	l := r.loop
	one := len(r.test.Calls) == l.from+1 && !r.test.LooksAt(r.test.Calls[l.from])
	for name, v := range l.same {
		if !one {
			v = unknown("what is assigned under a condition")
		}
		r.put(name, v)
	}
	if one && len(l.same) > 0 {
		r.test.Calls = r.test.Calls[:l.from]
		r.test.Calls[l.from-1].Many, r.test.Calls[l.from-1].Last = true, true
	}
}

// under enters what is not run in each turn of a loop, and returns what leaves it again.
func (r *follower) under() (leave func()) {
	sure := r.sure
	r.sure = false
	return func() { r.sure = sure }
}

// last reports whether a name has a value behind a loop which is that of its last turn: each turn gives it one, of what
// was answered in that turn, and it has no answer's before that the loop might leave to it.
func (r *follower) last(name string, v value) bool {
	if r.loop == nil || !r.sure || r.loop.left || r.caught != nil {
		return false
	}
	before, _ := r.held(name)
	if !r.loop.once && (!before.within(maxValue) || before.answered()) && !r.polls(before) && !r.again(name, before, v) {
		return false
	}
	return r.polled(v)
}

// again reports whether a loop's turn gives a name what it was given by the answer to the call right before the loop,
// by the answer to the same call.
func (r *follower) again(name string, before, v value) bool {
	at, all := r.loop.from, r.test.Calls
	if at == 0 || len(all) != at+1 || !slices.Equal(r.answers(before), all[at-1:at]) ||
		!slices.Equal(r.answers(v), all[at:]) || r.test.LooksAt(all[at-1]) || !all[at-1].Sends(all[at]) {
		return false
	}
	if _, known := r.loop.same[name]; !known {
		r.loop.same[name] = before
	}
	return true
}

// polled notes of what a loop hands on, if it is of the answers of its turn, that these are the last.
func (r *follower) polled(v value) bool {
	if !r.polls(v) {
		return false
	}
	for _, c := range r.answers(v) {
		c.Last = true
	}
	return true
}

// polls reports whether a value is made of answers that the loop's own turn was given, and of nothing that changes from
// turn to turn beside them.
func (r *follower) polls(v value) bool {
	if r.loop == nil || !v.within(maxValue) || !v.answered() {
		return false
	}
	return !slices.ContainsFunc(r.answers(v), func(c *script.Call) bool {
		return slices.Index(r.test.Calls, c) < r.loop.from
	})
}

// answered reports whether a value is an answer, or is made of answers and of what is written out.
func (v value) answered() bool {
	if v.answer != nil || v.x != nil && expr.FromAnswer(v.x) {
		return !script.Computed(v.x)
	}
	if v.hasMembers() || v.array || len(v.fields) == 0 {
		return false
	}
	return slices.ContainsFunc(v.fields, func(f field) bool { return f.value.answered() }) &&
		!slices.ContainsFunc(v.fields, func(f field) bool { return script.Computed(f.value.x) })
}

// answers lists the calls whose answers a value is made of.
func (r *follower) answers(v value) []*script.Call {
	var out []*script.Call
	if v.answer != nil {
		out = append(out, v.answer)
	}
	out = append(out, r.test.Answers(v.x)...)
	for _, f := range v.fields {
		out = append(out, r.answers(f.value)...)
	}
	return out
}
