package meaning

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// PathTo writes a path of REST-assured's, with quotes around names that are no words, or are those of methods.
func PathTo(steps []expr.Expr) string {
	path := ""
	for _, step := range steps {
		switch step := step.(type) {
		case expr.Num:
			path += "[" + step.Text + "]"
		case expr.Str:
			name := step.Value
			method := slices.Contains([]string{"class", "size", "keys", "values", "empty", "properties"}, name)
			if name == "" || Word.FindString(name) != name || method {
				name = strings.TrimPrefix(Source(expr.Index{X: expr.Name{}, I: step}), ".")
			}
			path += "." + name
		}
	}
	return strings.TrimPrefix(path, ".")
}
