package suite

import (
	"regexp"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// own reads the parts of the answer as the sandbox names them.
func (v *postmanTest) own(n *jsNode) (expr.Expr, bool) {
	answer := v.call.Var
	if n.is("responseBody") {
		return expr.Answer{Var: answer, Part: expr.Text}, true
	}
	if n.form == nodeMember && (n.text == "code" && (isResponse(n.args[0]) || n.args[0].is("responseCode"))) {
		return expr.Answer{Var: answer}, true
	}
	if n.form == nodeMember && n.text == "responseTime" && isResponse(n.args[0]) || n.is("responseTime") {
		return expr.Name{ID: "response_time"}, true // known to no observation
	}
	object, name, args := n.method()
	switch {
	case object == nil:
		return nil, false
	case isResponse(object) && name == "text":
		return expr.Answer{Var: answer, Part: expr.Text}, true
	case isResponse(object) && name == "json":
		return expr.Answer{Var: answer, Part: expr.JSON}, true
	case object.is("JSON") && name == "parse" && len(args) == 1:
		x, ok := v.reading.meaning(args[0])
		return expr.Answer{Var: answer, Part: expr.JSON}, ok && expr.IsText(x)
	}
	if len(args) == 1 && args[0].form == nodeString {
		return v.named(object, name, strings.ToLower(args[0].text), args[0].text)
	}
	return nil, false
}

// named reads headers and variables by their names.
func (v *postmanTest) named(object *jsNode, method, header, key string) (expr.Expr, bool) {
	headers := expr.Answer{Var: v.call.Var, Part: expr.Headers}
	switch {
	case object.form == nodeMember && object.text == "headers" && isResponse(object.args[0]):
		switch method {
		case "get":
			return expr.Index{X: headers, I: expr.Str{Value: header}}, true
		case "has":
			return expr.Cmp(expr.Str{Value: header}, expr.In, headers), true
		}
	case object.is("postman") && method == "getResponseHeader":
		return expr.Index{X: headers, I: expr.Str{Value: header}}, true
	case object.form == nodeMember && object.args[0].is("pm") && method == "get":
		name := variableName(key)
		return expr.Name{ID: name}, name != "" && v.set[name] == 1
	}
	return nil, false
}

// isResponse reports whether a node is pm.response.
func isResponse(n *jsNode) bool {
	return n.form == nodeMember && n.text == "response" && n.args[0].is("pm")
}

func (*postman) mark() string { return "// " }

// dialect names the answer of one call; those of others are out of its script's reach.
func (*postman) dialect(t *Test, a *Assertion) jsDialect {
	own := t.Calls[a.Call].Var
	return jsDialect{
		part: func(name string, what expr.Part) (string, bool) {
			part := map[expr.Part]string{expr.Status: "pm.response.code", expr.Text: "pm.response.text()", expr.JSON: "pm.response.json()"}[what]
			return part, part != "" && name == own
		},
		header: func(name, key string) (string, bool) {
			return "pm.response.headers.get(" + jsQuoted(key) + ")", name == own
		},
		name: func(id string) string {
			if strings.HasPrefix(id, setUpName) {
				return "pm.variables.get(" + jsQuoted(postmanKey(id)) + ")"
			}
			if key, ok := strings.CutPrefix(id, "var_"); ok {
				return "pm.variables.get(" + jsQuoted(key) + ")"
			}
			return id
		},
		say: chaiSays,
	}
}

// write returns the source as it stands in a string of the file.
func (l *postman) write(_ *Script, t *Test, a *Assertion, x expr.Expr) (string, bool) {
	w := newJSWriter(l.dialect(t, a), a)
	if named := namedTest.FindString(a.Text); named != "" {
		text := named + " " + w.cond(x, anyLevel) + ";"
		return inJSON(text), !w.failed
	}
	text, ok := w.line(x, l.inline[a])
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
func (l *postman) line(pos int) int {
	return sort.Search(len(l.lines), func(i int) bool { return l.lines[i].start > pos }) - 1
}

// above writes lines above the line of the script that a span begins in: elements of the array, or lines of the string.
func (l *postman) above(s *Script, at span, lines []string) edit {
	n := l.line(at.start)
	if n < 0 || at.start > l.lines[n].end { // what is said of a whole item has no place in JSON
		return edit{at.start, at.start, ""}
	}
	line := l.lines[n]
	indent := line.text[:len(line.text)-len(strings.TrimLeft(line.text, " \t"))]
	text := ""
	if !line.array {
		for _, add := range lines {
			text += inJSON(indent+add) + `\n`
		}
		return edit{line.start, line.start, text}
	}
	before := s.text[:line.quote]
	gap := before[len(strings.TrimRight(before, " \t\r\n")):]
	for _, add := range lines {
		text += literal.JSON(indent+add) + "," + gap
	}
	return edit{line.quote, line.quote, text}
}

// disable comments an assertion out: its lines, where it has them for itself, else between the signs of a comment.
func (l *postman) disable(s *Script, a *Assertion) []edit {
	first, last := l.line(a.at.start), l.line(a.at.end-1)
	head := l.lines[first]
	before := s.text[head.start:a.at.start]
	after := s.text[a.at.end:l.lines[last].end]
	plain := strings.Trim(before, " \t") == "" && (strings.TrimSpace(after) == "" || strings.HasPrefix(strings.TrimSpace(after), "//"))
	if plain && !l.inline[a] {
		edits := []edit{{a.at.start, a.at.start, "// "}}
		for n := first + 1; n <= last; n++ {
			edits = append(edits, edit{l.lines[n].start, l.lines[n].start, "// "})
		}
		return edits
	}
	text := endOfComment.ReplaceAllString(s.text[a.at.start:a.at.end], "* /")
	if l.inline[a] {
		return []edit{{a.at.start, a.at.end, "{ /* " + text + " */ }"}}
	}
	return []edit{{a.at.start, a.at.end, "/* " + text + " */"}}
}

// endOfComment is the end of a comment as it stands in a JSON string, where signs may be escaped.
var endOfComment = regexp.MustCompile(`(?:\*|\\u002[aA])(?:/|\\/|\\u002[fF])`)

// lenient has nothing to do: what an answer lacks is undefined, and requests are sent all the same.
func (*postman) lenient(*Script, *taking) (string, expr.Expr, bool) { return "", nil, false }

func (*postman) unset(*Call) ([]string, bool) { return nil, false }

func (*postman) skip(string) string { return "" }

// path names a member of a body: .items[0].id.
func (l *postman) path(t *Test, a *Assertion, subject expr.Expr) string {
	return strings.TrimPrefix(newJSWriter(l.dialect(t, a), a).value(subject), "pm.response.json()")
}
