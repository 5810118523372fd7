package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Lost lists the variables, and the members of imports, that nothing may be left to use without a piece of an
// assertion: the file would not compile. What is written in its place, as expressions, may use them; what stands in
// other assertions may be commented out as well.
func (f *File) Lost(within ast.Node, from, to token.Pos, asserted func(token.Pos) bool,
	instead ...string) (variables, members []string) {
	var words []string
	for _, x := range instead {
		words = append(words, WordsOf(x)...)
	}
	ast.Inspect(within, func(n ast.Node) bool {
		of, isMember := n.(*ast.SelectorExpr)
		if isMember {
			n = of.X
		}
		id, ok := n.(*ast.Ident)
		if !ok || id.Pos() < from || id.End() > to || slices.Contains(words, id.Name) {
			return true
		}
		o := f.Info.Uses[id]
		switch o := o.(type) {
		case *types.PkgName:
			if !isMember {
				return true // it was looked at with its member
			}
		case *types.Var:
			if o.Kind() != types.LocalVar || o.Pos() >= from && o.Pos() < to {
				return true
			}
		default:
			return true
		}
		elsewhere := slices.ContainsFunc(f.Uses[o], func(p token.Pos) bool {
			own := p >= within.Pos() && p < within.End()
			return own && (p < from || p >= to) || !own && !asserted(p)
		})
		switch _, isImport := o.(*types.PkgName); {
		case elsewhere:
		case isImport:
			if member := id.Name + "." + of.Sel.Name; !slices.Contains(members, member) {
				members = append(members, member)
			}
		case !slices.Contains(variables, id.Name):
			variables = append(variables, id.Name)
		}
		return true
	})
	return variables, members
}
