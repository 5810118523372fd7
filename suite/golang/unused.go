package golang

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/golang/source"
)

// lost lists the variables and the imports that nothing may be left to use without a piece of an assertion: the file
// would not compile. What is written in its place may use them; other assertions may be commented out as well.
func (g *suite) lost(within ast.Node, from, to token.Pos, instead string) (variables []string, imports bool) {
	words := source.WordsOf(instead)
	ast.Inspect(within, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Pos() < from || id.End() > to || slices.Contains(words, id.Name) {
			return true
		}
		o := g.Info.Uses[id]
		switch o := o.(type) {
		case *types.PkgName:
		case *types.Var:
			if o.Kind() != types.LocalVar || o.Pos() >= from && o.Pos() < to {
				return true
			}
		default:
			return true
		}
		elsewhere := slices.ContainsFunc(g.Uses[o], func(p token.Pos) bool {
			own := p >= within.Pos() && p < within.End()
			return own && (p < from || p >= to) || !own && !g.inAssertion(p)
		})
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

// inAssertion reports whether something stands in an assertion.
func (g *suite) inAssertion(p token.Pos) bool {
	i, found := slices.BinarySearchFunc(g.asserted, p, func(s ast.Stmt, p token.Pos) int { return int(s.Pos() - p) })
	return found || i > 0 && p < g.asserted[i-1].End()
}
