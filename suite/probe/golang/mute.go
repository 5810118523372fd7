package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

const (
	testifyRequire = "github.com/stretchr/testify/require"
	testifyAssert  = "github.com/stretchr/testify/assert"
	testifySuite   = "github.com/stretchr/testify/suite"
)

// mute notes all that is to be another text in the file. Where several stand at one place, they stand in this order.
func (f *file) mute() {
	if !f.loads() {
		return
	}
	f.begin()
	f.given()
	ast.PreorderStack(f.syntax, nil, func(n ast.Node, around []ast.Node) bool {
		if f.endsLoop(around) || f.behindError(around) {
			return true
		}
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok {
				f.assertion(call, around)
			}
		case *ast.ReturnStmt:
			f.leaves(n, around)
		}
		return true
	})
}

// loads reports whether the file has tests, or what asserts for them.
func (f *file) loads() bool {
	for _, s := range f.syntax.Imports {
		if s.Path.Value == `"testing"` || s.Path.Value == `"`+testifySuite+`"` {
			return true
		}
	}
	return false
}

// wrap puts a call around an expression.
func (f *file) wrap(x ast.Expr, function string) {
	f.edits = append(f.edits, edit{x.Pos(), x.Pos(), function + "("}, edit{x.End(), x.End(), ")"})
}

// assertion mutes a call that ends its test.
func (f *file) assertion(call *ast.CallExpr, around []ast.Node) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	switch name := sel.Sel.Name; {
	case f.isTest(sel.X) && (name == "Fatal" || name == "Fatalf" || name == "FailNow"):
		if !f.lonelyError(call, around) {
			f.wrap(sel.X, "flaketapMute")
		}
	case f.isTest(sel.X) && (name == "Error" || name == "Errorf"):
		f.wrap(sel.X, "flaketapMute") // which notes it
	case f.looksAtError(name, call):
	case f.ofTestify(sel.X) && len(call.Args) > 0 && f.isTest(call.Args[0]):
		f.wrap(call.Args[0], "flaketapMute")
	default:
		f.object(sel.X, around)
	}
}

// ofTestify reports whether an expression names a package of testify's that asserts.
func (f *file) ofTestify(x ast.Expr) bool {
	name := f.imported(x)
	return name == testifyRequire || name == testifyAssert
}

// object mutes an assertion on what require.New(t), assert.New(t) or s.Require() gave.
func (f *file) object(x ast.Expr, around []ast.Node) {
	if call, ok := x.(*ast.CallExpr); ok {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		switch {
		case !ok:
		case f.isObject(call):
			f.wrap(call.Args[0], "flaketapMute")
		case sel.Sel.Name == "Require" && len(call.Args) == 0 && f.isSuite(sel.X) && f.addRequire():
			f.edits = append(f.edits, edit{x.Pos(), x.End(), "flaketapRequire.New(flaketapMute(" + f.source(sel.X) + ".T()))"})
		}
		return
	}
	id, ok := x.(*ast.Ident)
	if !ok || f.info.Uses[id] == nil {
		return
	}
	set := f.madeBy(f.info.Uses[id], around)
	if set == nil {
		return
	}
	made, _ := set.Rhs[0].(*ast.CallExpr)
	if !f.visible(made, id.Pos()) {
		return
	}
	new := f.source(made.Fun) + "(flaketapMute(" + f.source(made.Args[0]) + "))"
	f.edits = append(f.edits, edit{id.Pos(), id.End(), new})
	if used := (edit{set.End(), set.End(), "; _ = " + id.Name}); !slices.Contains(f.edits, used) {
		f.edits = append(f.edits, used) // it may have no other use
	}
}

// madeBy is where a name of the function around is set to require.New(t) or assert.New(t); nil where it is not.
func (f *file) madeBy(o types.Object, around []ast.Node) (out *ast.AssignStmt) {
	for _, n := range around {
		fn, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			set, ok := n.(*ast.AssignStmt)
			if !ok || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
				return true
			}
			id, _ := set.Lhs[0].(*ast.Ident)
			call, _ := set.Rhs[0].(*ast.CallExpr)
			if id != nil && call != nil && f.info.Defs[id] == o && f.isObject(call) {
				out = set
			}
			return true
		})
	}
	return out
}

// isObject reports whether a call is require.New(t) or assert.New(t).
func (f *file) isObject(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.ofTestify(sel.X) && sel.Sel.Name == "New" && len(call.Args) == 1 && f.isTest(call.Args[0])
}

// visible reports whether all names of an expression mean the same at another place.
func (f *file) visible(x ast.Expr, at token.Pos) bool {
	all := true
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := f.info.Uses[id].(*types.Var); ok && !v.IsField() {
				all = all && f.sees(v, at)
			}
		}
		return true
	})
	return all
}

// sees reports whether a name means a variable at a place.
func (f *file) sees(v *types.Var, at token.Pos) bool {
	scope := f.info.Scopes[f.syntax]
	if scope == nil {
		return false
	}
	if inner := scope.Innermost(at); inner != nil {
		scope = inner
	}
	_, o := scope.LookupParent(v.Name(), at)
	return o == v
}

// addRequire imports require beside testify's suite; it reports whether that is there.
func (f *file) addRequire() bool {
	for _, d := range f.syntax.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		for _, s := range g.Specs {
			spec, ok := s.(*ast.ImportSpec)
			if !ok || spec.Path.Value != `"`+testifySuite+`"` {
				continue
			}
			text := `; flaketapRequire "` + testifyRequire + `"`
			if !g.Lparen.IsValid() {
				text = strings.Replace(text, "; ", "; import ", 1)
			}
			if add := (edit{spec.End(), spec.End(), text}); !slices.Contains(f.edits, add) {
				f.edits = append(f.edits, add)
			}
			return true
		}
	}
	return false
}

// endsLoop reports whether a statement stands in a loop that nothing but it may end.
func (f *file) endsLoop(around []ast.Node) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case *ast.ForStmt:
			if n.Cond == nil || n.Post == nil {
				return true
			}
		}
	}
	return false
}

var errorName = regexp.MustCompile(`^(?i:e|err\d*|err[A-Z_].*|.*err|.*Error)$`)

// isError reports whether a node has the name of an error in it.
func (f *file) isError(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found {
			return !found
		}
		v, ok := f.info.Uses[id].(*types.Var)
		if !ok {
			if v, ok = f.info.Defs[id].(*types.Var); !ok {
				return true
			}
		}
		switch text := v.Type().String(); {
		case text == "error":
			found = true
		case text == "invalid type" && !v.IsField():
			found = errorName.MatchString(id.Name)
		}
		return !found
	})
	return found
}

// behindError reports whether a statement runs only where something is said of an error.
func (f *file) behindError(around []ast.Node) bool {
	for i := len(around) - 1; i > 0; i-- {
		switch n := around[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case *ast.BlockStmt:
			if branch, ok := around[i-1].(*ast.IfStmt); ok && branch.Body == n && f.isError(branch.Cond) {
				return true
			}
		case *ast.CaseClause:
			for _, x := range n.List {
				if f.isError(x) {
					return true
				}
			}
		}
	}
	return false
}

// lonelyError reports whether a call tells of an error where no condition of its own says of what.
func (f *file) lonelyError(call *ast.CallExpr, around []ast.Node) bool {
	for i := len(around) - 1; i > 0; i-- {
		if block, ok := around[i].(*ast.BlockStmt); ok {
			branch, ok := around[i-1].(*ast.IfStmt)
			if ok && branch.Body == block {
				return false
			}
			break
		}
	}
	for _, x := range call.Args {
		if f.isError(x) {
			return true
		}
	}
	return false
}

// looksAtError reports whether an assertion of testify looks at an error.
func (f *file) looksAtError(name string, call *ast.CallExpr) bool {
	if strings.Contains(name, "Error") {
		return true
	}
	for _, x := range call.Args[:min(len(call.Args), 2)] {
		if f.isError(x) {
			return true
		}
	}
	return false
}
