package jest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// form is what snapshots of Jest can say by property matchers.
func form() snapshot.Form {
	return snapshot.Form{Can: func(n *snapshot.Node, says []expr.Expr) bool {
		_, ok := matcherOf(n, says)
		return ok
	}}
}

// matcher is what stands in the place of a value: in the test, and in the snapshot, where "%s" is what stood there.
type matcher struct{ source, stored string }

// matcherOf is the matcher that says something of a value.
func matcherOf(n *snapshot.Node, says []expr.Expr) (matcher, bool) {
	has, all := expr.List{}, true
	for _, x := range says {
		c, ok := x.(expr.Compare)
		all = all && ok && c.Op == expr.In && expr.IsLiteral(c.X)
		has.Elems = append(has.Elems, c.X)
	}
	if all {
		return containing(n, has)
	}
	switch x := says[0].(type) {
	case expr.IsType:
		if len(says) == 1 && slices.Equal(x.Types, []expr.Type{expr.TypeArray}) {
			// what fetch gives is no instance of the Array of Jest's own world, as expect.any(Array) wants it
			return matcher{"expect.arrayContaining([])", "ArrayContaining []"}, true
		}
		name := typeOf(x.Types)
		return matcher{"expect.any(" + name + ")", "Any<" + name + ">"}, name != "" && len(says) == 1
	case expr.IsDigits:
		return matching(`/^\d+$/`), len(says) == 1
	case expr.Match:
		write := literal.JavaScriptRegexp
		if x.Full {
			write = literal.JavaScriptRegexpWhole
		}
		re, ok := write(x.Pattern)
		return matching(re), ok && len(says) == 1
	case expr.SameItems:
		list, ok := x.Y.(expr.List)
		if !ok || len(says) > 1 {
			return matcher{}, false
		}
		return containing(n, list)
	}
	return matcher{}, false
}

func matching(re string) matcher {
	return matcher{"expect.stringMatching(" + re + ")", snapshot.JestPattern(re)}
}

// typeOf is the constructor of some types; "" where there is no one. An object that is any object says nothing of its
// members, which is too little.
func typeOf(types []expr.Type) string {
	names := map[expr.Type]string{expr.TypeString: "String", expr.TypeBool: "Boolean",
		expr.TypeInt: "Number", expr.TypeFloat: "Number"}
	name := names[types[0]]
	if slices.ContainsFunc(types, func(t expr.Type) bool { return names[t] != name }) {
		return ""
	}
	return name
}

// containing says that an array has some of the elements that are stored, each at least once, in any order.
func containing(n *snapshot.Node, has expr.List) (matcher, bool) {
	stored := "ArrayContaining ["
	var elems []string
	for _, elem := range has.Elems {
		kept := slices.IndexFunc(n.Kids, func(kid *snapshot.Node) bool {
			x, ok := kid.Literal()
			return ok && expr.Identical(x, elem)
		})
		text, ok := literalOf(elem)
		if kept < 0 || !ok {
			return matcher{}, false
		}
		stored += "\n%" + strconv.Itoa(kept) + ","
		elems = append(elems, text)
	}
	return matcher{"expect.arrayContaining([" + strings.Join(elems, ", ") + "])", stored + "\n%]"}, len(elems) > 0
}

// text is what is stored of a matcher in the place of a value.
func (m matcher) text(content string, n *snapshot.Node) string {
	lines := strings.Split(m.stored, "\n")
	begin := content[strings.LastIndexByte(content[:n.Start], '\n')+1:]
	indent := begin[:len(begin)-len(strings.TrimLeft(begin, " "))]
	for i, line := range lines[1:] {
		switch number, kept := strings.CutPrefix(line, "%"); {
		case kept && number == "]":
			lines[i+1] = indent + "]"
		case kept:
			at, _ := strconv.Atoi(strings.TrimSuffix(number, ","))
			lines[i+1] = indent + "  " + content[n.Kids[at].Start:n.Kids[at].End] + ","
		}
	}
	return strings.Join(lines, "\n")
}

// fit finds how a snapshot says x.
func (o *snap) fit(x expr.Expr) (snapshot.Fit, bool) {
	if x == nil || o.root == nil {
		return snapshot.Fit{}, false
	}
	return form().Fit(o.value, o.root, x)
}

// mended is the snapshot that says x.
func (o *snap) mended(fit snapshot.Fit) string {
	var edits []snapshot.Edit
	for n, says := range fit.Said {
		m, _ := matcherOf(n, says)
		edits = append(edits, snapshot.Edit{Start: n.Start, End: n.End, Text: m.text(o.content, n)})
	}
	return snapshot.Edited(o.content, edits)
}

// write says x by a snapshot with property matchers.
func (o *snap) write(x expr.Expr) (string, bool) {
	fit, ok := o.fit(x)
	if !ok || o.root.Kind == snapshot.Scalar || fit.Said[o.root] != nil {
		return "", false
	}
	var args []string
	if props := o.matchers(o.root, fit); props != "" {
		args = append(args, props)
	}
	if o.hint != nil {
		args = append(args, literal.JavaScript(o.hint.Text))
	}
	if o.inline != nil {
		args = append(args, o.inline.with(o.mended(fit)))
	}
	return o.assertion.Text[:o.from] + strings.Join(args, ", ") + o.assertion.Text[o.to:], true
}

// literalOf writes a value as JavaScript.
func literalOf(x expr.Expr) (string, bool) {
	w := &js.Writer{}
	text := w.Value(x)
	return text, !w.Failed
}

// matchers writes the property matchers of a value; "" where it has none.
func (o *snap) matchers(n *snapshot.Node, fit snapshot.Fit) string {
	if says := fit.Said[n]; says != nil {
		m, _ := matcherOf(n, says)
		return m.source
	}
	if source, ok := o.props[n]; ok {
		return source
	}
	texts, any := make([]string, len(n.Kids)), false
	for i, kid := range n.Kids {
		texts[i] = o.matchers(kid, fit)
		any = any || texts[i] != ""
	}
	if !any {
		return ""
	}
	var out []string
	for i, kid := range n.Kids {
		switch text := texts[i]; {
		case n.Kind == snapshot.Object && text != "":
			key := n.Keys[i]
			if !js.Identifier.MatchString(key) {
				key = literal.JavaScript(key)
			}
			out = append(out, key+": "+text)
		case n.Kind == snapshot.List && text != "":
			out = append(out, text)
		case n.Kind == snapshot.List && kid.Kind == snapshot.Object:
			out = append(out, "{}") // any object, of which the snapshot says more
		case n.Kind == snapshot.List:
			x, _ := kid.Literal()
			text, _ := literalOf(x)
			out = append(out, text)
		}
	}
	if n.Kind == snapshot.List {
		return "[" + strings.Join(out, ", ") + "]"
	}
	return "{ " + strings.Join(out, ", ") + " }"
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
				c.Content = one.mended(fit)
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
