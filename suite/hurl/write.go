package hurl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// write says an expression where the assertion stands. There is no "or" in Hurl, and so no guard.
func (dialect) write(s *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	w := &assertWriter{own: t.Calls[a.Call].Var, array: arrayOf(a)}
	before, after := sectionOf(s, t, a)
	if c, ok := x.(expr.Compare); ok && a.Rebound && !before && strings.HasPrefix(string(a.Place), "/header/") &&
		c.Op == expr.Eq {
		name, _, _ := strings.Cut(a.Text, ":")
		text := name + ": " + w.sum(c.Y, 0)
		return text, !w.failed
	}
	lines := w.asserts(x)
	if w.failed || len(lines) == 0 {
		return "", false
	}
	eol := script.LineEnd(s.Lines[0])
	text := strings.Join(lines, eol+a.At.Indent)
	switch first := a.Text[0]; {
	case strings.HasPrefix(a.Text, "HTTP"):
		return text, true
	case beginsBody(a.Text) && (first != '"' || !before):
		if before {
			return text, true
		}
		return "[Asserts]" + eol + a.At.Indent + text, !after && !strings.Contains(entry(s, t, a), "[Asserts]")
	case !before:
		return "", false // a header that is wanted stands where no assert may
	}
	return text, true
}

// behind writes lines into the section of asserts that an assertion stands in.
func (dialect) behind(s *script.Script, t *script.Test, a *script.Assertion, adds []script.Addition) (script.Edit,
	bool) {
	in, _ := sectionOf(s, t, a)
	edit, ok := script.Lines(s, t, a, adds)
	return edit, ok && in && !strings.HasPrefix(a.Text, "HTTP")
}

// entry is the text of the entry that an assertion stands in.
func entry(s *script.Script, t *script.Test, a *script.Assertion) string {
	end := len(s.Text)
	if a.Call+1 < len(t.Calls) {
		end = t.Calls[a.Call+1].At.Start
	}
	return s.Text[t.Calls[a.Call].At.Start:end]
}

// sectionOf reports whether an assertion of Hurl's stands in a section of asserts, and whether one follows it.
func sectionOf(s *script.Script, t *script.Test, a *script.Assertion) (in, follows bool) {
	text := entry(s, t, a)
	at := a.At.Start - t.Calls[a.Call].At.Start
	last := ""
	for _, line := range script.SplitLines(text[:at]) {
		if m := sectionLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			last = m[1]
		} else if answerHead.MatchString(strings.TrimSpace(line)) {
			last = ""
		}
	}
	return last == "Asserts", strings.Contains(text[at:], "[Asserts]")
}

// instead puts what is said of a status among the asserts: a status line has room for one alone.
func (dialect) instead(s *script.Script, t *script.Test, a *script.Assertion, text, comment string) []script.Edit {
	if !strings.HasPrefix(a.Text, "HTTP") {
		return nil
	}
	eol := script.LineEnd(s.Lines[0])
	said := a.At.Indent + comment + eol + a.At.Indent + text
	lines := script.SplitLines(entry(s, t, a)[a.At.End-t.Calls[a.Call].At.Start:])
	pos := 0 // behind the status line, or the last header
	section, at := false, 0
	for i, line := range lines {
		at += len(line)
		switch line = strings.TrimSpace(line); {
		case i == 0:
			pos = at - len(script.LineEnd(lines[i]))
		case line == "" || line[0] == '#':
		case sectionLine.MatchString(line):
			if sectionLine.FindStringSubmatch(line)[1] == "Asserts" {
				pos = at - len(script.LineEnd(lines[i]))
				return []script.Edit{{Start: a.At.End - 3, End: a.At.End, Text: "*"}, {Start: a.At.End + pos, End: a.At.End + pos,
					Text: eol + said}}
			}
			section = true
		case !section && beginsBody(line):
			section = true
		case !section:
			pos = at - len(script.LineEnd(lines[i]))
		}
	}
	said = eol + a.At.Indent + "[Asserts]" + eol + said
	return []script.Edit{{Start: a.At.End - 3, End: a.At.End, Text: "*"}, {Start: a.At.End + pos, End: a.At.End + pos,
		Text: said}}
}

// disable comments an assertion out; of a status line, which has to be there, it takes the status away.
func (dialect) disable(s *script.Script, a *script.Assertion) []script.Edit {
	if strings.HasPrefix(a.Text, "HTTP") {
		return []script.Edit{{Start: a.At.End - 3, End: a.At.End, Text: "*"}}
	}
	return s.CommentOut(a.At)
}

// path names a place of a body as JSONPath does.
func (dialect) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	w := &assertWriter{own: t.Calls[a.Call].Var}
	return strings.TrimPrefix(w.path(subject), "$")
}

// assertWriter writes expressions as asserts.
type assertWriter struct {
	own    string    // the variable of the entry's answer: no other can be asked
	array  expr.Expr // the array that the assertion is about; nil where it is about something else
	failed bool
}

func (w *assertWriter) fail() string {
	w.failed = true
	return ""
}

// asserts writes an expression as lines of a section of asserts.
func (w *assertWriter) asserts(x expr.Expr) []string {
	switch x := x.(type) {
	case expr.And:
		var out []string
		for _, e := range x.Xs {
			out = append(out, w.asserts(e)...)
		}
		return out
	case expr.Compare:
		return w.compare(x.X, x.Op, x.Y)
	case expr.SameItems:
		return w.sameItems(x)
	case expr.Between:
		return append(w.compare(x.Low, expr.Le, x.X), w.compare(x.X, expr.Le, x.High)...)
	case expr.Not:
		if lines := w.asserts(x.X); len(lines) == 1 && !strings.Contains(lines[0], " not ") {
			query, predicate, ok := w.apart(lines[0])
			if ok {
				return []string{query + " not " + predicate}
			}
		}
		return []string{w.fail()}
	}
	return []string{w.tested(x)}
}

// apart splits an assert before its predicate.
func (w *assertWriter) apart(line string) (query, predicate string, ok bool) {
	for _, p := range []string{" contains ", " startsWith ", " endsWith ", " matches ", " exists", " is"} {
		if i := strings.Index(line, p); i > 0 && strings.Count(line, p) == 1 {
			return line[:i], line[i+1:], true
		}
	}
	return "", "", false
}

func (w *assertWriter) compare(a expr.Expr, op expr.Op, b expr.Expr) []string {
	if expr.IsLiteral(a) && op != expr.In && op != expr.NotIn {
		a, b, op = b, a, op.Turned()
	}
	switch op {
	case expr.Eq, expr.Is:
		return []string{w.query(a) + " == " + w.value(b)}
	case expr.Ne, expr.IsNot:
		return []string{w.query(a) + " != " + w.value(b)}
	case expr.In:
		if part, ok := b.(expr.TokenPart); ok {
			return []string{w.query(expr.Index{X: part, I: a}) + " exists"}
		}
		return w.contained(a, b)
	case expr.NotIn:
		if of, ok := b.(expr.Answer); ok && of.Part == expr.Headers {
			return []string{w.query(expr.Index{X: b, I: a}) + " not exists"}
		}
		if key, ok := a.(expr.Str); ok {
			return []string{w.query(expr.Index{X: b, I: key}) + " not exists"}
		}
		return []string{w.fail()}
	}
	for text, o := range order() {
		if o == op {
			return []string{w.query(a) + " " + text + " " + w.value(b)}
		}
	}
	return []string{w.fail()}
}

// contained says that a is in b.
func (w *assertWriter) contained(a, b expr.Expr) []string {
	switch b := b.(type) {
	case expr.Set:
		return w.oneOf(a, b.Elems)
	case expr.List:
		return w.oneOf(a, b.Elems)
	case expr.Answer:
		if b.Part == expr.Headers {
			return []string{w.query(expr.Index{X: b, I: a}) + " exists"}
		}
	case expr.Each:
		return []string{w.query(b) + " includes " + w.value(a)}
	}
	if w.array != nil && expr.Identical(b, w.array) {
		return []string{w.query(b) + " includes " + w.value(a)}
	}
	if _, isIndex := b.(expr.Index); isIndex || expr.IsTextual(b) {
		return []string{w.query(b) + " contains " + w.value(a)}
	}
	return []string{w.fail()}
}

// oneOf says that a value is one of some: texts by a regular expression, whole numbers by their bounds.
func (w *assertWriter) oneOf(x expr.Expr, values []expr.Expr) []string {
	var texts []string
	var numbers []int
	for _, v := range values {
		switch v := v.(type) {
		case expr.Str:
			texts = append(texts, literal.QuoteRegexp(v.Value))
		case expr.Num:
			n, err := strconv.Atoi(v.Text)
			if err != nil {
				return []string{w.fail()}
			}
			numbers = append(numbers, n)
		}
	}
	switch len(values) {
	case len(texts):
		return []string{w.query(x) + " matches " + w.pattern("^(?:"+strings.Join(texts, "|")+")$")}
	case len(numbers):
		if of, ok := x.(expr.Answer); ok && of.Part == expr.Status {
			var any []string
			for _, n := range numbers {
				any = append(any, strconv.Itoa(n))
			}
			return []string{w.query(x) + " toString matches " + w.pattern("^(?:"+strings.Join(any, "|")+")$")}
		}
		return []string{fmt.Sprintf("%s >= %d", w.query(x), slices.Min(numbers)),
			fmt.Sprintf("%s <= %d", w.query(x), slices.Max(numbers))}
	}
	return []string{w.fail()}
}

// tested says what conditions say of one value: its type, how its text is written.
func (w *assertWriter) tested(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Match:
		pattern := x.Pattern
		if x.Full {
			pattern = "^(?:" + pattern + ")$"
		}
		return w.query(x.X) + " matches " + w.pattern(pattern)
	case expr.HasPrefix:
		return w.query(x.X) + " startsWith " + w.value(x.Prefix)
	case expr.HasSuffix:
		return w.query(x.X) + " endsWith " + w.value(x.Suffix)
	case expr.IsDigits:
		return w.query(x.X) + ` matches /^\d+$/`
	case expr.IsType:
		if predicate := typePredicate(x.Types); predicate != "" {
			return w.query(x.X) + " " + predicate
		}
	}
	return w.fail()
}

// typePredicate is the predicate for values of some types; "" where there is none.
func typePredicate(types []expr.Type) string {
	of := func(ts ...expr.Type) bool { return slices.Equal(slices.Sorted(slices.Values(types)), ts) }
	switch {
	case of(expr.TypeString):
		return "isString"
	case of(expr.TypeInt):
		return "isInteger"
	case of(expr.TypeFloat), of(expr.TypeFloat, expr.TypeInt):
		return "isNumber"
	case of(expr.TypeBool):
		return "isBoolean"
	case of(expr.TypeArray), of(expr.TypeObject), of(expr.TypeObject, expr.TypeArray):
		return "isCollection"
	}
	return ""
}

// pattern writes a regular expression, of which Hurl's are a dialect near to Go's.
func (w *assertWriter) pattern(re string) string {
	if strings.ContainsAny(re, "\r\n") {
		return w.fail()
	}
	return "/" + strings.ReplaceAll(re, "/", `\/`) + "/"
}

// query writes what an assert looks at.
func (w *assertWriter) query(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Answer:
		switch {
		case x.Var != w.own:
			return w.fail()
		case x.Part == expr.Status:
			return "status"
		case x.Part == expr.Text:
			return "body"
		}
	case expr.Index:
		if key, of, ok := expr.HeaderOf(x); ok {
			if of != w.own {
				return w.fail()
			}
			return "header " + quoted(key)
		}
	case expr.Each:
		return "jsonpath " + quoted(w.eachPath(x))
	case expr.Len:
		return w.query(x.X) + " count"
	case expr.Length:
		return w.query(x.X) + " count"
	case expr.ToText:
		return w.query(x.X) + " toString"
	case expr.Name:
		return "variable " + quoted(x.ID)
	}
	if base, steps := expr.Steps(x); len(steps) == 1 {
		if part, ok := base.(expr.TokenPart); ok {
			own := assertWriter{own: w.own}
			path := own.path(expr.Index{X: expr.Answer{Var: w.own, Part: expr.JSON}, I: steps[0].I})
			w.failed = w.failed || own.failed
			return w.query(part.X) + ` split "." nth ` + strconv.Itoa(part.Nth) +
				` base64UrlSafeDecode decode "utf-8" jsonpath ` + quoted(path)
		}
	}
	return "jsonpath " + quoted(w.path(x))
}

// eachPath writes what is taken from each element of an array as JSONPath, which leaves out those that have nothing.
func (w *assertWriter) eachPath(x expr.Each) string {
	if x.Cond != nil && !expr.Identical(x.Cond, expr.Having(x.Elem)) {
		return w.fail()
	}
	elem := expr.Subst(x.Elem, expr.Name{ID: x.Var}, expr.Answer{Var: w.own, Part: expr.JSON})
	return w.path(x.List) + "[*]" + strings.TrimPrefix(w.path(elem), "$")
}

// sameItems says that an array has the elements of a list, in any order: its length, and each of them, which then
// differ.
func (w *assertWriter) sameItems(x expr.SameItems) []string {
	list, ok := x.Y.(expr.List)
	if !ok {
		return []string{w.fail()}
	}
	out := []string{w.query(x.X) + " count == " + strconv.Itoa(len(list.Elems))}
	for i, e := range list.Elems {
		if slices.ContainsFunc(list.Elems[:i], func(other expr.Expr) bool { return expr.Identical(e, other) }) {
			return []string{w.fail()}
		}
		out = append(out, w.query(x.X)+" includes "+w.value(e))
	}
	return out
}

// arrayOf is the array that an assertion is about as a whole; nil where it is about something else.
func arrayOf(a *script.Assertion) expr.Expr {
	switch x := expr.Last(a.Meaning).(type) {
	case expr.SameItems:
		return x.X
	case expr.Compare:
		switch _, isList := x.Y.(expr.List); {
		case isList && x.Op == expr.Eq:
			return x.X
		case x.Op == expr.In && strings.Contains(a.Text, " includes "):
			return x.Y
		}
	}
	return nil
}

// path writes a place of the body as JSONPath.
func (w *assertWriter) path(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Answer:
		if x.Var == w.own && x.Part == expr.JSON {
			return "$"
		}
	case expr.Index:
		switch i := x.I.(type) {
		case expr.Str:
			switch {
			case identifier.MatchString(i.Value) && !strings.Contains(i.Value, "$"):
				return w.path(x.X) + "." + i.Value
			case !strings.ContainsAny(i.Value, `'\"`) && !strings.ContainsFunc(i.Value, unicode.IsControl):
				return w.path(x.X) + "['" + i.Value + "']"
			}
		case expr.Num:
			return w.path(x.X) + "[" + i.Text + "]"
		}
	}
	return w.fail()
}

// value writes what a value is compared with.
func (w *assertWriter) value(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Str:
		if placeholder.MatchString(x.Value) {
			return w.fail()
		}
		return quoted(x.Value)
	case expr.Num:
		return x.Text
	case expr.Neg:
		return "-" + w.value(x.X)
	case expr.Bool:
		return strconv.FormatBool(x.Value)
	case expr.Null:
		return "null"
	case expr.Name:
		if strings.HasPrefix(x.ID, script.SetUpPrefix) { // a text, whatever it was taken from
			return `"{{` + x.ID + `}}"`
		}
		return "{{" + x.ID + "}}"
	case expr.Arith:
		return `"` + w.sum(x, '"') + `"`
	}
	return w.fail()
}

// quoted writes a text in quotes, of which nothing begins a variable.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '{' && strings.HasPrefix(s[i+1:], "{"):
			b.WriteString(`\u{7b}`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
