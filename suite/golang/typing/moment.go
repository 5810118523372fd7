package typing

import (
	"errors"
	"go/token"
	"go/types"

	"github.com/flaketap/flaketap/suite/expr"
)

// Moments gives the packages that a suite imports: of package time its type Time, which encoding/json reads from a
// text, and of the others nothing.
type Moments struct{}

// Import gives a package.
func (Moments) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, errors.New("imported packages are not loaded")
	}
	pkg := types.NewPackage(path, path)
	name := types.NewTypeName(token.NoPos, pkg, "Time", nil)
	types.NewNamed(name, types.NewStruct(nil, nil), nil)
	pkg.Scope().Insert(name)
	pkg.MarkComplete()
	return pkg, nil
}

// IsMoment reports whether a type is time.Time.
func IsMoment(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Time" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

// NoMoment is the moment that a time.Time holds which nothing was put into.
func NoMoment() expr.Expr { return expr.Str{Value: "0001-01-01T00:00:00Z"} }
