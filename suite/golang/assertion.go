package golang

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/golang/wording"
	"github.com/flaketap/flaketap/suite/script"
)

// form is how an assertion is written, and what can be said in its place.
type form struct {
	names wording.Names
	node  ast.Stmt
	// where the condition stands that is written anew: of an if statement, behind what it asks of errors and types
	from, to token.Pos
	is       *expr.IsType // it asks for this type before, so that no other can be admitted; nil where it does not
	// the call of testify that it is, as assert, require or the name of what New returned: nil where it is a condition
	receiver ast.Expr
	test     ast.Expr    // the argument t; nil where the receiver has it
	fatal    bool        // the test ends where it fails, as a function says that is called to assert
	message  []ast.Expr  // what stands behind what is asserted
	sends    *sending    // the argument that sends a request itself; nil where none does
	head     ast.Stmt    // of which the head is written anew; nil where it is node, as a whole
	loops    []expr.Each // over lists of answers that it stands in, the outermost first
	rounds   *rounds     // of the loop that it stands in; nil where it stands in none
}

// condition reads a condition under which the test fails: what it asserts is the opposite of its condition. Parts
// that ask for errors, or whether a value has a type, stay as they are.
func (r *follower) condition(s ast.Stmt, f form, written []ast.Expr, values []value) {
	f.node = s
	if _, inHead := r.heads[s]; inHead {
		f.head = s
	}
	var types, said []expr.Expr
	for i, v := range values {
		if test, ok := v.(failureTest); ok && test.happened && len(said) == 0 {
			continue
		}
		denied := logic.Opposite(meaningOf(v))
		if len(said) == 0 && i < len(values)-1 && isTypeTest(denied) {
			types = append(types, denied)
			if is, ok := lenient.Indexed(logic.Parts[expr.And](denied)[0]).(expr.IsType); ok {
				f.is = &is
			}
			continue
		}
		if len(said) == 0 {
			f.from = written[i].Pos()
		}
		said = append(said, denied)
	}
	all := expr.AllOf(said...)
	for _, t := range types {
		if !implied(t, all) {
			all = expr.AllOf(t, all)
		}
	}
	r.assertion(s, f, all)
}

// isTypeTest reports whether a condition says that a value is of a type, and no more.
func isTypeTest(x expr.Expr) bool {
	for _, y := range logic.Parts[expr.And](x) {
		if not, ok := y.(expr.Not); ok {
			y = not.X
		}
		if _, ok := y.(expr.IsType); !ok {
			return false
		}
	}
	return true
}

// implied reports whether a condition can be true only of a value that has a type.
func implied(is, x expr.Expr) bool {
	of, ok := logic.Parts[expr.And](is)[0].(expr.IsType)
	if !ok {
		return false
	}
	switch x := x.(type) {
	case expr.Compare:
		if !expr.Identical(x.X, of.X) || x.Op == expr.Ne || x.Op == expr.IsNot {
			return false
		}
		v, err := expr.Scope{}.Eval(x.Y)
		return err == nil && x.Op != expr.In && slices.Contains(of.Types, expr.TypeOf(v))
	case expr.Match:
		return expr.Identical(x.X, of.X)
	}
	return false
}

// ifStatement follows a condition: one that asks for an error decides which of the branches runs, and one under which
// the test fails is an assertion.
func (r *follower) ifStatement(s *ast.IfStmt) {
	r.simple(s.Init)
	if r.guarding(s) {
		return
	}
	written := source.OrParts(s.Cond)
	calls := len(r.calls)
	values, about, happened, sends := r.conditions(written)
	switch {
	case about == len(written) && !happened:
		r.block(s.Body.List)
		return
	case about == len(written):
		r.simple(s.Else)
		return
	case !r.fails(s.Body):
		switch holds, known := r.decided(values); {
		case known && holds:
			r.statement(s.Body)
			return
		case known:
			r.simple(s.Else)
			return
		case s.Else == nil && !r.looped && len(values) == 1 && asksForBody(values[0]):
			r.block(s.Body.List)
			return
		}
		r.under(s.Body.List)
	case s.Else != nil:
		r.note(s, "it has an else")
	case len(r.calls) > calls && (sends == nil || s.Init != nil):
		r.note(s, "it sends a request itself")
	default:
		r.condition(s, form{to: s.Cond.End(), sends: sends}, written, values)
		return
	}
	if s.Else != nil {
		r.under([]ast.Stmt{s.Else})
	}
}

// decided is whether one of some conditions holds that are about nothing but what the test has written out; known is
// false where they are about something else, or stand in a loop, where they may hold in one round alone.
func (r *follower) decided(values []value) (holds, known bool) {
	if r.looped {
		return false, false
	}
	for _, v := range values {
		p, ok := v.(plain)
		if !ok {
			return false, false
		}
		one, err := expr.Scope{}.Holds(p.x)
		if err != nil {
			return false, false
		}
		holds = holds || one
	}
	return holds, true
}

// asksForBody reports whether a condition says no more than that an answer has a body: what is decoded under it is
// as it was before where there is none, as a struct is whose fields an answer lacks.
func asksForBody(v value) bool {
	test, _ := meaningOf(v).(expr.Compare)
	if length, ok := test.X.(expr.Len); ok {
		text, isText := length.X.(expr.Answer)
		return isText && text.Part == expr.Text && (test.Op == expr.Gt || test.Op == expr.Ne) &&
			expr.Identical(test.Y, expr.Int(0))
	}
	of, ok := test.X.(expr.Answer)
	return ok && of.Part == expr.Status && test.Op == expr.Ne && expr.Identical(test.Y, expr.Int(204))
}

// note lists an assertion, once, and the reason why it is not understood; nil where another file has it.
func (r *follower) note(s ast.Stmt, reason string) *script.Assertion {
	if r.said != nil {
		*r.said = append(*r.said, expr.Unknown{What: "what a function asserts"})
		return nil
	}
	if !r.Holds(s.Pos()) {
		return nil // another file's
	}
	at := r.at(s)
	if a := r.listed(s); a != nil {
		r.unlist(a, reason)
		return a
	}
	if of := r.shared[s]; !r.own && of != nil {
		of.because(reason)
		return of.Assertion
	}
	a := &script.Assertion{Text: r.Script.Text[at.Start:at.End], At: at, Reason: reason,
		Ours: r.Script.Commented(at.FirstLine)}
	a.File, a.Line, a.Test = r.Script.File, at.FirstLine, r.test.Name
	r.test.Assertions = append(r.test.Assertions, a)
	if _, inHead := r.heads[s]; inHead {
		r.headOf[a] = s
	}
	switch {
	case !r.own:
		r.shared[s] = &sharing{Assertion: a, reason: reason}
	case r.rows != nil:
		r.rows.said[s] = &rounds{Assertion: a}
	}
	return a
}

// assertion lists what a statement asserts.
func (r *follower) assertion(s ast.Stmt, f form, said expr.Expr) {
	if r.said != nil {
		*r.said = append(*r.said, said)
		r.calledToAssert[s] = true
		return
	}
	a := r.note(s, "")
	if a != nil && !r.own {
		r.passed(r.shared[s], f, said)
		return
	}
	if a == nil || !a.Understood() && a.Reason != script.UnderCondition {
		return
	}
	if f.names = r.scopeAt(f.pos()); f.sends != nil {
		f.names = f.sends.named(r.Source(f.sends.at), f.names)
	}
	f.loops = r.loops.of
	r.judge(a, r.inRounds(s, &f, r.ofEach(said)))
	if a.Meaning != nil {
		r.forms[a] = f
	}
}

// judge gives an assertion the meaning that it has, or the reason why none is known.
func (r *follower) judge(a *script.Assertion, said expr.Expr) {
	said = logic.Simplified(said)
	what := expr.UnknownIn(said)
	switch {
	case size(boolean(said)) > maxSize:
		a.Reason = "it is made of too many values"
	case r.several && what != "":
		a.Reason = "the test runs with several values"
	case what != "":
		a.Reason = what + " is not known"
	case !expr.Mentions[expr.Answer](said):
		a.Reason = "it is not about an answer"
	case r.headOf[a] == nil && !r.OwnLines(a.At):
		a.Reason = "other code stands on its lines"
	case r.several:
		a.Reason = "the test runs with several values"
	default:
		if r.cond > len(r.loops.of) || r.unclear {
			a.Reason = script.UnderCondition
		}
		a.Meaning, r.plain[a] = lenient.Exact(said)
		return
	}
	r.unlist(a, a.Reason)
}

// unlist has an assertion be one that is not understood, where there is a reason.
func (r *follower) unlist(a *script.Assertion, reason string) {
	if reason == "" {
		return
	}
	a.Reason, a.Meaning = reason, nil
	delete(r.plain, a)
	delete(r.forms, a)
}

// pos is where what is asserted stands: the names that are known there are those that can be written.
func (f form) pos() token.Pos {
	if f.receiver == nil {
		return f.from
	}
	return f.node.Pos()
}

// scopeAt is how values are called at a place of a test.
func (r *follower) scopeAt(pos token.Pos) wording.Names {
	c := wording.Names{Answers: map[string]string{}, Headers: map[string]string{}}
	inner := r.Pkg.Scope().Innermost(pos)
	if inner == nil {
		return c
	}
	var visible []source.Object
	for o := range r.env {
		if _, found := inner.LookupParent(o.Name(), pos); found == o {
			visible = append(visible, o)
		}
	}
	slices.SortFunc(visible, func(a, b source.Object) int { return int(b.Pos()) - int(a.Pos()) }) // the last one first
	for _, o := range visible {
		v := r.env[o].value
		if p, ok := v.(pointer); ok {
			if of, isPlain := p.to.value.(plain); isPlain && typing.HasFields(of.typ) &&
				!typing.IsSlice(of.typ) && !typing.IsMap(of.typ) {
				v = of
			}
		}
		switch v := v.(type) {
		case answer:
			if c.Answers[v.id] == "" {
				c.Answers[v.id] = o.Name()
			}
		case record:
			if of, ok := v.within(); ok && c.Answers[of.id] == "" && !v.declares("StatusCode") && !v.declares("Header") {
				c.Answers[of.id] = o.Name()
			}
		case headersOf:
			c.Headers[v.id] = o.Name()
		case plain:
			one := wording.Named{Name: o.Name(), X: lenient.Indexed(v.x), Raw: v.x, Type: v.typ}
			switch {
			case !fromAnswer(v.x) || v.typ == nil:
			case expr.IsCondition(v.x):
				c.Tests = append(c.Tests, one)
			default:
				c.Values = append(c.Values, one)
			}
		}
	}
	return c
}
