package hurl

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// dialect is Hurl's format: entries of a request and what is said of its answer. A file is one test: its entries run in
// order, hand values on, and end with the first that fails.
type dialect struct{}

// Dialect is Hurl's format.
func Dialect() script.Dialect {
	return script.Dialect{Name: "Hurl's files (.hurl)", Extensions: []string{".hurl"}, Mark: mark, Read: dialect{}.read}
}

// maxHurlParts bounds the pieces of a text with variables in it.
const maxHurlParts = 100

// mark begins comments.
const mark = "# "

func (l dialect) writer() script.Writer {
	return script.Writer{Assert: l.write, Disable: l.disable, Path: l.path,
		Behind: l.behind, Move: l.instead, Poll: l.poll,
		Graft: &script.Grafter{SetUp: l.setUp, URL: l.url, Body: l.payload, Header: l.header, Able: l.able}}
}

// reader reads one file, line by line.
type reader struct {
	script *script.Script
	test   *script.Test
	aside  *script.Test // of an entry that cleans up: what it asserts is none of the test's
	starts []int
	n      int // the line, from 0
	call   *script.Call
	answer bool   // the answer's part of the entry
	in     string // the section
	query  []string
	form   []string
	done   bool   // the body was read, with which each part ends
	masked string // the file with values in the place of variables
}

var (
	request     = regexp.MustCompile(`^([A-Z]+)[ \t]+(\S[^\r\n]*)`)
	answerHead  = regexp.MustCompile(`^HTTP(?:/[0-9.]+)?[ \t]+([0-9]{3}|\*)`)
	sectionLine = regexp.MustCompile(`^\[([A-Za-z]+)\][ \t]*(?:#.*)?$`)
	identifier  = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
	placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)
)

// read goes through the entries.
func (l dialect) read(s *script.Script) (script.Writer, error) {
	name := strings.TrimSuffix(path.Base(strings.ReplaceAll(s.File, `\`, "/")), path.Ext(s.File))
	r := &reader{script: s, starts: script.LineStarts(s),
		test: &script.Test{Name: name, Line: 1, Head: script.Span{FirstLine: 1, LastLine: 1}}}
	for r.n = 0; r.n < len(s.Lines); {
		if err := r.line(); err != nil {
			return script.Writer{}, err
		}
	}
	r.endRequest()
	if r.endAside(); len(r.test.Calls) == 0 {
		return script.Writer{}, &script.SyntaxError{File: s.File, Reason: "no entries of Hurl's format", NoTests: true}
	}
	r.test.Head, r.test.BodyStart, r.test.BodyEnd = r.test.Calls[0].At, r.above(r.test.Calls[0]), len(s.Text)
	s.Tests = []*script.Test{r.test}
	return l.writer(), nil
}

// above returns where the comments begin that stand above a request without a blank line, in bytes.
func (r *reader) above(c *script.Call) int {
	n := c.Line - 1
	for n > 0 && strings.HasPrefix(strings.TrimSpace(r.script.Lines[n-1]), "#") {
		n--
	}
	return r.starts[n]
}

// ours returns what flaketap says in the line above a request that is one of its own.
func (r *reader) ours() string {
	if r.n == 0 {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(r.script.Lines[r.n-1]), mark)
}

// endAside returns to the test's own entries.
func (r *reader) endAside() {
	if r.aside != nil {
		r.test, r.aside = r.aside, nil
	}
}

func (r *reader) errorf(reason string) error {
	return &script.SyntaxError{File: r.script.File, Line: r.n + 1, Reason: reason}
}

// span makes a span of bytes of the file.
func (r *reader) span(start, end int) script.Span {
	line := func(pos int) int { return sort.SearchInts(r.starts, pos+1) }
	at := script.Span{FirstLine: line(start), LastLine: line(max(start, end-1)), Start: start, End: end}
	at.Indent = r.script.Text[r.starts[at.FirstLine-1]:start]
	return at
}

// line reads one line, or the lines of a body that begins with it.
func (r *reader) line() error {
	full := r.script.Lines[r.n]
	text := strings.TrimSpace(full)
	start := r.starts[r.n] + len(full) - len(strings.TrimLeft(full, " \t"))
	switch m := request.FindStringSubmatch(text); {
	case text == "" || text[0] == '#':
	case answerHead.MatchString(text):
		if r.call == nil {
			return r.errorf("an answer without a request")
		}
		r.endRequest()
		r.answer, r.in, r.done = true, "", false
		if status := answerHead.FindStringSubmatch(text); status[1] != "*" {
			end := start + len(status[0])
			a := r.note(r.span(start, end))
			r.means(a, expr.Cmp(expr.Answer{Var: r.call.Var}, expr.Eq, expr.Num{Text: status[1]}))
		}
	case !r.done && sectionLine.MatchString(text):
		if r.call == nil {
			return r.errorf("a section without a request")
		}
		r.in = sectionLine.FindStringSubmatch(text)[1]
	case m != nil && (r.call == nil || r.answer || m[2][0] != ':'): // an entry may be without an answer
		r.endRequest()
		r.endAside()
		r.call = &script.Call{Line: r.n + 1, Var: "answer_" + strconv.Itoa(len(r.test.Calls)), Method: m[1],
			Client: &expr.Client{Text: expr.UTF8}}
		switch said := r.ours(); {
		case strings.HasPrefix(said, setUpMark):
			r.call.Var = script.SetUpPrefix + strconv.Itoa(len(r.test.Calls))
		case strings.HasPrefix(said, cleanUp):
			r.aside, r.test = r.test, &script.Test{}
		}
		r.call.At = r.span(start, start+len(text))
		url := strings.TrimSpace(strings.SplitN(m[2], " #", 2)[0])
		at := start + strings.Index(text, m[2])
		r.call.TargetAt = r.span(at, at+len(url))
		r.call.Target = script.PathOf(placeholder.ReplaceAllString(url, "\x00"))
		r.test.Calls = append(r.test.Calls, r.call)
		r.answer, r.in, r.done = false, "", false
	case r.done:
		return r.errorf("there is text after the body")
	case r.call == nil:
		return r.errorf("want a request: a method and a URL")
	case beginsBody(text):
		return r.body(start)
	case r.answer:
		r.answerLine(start, text)
	default:
		r.requestLine(start, text)
	}
	r.n++
	return nil
}

// endRequest adds to a request what its sections said.
func (r *reader) endRequest() {
	if len(r.query) > 0 {
		sep := "?"
		if strings.Contains(r.call.Target, "?") {
			sep = "&"
		}
		r.call.Target += sep + strings.Join(r.query, "&")
		r.call.TargetAt = script.Span{}
	}
	if len(r.form) > 0 {
		r.call.Body = strings.Join(r.form, "&")
		r.call.Dynamic = strings.ContainsAny(r.call.Body, "\x00 %+\"\\") || r.call.Dynamic
	}
	r.query, r.form = nil, nil
	r.join()
}

// join has an entry stand for the one before it as well, where that sends the same again and again until a text of the
// answer is one of some: it waits for any end, and this entry is about the last answer.
func (r *reader) join() {
	n, said := len(r.test.Calls), len(r.test.Assertions)
	if r.answer || n < 2 || said == 0 || r.call != r.test.Calls[n-1] {
		return
	}
	ahead, until := r.test.Calls[n-2], r.test.Assertions[said-1]
	_, matches := until.Meaning.(expr.Match)
	sent := func(h, other script.Header) bool { return h.Name == other.Name && h.Value == other.Value }
	if !ahead.Last || r.call.Many || !matches || until.Call != n-2 || until.At.Start < ahead.At.Start ||
		!ahead.Sends(r.call) || !slices.EqualFunc(ahead.Headers, r.call.Headers, sent) ||
		said > 1 && r.test.Assertions[said-2].Call == n-2 {
		return
	}
	r.call.Var, r.call.Many, r.call.Last = ahead.Var, true, true
	r.test.Calls = append(r.test.Calls[:n-2], r.call)
	r.test.Assertions = r.test.Assertions[:said-1]
}

// requestLine reads a header or a pair of a section.
func (r *reader) requestLine(start int, text string) {
	key, value, found := strings.Cut(text, ":")
	if r.in == "" && found {
		r.header(start+len(key)+1, key, value)
	}
	key, value = strings.TrimSpace(key),
		placeholder.ReplaceAllString(strings.TrimSpace(strings.SplitN(value, " #", 2)[0]), "\x00")
	switch {
	case r.in == "" && strings.EqualFold(key, "accept"):
		r.call.Accept = value
	case r.in == "QueryStringParams" || r.in == "Query":
		r.query = append(r.query, key+"="+value)
	case r.in == "FormParams" || r.in == "Form":
		r.form = append(r.form, key+"="+value)
	case strings.HasPrefix(r.in, "Multipart"):
		r.call.Dynamic = true
	case r.in == "Options" && key == "retry":
		r.call.Many, r.call.Last = value != "0", value != "0"
	case r.in == "BasicAuth" || r.in == "Cookies" || r.in == "Options":
		r.call.MoreHeaders = true
	}
}

// header notes a header that is sent, whose value, and what may stand around it, begins at a byte of the file.
func (r *reader) header(start int, key, value string) {
	value, _, _ = strings.Cut(value, " #")
	start += len(value) - len(strings.TrimLeft(value, " \t"))
	value = strings.TrimSpace(value)
	r.call.Headers = append(r.call.Headers, script.Header{Name: plain(strings.TrimSpace(key)),
		Value: plain(placeholder.ReplaceAllString(value, "\x00")), At: r.span(start, start+len(value))})
}

// beginsBody reports whether a line begins a body.
func beginsBody(text string) bool {
	switch text[0] {
	case '{', '[', '`', '<':
		return true
	case '"':
		return !strings.Contains(text, `": `) && !strings.Contains(text, `" :`)
	}
	for _, word := range []string{"base64,", "hex,", "file,"} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return text == "true" || text == "false" || text == "null"
}

// body reads a body: JSON to the bracket that closes it, text to the signs that end it, XML to the next part.
func (r *reader) body(start int) error {
	text := r.script.Text[start:]
	end, content := 0, ""
	switch {
	case strings.HasPrefix(text, "```"):
		i := strings.Index(text[3:], "```")
		if i < 0 {
			return r.errorf("a text between ``` is never closed")
		}
		end = i + 6
		_, content, _ = strings.Cut(text[3:i+3], "\n")
	case text[0] == '{' || text[0] == '[' || text[0] == '"':
		if r.masked == "" {
			r.masked = maskedHoles(r.script.Text)
		}
		behind, err := script.JSONEnd(r.script.File, r.masked, start)
		if err != nil {
			return err
		}
		end = behind - start
		content = text[:end]
	case text[0] == '<':
		for n := r.n; n < len(r.script.Lines); n++ {
			line := strings.TrimSpace(r.script.Lines[n])
			if n > r.n && (answerHead.MatchString(line) || request.MatchString(line)) {
				break
			}
			end += len(r.script.Lines[n])
		}
		end = len(strings.TrimRight(text[:min(end, len(text))], " \t\r\n"))
		content = text[:end]
	default:
		end = len(strings.TrimRight(script.SplitLines(text)[0], " \t\r\n"))
		if content = strings.Trim(text[:end], "`"); text[0] == '`' {
			content = plain(content)
		}
	}
	r.hasBody(start, end, content)
	r.n, r.done = r.span(start, start+end).LastLine, true
	return nil
}

// maskedHoles puts values of the same length in the place of variables, so that a body with some is JSON still.
func maskedHoles(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(hole string) string {
		return "0." + strings.Repeat("0", len(hole)-2)
	})
}

// hasBody notes a body that was read.
func (r *reader) hasBody(start, end int, content string) {
	if !r.answer {
		r.call.Body = placeholder.ReplaceAllString(content, "\x00")
		r.call.Dynamic = strings.Contains(r.call.Body, "\x00") || strings.HasPrefix(content, "base64,") ||
			strings.HasPrefix(content, "hex,") || strings.HasPrefix(content, "file,")
		if !r.call.Dynamic {
			r.call.BodyAt = r.span(start, start+end)
		}
		return
	}
	a := r.note(r.span(start, start+end))
	answer := r.call.Var
	v, err := expr.ParseJSON([]byte(content))
	if placeholder.MatchString(content) || err != nil && (content == "" || strings.HasPrefix(content, "base64,") ||
		strings.HasPrefix(content, "hex,") || strings.HasPrefix(content, "file,")) {
		a.Reason = unknownAssert
		return
	}
	if first := r.script.Text[start]; err == nil && (first == '{' || first == '[') {
		if x, ok := literalOf(v); ok {
			r.means(a, expr.Cmp(expr.Answer{Var: answer, Part: expr.JSON}, expr.Eq, x))
			return
		}
	}
	r.means(a, expr.Cmp(expr.Answer{Var: answer, Part: expr.Text}, expr.Eq, expr.Str{Value: content}))
}

// literalOf writes a value as an expression; false for a number that is not finite.
func literalOf(v any) (expr.Expr, bool) {
	switch v := v.(type) {
	case expr.Items:
		var list expr.List
		for _, e := range v {
			x, ok := literalOf(e)
			if !ok {
				return nil, false
			}
			list.Elems = append(list.Elems, x)
		}
		return list, true
	case map[string]any:
		var d expr.Object
		for _, k := range slices.Sorted(maps.Keys(v)) {
			x, ok := literalOf(v[k])
			if !ok {
				return nil, false
			}
			d.Keys, d.Values = append(d.Keys, k), append(d.Values, x)
		}
		return d, true
	}
	return expr.Literal(v)
}

// answerLine reads a header that is wanted, a capture or an assert.
func (r *reader) answerLine(start int, text string) {
	words, end := splitWords(text)
	at := r.span(start, start+end)
	switch r.in {
	case "":
		key, value, ok := strings.Cut(text[:end], ":")
		a := r.note(at)
		var wanted expr.Expr = expr.Str{Value: strings.TrimSpace(value)}
		if placeholder.MatchString(value) {
			var known bool
			wanted, known = sumOf(strings.TrimSpace(value))
			ok = ok && known
		}
		header := expr.Header(r.call.Var, strings.ToLower(strings.TrimSpace(key)))
		if ok {
			r.means(a, expr.Cmp(header, expr.Eq, wanted))
		} else {
			a.Reason = unknownAssert
		}
	case "Captures":
		if name, rest, ok := strings.Cut(text[:end], ":"); ok {
			words, _ = splitWords(strings.TrimSpace(rest))
			if x, left, ok := r.readQuery(words); ok && len(left) == 0 {
				r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: strings.TrimSpace(name), Value: x, At: at})
			}
		}
	case "Asserts":
		a := r.note(at)
		if x, ok := r.assert(a, words); ok {
			r.means(a, x)
		} else {
			a.Reason = unknownAssert
		}
	}
}

// note adds an assertion.
func (r *reader) note(at script.Span) *script.Assertion {
	a := &script.Assertion{Text: r.script.Text[at.Start:at.End], At: at}
	a.File, a.Line, a.Test, a.Call = r.script.File, at.FirstLine, r.test.Name, len(r.test.Calls)-1
	a.Ours = r.script.Commented(at.FirstLine)
	r.test.Assertions = append(r.test.Assertions, a)
	return a
}

// unknownAssert is the reason why an assertion means nothing here.
const unknownAssert = "it asserts in an unknown way"

// means fills in what an assertion means.
func (r *reader) means(a *script.Assertion, x expr.Expr) {
	call := a.Call
	a.Meaning = x
	if !(script.Claims{Test: r.test}).Any(a, x) {
		a.Relation, a.Place, a.Value = "", "", ""
	}
	a.Call = call
}

// assert reads a query with its filters and a predicate.
func (r *reader) assert(a *script.Assertion, words []word) (expr.Expr, bool) {
	x, rest, ok := r.readQuery(words)
	if !ok || len(rest) == 0 {
		return nil, false
	}
	not := rest[0].is("not")
	if not {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return nil, false
	}
	says, ok := readPredicate(a, x, rest)
	if !ok || !not {
		return says, ok
	}
	if in, isIn := says.(expr.Compare); isIn && in.Op == expr.In && a.Relation != exchange.Present {
		return expr.Not{X: says}, true
	}
	return expr.Negate(says), true
}
