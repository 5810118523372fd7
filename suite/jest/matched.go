package jest

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/matching"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// fit finds how a snapshot says x.
func (o *snap) fit(x expr.Expr) (snapshot.Fit, bool) {
	if x == nil || o.root == nil {
		return snapshot.Fit{}, false
	}
	return matching.Form().Fit(o.value, o.root, x)
}

// write says x by a snapshot with property matchers.
func (o *snap) write(x expr.Expr) (string, bool) {
	fit, ok := o.fit(x)
	if !ok || o.root.Kind == snapshot.Scalar || fit.Said[o.root] != nil {
		return "", false
	}
	var args []string
	if props := matching.Properties(o.root, fit, o.props); props != "" {
		args = append(args, props)
	}
	if o.hint != nil {
		args = append(args, literal.JavaScript(o.hint.Text))
	}
	if o.inline != nil {
		args = append(args, o.inline.with(matching.Mended(o.content, fit)))
	}
	return o.assertion.Text[:o.from] + strings.Join(args, ", ") + o.assertion.Text[o.to:], true
}

// elsewhere is the file of snapshots as it is when assertions say what is given: those that compare with none any more
// have none, and the others of their names are numbered anew.
func (w *written) elsewhere(_ *script.Script, said map[*script.Assertion]expr.Expr) ([]script.Edit,
	[]script.BesideFile) {
	changes := map[int]snapshot.Change{}
	for name, shots := range w.stored.asserts {
		number := 0
		for _, one := range shots {
			x, changed := said[one.assertion]
			gone := changed && (x == nil || one.assertion.Plain)
			if !gone {
				number++
			}
			if one.root == nil || one.inline != nil {
				continue
			}
			c := snapshot.Change{Name: name + " " + strconv.Itoa(number), Content: one.content, Gone: gone}
			if fit, ok := one.fit(x); changed && !gone && ok {
				c.Content = matching.Mended(one.content, fit)
			}
			changes[one.entry] = c
		}
	}
	text := w.stored.file.With(changes)
	if text == w.stored.file.Text {
		return nil, nil
	}
	return nil, []script.BesideFile{{Path: w.stored.path, Text: text}}
}
