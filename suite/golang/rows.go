package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/wording"
	"github.com/flaketap/flaketap/suite/script"
)

// maxRows bounds how many values a loop is followed with.
const maxRows = 64

// rows is a loop over values that are written out, which is followed with each of them: what one statement asserts in
// all its rounds is one assertion, which holds where it holds in each.
type rows struct {
	said map[ast.Stmt]*rounds
	from int // how many calls the test had sent when the round began
	// what tells the rounds apart, and which one it is; nothing where loops stand within each other
	names []naming
	nth   int
}

// rounds is what one statement asserts in the rounds of a loop.
type rounds struct {
	*script.Assertion
	script.Turns
	all   []round
	names *naming // what tells the rounds apart; nil where nothing does in each of them
}

// round is what is asserted in one round, and how values are called there.
type round struct {
	said  expr.Expr
	names wording.Names
}

// listing are the values that a loop goes over.
type listing struct {
	keys, values []value
	shuffled     bool // it goes over them in another order each time, as those of a map
}

// written are the values that a loop goes over, where they are written out, and each round runs to its end before the
// next one begins.
func (r *follower) written(s *ast.RangeStmt, of value) (over listing, ok bool) {
	if r.cond > 0 || r.unclear || r.several || !source.IsWhole(s.Body) {
		return listing{}, false
	}
	switch of := deref(of).(type) {
	case list:
		over.values = of.elems
	case table:
		over = listing{of.keys, of.elems, true}
	case plain:
		switch x := of.x.(type) {
		case expr.List:
			for _, e := range x.Elems {
				over.values = append(over.values, plain{x: e, typ: typing.ElemOf(of.typ), ints: of.ints})
			}
		case expr.Object:
			m, isMap := typing.Under(of.typ).(*types.Map)
			if !isMap {
				return listing{}, false
			}
			over.shuffled = true
			for i, key := range x.Keys {
				over.keys = append(over.keys, plain{x: expr.Str{Value: key}, typ: m.Key()})
				over.values = append(over.values, plain{x: x.Values[i], typ: m.Elem(), ints: of.ints})
			}
		}
	}
	if !over.shuffled {
		for i := range over.values {
			over.keys = append(over.keys, plain{x: expr.Int(i), typ: types.Typ[types.Int]})
		}
	}
	ok = len(over.values) > 0 && len(over.values) <= maxRows
	return over, ok && !(over.shuffled && (!r.own || r.hasOutside(s.Body)))
}

// counts follows a loop that counts from one number to another, both written out, as one over these numbers; false
// where it is another.
func (r *follower) counts(s *ast.ForStmt) bool {
	variable, first, last, ok := source.Counts(s)
	if !ok || r.cond > 0 || r.unclear || r.several || !source.IsWhole(s.Body) {
		return false
	}
	from, fromOK := wholeNumber(r.eval(first))
	to, toOK := wholeNumber(r.eval(last.Y))
	if last.Op == token.LSS {
		to--
	}
	if !fromOK || !toOK || to < from || to-from >= maxRows {
		return false
	}
	var all []value
	for i := from; i <= to; i++ {
		all = append(all, plain{x: expr.Int(i), typ: types.Typ[types.Int]})
	}
	r.each(&ast.RangeStmt{Key: variable, Body: s.Body}, listing{keys: all, values: all})
	return true
}

// wholeNumber is a whole number that is written out.
func wholeNumber(v value) (int, bool) {
	n, err := strconv.Atoi(writtenText(v))
	return n, err == nil
}

// hasOutside reports whether the rounds of a loop hand each other something: they change what is declared outside, or
// take its address.
func (r *follower) hasOutside(body *ast.BlockStmt) bool {
	found := false
	outside := func(x ast.Expr) {
		id, ok := source.Owner(x).(*ast.Ident)
		if !ok {
			found = true
			return
		}
		o := r.Info.Uses[id]
		found = found || o != nil && (o.Pos() < body.Pos() || o.Pos() >= body.End())
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				outside(x)
			}
		case *ast.IncDecStmt:
			outside(n.X)
		case *ast.UnaryExpr:
			if _, written := ast.Unparen(n.X).(*ast.CompositeLit); n.Op == token.AND && !written {
				outside(n.X)
			}
		}
		return !found
	})
	return found
}

// each follows the body of a loop with each value.
func (r *follower) each(s *ast.RangeStmt, over listing) {
	if !r.own { // each round is a use of its own of what the function asserts
		for i := range over.values {
			r.eachRound(s, over, i)
		}
		return
	}
	outer := r.rows
	if r.rows == nil {
		r.rows = &rows{said: map[ast.Stmt]*rounds{}, names: r.namings(s, over)}
	} else {
		r.rows.names = nil
	}
	var sent [][]*script.Call
	for i := range over.values {
		r.rows.from = len(r.calls)
		if outer == nil {
			r.rows.nth = i
		}
		before := len(r.calls)
		r.eachRound(s, over, i)
		sent = append(sent, r.calls[before:])
	}
	if over.shuffled {
		r.shuffle(sent)
		for _, x := range []ast.Expr{s.Key, s.Value} { // which round was the last one is not known
			if x != nil {
				r.set(x, opaque{"the variable of a loop"})
			}
		}
	}
	r.rows = outer
}

// eachRound follows the body of a loop with one value.
func (r *follower) eachRound(s *ast.RangeStmt, over listing, i int) {
	for x, v := range map[ast.Expr]value{s.Key: over.keys[i], s.Value: over.values[i]} {
		if x != nil {
			r.set(x, v)
		}
	}
	r.block(s.Body.List)
}

// shuffle notes that the calls of the rounds of a loop are sent in another order each time. Where a call of one round
// may be taken for that of another, what is asserted in them is not understood.
func (r *follower) shuffle(sent [][]*script.Call) {
	apart := true
	for i, round := range sent {
		for _, c := range round {
			c.AnyOrder = true
			for _, other := range sent[:i] {
				apart = apart && !slices.ContainsFunc(other, func(o *script.Call) bool { return mayBe(c, o) })
			}
		}
	}
	if apart {
		return
	}
	for _, of := range r.rows.said {
		r.unlist(of.Assertion, "the rounds of its loop come in any order, and ask for the same")
	}
}

// mayBe reports whether the request of one call may be taken for that of another.
func mayBe(a, b *script.Call) bool {
	unknown := strings.Contains(a.Target+b.Target, script.Unknown)
	switch {
	case a.Method != b.Method, !unknown && a.Target != b.Target:
		return false
	case unknown, a.Dynamic, b.Dynamic, a.Body == b.Body:
		return true
	}
	x, err := expr.ParseJSON([]byte(a.Body))
	y, err2 := expr.ParseJSON([]byte(b.Body))
	return err == nil && err2 == nil && expr.Equal(x, y)
}

// inRounds has a statement that asserts in the rounds of a loop be one assertion, of all that it says in them; said is
// what it does in this one.
func (r *follower) inRounds(s ast.Stmt, f *form, said expr.Expr) expr.Expr {
	if r.rows == nil {
		return said
	}
	of := r.rows.said[s]
	if name := r.named(s, r.rows.nth); len(of.all) == 0 && r.rows.nth == 0 {
		of.names = name
	} else if of.names != name || r.rows.nth != len(of.all) {
		of.names = nil
	}
	of.all = append(of.all, round{said, f.names})
	of.Turns = append(of.Turns, script.Turn{From: r.rows.from, To: len(r.calls)})
	f.rounds, of.Runs = of, len(of.all) > 1
	var all []expr.Expr
	for _, one := range of.all {
		all = append(all, one.said)
	}
	return expr.AllOf(all...)
}

// listed is the assertion that a statement was in an earlier round of a loop; nil where it was none.
func (r *follower) listed(s ast.Stmt) *script.Assertion {
	if r.rows == nil || !r.own || r.rows.said[s] == nil {
		return nil
	}
	return r.rows.said[s].Assertion
}

// alike is what is said of each round of a loop alike, as it is said of the last one, and how values are called in all;
// false where something is said of some of them alone.
func (o *rounds) alike(x expr.Expr) (expr.Expr, wording.Names, bool) {
	said, shared, ok := o.Apart(logic.Parts[expr.And](x))
	if !ok || !o.Alike() {
		return nil, wording.Names{}, false
	}
	last := said[len(said)-1]
	for _, one := range said {
		if !slices.EqualFunc(one, last, expr.Identical) {
			return nil, wording.Names{}, false
		}
	}
	return expr.AllOf(append(shared, last...)...), o.commonNames(), len(shared)+len(last) > 0
}

// commonNames are those of the last round that mean the same in each.
func (o *rounds) commonNames() wording.Names {
	out := o.all[len(o.all)-1].names
	for i, one := range o.all {
		out.Answers = o.sameNames(i, out.Answers, one.names.Answers)
		out.Headers = o.sameNames(i, out.Headers, one.names.Headers)
		out.Values = o.sameValues(i, out.Values, one.names.Values)
		out.Tests = o.sameValues(i, out.Tests, one.names.Tests)
	}
	return out
}

func (o *rounds) sameNames(of int, names, own map[string]string) map[string]string {
	out := map[string]string{}
	for call, name := range own {
		if call = o.RenamedCall(of, call); names[call] == name {
			out[call] = name
		}
	}
	return out
}

func (o *rounds) sameValues(of int, values, own []wording.Named) []wording.Named {
	return slices.DeleteFunc(slices.Clone(values), func(v wording.Named) bool {
		return !slices.ContainsFunc(own, func(w wording.Named) bool {
			return v.Name == w.Name && expr.Identical(v.Raw, o.Renamed(of, w.Raw))
		})
	})
}
