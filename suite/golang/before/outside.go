package before

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// outside puts a variable into the literals of constants, variables and functions that tests share. A constant becomes
// a variable by that, where nothing needs it to be one.
func (f *File) outside(s *script.Script, t *script.Test, text, variable string) (edits []script.Edit, at, gap int,
	ok bool) {
	constants := f.constants()
	literals := f.literals(0, len(s.Text))
	for _, l := range constants {
		literals = append(literals, l.literal)
	}
	for _, plus := range []string{"+", " + "} {
		if edits, at, ok = handset.Outside(s, t, literals, text, variable, words(plus)); !ok || len(edits) == 0 {
			return nil, 0, 0, ok
		}
		if plus == "+" && isFormatted(script.Apply(s.Text, edits)) {
			break
		}
	}
	for _, l := range constants {
		written := func(e script.Edit) bool { return e.Start == l.literal.Start }
		if !slices.ContainsFunc(edits, written) {
			continue
		}
		if !f.mayVary(l.by) {
			return nil, 0, 0, false
		}
		start := f.Offset(l.by.TokPos)
		edits = append(edits, script.Edit{Start: start, End: start + len("const"), Text: "var"})
	}
	for _, d := range f.Syntax.Decls {
		if start := f.Offset(d.Pos()); start <= at && at < f.Offset(d.End()) {
			for _, pkg := range []string{"fmt", "time"} {
				name, isNew := f.Library(pkg, d.Pos())
				if name != pkg {
					return nil, 0, 0, false
				}
				if isNew {
					edits = append(edits, f.Import(pkg))
				}
			}
			return edits, handset.Above(s.Text, start, "//"), 1, true
		}
	}
	return nil, 0, 0, false
}

// constant is a literal of a declaration of constants.
type constant struct {
	literal handset.Literal
	by      *ast.GenDecl
}

// constants are the texts that stand in declarations of constants.
func (f *File) constants() (out []constant) {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return true
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if x, ok := n.(*ast.BasicLit); ok && x.Kind == token.STRING {
				out = append(out, constant{f.literal(x), d})
			}
			return true
		})
		return false
	})
	return out
}

// mayVary reports whether a declaration of a constant may be one of a variable: it declares no other, and no other
// constant is made of it.
func (f *File) mayVary(d *ast.GenDecl) bool {
	v, ok := d.Specs[0].(*ast.ValueSpec)
	if !ok || len(d.Specs) > 1 || len(v.Names) > 1 {
		return false
	}
	name, may := v.Names[0].Name, true
	for _, file := range f.All() {
		ast.Inspect(file, func(n ast.Node) bool {
			other, ok := n.(*ast.GenDecl)
			if !ok || other.Tok != token.CONST || other == d {
				return true
			}
			ast.Inspect(other, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				may = may && !(ok && id.Name == name)
				return may
			})
			return false
		})
	}
	return may
}

// freshOutside is the statement of fresh where it stands outside of functions.
func (f *File) freshOutside(s *script.Script, t *script.Test, v script.FreshText) string {
	return "var " + strings.Replace(f.fresh(s, t, v), ":=", "=", 1)
}
