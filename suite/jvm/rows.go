package jvm

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/given"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// rows is a test that runs with values that are written out, or a loop over such, which is followed with each of them:
// what one statement asserts in all of the runs is one assertion, which holds where it holds in each.
type rows struct {
	said  map[int]*rounds // by where the assertions begin
	from  int             // how many calls the test had when the run began
	given []param
}

// param is a parameter that has a value in one run.
type param struct {
	name, typ string
	value     expr.Expr
}

// rounds is what one statement asserts in the runs of a test.
type rounds struct {
	*script.Assertion
	script.Turns
	all   []round
	times int // how often it was come to
}

// round is what is asserted in one run, and what is known there.
type round struct {
	means expr.Expr
	claim exchange.Claim
	names scope
	given []param
}

// runsOf are the values of the runs of a test, nil where they are not known; several is whether it has several runs.
func (w *written) runsOf(f *java.Method) (runs [][]java.Node, several bool) {
	scratch := w.follower(&script.Test{}, f)
	if runs, several = given.Runs(w.module, f, scratch); len(scratch.test.Calls) > 0 {
		runs = nil
	}
	return runs, several
}

// ValueOf is what an expression of an annotation stands for.
func (r *follower) ValueOf(from, to int) java.Node { return r.valueOf(from, to) }

// Gives is what a method of the file gives that takes nothing.
func (r *follower) Gives(f *java.Method) java.Node { return r.inline(f, nil, "") }

// takes gives names their values in a run.
func (o *rows) takes(r *follower, params []java.Parameter, values []java.Node) {
	o.given = nil
	for i, x := range values {
		r.env[params[i].Name] = bounded(x)
		switch value := meaning.Of(x).(type) {
		case expr.Str, expr.Num, expr.Neg:
			o.given = append(o.given, param{params[i].Name, params[i].Typ, value})
		}
	}
}

// anew notes the first call of a run, which a run before it does not keep from being sent.
func (o *rows) anew(t *script.Test) {
	for _, c := range t.Calls[o.from:] {
		if c.Once == "" {
			c.Anew = o.from > 0
			return
		}
	}
}

// listed is the assertion that begins at a place and that an earlier run came to; nil for none.
func (o *rows) listed(at script.Span) *script.Assertion {
	if o == nil || o.said[at.Start] == nil {
		return nil
	}
	o.said[at.Start].times++
	a := o.said[at.Start].Assertion
	a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	return a
}

// list notes an assertion that a run came to first.
func (o *rows) list(a *script.Assertion) {
	if o != nil {
		o.said[a.At.Start] = &rounds{Assertion: a, times: 1}
	}
}

// inRounds has an assertion say what it does in the run that is followed, beside what it said in those before.
func (r *follower) inRounds(a *script.Assertion, names scope) {
	if r.rows == nil || !r.own || r.rows.said[a.At.Start] == nil {
		return
	}
	of := r.rows.said[a.At.Start]
	still := slices.DeleteFunc(slices.Clone(r.rows.given), func(p param) bool {
		return !expr.Identical(meaning.Of(r.env[p.name]), p.value)
	})
	of.all = append(of.all, round{a.Meaning, a.Claim, names, still})
	of.Turns = append(of.Turns, script.Turn{From: r.rows.from, To: len(r.test.Calls)})
	r.file.rounds[a.At.Start] = of
	if a.Runs = len(of.all) > 1; !a.Runs {
		return
	}
	var all []expr.Expr
	for _, one := range of.all {
		all = append(all, conjuncts(one.means)...)
	}
	a.Meaning = expr.AllOf(all...)
	a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
}

// ends ends the runs: an assertion that is not understood in one of them is not understood.
func (o *rows) ends() {
	for _, of := range o.said {
		if a := of.Assertion; a.Reason != "" && a.Reason != script.UnderCondition || len(of.all) != of.times {
			a.Meaning = nil
			a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
		}
	}
}

func conjuncts(x expr.Expr) []expr.Expr {
	if and, ok := x.(expr.And); ok {
		return and.Xs
	}
	return []expr.Expr{x}
}

// last is an assertion as the last run has it.
func (o *rounds) last(a *script.Assertion) *script.Assertion {
	end := o.all[len(o.all)-1]
	one := *a
	one.Meaning, one.Claim = end.means, end.claim
	if was, ok := o.alike(a.Meaning); ok {
		one.Meaning = was
	}
	return &one
}

// alike is what is said of each run alike, as it is said of the last one; false where something is said of some of them
// alone. A value that a parameter gives each run is called by that.
func (o *rounds) alike(x expr.Expr) (expr.Expr, bool) {
	said, shared, ok := o.Apart(conjuncts(x))
	if !ok || !o.Alike() {
		return nil, false
	}
	end := o.all[len(o.all)-1]
	tries := [][]param{nil, end.given}
	for _, p := range end.given {
		tries = append(tries, []param{p})
	}
	for _, params := range tries {
		if one, ok := o.same(said, params); ok {
			all := append(slices.Clone(shared), one...)
			return expr.AllOf(all...), len(all) > 0
		}
	}
	return nil, false
}

// same is what is said of every run, with values called by some of the parameters.
func (o *rounds) same(said [][]expr.Expr, params []param) ([]expr.Expr, bool) {
	var out []expr.Expr
	for i, one := range said {
		one = slices.Clone(one)
		for _, p := range params {
			at := slices.IndexFunc(o.all[i].given, func(q param) bool { return q.name == p.name })
			if at < 0 {
				return nil, false
			}
			for n := range one {
				one[n] = expr.Subst(one[n], o.all[i].given[at].value, expr.Name{ID: p.name})
			}
		}
		if i > 0 && !slices.EqualFunc(one, out, expr.Identical) {
			return nil, false
		}
		out = one
	}
	return out, true
}

// names are those of the last run that mean the same in each, with those of its parameters.
func (o *rounds) names() scope {
	end := o.all[len(o.all)-1]
	out := scope{answers: map[string]named{}, moved: end.names.moved}
	for call, name := range end.names.answers {
		everywhere := true
		for i, one := range o.all {
			everywhere = everywhere && one.names.calls(name.name, func(of string) bool { return o.RenamedCall(i, of) == call })
		}
		if everywhere {
			out.answers[call] = name
		}
	}
	for _, v := range end.names.values {
		everywhere := true
		for i, one := range o.all {
			everywhere = everywhere && slices.ContainsFunc(one.names.values, func(w named) bool {
				return v.name == w.name && expr.Identical(v.x, o.Renamed(i, w.x))
			})
		}
		if everywhere {
			out.values = append(out.values, v)
		}
	}
	for _, p := range end.given {
		out.values = append(out.values, named{name: p.name, typ: p.typ, x: expr.Name{ID: p.name}})
	}
	return out
}

// calls reports whether a name is that of the answer to a call.
func (c scope) calls(name string, is func(call string) bool) bool {
	for call, own := range c.answers {
		if own.name == name && is(call) {
			return true
		}
	}
	return false
}
