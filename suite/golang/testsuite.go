package golang

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/flaketap/flaketap/suite/golang/before"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// fixture is the receiver of the methods of a suite of testify's: a struct that all of them share.
type fixture struct {
	fields map[string]*cell
}

func (*fixture) value() {}

// field is the variable of a field.
func (r *follower) fixtureField(f *fixture, x *ast.SelectorExpr) *cell {
	c, ok := f.fields[x.Sel.Name]
	if !ok {
		typ := r.TypeOf(x)
		c = &cell{value: opaque{"the field " + x.Sel.Name}, typ: typ}
		if zero := typing.ZeroOf(typ); zero != nil {
			c.value = plain{x: zero, typ: typ}
		}
		f.fields[x.Sel.Name] = c
	}
	return c
}

// isSuiteMethod reports whether testify runs a method as a test: func (s *Suite) TestX(), where Suite has suite.Suite
// within it.
func (g *suite) isSuiteMethod(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || fn.Body == nil || len(fn.Recv.List) != 1 || len(fn.Type.Params.List) > 0 {
		return false
	}
	return fn.Type.Results == nil && strings.HasPrefix(fn.Name.Name, "Test") && g.suiteOf(fn) != nil
}

// suiteOf is the type that a function is a method of, where that is a suite; nil where it is not.
func (g *suite) suiteOf(fn *ast.FuncDecl) *types.TypeName {
	o, ok := g.Info.Defs[fn.Name].(*types.Func)
	if !ok || o.Signature().Recv() == nil {
		return nil
	}
	named, ok := types.Unalias(typing.Pointee(o.Signature().Recv().Type())).(*types.Named)
	if !ok || !g.Suites[named.Obj()] {
		return nil
	}
	return named.Obj()
}

// suiteTest follows a method of a suite: what sets up the suite and the test before it, and what cleans up behind it.
func (g *suite) suiteTest(fn *ast.FuncDecl) []*script.Test {
	of := g.suiteOf(fn)
	whole := &session{suite: g, env: map[source.Object]*cell{}, names: map[string]int{}}
	self := &fixture{map[string]*cell{}}
	around := func(name string) func(r *follower) {
		return func(r *follower) {
			if d := g.methodOf(of, name); d != nil {
				r.inline(function{typ: d.Type, body: d.Body, recv: d.Recv, of: self}, nil, nil)
			}
		}
	}
	whole.before, whole.after = func(r *follower) {
		sent := len(r.session.calls)
		around("SetupSuite")(r)
		script.SentByHook(r.session.calls[sent:], of.Name())
		around("SetupTest")(r)
		script.SentByHook(r.session.calls[sent:], "")
	}, around("TearDownTest")
	for _, n := range fn.Recv.List[0].Names {
		if o := g.Info.Defs[n]; o != nil {
			whole.env[o] = &cell{value: self}
		}
	}
	whole.follow(g.runner(of)+fn.Name.Name, g.Span(fn), before.Function{Type: fn.Type, Body: fn.Body, Recv: fn.Recv})
	return whole.finished()
}

// runner is the name of the test that runs a suite, with a slash behind, as go test has it before those of its tests;
// "" where none is found.
func (g *suite) runner(of *types.TypeName) string {
	for _, d := range g.Functions {
		runs, names := false, false
		if !source.IsTest(d) {
			continue
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				runs = runs || source.IsMember(call.Fun, "suite", "Run")
			}
			if id, ok := n.(*ast.Ident); ok {
				names = names || g.Info.Uses[id] == source.Object(of)
			}
			return true
		})
		if runs && names {
			return d.Name.Name + "/"
		}
	}
	return ""
}

// methodOf is a method of a type of the package; nil where there is none.
func (g *suite) methodOf(of *types.TypeName, name string) *ast.FuncDecl {
	for _, d := range g.Functions {
		if d.Name.Name == name && d.Recv != nil && g.suiteOf(d) == of {
			return d
		}
	}
	return nil
}
