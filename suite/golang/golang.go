package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/before"
	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/script"
)

// Dialect is the format of tests that people write in Go.
func Dialect() script.Dialect {
	return script.Dialect{Name: "tests in Go that use net/http (_test.go)", Extensions: []string{".go"}, Mark: "// ", Read: read}
}

// suite is a file of such tests.
type suite struct {
	*source.File
	// how each assertion that is understood was written, and what it means without what zero values have to do with it
	forms    map[*script.Assertion]form
	plain    map[*script.Assertion]expr.Expr
	asserted []ast.Stmt // the statements of these, in order
	// where the heads of statements end that assertions stand in
	heads map[ast.Stmt]token.Pos
	// the statement in whose head an assertion stands
	headOf map[*script.Assertion]ast.Stmt
	ways   *before.File // how calls are sent, for set-ups
	reads  map[*script.Call]polling.Read
	sent   map[*script.Call]polling.Sent
	// assertions in functions that tests share, and those of these whose function some test calls to assert
	shared         map[ast.Stmt]*sharing
	calledToAssert map[ast.Stmt]bool
}

// read reads the test functions of a file, and follows each.
func read(s *script.Script) (script.Writer, error) {
	none := &script.SyntaxError{File: s.File, NoTests: true,
		Reason: "no tests that send requests: no function Test… of package testing that uses net/http"}
	if !strings.HasSuffix(strings.ToLower(s.File), "_test.go") {
		return script.Writer{}, none
	}
	f, err := source.Parse(s)
	if err != nil {
		return script.Writer{}, err
	}
	g := &suite{File: f, forms: map[*script.Assertion]form{}, plain: map[*script.Assertion]expr.Expr{},
		shared: map[ast.Stmt]*sharing{}, calledToAssert: map[ast.Stmt]bool{},
		heads: map[ast.Stmt]token.Pos{}, headOf: map[*script.Assertion]ast.Stmt{},
		ways: before.New(f), reads: map[*script.Call]polling.Read{}, sent: map[*script.Call]polling.Sent{}}
	calls := 0
	for _, d := range f.Syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (source.IsTest(fn) || g.isSuiteMethod(fn)) {
			tests := g.tests(fn)
			for _, t := range tests {
				calls += len(t.Calls)
			}
			s.Tests = append(s.Tests, tests...)
		}
	}
	if calls == 0 {
		return script.Writer{}, none
	}
	g.unite()
	for _, f := range g.forms {
		g.asserted = append(g.asserted, f.node)
	}
	slices.SortFunc(g.asserted, func(a, b ast.Stmt) int { return int(a.Pos() - b.Pos()) })
	return script.Writer{Assert: g.write, Disable: g.disable, Path: g.path, Elsewhere: g.elsewhere, Poll: g.poll,
		Graft: g.ways.Grafter()}, nil
}

// tests follows a test and its subtests. A test that sends and asserts nothing itself is none.
func (g *suite) tests(fn *ast.FuncDecl) []*script.Test {
	if fn.Recv != nil {
		return g.suiteTest(fn)
	}
	whole := &session{suite: g, env: map[source.Object]*cell{}, names: map[string]int{}}
	whole.follow(fn.Name.Name, g.Span(fn), before.Function{Type: fn.Type, Body: fn.Body})
	return whole.finished()
}

// finished are the tests that were followed.
func (s *session) finished() []*script.Test {
	var out []*script.Test
	for _, one := range s.tests {
		one.finish(s)
		if len(one.Calls)+len(one.Assertions) > 0 {
			out = append(out, one.Test)
		}
	}
	return out
}

// finish gives a test the calls that it sends, and those of the tests around it that its assertions speak of, and says
// what these claim.
func (o *ownTest) finish(whole *session) {
	mentioned := map[string]bool{}
	for _, a := range o.Assertions {
		o.uses = append(o.uses, a.Meaning)
	}
	for _, said := range o.uses {
		expr.Walk(said, func(x expr.Expr) {
			if of, ok := x.(expr.Answer); ok {
				mentioned[of.Var] = true
			}
		})
	}
	for _, c := range whole.calls {
		if o.sends[c] || mentioned[c.Var] {
			o.Calls = append(o.Calls, c)
		}
	}
	for _, a := range o.Assertions {
		if a.Meaning == nil {
			continue
		}
		if !(script.Claims{Test: o.Test}).Any(a, whole.suite.plain[a]) {
			a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
		}
	}
}
