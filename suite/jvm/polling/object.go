package polling

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// AskObject has an object of a class of a file asked for what is at a path of the JSON that it is made of: in Kotlin by
// its properties, in Java by the accessors that its class has, and by fields where it lies in the test's own class.
func (v *Value) AskObject(file *java.File, class string, kotlin bool) {
	v.Part = func(name string, path []expr.Expr, with expr.Expr) (string, bool) {
		out, of, by := name, class, "."
		for _, step := range path {
			field, f, ok := fieldOf(file, of, step)
			if !ok {
				return "", false
			}
			member := field
			if !kotlin {
				accessor := accessor(file, of, field)
				if accessor == "" && !strings.Contains(file.Nested(of), ".") {
					return "", false
				}
				member = cmp.Or(accessor, field)
			}
			out, of = out+by+member, strings.TrimSuffix(f.Typ, "?")
			if kotlin {
				by = "?."
			}
		}
		return out, canBe(of, with)
	}
}

// fieldOf is the field of a class that has a member of the JSON that it is made of.
func fieldOf(file *java.File, class string, step expr.Expr) (string, java.Variable, bool) {
	key, isName := step.(expr.Str)
	for field := range file.Fields[class] {
		if _, f, ok := file.Member(class, field); ok && isName && f.JSON == key.Value {
			return field, f, true
		}
	}
	return "", java.Variable{}, false
}

// accessor is the call that gives a field of a class of Java's; "" where it has none.
func accessor(file *java.File, class, field string) string {
	if slices.ContainsFunc(file.Components[class], func(p java.Parameter) bool { return p.Name == field }) {
		return field + "()"
	}
	upper := strings.ToUpper(field[:1]) + field[1:]
	for _, f := range file.Methods {
		if f.Class == class && len(f.Params) == 0 && (f.Name == "get"+upper || f.Name == "is"+upper) {
			return f.Name + "()"
		}
	}
	return ""
}

// canBe reports whether what has a type can be a value: a text is none of an enumeration's, and what is primitive is
// never null.
func canBe(typ string, with expr.Expr) bool {
	switch with.(type) {
	case expr.Str:
		return typ == "String"
	case expr.Num:
		return slices.Contains([]string{"int", "Integer", "long", "Int"}, typ)
	case expr.Bool:
		return slices.Contains([]string{"boolean", "Boolean"}, typ)
	}
	return typ != "" && typ[:1] == strings.ToUpper(typ[:1])
}
