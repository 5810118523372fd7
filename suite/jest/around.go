package jest

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// A loop over a list of an answer is followed once, with a name for the element: what it asserts holds for all of them.

// throughList follows a loop over a list of an answer; false where the list is none, or where the loop sends requests,
// whose number would be the list's.
func (r *follower) throughList(st js.Statement, t *table) bool {
	calls, listed := len(r.test.Calls), len(r.test.Assertions)
	list := r.eval(t.x)
	if list.x == nil || !expr.FromAnswer(list.x) || list.fields != nil || len(r.test.Calls) > calls {
		return false
	}
	in := *r
	in.seen = map[*js.Node]known{}
	in.enter(nil)
	in.reading = in.newReading()
	in.around = expr.Each{Var: t.element(), List: list.x}
	element := value{x: expr.Name{ID: in.around.Var}, text: script.Unknown}
	if t.fn != nil {
		in.parameters(t.fn, []value{element, unknown("the number of an element")})
		in.runs(t.fn)
	} else {
		in.parameter(t.param, element)
		in.block(t.body(st))
	}
	if len(r.test.Calls) > calls {
		for _, a := range r.test.Assertions[listed:] {
			a.Meaning, a.Reason = nil, "the test runs with several values"
		}
		r.repeats("for", calls)
	}
	return true
}

// element is what a loop calls the element of its list: a name that no source can have, where it takes that apart.
func (t *table) element() string {
	param := t.param
	if t.fn != nil && len(t.fn.Keys) > 0 {
		param.Name = t.fn.Keys[0]
	}
	if js.Identifier.MatchString(param.Name) {
		return param.Name
	}
	return "\x00element"
}

// ofEach is what an assertion says in a loop over a list of an answer: it holds for all elements. It is false where it
// is not about these, since the loop may not run at all.
func (r *follower) ofEach(x expr.Expr) (expr.Expr, bool) {
	if r.around.Var == "" || x == nil {
		return x, true
	}
	return expr.OfEach(x, r.around)
}

// ofElement reports whether an expression is about the element of the list that the statement's loop goes over.
func (r *follower) ofElement(x expr.Expr) bool {
	return r.around.Var != "" && expr.About(x, expr.Name{ID: r.around.Var})
}
