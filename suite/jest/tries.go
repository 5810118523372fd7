package jest

import (
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// tries follows a try: what it tries, its finally, and what catches the error.
func (r *follower) tries(st js.Statement) {
	in, before := r.in, len(r.test.Calls)
	defer r.under()()
	r.in.Guarded = in.Guarded || st.Blocks[1].To > 0
	r.block(st.Blocks[0])
	sent := r.test.Calls[before:]
	r.in = in
	r.block(st.Blocks[2])
	names := r.words(st.Blocks[1].From)
	if len(sent) == 1 && len(names) == 1 && r.throws(sent[0]) {
		outer, caught := r.scope, r.caught
		r.enter(nil)
		r.scope.vars[names[0]], r.caught = errorOf(sent[0]), sent[0]
		r.block(st.Blocks[1])
		r.scope, r.caught = outer, caught
		return
	}
	r.in.Condition = true
	r.block(st.Blocks[1], names...)
}

// throws reports whether a client raises an error for the answer to a call that is no success, as axios does unless it
// is told what is one.
func (r *follower) throws(c *script.Call) bool {
	return r.file.calls[c] == library.Axios && !r.file.lenient[c] && !r.file.module.mentions("interceptors")
}

// errorOf is what axios raises for an answer.
func errorOf(c *script.Call) value {
	return value{text: script.Unknown, what: "an error", raises: c,
		fields: []field{{"response", value{answer: c, text: script.Unknown}}}}
}
