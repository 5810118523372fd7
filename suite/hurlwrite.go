package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

func (hurlFile) mark() string { return "# " }

// write says an expression where the assertion stands. There is no "or" in Hurl, and so no guard.
func (hurlFile) write(s *Script, t *Test, a *Assertion, x expr) (string, bool) {
	w := &hurlWriter{own: t.Calls[a.Call].Var}
	before, after := s.sectionOf(t, a)
	if c, ok := x.(pyCompare); ok && a.bound && !before && strings.HasPrefix(string(a.Place), "/header/") && c.ops[0] == "==" {
		name, _, _ := strings.Cut(a.Text, ":")
		text := name + ": " + w.sum(c.ys[0], 0)
		return text, !w.failed
	}
	lines := w.asserts(x)
	if w.failed || len(lines) == 0 {
		return "", false
	}
	eol := lineEnd(s.lines[0])
	text := strings.Join(lines, eol+a.at.indent)
	switch first := a.Text[0]; {
	case strings.HasPrefix(a.Text, "HTTP"):
		return text, true
	case beginsBody(a.Text) && (first != '"' || !before):
		if before {
			return text, true
		}
		return "[Asserts]" + eol + a.at.indent + text, !after && !strings.Contains(s.entry(t, a), "[Asserts]")
	case !before:
		return "", false // a header that is wanted stands where no assert may
	}
	return text, true
}

// entry is the text of the entry that an assertion stands in.
func (s *Script) entry(t *Test, a *Assertion) string {
	end := len(s.text)
	if a.Call+1 < len(t.Calls) {
		end = t.Calls[a.Call+1].at.start
	}
	return s.text[t.Calls[a.Call].at.start:end]
}

// sectionOf reports whether an assertion of Hurl's stands in a section of asserts, and whether one follows it.
func (s *Script) sectionOf(t *Test, a *Assertion) (in, follows bool) {
	entry := s.entry(t, a)
	at := a.at.start - t.Calls[a.Call].at.start
	last := ""
	for _, line := range splitLines(entry[:at]) {
		if m := hurlSection.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			last = m[1]
		} else if hurlAnswer.MatchString(strings.TrimSpace(line)) {
			last = ""
		}
	}
	return last == "Asserts", strings.Contains(entry[at:], "[Asserts]")
}

// instead puts what is said of a status among the asserts: a status line has room for one alone.
func (hurlFile) instead(s *Script, t *Test, a *Assertion, text, comment string) []edit {
	if !strings.HasPrefix(a.Text, "HTTP") {
		return nil
	}
	eol := lineEnd(s.lines[0])
	said := a.at.indent + comment + eol + a.at.indent + text
	lines := splitLines(s.entry(t, a)[a.at.end-t.Calls[a.Call].at.start:])
	pos := 0 // behind the status line, or the last header
	section, at := false, 0
	for i, line := range lines {
		at += len(line)
		switch line = strings.TrimSpace(line); {
		case i == 0:
			pos = at - len(lineEnd(lines[i]))
		case line == "" || line[0] == '#':
		case hurlSection.MatchString(line):
			if hurlSection.FindStringSubmatch(line)[1] == "Asserts" {
				pos = at - len(lineEnd(lines[i]))
				return []edit{{a.at.end - 3, a.at.end, "*"}, {a.at.end + pos, a.at.end + pos, eol + said}}
			}
			section = true
		case !section && beginsBody(line):
			section = true
		case !section:
			pos = at - len(lineEnd(lines[i]))
		}
	}
	said = eol + a.at.indent + "[Asserts]" + eol + said
	return []edit{{a.at.end - 3, a.at.end, "*"}, {a.at.end + pos, a.at.end + pos, said}}
}

// disable comments an assertion out; of a status line, which has to be there, it takes the status away.
func (hurlFile) disable(s *Script, a *Assertion) []edit {
	if strings.HasPrefix(a.Text, "HTTP") {
		return []edit{{a.at.end - 3, a.at.end, "*"}}
	}
	return s.commentOut(a.at)
}

func (hurlFile) lenient(*Script, *taking) (string, expr, bool) { return "", nil, false }

func (hurlFile) unset(*Call) ([]string, bool) { return nil, false }

func (hurlFile) skip(string) string { return "" }

// path names a place of a body as JSONPath does.
func (hurlFile) path(t *Test, a *Assertion, subject expr) string {
	w := &hurlWriter{own: t.Calls[a.Call].Var}
	return strings.TrimPrefix(w.path(subject), "$")
}

// hurlWriter writes expressions as asserts.
type hurlWriter struct {
	own    string // the variable of the entry's answer: no other can be asked
	failed bool
}

func (w *hurlWriter) fail() string {
	w.failed = true
	return ""
}

// asserts writes an expression as lines of a section of asserts.
func (w *hurlWriter) asserts(x expr) []string {
	switch x := x.(type) {
	case pyBool:
		if x.op == "and" {
			var out []string
			for _, e := range x.xs {
				out = append(out, w.asserts(e)...)
			}
			return out
		}
	case pyCompare:
		return w.compares(x)
	case pyCall:
		return []string{w.call(x)}
	case pyUnary:
		if x.op == "not" {
			if lines := w.asserts(x.x); len(lines) == 1 && !strings.Contains(lines[0], " not ") {
				query, predicate, ok := w.apart(lines[0])
				if ok {
					return []string{query + " not " + predicate}
				}
			}
		}
	}
	return []string{w.fail()}
}

// apart splits an assert before its predicate.
func (w *hurlWriter) apart(line string) (query, predicate string, ok bool) {
	for _, p := range []string{" contains ", " startsWith ", " endsWith ", " matches ", " exists", " is"} {
		if i := strings.Index(line, p); i > 0 && strings.Count(line, p) == 1 {
			return line[:i], line[i+1:], true
		}
	}
	return "", "", false
}

func (w *hurlWriter) compares(x pyCompare) []string {
	left := x.x
	var out []string
	for i, op := range x.ops {
		out = append(out, w.compare(left, op, x.ys[i])...)
		left = x.ys[i]
	}
	return out
}

func (w *hurlWriter) compare(a expr, op string, b expr) []string {
	if isLiteral(a) && op != "in" && op != "not in" {
		a, b = b, a
		if turned, ok := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]; ok {
			op = turned
		}
	}
	switch op {
	case "==", "is":
		return []string{w.query(a) + " == " + w.value(b)}
	case "!=", "is not":
		return []string{w.query(a) + " != " + w.value(b)}
	case "<", "<=", ">", ">=":
		return []string{w.query(a) + " " + op + " " + w.value(b)}
	}
	if seq, ok := b.(pySeq); ok && op == "in" {
		return w.oneOf(a, seq.elems)
	}
	if headers, ok := b.(pyAttr); ok && headers.name == "headers" {
		return []string{w.query(pyIndex{b, a}) + map[string]string{"in": " exists", "not in": " not exists"}[op]}
	}
	if comp, ok := b.(pyComp); ok && op == "in" && comp.cond == nil {
		path := w.path(comp.list) + "[*]" + strings.TrimPrefix(w.path(relative(comp.elem, comp.name, w.own)), "$")
		return []string{"jsonpath " + hurlQuoted(path) + " includes " + w.value(a)}
	}
	if key, ok := a.(pyStr); ok && op == "not in" {
		return []string{w.query(pyIndex{b, key}) + " not exists"}
	}
	if i, isIndex := b.(pyIndex); op == "in" && (isTextual(b) || isIndex && i.x != nil) {
		return []string{w.query(b) + " contains " + w.value(a)}
	}
	return []string{w.fail()}
}

// relative puts the body in the place of a variable that goes through an array, so that a path is written of it.
func relative(x expr, name, own string) expr {
	switch x := x.(type) {
	case pyName:
		if x.id == name {
			return pyCall{fn: pyAttr{pyName{own}, "json"}}
		}
	case pyIndex:
		return pyIndex{relative(x.x, name, own), x.i}
	}
	return x
}

// oneOf says that a value is one of some: texts by a regular expression, whole numbers by their bounds.
func (w *hurlWriter) oneOf(x expr, values []expr) []string {
	var texts []string
	var numbers []int
	for _, v := range values {
		switch v := v.(type) {
		case pyStr:
			texts = append(texts, regexpQuoted(v.s))
		case pyNum:
			n, err := strconv.Atoi(v.text)
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
		if attr, ok := x.(pyAttr); ok && attr.name == "status_code" {
			var any []string
			for _, n := range numbers {
				any = append(any, strconv.Itoa(n))
			}
			return []string{w.query(x) + " toString matches " + w.pattern("^(?:"+strings.Join(any, "|")+")$")}
		}
		return []string{fmt.Sprintf("%s >= %d", w.query(x), slices.Min(numbers)), fmt.Sprintf("%s <= %d", w.query(x), slices.Max(numbers))}
	}
	return []string{w.fail()}
}

func (w *hurlWriter) call(x pyCall) string {
	if pattern, whole, ok := matchOf(x); ok {
		if whole {
			pattern = "^(?:" + pattern + ")$"
		}
		return w.query(x.args[1]) + " matches " + w.pattern(pattern)
	}
	if attr, ok := x.fn.(pyAttr); ok {
		switch {
		case attr.name == "startswith":
			return w.query(attr.x) + " startsWith " + w.value(x.args[0])
		case attr.name == "endswith":
			return w.query(attr.x) + " endsWith " + w.value(x.args[0])
		case attr.name == "isdigit":
			return w.query(attr.x) + ` matches /^\d+$/`
		}
	}
	if isName(x.fn, "isinstance") {
		types := typesOf(x)
		slices.Sort(types)
		predicate := map[string]string{"str": "isString", "int": "isInteger", "float": "isNumber", "float int": "isNumber",
			"bool": "isBoolean", "list": "isCollection", "dict": "isCollection", "dict list": "isCollection"}[strings.Join(types, " ")]
		if predicate != "" {
			return w.query(x.args[0]) + " " + predicate
		}
	}
	return w.fail()
}

// pattern writes a regular expression, of which Hurl's are a dialect near to Go's.
func (w *hurlWriter) pattern(re string) string {
	if strings.ContainsAny(re, "\r\n") {
		return w.fail()
	}
	return "/" + strings.ReplaceAll(re, "/", `\/`) + "/"
}

// query writes what an assert looks at.
func (w *hurlWriter) query(x expr) string {
	switch x := x.(type) {
	case pyAttr:
		if of, ok := x.x.(pyName); ok && of.id == w.own {
			switch x.name {
			case "status_code":
				return "status"
			case "text":
				return "body"
			}
		}
		return w.fail()
	case pyIndex:
		if key, of, ok := headerOf(x); ok {
			if of != w.own {
				return w.fail()
			}
			return "header " + hurlQuoted(key)
		}
	case pyCall:
		if name, ok := x.fn.(pyName); ok && (name.id == "len" || name.id == "length") && len(x.args) == 1 {
			return w.query(x.args[0]) + " count"
		}
		if isName(x.fn, "str") && len(x.args) == 1 {
			return w.query(x.args[0]) + " toString"
		}
	case pyName:
		return "variable " + hurlQuoted(x.id)
	}
	return "jsonpath " + hurlQuoted(w.path(x))
}

// path writes a place of the body as JSONPath.
func (w *hurlWriter) path(x expr) string {
	switch x := x.(type) {
	case pyCall:
		attr, ok := x.fn.(pyAttr)
		of, isName := attr.x.(pyName)
		if ok && isName && attr.name == "json" && of.id == w.own {
			return "$"
		}
	case pyIndex:
		switch i := x.i.(type) {
		case pyStr:
			switch {
			case jsIdentifier.MatchString(i.s) && !strings.Contains(i.s, "$"):
				return w.path(x.x) + "." + i.s
			case !strings.ContainsAny(i.s, `'\"`) && !strings.ContainsFunc(i.s, unicode.IsControl):
				return w.path(x.x) + "['" + i.s + "']"
			}
		case pyNum:
			return w.path(x.x) + "[" + i.text + "]"
		}
	}
	return w.fail()
}

// value writes what a value is compared with.
func (w *hurlWriter) value(x expr) string {
	switch x := x.(type) {
	case pyStr:
		if hurlHole.MatchString(x.s) {
			return w.fail()
		}
		return hurlQuoted(x.s)
	case pyNum:
		return x.text
	case pyUnary:
		if x.op == "-" {
			return "-" + w.value(x.x)
		}
	case pyName:
		if js, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[x.id]; ok {
			return js
		}
		if strings.HasPrefix(x.id, setUpName) { // a text, whatever it was taken from
			return `"{{` + x.id + `}}"`
		}
		return "{{" + x.id + "}}"
	case pyBinary:
		return `"` + w.sum(x, '"') + `"`
	}
	return w.fail()
}

// hurlQuoted writes a text in quotes, of which nothing begins a variable.
func hurlQuoted(s string) string {
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
