package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// lost lists the variables and the imports that are used in a piece of a statement alone: without it they would have no
// use, and the file would not compile. What is written in its place may use them.
func (f *file) lost(within ast.Node, from, to token.Pos, instead string) (variables []string, imports bool) {
	words := wordsOf(instead)
	ast.Inspect(within, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Pos() < from || id.End() > to || slices.Contains(words, id.Name) {
			return true
		}
		o := f.info.Uses[id]
		switch o := o.(type) {
		case *types.PkgName:
		case *types.Var:
			if o.Kind() != types.LocalVar || o.Pos() >= from && o.Pos() < to {
				return true
			}
		default:
			return true
		}
		elsewhere := slices.ContainsFunc(f.uses[o], func(p token.Pos) bool { return p < from || p >= to })
		switch _, isImport := o.(*types.PkgName); {
		case elsewhere:
		case isImport:
			imports = true
		case !slices.Contains(variables, id.Name):
			variables = append(variables, id.Name)
		}
		return true
	})
	return variables, imports
}

// declaredIn reports whether one of some names is declared in a statement.
func (f *file) declaredIn(n ast.Node, names []string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.info.Defs[id] != nil && slices.Contains(names, id.Name) {
			found = true
		}
		return true
	})
	return found
}

// wordsOf are the names in an expression, those aside that it declares itself.
func wordsOf(text string) []string {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return nil
	}
	own := map[string]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, name := range a.Lhs {
				if id, ok := name.(*ast.Ident); ok {
					own[id.Name] = true
				}
			}
		}
		return true
	})
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !own[id.Name] {
			out = append(out, id.Name)
		}
		return true
	})
	return out
}
