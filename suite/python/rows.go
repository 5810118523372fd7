package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// maxCases bounds how many values a test is followed with.
const maxCases = 32

// rows is a test that runs with values that its file lists, which is followed with each of them: what one statement
// asserts in all its runs is one assertion, which holds where it holds in each.
type rows struct {
	said  map[int]*rounds // by where the statements begin
	from  int             // how many calls the test had when the run began
	given []script.Given  // the values of the run that are numbers, texts, or lists of these, by its parameters
}

// rounds is what one statement asserts in the runs of a test, and how values are called in each.
type rounds struct {
	*script.Assertion
	script.Rounds
	called []scope
}

// casesOf are the values that pytest.mark.parametrize runs a test with, by its parameters; nil where they are not
// written out, or something else than one list of them says how the test runs.
func (r *follower) casesOf(f *function) (cases []map[string]syntax.Node) {
	var list syntax.Call
	for _, d := range f.decorators {
		x, err := syntax.ParseExpr(d.Tokens[1:])
		call, isCall := x.(syntax.Call)
		if fn, ok := call.Fn.(syntax.Attr); isCall && ok && err == nil && fn.Name == "parametrize" && list.Fn == nil {
			list = call
		} else if slices.ContainsFunc(d.Tokens, func(t syntax.Token) bool {
			return t.Text == "parametrize" || t.Text == "given" || t.Text == "expand"
		}) {
			return nil
		}
	}
	if len(list.Args) != 2 || storesShots(f) ||
		slices.ContainsFunc(list.Kw, func(k syntax.Keyword) bool { return k.Name != "ids" }) {
		return nil
	}
	names := parameterNames(r.resolve(list.Args[0], syntax.Statement{}))
	of := list.Args[1]
	if name, ok := of.(syntax.Name); ok {
		of = r.module.constants[name.Id]
	}
	values, written := of.(syntax.Seq)
	if !written || len(names) == 0 || len(values.Elems) == 0 || len(values.Elems) > maxCases {
		return nil
	}
	for _, x := range values.Elems {
		one, ok := r.caseOf(names, x)
		if !ok {
			return nil
		}
		cases = append(cases, one)
	}
	return cases
}

// parameterNames are those of parametrize: "a,b", or a list of them.
func parameterNames(x syntax.Node) []string {
	var out []string
	switch x := x.(type) {
	case syntax.StrLit:
		out = strings.Split(x.S, ",")
	case syntax.Seq:
		for _, e := range x.Elems {
			out = append(out, writtenText(e))
		}
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// caseOf are the values of one run; false where it may be left out, or they are not as many as the parameters.
func (r *follower) caseOf(names []string, x syntax.Node) (map[string]syntax.Node, bool) {
	if call, ok := x.(syntax.Call); ok {
		fn, isParam := call.Fn.(syntax.Attr)
		if !isParam || fn.Name != "param" ||
			slices.ContainsFunc(call.Kw, func(k syntax.Keyword) bool { return k.Name != "id" }) {
			return nil, false
		}
		x = syntax.Seq{Tuple: true, Elems: call.Args}
		if len(names) == 1 && len(call.Args) == 1 {
			x = call.Args[0]
		}
	}
	values := []syntax.Node{x}
	if len(names) > 1 {
		seq, ok := x.(syntax.Seq)
		if !ok {
			return nil, false
		}
		values = seq.Elems
	}
	if len(values) != len(names) {
		return nil, false
	}
	out := map[string]syntax.Node{}
	for i, name := range names {
		out[name] = r.resolve(values[i], syntax.Statement{})
	}
	return out, true
}

// storesShots reports whether a test compares with snapshots, of which it has one for each run.
func storesShots(f *function) bool {
	return slices.ContainsFunc(f.params, func(p parameter) bool { return strings.Contains(p.name, "snapshot") })
}

// begins begins a run of the test with values for its parameters.
func (o *rows) begins(r *follower, given map[string]syntax.Node) {
	o.from, o.given = len(r.test.Calls), nil
	for _, name := range slices.Sorted(maps.Keys(given)) {
		r.env[name] = given[name]
		value := meaning.Of(given[name])
		switch value.(type) {
		case expr.Str, expr.Num:
			o.given = append(o.given, script.Given{Name: name, Value: value})
		case expr.List:
			if expr.IsScalars(value) {
				o.given = append(o.given, script.Given{Name: name, Value: value})
			}
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

// inRounds has a statement be one assertion, of all that it says in the runs of a test; said is what it does in this
// one.
func (r *follower) inRounds(a *script.Assertion, said expr.Expr) expr.Expr {
	if r.rows == nil || !r.own {
		return said
	}
	of := r.rows.said[a.At.Start]
	still := slices.DeleteFunc(slices.Clone(r.rows.given), func(p script.Given) bool {
		return !expr.Identical(meaning.Of(r.env[p.Name]), p.Value)
	})
	of.Add(script.Round{Said: said, Given: still}, script.Turn{From: r.rows.from, To: len(r.test.Calls)})
	of.called = append(of.called, r.file.names[a])
	r.file.rounds[a] = of
	a.Runs = len(of.All) > 1
	return of.Said()
}

// decided reads the condition of an if that the values of a run decide, or those that a function is called with, where
// nothing else hangs on it.
func (r *follower) decided(st syntax.Statement, tokens []syntax.Token) (yes, ok bool) {
	if r.own && r.rows == nil || tokens[0].Text != "if" {
		return false, false
	}
	for _, next := range r.ahead {
		if len(next.Indent) <= len(st.Indent) {
			if next.Is("elif") || next.Is("else") {
				return false, false
			}
			break
		}
	}
	calls := len(r.test.Calls)
	x := meaning.Of(r.valueAt(st, tokens[1:len(tokens)-1]))
	if expr.UnknownIn(x) != "" || expr.FromAnswer(x) || len(r.test.Calls) > calls {
		return false, false
	}
	v, err := expr.Scope{}.Eval(x)
	if err != nil {
		return false, false
	}
	return source.Truth(v)
}

// names are those of the last run that mean the same in each.
func (o *rounds) names() scope {
	last := o.called[len(o.called)-1]
	out := scope{answers: map[string]string{}}
	for call, name := range last.answers {
		if o.Everywhere(expr.Answer{Var: call}, func(run int) expr.Expr { return answerNamed(o.called[run], name) }) {
			out.answers[call] = name
		}
	}
	for _, v := range last.values {
		if o.Everywhere(v.value, func(run int) expr.Expr { return valueNamed(o.called[run], v.name) }) {
			out.values = append(out.values, v)
		}
	}
	return out
}

// answerNamed is the answer that has a name, as its status; nil where none has.
func answerNamed(c scope, name string) expr.Expr {
	for call, own := range c.answers {
		if own == name {
			return expr.Answer{Var: call}
		}
	}
	return nil
}

// valueNamed is what was taken from an answer by a name; nil where nothing was.
func valueNamed(c scope, name string) expr.Expr {
	for _, v := range c.values {
		if v.name == name {
			return v.value
		}
	}
	return nil
}
