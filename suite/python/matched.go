package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/importing"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syrupy"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// shotForm is what snapshots of syrupy can say: that a value is of a type. Of members that are left out, and of the
// values of a type, more is said behind the comparison.
func shotForm() snapshot.Form {
	return snapshot.Form{Leaves: true, Can: func(n *snapshot.Node, says []expr.Expr) bool {
		return typeSaid(n, says) != ""
	}}
}

// typeSaid is the one type of a value, as Python calls it, that statements are true of; "" where they are true of
// several, or do not tell.
func typeSaid(n *snapshot.Node, says []expr.Expr) string {
	types := map[expr.Type]bool{}
	for _, x := range says {
		switch x := x.(type) {
		case expr.IsType:
			for _, t := range x.Types {
				types[t] = true
			}
		case expr.Match, expr.IsDigits, expr.HasPrefix, expr.HasSuffix:
			types[expr.TypeString] = true
		case expr.SameItems:
			types[expr.TypeArray] = true
		case expr.Compare:
			if x.Op == expr.In && n.Kind == snapshot.List && expr.FromAnswer(x.Y) {
				types[expr.TypeArray] = true
			}
		case expr.Or:
			return ""
		}
	}
	if len(types) != 1 || types[expr.TypeObject] {
		return ""
	}
	for t := range types {
		return snapshot.AmberType(t)
	}
	return ""
}

// fit finds how a snapshot says x.
func (o *snap) fit(x expr.Expr) (snapshot.Fit, bool) {
	if x == nil || o.root == nil {
		return snapshot.Fit{}, false
	}
	return shotForm().Fit(o.value, o.root, x)
}

// mended is the snapshot that says x.
func (o *snap) mended(fit snapshot.Fit) string {
	var edits []snapshot.Edit
	for n, says := range fit.Said {
		edits = append(edits, snapshot.Edit{Start: n.Start, End: n.End, Text: typeSaid(n, says)})
	}
	for _, n := range fit.Left {
		edits = append(edits, snapshot.Edit{Start: n.Line, End: n.Next})
	}
	return snapshot.Edited(o.content, edits)
}

// write says x by a snapshot with types in the place of values, and without members; what else x says stands behind.
func (o *snap) write(p source.Printer, x expr.Expr) (string, bool) {
	fit, ok := o.fit(x)
	if !ok || o.root.Kind == snapshot.Scalar || fit.Said[o.root] != nil {
		return "", false
	}
	options, ok := o.with(fit)
	if !ok {
		return "", false
	}
	more := fit.More
	paths := pathsOf(o.root)
	nodes := slices.SortedFunc(maps.Keys(fit.Said), func(a, b *snapshot.Node) int {
		return strings.Compare(paths[a], paths[b])
	})
	for _, n := range nodes {
		for _, x := range fit.Said[n] {
			if _, isType := x.(expr.IsType); !isType {
				more = append(more, x)
			}
		}
	}
	text := ""
	if len(more) > 0 {
		if text, ok = p.Source(expr.And{Xs: more}); !ok {
			return "", false
		}
		text = " and " + text
	}
	right, message := strings.CutSuffix(o.right, o.message)
	if !message {
		return "", false
	}
	return o.left + options.Source() + right + text + o.message, true
}

// with are the options of a snapshot that is fitted; false where they cannot say which members are left out.
func (o *snap) with(fit snapshot.Fit) (syrupy.Options, bool) {
	out := o.options
	out.Types, out.Paths, out.Props = maps.Clone(out.Types), slices.Clone(out.Paths), slices.Clone(out.Props)
	paths := pathsOf(o.root)
	for n, says := range fit.Said {
		out.Types[paths[n]] = "(" + typeSaid(n, says) + ",)"
	}
	var left []string
	for _, n := range fit.Left {
		delete(out.Types, paths[n])
		left = append(left, paths[n])
	}
	slices.Sort(left)
	if len(out.Props) == 0 {
		out.Paths = append(out.Paths, left...)
		return out, true
	}
	for _, at := range left {
		_, key, _ := cutLast(at, ".")
		for _, other := range paths {
			if _, name, _ := cutLast(other, "."); name == key && other != at {
				return out, false // props would leave that out too
			}
		}
		out.Props = append(out.Props, key)
	}
	return out, true
}

// elsewhere is the file of snapshots as it is when assertions say what is given, and what the tests import for that.
// Assertions that compare with no snapshot any more have none, and the others of their tests are numbered anew.
func (w *suiteFile) elsewhere(s *script.Script, said map[*script.Assertion]expr.Expr) ([]script.Edit,
	[]script.BesideFile) {
	changes := map[int]snapshot.Change{}
	var imports []string
	for test, shots := range w.stored.asserts {
		n := 0
		for _, one := range shots {
			x, changed := said[one.assertion]
			c := snapshot.Change{Name: entryName(test, one, n), Content: one.content,
				Gone: changed && (x == nil || one.assertion.Plain)}
			if !c.Gone {
				n++
			}
			if one.root == nil {
				continue
			}
			if fit, ok := one.fit(x); changed && !c.Gone && ok {
				c.Content = one.mended(fit)
				now, _ := one.with(fit)
				imports = append(imports, now.Imports()...)
			}
			changes[one.entry] = c
		}
	}
	more, files := w.approvedElsewhere(said)
	if text := w.stored.file.With(changes); text != w.stored.file.Text {
		files = append(files, script.BesideFile{Path: w.stored.path, Text: text})
	}
	if len(files) == 0 {
		return nil, nil
	}
	return importing.Names(s, w.stmts, append(imports, more...)), files
}
