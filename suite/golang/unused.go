package golang

import (
	"go/ast"
	"go/token"
	"slices"
)

// inAssertion reports whether something stands in an assertion.
func (g *suite) inAssertion(p token.Pos) bool {
	i, found := slices.BinarySearchFunc(g.asserted, p, func(s ast.Stmt, p token.Pos) int { return int(s.Pos() - p) })
	return found || i > 0 && p < g.asserted[i-1].End()
}
