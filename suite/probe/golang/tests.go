package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// begin has each test noted as it begins, and where it ends early.
func (f *file) begin() {
	for _, d := range f.syntax.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if test := f.testOf(fn); test != "" {
			f.edits = append(f.edits, edit{fn.Body.Lbrace + 1, fn.Body.Lbrace + 1, " defer flaketapTest(" + test + ")();"})
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && f.isRun(call) {
				f.wrap(call.Args[1], "flaketapRun")
			}
			return true
		})
	}
}

// testOf is how a function that go test runs calls its test, as testify's suites do their methods; "" for any other.
func (f *file) testOf(fn *ast.FuncDecl) string {
	if !strings.HasPrefix(fn.Name.Name, "Test") || fn.Type.TypeParams != nil {
		return ""
	}
	name := func(list *ast.FieldList) string {
		if list == nil || len(list.List) != 1 || len(list.List[0].Names) != 1 || list.List[0].Names[0].Name == "_" {
			return ""
		}
		return list.List[0].Names[0].Name
	}
	params := fn.Type.Params
	switch {
	case fn.Recv == nil && name(params) != "" && f.isTest(params.List[0].Names[0]):
		return name(params)
	case len(params.List) == 0 && name(fn.Recv) != "" && f.isSuite(fn.Recv.List[0].Names[0]):
		return name(fn.Recv) + ".T()"
	}
	return ""
}

// isSuite reports whether an expression is a suite of testify.
func (p *folder) isSuite(x ast.Expr) bool {
	t := p.info.TypeOf(x)
	if t == nil {
		return false
	}
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && p.suites[named.Obj().Name()]
}

// isRun reports whether a call runs a subtest.
func (p *folder) isRun(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Run" && len(call.Args) == 2 && p.isTest(sel.X)
}

// leaves has a test go on where it would return, since it failed: if x { t.Error(…); return }.
func (f *file) leaves(n *ast.ReturnStmt, around []ast.Node) {
	if len(around) < 3 || len(n.Results) > 0 {
		return
	}
	block, ok := around[len(around)-1].(*ast.BlockStmt)
	branch, is := around[len(around)-2].(*ast.IfStmt)
	if !ok || !is || branch.Body != block || block.List[len(block.List)-1] != n {
		return
	}
	test := f.ownTest(around)
	if test == "" {
		return
	}
	fails := false
	if not, ok := branch.Cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		fails = f.isAssert(not.X)
	}
	for _, s := range block.List {
		if x, ok := s.(*ast.ExprStmt); ok {
			fails = fails || f.failsTest(x.X)
		}
	}
	if fails {
		f.edits = append(f.edits, edit{n.Pos(), n.End(), "if !flaketapGoesOn(" + test + ") { return }"})
	}
}

// ownTest is how the test is called whose function is the nearest one around; "" where that is no test's.
func (f *file) ownTest(around []ast.Node) string {
	for i := len(around) - 1; i > 0; i-- {
		switch n := around[i].(type) {
		case *ast.FuncDecl:
			return f.testOf(n)
		case *ast.FuncLit:
			if call, ok := around[i-1].(*ast.CallExpr); ok && f.isRun(call) {
				return f.parameter(n.Type)
			}
			return ""
		}
	}
	return ""
}

// parameter is the name of a function's parameter that is a test; "" where there is none.
func (f *file) parameter(fn *ast.FuncType) string {
	for _, field := range fn.Params.List {
		for _, id := range field.Names {
			if id.Name != "_" && f.isTest(id) {
				return id.Name
			}
		}
	}
	return ""
}

// failsTest reports whether an expression is t.Error(…) or the like.
func (f *file) failsTest(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.isTest(sel.X) && (sel.Sel.Name == "Error" || sel.Sel.Name == "Errorf" || sel.Sel.Name == "Fail")
}

// isAssert reports whether an expression is an assertion of testify's that looks at no error.
func (f *file) isAssert(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.imported(sel.X) == testifyAssert && !f.looksAtError(sel.Sel.Name, call)
}
