package hurl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// What the comments say that stand above entries of flaketap's.
const (
	setUpMark = script.CommentMark + "set-up"
	cleanUp   = script.CommentMark + "clean-up"
)

// able reports whether Hurl sends a request as it is, and can take what it is to take.
func (l dialect) able(s *script.Script, t *script.Test, x script.SetUpRequest) bool {
	odd := func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }
	if x.Method == "" || strings.Trim(x.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || l.urlOf(s, t, x.Target) == "" {
		return false
	}
	for _, p := range x.Target {
		if strings.ContainsFunc(p.Text, odd) || strings.ContainsAny(p.Text, " #") {
			return false
		}
	}
	for _, f := range x.Headers {
		for _, p := range append([]script.TextPart{{Text: f.Name}}, f.Value...) {
			if strings.ContainsFunc(p.Text, odd) {
				return false
			}
		}
	}
	for _, k := range x.Captures {
		if taken(k) == "" {
			return false
		}
	}
	return true
}

// setUp writes entries. Hurl ends a file with the first entry that fails, and has no way to send one all the same.
func (l dialect) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	for _, x := range before {
		open = append(append(open, l.entry(s, t, x, setUpMark)...), "")
	}
	for i, x := range clean {
		what := cleanUp
		if x.Status = 0; i == 0 {
			what += ", which Hurl sends only if everything above passes"
		}
		end = append(append(end, ""), l.entry(s, t, x, what)...)
	}
	return open, end
}

// entry writes a request, and what is taken of its answer.
func (l dialect) entry(s *script.Script, t *script.Test, x script.SetUpRequest, what string) []string {
	var out []string
	if x.Comment != "" {
		out = append(out, s.Comment(x.Comment))
	}
	out = append(out, mark+what, x.Method+" "+l.urlOf(s, t, x.Target))
	for _, f := range x.Headers {
		out = append(out, literal.Hurl(f.Name, ':')+": "+writtenParts(f.Value, 0))
	}
	if len(x.Body) > 0 {
		out = append(out, "`"+writtenParts(x.Body, '`')+"`")
	}
	if x.Status == 0 {
		out = append(out, "HTTP *")
	} else {
		out = append(out, s.Comment(script.SetUpMustSucceed), fmt.Sprintf("HTTP %d", x.Status))
	}
	for i, k := range x.Captures {
		if i == 0 {
			out = append(out, "[Captures]")
		}
		out = append(out, k.Name+": "+taken(k))
	}
	return out
}

// taken writes the query for the text at a place of an answer; "" where there is none.
func taken(k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return `body regex /^\s*([\s\S]*?)\s*$/`
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, err := strconv.Atoi(s[3])
		if err != nil || n > 99 {
			return ""
		}
		return "header " + quoted(s[1]) +
			fmt.Sprintf(` regex /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?:\/\/[^\/?#]*)?\/(?:[^\/?#]*\/){%d}([^\/?#]*)/ urlDecode`, n)
	case s[0] == "header":
		return "header " + quoted(s[1])
	}
	var x expr.Expr = expr.Answer{Var: script.SetUpPrefix, Part: expr.JSON}
	for _, step := range k.Steps {
		x = expr.Index{X: x, I: step}
	}
	w := &assertWriter{own: script.SetUpPrefix}
	query := "jsonpath " + quoted(w.path(x)) + " toString"
	if w.failed {
		return ""
	}
	return query
}

// writtenParts writes a text of which parts are variables; within is as in [literal.Hurl].
func writtenParts(parts []script.TextPart, within rune) string {
	var b strings.Builder
	for i, p := range parts {
		if p.Variable != "" {
			b.WriteString("{{" + p.Variable + "}}")
			continue
		}
		text := literal.Hurl(p.Text, within)
		if within == 0 && i == 0 && strings.HasPrefix(text, " ") {
			text = `\u{20}` + text[1:]
		}
		if within == 0 && i == len(parts)-1 && strings.HasSuffix(text, " ") {
			text = text[:len(text)-1] + `\u{20}`
		}
		b.WriteString(text)
	}
	return b.String()
}

// plain undoes the escapes of a text.
func plain(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, `\`)
		b.WriteString(before)
		if !ok || after == "" {
			return b.String()
		}
		r, n := utf8.DecodeRuneInString(after)
		switch i := strings.IndexByte(after, '}'); {
		case r == 'n':
			r = '\n'
		case r == 'r':
			r = '\r'
		case r == 't':
			r = '\t'
		case strings.HasPrefix(after, "u{") && i > 2:
			if code, err := strconv.ParseUint(after[2:i], 16, 32); err == nil {
				r, n = rune(code), i+1
			}
		}
		b.WriteRune(r)
		s = after[n:]
	}
}

// writtenURL is the URL of a call as it is written.
func writtenURL(s *script.Script, c *script.Call) string {
	m := request.FindStringSubmatch(s.Text[c.At.Start:c.At.End])
	if m == nil {
		return ""
	}
	return strings.TrimSpace(strings.SplitN(m[2], " #", 2)[0])
}

// urlOf writes a URL for a target, behind what the URLs of a test begin with; "" where that is not clear.
func (dialect) urlOf(s *script.Script, t *script.Test, target []script.TextPart) string {
	for _, c := range t.Calls {
		if base, rest, ok := script.TargetBehind(writtenURL(s, c), c.SentTarget, target); ok {
			return base + writtenParts(rest, 0)
		}
	}
	return ""
}

func (dialect) url(s *script.Script, c *script.Call, target []script.TextPart) string {
	raw := writtenURL(s, c)
	base, rest, ok := script.TargetBehind(raw, c.SentTarget, target)
	if !ok || strings.Contains(raw[len(base):], "{{") {
		return ""
	}
	return base + writtenParts(rest, 0)
}

func (dialect) header(_ *script.Script, _ *script.Call, value []script.TextPart) string {
	return writtenParts(value, 0)
}

// payload writes a body in the form that it has: JSON and XML go without a header for what they are.
func (dialect) payload(s *script.Script, c *script.Call, body []script.TextPart) string {
	source := s.Text[c.BodyAt.Start:c.BodyAt.End]
	raw := ""
	for _, p := range body {
		if raw += p.Text; p.Variable != "" {
			raw += "{{" + p.Variable + "}}"
		}
	}
	fence, _, found := strings.Cut(source, "\n")
	switch {
	case strings.HasPrefix(source, "```"):
		if !found || script.HasVariable(body) || strings.Contains(raw, "```") || strings.Contains(raw, `\`) {
			return ""
		}
		return fence + "\n" + raw + "```"
	case source[0] == '`':
		return "`" + writtenParts(body, '`') + "`"
	case (source[0] == '{' || source[0] == '[' || source[0] == '<') && !script.HasVariable(body):
		return raw
	}
	return ""
}

// sumOf reads a text with variables in it.
func sumOf(text string) (expr.Expr, bool) {
	var pieces []expr.Expr
	at := 0
	for _, m := range placeholder.FindAllStringIndex(text, maxHurlParts) {
		name := strings.Trim(text[m[0]:m[1]], "{} ")
		if !identifier.MatchString(name) {
			return nil, false
		}
		if m[0] > at {
			pieces = append(pieces, expr.Str{Value: text[at:m[0]]})
		}
		pieces = append(pieces, expr.Name{ID: name})
		at = m[1]
	}
	if at < len(text) {
		pieces = append(pieces, expr.Str{Value: text[at:]})
	}
	return expr.Sum(pieces...), len(pieces) > 0 && !placeholder.MatchString(text[at:])
}

// sum writes a text with variables of a set-up in it.
func (w *assertWriter) sum(x expr.Expr, within rune) string {
	switch x := x.(type) {
	case expr.Str:
		return literal.Hurl(x.Value, within)
	case expr.Name:
		return "{{" + x.ID + "}}"
	case expr.Arith:
		if x.Op == expr.Add {
			return w.sum(x.X, within) + w.sum(x.Y, within)
		}
	}
	return w.fail()
}
