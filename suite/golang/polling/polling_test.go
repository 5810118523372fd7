package polling

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// at is a member of the body of an answer.
func at(steps ...expr.Expr) expr.Expr {
	var x expr.Expr = expr.Answer{Var: "a", Part: expr.JSON}
	for _, step := range steps {
		x = expr.Index{X: x, I: step}
	}
	return x
}

// What tests wait for is written so that it is never true of a body that has no such part, and never panics.
func TestConditions(t *testing.T) {
	name := expr.Str{Value: "state"}
	boolean, _ := expr.Typed(at(name), "boolean")
	number, _ := expr.Typed(at(name), "number")
	for _, tt := range []struct {
		x    expr.Expr
		want string
	}{
		{expr.Cmp(expr.Answer{Var: "a"}, expr.Eq, expr.Int(200)), `status == 200`},
		{expr.Same(at(name), expr.Str{Value: `a "b"`}), `body("state") == "a \"b\""`},
		{expr.Same(at(expr.Int(0), name), expr.Int(3)), `body(0, "state") == float64(3)`},
		{expr.Same(at(name), expr.Bool{Value: true}), `body("state") == true`},
		{expr.IsNull(at(name)), `body("state") == nil`},
		{expr.Cmp(at(name), expr.IsNot, expr.Null{}), `body("state") != nil`},
		{expr.Cmp(expr.Len{X: at(name)}, expr.Ge, expr.Int(2)), `body("state", 1) != nil`},
		{boolean, `(body("state") == true || body("state") == false)`},
		{number, ""},
		{expr.Same(at(name), expr.List{}), ""},
		{expr.Cmp(at(name), expr.Lt, expr.Int(3)), ""},
		{expr.Same(at(), expr.Int(3)), ""},
	} {
		got, ok := one(tt.x)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%v: %s, %t, want %s", tt.x, got, ok, tt.want)
		}
	}
}

// The function has the name of the file in its own, so that two files of a package can have one each.
func TestNamedAfterFile(t *testing.T) {
	for file, want := range map[string]string{"jobs_test.go": "Jobs", "a/job_api_test.go": "JobApi", `b\e2e-läufe_test.go`: "E2eLäufe"} {
		if got := camel(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// Only what is reached whenever its statement runs can be sent ahead of that.
func TestIsAlways(t *testing.T) {
	for text, want := range map[string]bool{
		"x := get()": true, "if x := get(); x { }": true, "if get() { }": true, "if get() || x { }": true, "switch get() { }": true,
		"if x || get() { }": false, "if x && get() { }": false, "if x { get() }": false, "for get() { }": false, "f(func() { get() })": false,
		"switch { case get(): }": false, "defer get()": false, "go get()": false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\nfunc f() { "+text+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if name, _ := ast.Unparen(callee(call)).(*ast.Ident); ok && name != nil && name.Name == "get" {
				if got := isAlways(file.Decls[0].(*ast.FuncDecl).Body, call); got != want {
					t.Errorf("%s: %t", text, got)
				}
			}
			return true
		})
	}
}

// What a request is made of is written out as far as it is made of no more than some parts, in no more than some levels.
func TestSpeller(t *testing.T) {
	for _, tt := range []struct {
		text string
		left int
		ok   bool
	}{
		{`1 - (2 - 3)`, 6, true}, {`1 - (2 - 3)`, 5, false}, {`(1 + 2) * 3`, 6, true}, {`1 + 2 + 3`, 5, true},
		{`"a"[0]`, 3, true}, {`((((((((1))))))))`, maxParts, false},
	} {
		x, err := parser.ParseExpr(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		left := tt.left
		if got, ok := (speller{left: &left}).text(x, nil); ok != tt.ok || ok && got != tt.text {
			t.Errorf("%s of %d parts: %s, %t", tt.text, tt.left, got, ok)
		}
	}
}

// callee is what a call calls; nil where there is none.
func callee(x *ast.CallExpr) ast.Expr {
	if x == nil {
		return nil
	}
	return x.Fun
}
