package postman

import (
	"regexp"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/chai"
	"github.com/flaketap/flaketap/suite/script"
)

// own reads the parts of the answer as the sandbox names them.
func (v *testReading) own(n *js.Node) (expr.Expr, bool) {
	answer := v.call.Var
	if n.Is("responseBody") {
		return expr.Answer{Var: answer, Part: expr.Text}, true
	}
	if n.Form == js.NodeMember && (n.Text == "code" && (isResponse(n.Args[0]) || n.Args[0].Is("responseCode"))) {
		return expr.Answer{Var: answer}, true
	}
	if n.Form == js.NodeMember && n.Text == "responseTime" && isResponse(n.Args[0]) || n.Is("responseTime") {
		return expr.Name{ID: "response_time"}, true // known to no observation
	}
	object, name, args := n.Method()
	switch {
	case object == nil:
		return nil, false
	case isResponse(object) && name == "text":
		return expr.Answer{Var: answer, Part: expr.Text}, true
	case isResponse(object) && name == "json":
		return expr.Answer{Var: answer, Part: expr.JSON}, true
	case object.Is("JSON") && name == "parse" && len(args) == 1:
		x, ok := v.reading.Meaning(args[0])
		return expr.Answer{Var: answer, Part: expr.JSON}, ok && expr.IsText(x)
	}
	if len(args) == 1 && args[0].Form == js.NodeString {
		return v.named(object, name, strings.ToLower(args[0].Text), args[0].Text)
	}
	return nil, false
}

// named reads headers and variables by their names.
func (v *testReading) named(object *js.Node, method, header, key string) (expr.Expr, bool) {
	headers := expr.Answer{Var: v.call.Var, Part: expr.Headers}
	switch {
	case object.Form == js.NodeMember && object.Text == "headers" && isResponse(object.Args[0]):
		switch method {
		case "get":
			return expr.Index{X: headers, I: expr.Str{Value: header}}, true
		case "has":
			return expr.Cmp(expr.Str{Value: header}, expr.In, headers), true
		}
	case object.Is("postman") && method == "getResponseHeader":
		return expr.Index{X: headers, I: expr.Str{Value: header}}, true
	case object.Form == js.NodeMember && object.Args[0].Is("pm") && method == "get":
		name := variableName(key)
		return expr.Name{ID: name}, name != "" && v.set[name] == 1
	}
	return nil, false
}

// isResponse reports whether a node is pm.response.
func isResponse(n *js.Node) bool {
	return n.Form == js.NodeMember && n.Text == "response" && n.Args[0].Is("pm")
}

// dialect names the answer of one call; those of others are out of its script's reach.
func (*file) dialect(t *script.Test, a *script.Assertion) js.Words {
	own := t.Calls[a.Call].Var
	return js.Words{
		Part: func(name string, what expr.Part) (string, bool) {
			part := map[expr.Part]string{expr.Status: "pm.response.code", expr.Text: "pm.response.text()",
				expr.JSON: "pm.response.json()"}[what]
			return part, part != "" && name == own
		},
		Header: func(name, key string) (string, bool) {
			return "pm.response.headers.get(" + literal.JavaScript(key) + ")", name == own
		},
		Name: func(id string) string {
			if strings.HasPrefix(id, script.SetUpPrefix) || strings.HasPrefix(id, script.FreshPrefix) {
				return "pm.variables.get(" + literal.JavaScript(variableKey(id)) + ")"
			}
			if key, ok := strings.CutPrefix(id, "var_"); ok {
				return "pm.variables.get(" + literal.JavaScript(key) + ")"
			}
			return id
		},
		Say: func(v js.Verb, l, r string) string { return chai.Says("pm.expect", v, l, r) },
	}
}

// write returns the source as it stands in a string of the file.
func (l *file) write(_ *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	w := js.NewWriter(l.dialect(t, a), a)
	if named := namedTest.FindString(a.Text); named != "" {
		text := named + " " + w.Cond(x, js.AnyLevel) + ";"
		return inJSON(text), !w.Failed
	}
	text, ok := w.Line(x, l.inline[a])
	return inJSON(text), ok
}

// namedTest is how tests were named before there was pm.test.
var namedTest = regexp.MustCompile(`^tests\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]\s*=`)

// inJSON returns a text as it stands within a JSON string.
func inJSON(s string) string {
	quoted := literal.JSON(s)
	return quoted[1 : len(quoted)-1]
}

// line returns the line of a script that a byte of the file stands in, by its number among all.
func (l *file) line(pos int) int {
	return sort.Search(len(l.lines), func(i int) bool { return l.lines[i].start > pos }) - 1
}

// above writes lines above the line of the script that a span begins in: elements of the array, or lines of the string.
func (l *file) above(s *script.Script, at script.Span, lines []string) []script.Edit {
	n := l.line(at.Start)
	if n < 0 || at.Start > l.lines[n].end { // what is said of a whole item has no place in JSON
		return nil
	}
	line := l.lines[n]
	indent := line.text[:len(line.text)-len(strings.TrimLeft(line.text, " \t"))]
	text := ""
	if !line.array {
		for _, add := range lines {
			text += inJSON(indent+add) + `\n`
		}
		return []script.Edit{{Start: line.start, End: line.start, Text: text}}
	}
	gap := spaceBefore(s.Text, line.quote)
	for _, add := range lines {
		text += literal.JSON(indent+add) + "," + gap
	}
	return []script.Edit{{Start: line.quote, End: line.quote, Text: text}}
}

// below writes lines below the line of the script that an assertion has for itself.
func (l *file) below(s *script.Script, _ *script.Test, a *script.Assertion, adds []script.Addition) (script.Edit,
	bool) {
	n := l.line(a.At.End - 1)
	line := l.lines[n]
	if l.inline[a] || strings.Trim(s.Text[a.At.End:line.end], "; \t") != "" || l.line(a.At.Start) != n {
		return script.Edit{}, false
	}
	indent := inJSON(line.text[:len(line.text)-len(strings.TrimLeft(line.text, " \t"))])
	before, between := `\n`, ""
	if line.array {
		before, between = `,`+spaceBefore(s.Text, line.quote)+`"`, `"`
	}
	at, text := line.end+len(between), ""
	for _, add := range adds {
		if add.Comment != "" {
			text += before + indent + inJSON(add.Comment) + between
		}
		text += before + indent + add.Text + between
	}
	return script.Edit{Start: at, End: at, Text: text}, true
}

// disable comments an assertion out: its lines, where it has them for itself, else between the signs of a comment.
func (l *file) disable(s *script.Script, a *script.Assertion) []script.Edit {
	first, last := l.line(a.At.Start), l.line(a.At.End-1)
	head := l.lines[first]
	before := s.Text[head.start:a.At.Start]
	after := s.Text[a.At.End:l.lines[last].end]
	plain := strings.Trim(before, " \t") == "" && (strings.TrimSpace(after) == "" ||
		strings.HasPrefix(strings.TrimSpace(after), "//"))
	if plain && !l.inline[a] {
		edits := []script.Edit{{Start: a.At.Start, End: a.At.Start, Text: "// "}}
		for n := first + 1; n <= last; n++ {
			edits = append(edits, script.Edit{Start: l.lines[n].start, End: l.lines[n].start, Text: "// "})
		}
		return edits
	}
	text := endOfComment.ReplaceAllString(s.Text[a.At.Start:a.At.End], "* /")
	if l.inline[a] {
		return []script.Edit{{Start: a.At.Start, End: a.At.End, Text: "{ /* " + text + " */ }"}}
	}
	return []script.Edit{{Start: a.At.Start, End: a.At.End, Text: "/* " + text + " */"}}
}

// endOfComment is the end of a comment as it stands in a JSON string, where signs may be escaped.
var endOfComment = regexp.MustCompile(`(?:\*|\\u002[aA])(?:/|\\/|\\u002[fF])`)

// path names a member of a body: .items[0].id.
func (l *file) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	return strings.TrimPrefix(js.NewWriter(l.dialect(t, a), a).Value(subject), "pm.response.json()")
}
