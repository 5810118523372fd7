package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of following a test: calls of functions within each other, expressions that are looked at, and how deeply they
// nest.
const (
	maxInlined = 8
	maxNodes   = 1 << 14
)

// session is the following of a test with its subtests, which share variables.
type session struct {
	*suite
	env    map[source.Object]*cell
	tests  []*ownTest
	calls  []*script.Call // in the order in which they are sent
	names  map[string]int // how many subtests have a name
	nodes  int            // expressions that were looked at
	deep   int            // expressions that are looked at within each other
	nested int            // subtests within each other
	// what runs before and after the test, in a suite of testify's; nil where nothing does
	before, after func(r *follower)
	// what a function asserts that is called to assert; nil where none is followed
	said *[]expr.Expr
	// the next request was sent before, until it was ready
	awaited bool
}

// ownTest is a test, or a subtest.
type ownTest struct {
	*script.Test
	sends map[*script.Call]bool
	uses  []expr.Expr // what functions assert that it calls
	later []func()    // what runs at its end, last first
}

// follower goes through the statements of a test in the order in which they run, and into the functions of the file
// that it calls.
type follower struct {
	*session
	test    *ownTest
	own     bool               // the statements are the test's own, and not those of a function that it calls
	site    script.Span        // the test's own statement that is followed, or its definition
	depth   int                // of calls of functions
	frame   *polling.Frame     // of these the innermost
	cond    int                // conditions and loops that the statement stands in
	base    int                // those of them that its function is called in
	looped  bool               // one of them is a loop that is followed once for all of its rounds
	several bool               // they run with several values that the test lists
	rows    *rows              // the loop that they stand in, whose values are all known; nil where there is none
	loops   through            // the loops over lists of answers that they stand in
	typ     *ast.FuncType      // of the function
	result  value              // what the function returns
	ended   bool               // it has returned
	unclear bool               // it may have returned before, under a condition
	refused bool               // it may have returned an error before, under a condition
	on      map[ast.Expr]value // what methods are called on in the statement, which sends what it sends once
}

// block follows statements.
func (r *follower) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		if r.ended {
			return
		}
		if r.own {
			r.site = r.Span(s)
		}
		r.statement(s)
	}
}

// under follows statements that may not run, or run often.
func (r *follower) under(stmts []ast.Stmt) {
	r.cond++
	r.block(stmts)
	r.cond--
}

func (r *follower) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.assign(s)
	case *ast.DeclStmt:
		r.declared(s)
	case *ast.ExprStmt:
		r.called(s)
	case *ast.IfStmt:
		r.ifStatement(s)
	case *ast.ForStmt, *ast.RangeStmt:
		r.loop(s)
	case *ast.SwitchStmt:
		r.simple(s.Init)
		if s.Tag != nil {
			r.eval(s.Tag)
		}
		if s.Tag == nil {
			r.cases(s)
			return
		}
		r.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		r.simple(s.Init)
		r.clauses(s.Body)
	case *ast.SelectStmt:
		r.clauses(s.Body)
	case *ast.BlockStmt:
		r.block(s.List)
	case *ast.LabeledStmt:
		r.statement(s.Stmt)
	case *ast.ReturnStmt:
		r.returned(s)
	case *ast.DeferStmt:
		r.deferred(s.Call)
	case *ast.GoStmt: // when it runs is not known
		in := *r
		in.cond, in.looped = r.cond+1, true
		in.eval(s.Call)
	case *ast.IncDecStmt:
		r.forget(s.X)
	}
}

// simple follows the statement that stands before the condition of another; there may be none.
func (r *follower) simple(s ast.Stmt) {
	if s != nil {
		r.statement(s)
	}
}

func (r *follower) clauses(body *ast.BlockStmt) {
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			r.under(c.Body)
		case *ast.CommClause:
			r.under(c.Body)
		}
	}
}

// loop follows the body of a loop with each value that it lists, or once, with nothing known of what changes in it.
func (r *follower) loop(s ast.Stmt) {
	several := r.several
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.ForStmt:
		if r.counts(s) {
			return
		}
		r.simple(s.Init)
		if a, ok := s.Init.(*ast.AssignStmt); ok {
			for _, x := range a.Lhs {
				r.set(x, opaque{"the variable of a loop"})
			}
		}
		body = s.Body
		r.several = true
	case *ast.RangeStmt:
		all := r.eval(s.X)
		if over, ok := r.written(s, all); ok {
			r.each(s, over)
			return
		}
		if r.throughList(s, all) {
			return
		}
		of, isPlain := all.(plain)
		for _, x := range []ast.Expr{s.Key, s.Value} {
			if x != nil {
				r.set(x, opaque{"the variable of a loop"})
			}
		}
		body = s.Body
		r.several = several || !isPlain || !expr.FromAnswer(of.x)
	}
	looped := r.looped
	r.looped = true
	r.under(body.List)
	r.several, r.looped = several, looped
}

// returned notes what a function returns. Where it returns under a condition too, that is not known.
func (r *follower) returned(s *ast.ReturnStmt) {
	var out tuple
	switch len(s.Results) {
	case 0:
		out = r.namedResults()
	case 1:
		out = tuple{r.eval(s.Results[0])}
	default:
		for _, x := range s.Results {
			out = append(out, r.eval(x))
		}
	}
	if r.cond > r.base {
		refuses := r.refuses(s)
		r.refused, r.unclear = r.refused || refuses, r.unclear || !refuses
		return
	}
	r.ended, r.result = true, out
	if len(out) == 1 {
		r.result = out[0]
	}
}

// namedResults are what the results of a function hold that have names.
func (r *follower) namedResults() (out tuple) {
	if r.typ.Results == nil {
		return nil
	}
	for _, f := range r.typ.Results.List {
		for _, name := range f.Names {
			out = append(out, r.eval(name))
		}
	}
	return out
}

// fails reports whether a block makes the test fail, whatever else it does.
func (r *follower) fails(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		x, ok := s.(*ast.ExprStmt)
		return ok && r.isFailing(x)
	})
}

// isFailing reports whether a statement makes the test fail.
func (r *follower) isFailing(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"}, method.Sel.Name) {
		return false
	}
	_, ok = r.eval(method.X).(tester)
	return ok
}

// called follows a statement that is a call.
func (r *follower) called(s *ast.ExprStmt) {
	defer func(outer map[ast.Expr]value) { r.on = outer }(r.on)
	r.on = map[ast.Expr]value{}
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok || r.checked(s, call) || r.helped(s, call) {
		return
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok && r.PkgOf(method.X) == "" {
		if _, ok := r.receiver(method.X).(tester); ok {
			r.tested(s, method.Sel.Name, call)
			return
		}
	}
	r.eval(call)
}

// receiver is what a method is called on.
func (r *follower) receiver(x ast.Expr) value {
	v, ok := r.on[x]
	if !ok {
		v = r.eval(x)
	}
	if r.on != nil {
		r.on[x] = v
	}
	return v
}

// tested follows a call of a method of the test.
func (r *follower) tested(s *ast.ExprStmt, method string, call *ast.CallExpr) {
	switch {
	case method == "Run" && len(call.Args) == 2:
		r.subtest(s, call)
	case method == "Cleanup" && len(call.Args) == 1:
		if f, ok := r.eval(call.Args[0]).(function); ok {
			r.later(func(in *follower) { in.inline(f, nil, nil) })
		}
	case (method == "Skip" || method == "Skipf" || method == "SkipNow") && r.own && r.cond == 0:
		r.test.Skipped, r.ended = true, true
	case r.isFailing(s):
		r.note(s, script.UnderCondition)
	default:
		for _, x := range call.Args {
			r.eval(x)
		}
	}
}

// later has something run at the end of the test.
func (r *follower) later(run func(in *follower)) {
	in := *r
	in.own = false
	r.test.later = append(r.test.later, func() { run(&in) })
}

// deferred follows a call that runs when its function ends; nothing is made of what it does before the end of the test.
func (r *follower) deferred(call *ast.CallExpr) {
	r.later(func(in *follower) { in.eval(call) })
}

// declared follows var and const.
func (r *follower) declared(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		values := r.values(v.Values, len(v.Names))
		for i, name := range v.Names {
			x := value(nil)
			if len(values) > 0 {
				x = values[i]
			} else {
				x = r.zero(v.Type, r.TypeOf(name))
			}
			r.set(name, x)
		}
	}
}

// zero is what a variable holds that is declared without a value.
func (r *follower) zero(written ast.Expr, typ types.Type) value {
	if source.IsMember(written, "http", "Client") {
		return client{}
	}
	if isBufferType(written) {
		return r.newBuffer()
	}
	if x := typing.ZeroOf(typ); x != nil {
		return plain{x: x, typ: typ, null: typing.IsSlice(typ)}
	}
	if id, ok := written.(*ast.Ident); ok && id.Name == "error" {
		return failure{}
	}
	return opaque{"a variable without a value"}
}

// values are what n names are given.
func (r *follower) values(xs []ast.Expr, n int) []value {
	if len(xs) == 1 && n > 1 {
		if all, ok := r.evalSeveral(xs[0], n).(tuple); ok && len(all) == n {
			return all
		}
		return slices.Repeat([]value{opaque{"one of several results"}}, n)
	}
	var out []value
	for _, x := range xs {
		out = append(out, r.eval(x))
	}
	if len(out) != n {
		return nil
	}
	return out
}

// assign follows an assignment.
func (r *follower) assign(s *ast.AssignStmt) {
	if r.fills(s) || r.awaits(s) {
		return
	}
	switch s.Tok {
	case token.ASSIGN, token.DEFINE:
	case token.ADD_ASSIGN:
		if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
			r.set(s.Lhs[0], added(r.eval(s.Lhs[0]), r.eval(s.Rhs[0])))
		}
		return
	default:
		for _, x := range s.Lhs {
			r.forget(x)
		}
		return
	}
	values := r.values(s.Rhs, len(s.Lhs))
	for i, x := range s.Lhs {
		if i < len(values) {
			r.set(x, values[i])
		}
	}
}

// set gives a variable a value. One that may be given it or not holds nothing that is known.
func (r *follower) set(x ast.Expr, v value) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		r.setWithin(x, v)
		return
	}
	if id.Name == "_" {
		return
	}
	if _, unknown := v.(opaque); unknown && isErrorName(id.Name) {
		v = failure{}
	}
	if o := r.Info.Defs[id]; o != nil {
		v = r.givenByHand(id.Name, v)
		r.env[o] = r.newCell(o, v)
		return
	}
	o := r.Info.Uses[id]
	if c, ok := r.env[o]; ok {
		r.put(c, v)
	}
}

// isErrorName reports whether a variable is called as errors are, whatever is known of it.
func isErrorName(name string) bool { return name == "err" || strings.HasSuffix(name, "Err") }

func (r *follower) newCell(o source.Object, v value) *cell {
	typ := typing.Known(o.Type())
	return &cell{value: r.retyped(bounded(v), typ), typ: typ, level: r.cond}
}

// put gives a variable another value.
func (r *follower) put(c *cell, v value) {
	if r.cond > c.level {
		v = opaque{"what is assigned under a condition"}
	}
	c.value = r.retyped(bounded(v), c.typ)
}

// forget has the variable that an expression begins with stand for something that is not known.
func (r *follower) forget(x ast.Expr) {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.UnaryExpr:
			x = y.X
		case *ast.Ident:
			r.forgetCell(r.env[r.Info.Uses[y]], "the name "+y.Name+", which changes")
			return
		default:
			return
		}
	}
}

func (r *follower) forgetCell(c *cell, why string) {
	if c == nil {
		return
	}
	switch v := c.value.(type) {
	case pointer:
		if v.to != c {
			v.to.value = opaque{why}
		}
	case plain, record, list, table, opaque:
		c.value = opaque{why}
	}
}

// retyped is a value as a variable of a static type holds it.
func (r *follower) retyped(v value, typ types.Type) value {
	p, ok := v.(plain)
	if !ok || typ == nil {
		return v
	}
	if _, generic := types.Unalias(typ).(*types.TypeParam); generic {
		return v
	}
	p.typ = typ
	r.folds(p)
	return p
}
