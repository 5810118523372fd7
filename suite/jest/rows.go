package jest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// maxRows bounds how many values a test or a loop is followed with.
const maxRows = 32

// handing is how a function is given a row.
type handing uint8

const (
	spreads  handing = iota // a row that is an array is several arguments, as each has it
	asItIs                  // a row is the argument
	numbered                // a row is the first argument, and its number the second, as forEach has it
)

// table is what a test, a describe or a loop runs with, once for each of its rows.
type table struct {
	x     *js.Node // the list, or the template of Jest's each
	fn    *js.Node // the function that is given a row; nil for a loop
	param js.Param // of a loop
	by    handing
}

// tableOf reads what runs a function with several values: it.each(list), it.each`…`, it.for(list); nil for any other.
func tableOf(callee, fn *js.Node) *table {
	if callee.Form != js.NodeCall || len(callee.Args) != 2 || callee.Args[0].Form != js.NodeMember {
		return nil
	}
	switch callee.Args[0].Text {
	case "each":
		return &table{x: callee.Args[1], fn: fn}
	case "for":
		return &table{x: callee.Args[1], fn: fn, by: asItIs}
	}
	return nil
}

// loopOf reads for (const row of list), and list.forEach((row) => …) with what it runs; nil for any other statement.
func loopOf(st js.Statement) *table {
	if st.Keyword == "for" && st.Each != nil {
		return &table{x: st.Each.List, param: st.Each.Param, by: asItIs}
	}
	if st.Keyword != "" || st.X == nil {
		return nil
	}
	list, name, args := st.X.Method()
	if list == nil || name != "forEach" || len(args) != 1 || args[0].Form != js.NodeFunction || args[0].Async() {
		return nil
	}
	return &table{x: list, fn: args[0], by: numbered}
}

// body is what a loop runs for each row, or what each of them defines.
func (t *table) body(st js.Statement) js.Block {
	if t.fn == nil {
		return st.Blocks[0]
	}
	return js.Block{From: t.fn.From, To: t.fn.To}
}

// rowsOf are the arguments that each row of a table gives; false where they are not written out.
func (r *follower) rowsOf(t *table) (rows [][]value, ok bool) {
	calls := len(r.test.Calls)
	if t.x.Form == js.NodeTemplate && t.by == spreads {
		rows = r.drawn(t.x)
	} else if list, written := r.eval(t.x).elements(); written {
		for i, row := range list {
			args := []value{row}
			if inner, isList := row.elements(); isList && t.by == spreads {
				args = inner
			} else if t.by == numbered {
				args = append(args, value{x: expr.Int(i), text: fmt.Sprint(i)})
			}
			rows = append(rows, args)
		}
	}
	return rows, len(rows) > 0 && len(rows) <= maxRows && len(r.test.Calls) == calls
}

// drawn are the rows of a table of Jest's, whose first line names what the columns hold: one object for each.
func (r *follower) drawn(n *js.Node) (rows [][]value) {
	names := js.Columns(n)
	if len(names) == 0 || len(n.Args)%len(names) != 0 {
		return nil
	}
	outer := r.tokens
	for i := 0; i < len(n.Args); i += len(names) {
		row := value{text: script.Unknown, fields: []field{}}
		for k, name := range names {
			r.tokens = n.Holes[i+k]
			row.fields = append(row.fields, field{name, r.eval(n.Args[i+k])})
		}
		row.x = row.meaning()
		rows = append(rows, []value{row})
	}
	r.tokens = outer
	return rows
}

// elements are those of an array that is written out; false for any other value.
func (v value) elements() (out []value, ok bool) {
	for _, f := range v.fields {
		if f.key == js.Spread {
			return nil, false
		}
		out = append(out, f.value)
	}
	return out, v.array && v.fields != nil
}

// given gives the parameters of a table the values of a row; nil where these are not known.
func (r *follower) given(t *table, row []value) {
	if t.fn == nil {
		v := unknown("the variable of a loop")
		if row != nil {
			v = row[0]
		}
		r.parameter(t.param, v)
		return
	}
	if row == nil {
		for _, name := range t.fn.Keys {
			r.scope.vars[name] = unknown("the parameter " + name)
		}
		return
	}
	r.parameters(t.fn, row)
}

// rows is a test that runs with values that its file lists, or a loop over such values, which is followed with each:
// what one statement asserts in all its rounds is one assertion, which holds where it holds in each.
type rows struct {
	said map[int]*rounds // by where the statements begin
	from int             // how many calls the test had when the round began
	// the scalars and lists of these that the round is given, by their names and those of members
	given []script.Given
}

// rounds is what one statement asserts in the rounds of its test, and how values are called there.
type rounds struct {
	*script.Assertion
	script.Rounds
	names []saying
}

// begins begins a round whose values stand in the present scope.
func (o *rows) begins(r *follower) {
	for _, name := range slices.Sorted(maps.Keys(r.scope.vars)) {
		v := r.scope.vars[name]
		o.gives(name, v)
		for _, f := range v.fields {
			if !v.array && js.Identifier.MatchString(f.key) {
				o.gives(name+"."+f.key, f.value)
			}
		}
	}
}

// gives notes that a name stands for a scalar, or a list of such, in the round.
func (o *rows) gives(name string, v value) {
	if x := v.written(); isScalar(x) || expr.IsScalars(x) && len(v.fields) <= maxRows {
		o.given = append(o.given, script.Given{Name: name, Value: x})
	}
}

// written is what an array means, and what anything else does as far as that is known.
func (v value) written() expr.Expr {
	if v.array {
		return v.meaning()
	}
	return v.x
}

// isScalar reports whether an expression is a number, a text or a truth that is written out.
func isScalar(x expr.Expr) bool {
	switch x.(type) {
	case expr.Str, expr.Num, expr.Neg, expr.Bool:
		return expr.IsLiteral(x)
	}
	return false
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

// listed is the assertion that a statement was in an earlier round; nil where it was none.
func (r *follower) listed(at script.Span) *script.Assertion {
	if r.rows == nil || !r.own || r.rows.said[at.Start] == nil {
		return nil
	}
	return r.rows.said[at.Start].Assertion
}

// inRounds has a statement be one assertion, of all that it says in the rounds of a test; said is what it does in this
// one, and names is how values are called there.
func (r *follower) inRounds(a *script.Assertion, said expr.Expr, names saying) expr.Expr {
	if r.rows == nil || !r.own {
		return said
	}
	of := r.rows.said[a.At.Start]
	still := slices.DeleteFunc(slices.Clone(r.rows.given), func(p script.Given) bool { return !r.means(p) })
	of.Add(script.Round{Said: said, Given: still}, script.Turn{From: r.rows.from, To: len(r.test.Calls)})
	of.names = append(of.names, names)
	a.Runs = len(of.All) > 1
	return of.Said()
}

// means reports whether a name still stands for the value that a round gave it.
func (r *follower) means(p script.Given) bool {
	name, key, isMember := strings.Cut(p.Name, ".")
	v := r.lookup(name)
	if isMember {
		v, _ = v.field(key)
	}
	x := v.written()
	return x != nil && expr.Identical(x, p.Value)
}

// saying is how values are called in every round alike, as in the last one.
func (o *rounds) saying() saying {
	out := o.names[len(o.names)-1]
	answers, values, subject := out.answers, out.values, out.subject
	out.answers, out.values = map[string]sent{}, nil
	for call, by := range answers {
		if o.Everywhere(expr.Answer{Var: call}, func(round int) expr.Expr { return o.names[round].answerNamed(by.name) }) {
			out.answers[call] = by
		}
	}
	for _, v := range values {
		if o.Everywhere(v.value, func(round int) expr.Expr { return o.names[round].valueNamed(v.name) }) {
			out.values = append(out.values, v)
		}
	}
	inRound := func(round int) expr.Expr { return o.names[round].subject.value }
	if subject.value != nil && !o.Everywhere(subject.value, inRound) {
		out.subject = named{}
	}
	return out
}

// answerNamed is the answer that a variable holds, as its status; nil where it holds none.
func (c saying) answerNamed(name string) expr.Expr {
	for call, by := range c.answers {
		if by.name == name {
			return expr.Answer{Var: call}
		}
	}
	return nil
}

// valueNamed is what a variable holds that was taken from an answer; nil where it holds nothing of that kind.
func (c saying) valueNamed(name string) expr.Expr {
	for _, v := range c.values {
		if v.name == name {
			return v.value
		}
	}
	return nil
}

// loops follows a loop over values that are written out, with each of them; false for any other statement, and for a
// loop of which a turn may not run to its end.
func (r *follower) loops(st js.Statement) bool {
	t := loopOf(st)
	if t == nil || !r.own || r.in.Condition || r.caught != nil || t.body(st).Leaves(r.tokens) ||
		storesShots(r.tokens, t.body(st)) || r.around.Var != "" {
		return false
	}
	if r.throughList(st, t) {
		return true
	}
	all, ok := r.rowsOf(t)
	if !ok || r.rows != nil {
		return false
	}
	r.file.unrolled[r.test] = true
	r.rows = &rows{said: map[int]*rounds{}}
	for _, row := range all {
		in := *r
		in.seen = map[*js.Node]known{}
		in.enter(nil)
		in.reading = in.newReading()
		in.given(t, row)
		in.rows.from, in.rows.given = len(r.test.Calls), nil
		in.rows.begins(&in)
		if t.fn != nil {
			in.runs(t.fn)
		} else {
			in.block(t.body(st))
		}
	}
	r.rows = nil
	return true
}

// repeats notes that a loop may send often what it sends: the calls of the test from one on.
func (r *follower) repeats(keyword string, from int) {
	for _, c := range r.test.Calls[from:] {
		c.Many = c.Many || keyword == "for" || keyword == "while" || keyword == "do"
	}
}

// storesShots reports whether a block compares with snapshots, of which there is one for each round.
func storesShots(tokens []js.Token, b js.Block) bool {
	return slices.ContainsFunc(tokens[b.From:b.To], func(t js.Token) bool {
		return t.Is("toMatchSnapshot") || t.Is("toMatchInlineSnapshot")
	})
}

// decides follows what stands under a condition that nothing but values decide which are written out; false for any
// other statement.
func (r *follower) decides(st js.Statement) bool {
	if st.Keyword != "if" || st.X == nil {
		return false
	}
	calls := len(r.test.Calls)
	yes, ok := r.truth(st.X)
	if !ok || len(r.test.Calls) > calls {
		return false
	}
	if yes {
		r.block(st.Blocks[0])
	} else if len(st.Blocks) > 1 {
		r.block(st.Blocks[1])
	}
	return true
}

// truth is whether a value that is written out is taken for true; false, false where that is not known.
func (r *follower) truth(n *js.Node) (yes, ok bool) {
	if n.Form == js.NodeUnary && n.Text == "!" {
		yes, ok = r.truth(n.Args[0])
		return !yes, ok
	}
	if n.Form == js.NodeMember {
		of, _ := r.holder(n.Args[0])
		if _, has := of.field(n.Text); of.plain() && !has { // undefined
			return false, true
		}
	}
	if n.Form == js.NodeName && r.lookup(n.Text).unset {
		return false, true
	}
	x, known := r.reading.Truth(n)
	if !known {
		return false, false
	}
	v, err := expr.Scope{}.Eval(x)
	yes, ok = v.(bool)
	return yes, ok && err == nil
}

// plain reports whether all members of an object are written out.
func (v value) plain() bool {
	return v.fields != nil && !v.array && !slices.ContainsFunc(v.fields, func(f field) bool { return f.key == js.Spread })
}
