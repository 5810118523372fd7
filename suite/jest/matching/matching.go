package matching

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Form is what snapshots of Jest can say by property matchers.
func Form() snapshot.Form {
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
		return stringMatching(`/^\d+$/`), len(says) == 1
	case expr.Match:
		write := literal.JavaScriptRegexp
		if x.Full {
			write = literal.JavaScriptRegexpWhole
		}
		re, ok := write(x.Pattern)
		return stringMatching(re), ok && len(says) == 1
	case expr.SameItems:
		list, ok := x.Y.(expr.List)
		if !ok || len(says) > 1 {
			return matcher{}, false
		}
		return containing(n, list)
	}
	return matcher{}, false
}

func stringMatching(re string) matcher {
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

// Mended is the content of a snapshot with the matchers that a fit has in the place of values.
func Mended(content string, fit snapshot.Fit) string {
	var edits []snapshot.Edit
	for n, says := range fit.Said {
		m, _ := matcherOf(n, says)
		edits = append(edits, snapshot.Edit{Start: n.Start, End: n.End, Text: m.text(content, n)})
	}
	return snapshot.Edited(content, edits)
}

// Properties writes the property matchers of a value; "" where it has none. Those that the test has already are kept:
// their source is in kept.
func Properties(n *snapshot.Node, fit snapshot.Fit, kept map[*snapshot.Node]string) string {
	if says := fit.Said[n]; says != nil {
		m, _ := matcherOf(n, says)
		return m.source
	}
	if source, ok := kept[n]; ok {
		return source
	}
	texts, any := make([]string, len(n.Kids)), false
	for i, kid := range n.Kids {
		texts[i] = Properties(kid, fit, kept)
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

// literalOf writes a value as JavaScript.
func literalOf(x expr.Expr) (string, bool) {
	w := &js.Writer{}
	text := w.Value(x)
	return text, !w.Failed
}
