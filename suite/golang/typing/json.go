package typing

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// Names are names of values by their types.
func Names() map[string]string {
	return map[string]string{"string": "s", "float64": "n", "bool": "b", "[]any": "list", "map[string]any": "m"}
}

// OfJSON is the type that encoding/json gives a value of some types of JSON, and whether it is a whole number; "" where
// they are of several.
func OfJSON(all []expr.Type) (typ string, whole bool) {
	names := map[expr.Type]string{expr.TypeBool: "bool", expr.TypeObject: "map[string]any", expr.TypeFloat: "float64", expr.TypeInt: "float64",
		expr.TypeArray: "[]any", expr.TypeString: "string"}
	whole = len(all) > 0
	for i, t := range all {
		if i > 0 && names[t] != typ {
			return "", false
		}
		typ, whole = names[t], whole && t == expr.TypeInt
	}
	return typ, whole
}

// Each says of each of several types that a value is of it: one condition for all types of JSON that Go has one
// type for.
func Each(x expr.IsType) []expr.Expr {
	var names []string
	var out []expr.Expr
	for _, t := range x.Types {
		name, _ := OfJSON([]expr.Type{t})
		if i := slices.Index(names, name); i >= 0 {
			one := out[i].(expr.IsType)
			out[i] = expr.IsType{X: x.X, Types: append(slices.Clone(one.Types), t)}
			continue
		}
		names, out = append(names, name), append(out, expr.IsType{X: x.X, Types: []expr.Type{t}})
	}
	return out
}
