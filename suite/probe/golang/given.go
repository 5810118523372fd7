package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// given has a test look, before each statement that makes up a request, whether the parts of answers that it uses are
// there.
func (f *file) given() {
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			w := flow{f, nil, map[types.Object]bool{}, map[types.Object]bool{}, map[types.Object]bool{}}
			w.follow(fn)
		}
	}
}

// flow is what a function makes requests of.
type flow struct {
	*file
	sets       []set
	answers    map[types.Object]bool // variables that hold something of an answer
	wanted     map[types.Object]bool // variables that requests are made of
	parameters map[types.Object]bool // whose own parts may be missing: a caller looks at what it gives
}

// set is where a variable is set, or something is added to it.
type set struct {
	at  ast.Node
	to  types.Object
	by  []ast.Expr
	own bool // the expressions are what it is then, and not only added
}

// follow finds what a function sends, and of what that is made.
func (w *flow) follow(fn *ast.FuncDecl) {
	ast.Inspect(fn, w.note)
	grown(w.answers, func() {
		for _, s := range w.sets {
			if s.own && s.to != nil && slices.ContainsFunc(s.by, w.isAnswer) {
				w.answers[s.to] = true
			}
		}
	})
	grown(w.wanted, func() {
		for _, s := range w.sets {
			if w.wanted[s.to] {
				w.want(s.by)
			}
		}
	})
	w.insert(fn)
}

// insert has the function look before each statement.
func (w *flow) insert(fn *ast.FuncDecl) {
	at := map[token.Pos][]string{}
	ast.PreorderStack(fn, nil, func(n ast.Node, around []ast.Node) bool {
		var by []ast.Expr
		if call, ok := n.(*ast.CallExpr); ok && w.sends(call) {
			by = call.Args
		}
		for _, s := range w.sets {
			if s.at == n && w.wanted[s.to] {
				by = append(by, s.by...)
			}
		}
		if len(by) > 0 {
			w.look(by, append(slices.Clone(around), n), at)
		}
		return true
	})
	for _, pos := range slices.Sorted(maps.Keys(at)) {
		test, values := at[pos][0], strings.Join(at[pos][1:], ", ")
		w.edits = append(w.edits, edit{pos, pos, "flaketapGiven(" + test +
			", func() []interface{} { return []interface{}{" + values + "} }); "})
	}
}

// grown repeats what adds to a set until nothing is added.
func grown(set map[types.Object]bool, add func()) {
	for before := -1; before < len(set); {
		before = len(set)
		add()
	}
}

// note notes what a node sets, and what it sends.
func (w *flow) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncType:
		for _, field := range n.Params.List {
			for _, id := range field.Names {
				w.parameters[w.variable(id)] = true
			}
		}
		delete(w.parameters, nil)
	case *ast.AssignStmt:
		for i, x := range n.Lhs {
			by := n.Rhs
			if len(n.Rhs) == len(n.Lhs) {
				by = n.Rhs[i : i+1]
			}
			w.sets = append(w.sets, set{n, w.variable(x), by, true})
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			by := n.Values
			if len(n.Values) == len(n.Names) {
				by = n.Values[i : i+1]
			}
			w.sets = append(w.sets, set{n, w.variable(id), by, true})
		}
	case *ast.RangeStmt:
		for _, x := range []ast.Expr{n.Key, n.Value} {
			if x != nil {
				w.sets = append(w.sets, set{nil, w.variable(x), []ast.Expr{n.X}, true})
			}
		}
	case *ast.CallExpr:
		if w.sends(n) {
			w.want(n.Args)
		}
		for _, x := range n.Args {
			if at, ok := x.(*ast.UnaryExpr); ok && at.Op == token.AND && w.variable(at.X) != nil {
				w.answers[w.variable(at.X)] = true
			}
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && w.imported(sel.X) == "" {
				w.sets = append(w.sets, set{n, w.variable(sel.X), call.Args, false})
			}
		}
	}
	return true
}

// variable is the variable that an expression begins with; nil where it begins with none.
func (w *flow) variable(x ast.Expr) types.Object {
	for {
		switch n := x.(type) {
		case *ast.SelectorExpr:
			x = n.X
		case *ast.IndexExpr:
			x = n.X
		case *ast.StarExpr:
			x = n.X
		case *ast.ParenExpr:
			x = n.X
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return nil
			}
			x = sel.X
		case *ast.Ident:
			o := w.info.Uses[n]
			if o == nil {
				o = w.info.Defs[n]
			}
			if v, ok := o.(*types.Var); ok && !w.isTest(n) {
				return v
			}
			return nil
		default:
			return nil
		}
	}
}

// want wants what expressions are made of.
func (w *flow) want(xs []ast.Expr) {
	for _, x := range xs {
		inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if o := w.variable(id); o != nil {
					w.wanted[o] = true
				}
			}
			return true
		})
	}
}

// inspect goes through an expression without the functions that are written in it.
func inspect(x ast.Expr, visit func(ast.Node) bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || n == nil {
			return false
		}
		return visit(n)
	})
}

// isAnswer reports whether an expression may hold something of an answer.
func (w *flow) isAnswer(x ast.Expr) (found bool) {
	inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || w.answers[w.variable(n)]
		case *ast.CallExpr:
			found = found || w.sends(n)
		}
		return !found
	})
	return found
}

// look has a test look at the parts of answers in expressions, before the statement that they stand in.
func (w *flow) look(xs []ast.Expr, around []ast.Node, at map[token.Pos][]string) {
	test, before := w.where(around)
	if test == "" || before == nil || !w.means(test, before.Pos()) {
		return
	}
	for _, x := range xs {
		for _, leaf := range w.leaves(x) {
			text := w.source(leaf)
			if strings.ContainsAny(text, "\n\r") || !w.visible(leaf, before.Pos()) {
				continue
			}
			if at[before.Pos()] == nil {
				at[before.Pos()] = []string{test}
			}
			if !slices.Contains(at[before.Pos()], text) {
				at[before.Pos()] = append(at[before.Pos()], text)
			}
		}
	}
}

// where finds the statement before which something can be inserted, and how the test is called there.
func (w *flow) where(around []ast.Node) (test string, before ast.Node) {
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *ast.FuncDecl:
			test = w.parameter(n.Type)
		case *ast.FuncLit:
			test = w.parameter(n.Type)
		case ast.Stmt:
			if before == nil && i > 0 && inList(around[i-1]) {
				before = n
			}
		}
		if test != "" {
			break
		}
	}
	return test, before
}

// means reports whether a name is that of a test at a place.
func (w *flow) means(name string, at token.Pos) bool {
	if scope := w.info.Scopes[w.syntax]; scope != nil {
		if inner := scope.Innermost(at); inner != nil {
			if _, o := inner.LookupParent(name, at); o != nil {
				return isTestType(o.Type())
			}
		}
	}
	return false
}

// inList reports whether the statements of a node stand one behind the other.
func inList(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// leaves are the parts of answers that an expression is made of.
func (w *flow) leaves(x ast.Expr) (out []ast.Expr) {
	called := map[ast.Node]bool{}
	inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
				called[sel] = true
			}
		case *ast.UnaryExpr:
			return n.Op != token.AND
		case *ast.KeyValueExpr:
			out = append(out, w.leaves(n.Value)...)
			return false
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.Ident:
			part, _ := n.(ast.Expr)
			if called[n] || !plain(part) {
				return true
			}
			_, whole := part.(*ast.Ident)
			if o := w.variable(part); w.answers[o] && !w.isError(part) || w.parameters[o] && !whole {
				out = append(out, part)
			}
			return false
		}
		return true
	})
	return out
}

// plain reports whether an expression is a variable, or a part of one, that nothing is called for.
func plain(x ast.Expr) bool {
	switch n := x.(type) {
	case *ast.SelectorExpr:
		return plain(n.X)
	case *ast.IndexExpr:
		switch n.Index.(type) {
		case *ast.BasicLit, *ast.Ident:
			return plain(n.X)
		}
		return false
	case *ast.Ident:
		return true
	}
	return false
}
