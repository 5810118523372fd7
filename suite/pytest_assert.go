package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// test writes one test function.
func (w *pytestWriter) test(t testPlan) []string {
	var body, calls []string
	for _, step := range t.steps {
		e := step.Exchange
		title := w.operationName(e)
		if reason := unsendable(e); reason != "" {
			body = append(body, fmt.Sprintf("# %d: %s is left out: %s.", e.Seq, title, reason), "")
			continue
		}
		calls = append(calls, fmt.Sprintf("%s gives %d", title, e.Response.Status))
		body = append(body, fmt.Sprintf("# %d: %s", e.Seq, title))
		body = append(body, w.send(e)...)
		for _, b := range w.producers[e.Seq] {
			body = append(body, w.taking(b))
		}
		body = append(append(body, w.assertions(step)...), "")
	}
	body = body[:len(body)-1]
	args := "api"
	if strings.Contains(strings.Join(body, "\n"), "bound") {
		args = "api, bound"
	}
	out := []string{"def " + t.name + "(" + args + "):"}
	out = append(out, docstring(t.about, calls)...)
	if len(calls) == 0 {
		body = append(body, "pass")
	}
	for _, line := range body {
		if line != "" {
			line = "    " + line
		}
		out = append(out, line)
	}
	return out
}

// docstring lists what a test sends.
func docstring(about string, calls []string) []string {
	lines := calls
	if about != "" {
		lines = append([]string{"Sequence " + about + "."}, calls...)
	}
	clean := strings.NewReplacer(`\`, "/", `"`, "'", "\n", " ", "\r", " ")
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return []string{`    """` + clean.Replace(lines[0]) + `."""`}
	}
	out := []string{`    """` + clean.Replace(lines[0])}
	for _, l := range lines[1:] {
		out = append(out, "    "+clean.Replace(l))
	}
	return append(out, `    """`)
}

// taking writes how a test keeps a value that an answer gave. One particular element of a list is looked for in the
// whole list, as a replay does.
func (w *pytestWriter) taking(b *exchange.Binding) string {
	how := "take"
	if b.Producer.Place.Root() == "body" && len(b.Value) >= 6 && strings.ContainsFunc(string(b.Producer.Place), isDigit) {
		for _, s := range b.Producer.Place.Segments() {
			if s != "" && strings.Trim(s, "0123456789") == "" {
				how = "find"
			}
		}
	}
	return fmt.Sprintf("bound.%s(%s, res, %s)", how, pyString(b.Name), w.text(string(b.Producer.Place)))
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// asserting writes the assertions about one answer.
type asserting struct {
	*pytestWriter
	step *exchange.Step
	e    *exchange.Exchange
	op   *volatility.Operation // nil where the map says nothing
	fp   exchange.Fingerprint
	out  []string
}

func (w *pytestWriter) assertions(step *exchange.Step) []string {
	a := &asserting{pytestWriter: w, step: step, e: step.Exchange, op: w.src.operation(step.Exchange)}
	a.fp = exchange.Exact(a.e)
	status := a.volatile(exchange.PlaceStatus)
	if status == nil {
		a.out = append(a.out, fmt.Sprintf("assert res.status == %d", a.e.Response.Status))
		a.headers()
		a.body()
		a.relations()
		return a.out
	}
	a.comment(status, fmt.Sprint(a.e.Response.Status), fmt.Sprintf("assert res.status == %d", a.e.Response.Status))
	if a.mode == Relax && !status.Apart() {
		a.out = append(a.out, "assert "+statusCondition(status.Holds))
	}
	// What else is known of the answer is known of those with the recorded status.
	outer := a.out
	a.out = nil
	a.headers()
	a.body()
	a.relations()
	inner := a.out
	a.out = append(outer, fmt.Sprintf("if res.status == %d:", a.e.Response.Status))
	if !slices.ContainsFunc(inner, func(l string) bool { return l != "" && !strings.HasPrefix(strings.TrimSpace(l), "#") }) {
		inner = append(inner, "pass")
	}
	for _, l := range inner {
		a.out = append(a.out, "    "+l)
	}
	return a.out
}

func statusCondition(h volatility.Holds) string {
	var values []string
	for _, raw := range h.OneOf {
		values = append(values, string(raw))
	}
	switch len(values) {
	case 0:
		return "100 <= res.status <= 599"
	case 1:
		return "res.status == " + values[0]
	}
	return "res.status in (" + strings.Join(values, ", ") + ")"
}

// volatile returns the field that says that a place moves in this answer; nil where it does not, or where the mode is
// to assert it all the same.
func (a *asserting) volatile(place exchange.Place) *volatility.Field {
	if a.op == nil || a.mode == Exact {
		return nil
	}
	if f := a.op.At(place); f != nil && f.AppliesTo(a.fp) {
		return f
	}
	return nil
}

// comment says why what follows asserts less than was recorded. In comment mode it holds what is left out, in
// FlakyCatch's words.
func (a *asserting) comment(f *volatility.Field, recorded, exact string) {
	if a.mode == Comment {
		other := "(would move)"
		if !f.Volatile() {
			other = "(ignored)"
		}
		for _, s := range f.Samples {
			if string(s) != recorded && string(s) != quoteJSON(recorded) {
				other = string(s)
				break
			}
		}
		a.out = append(a.out, fmt.Sprintf("# Flaky value of field %s: %s vs. %s", oneLine(string(f.Place)), oneLine(recorded), oneLine(other)))
		if exact != "" {
			a.out = append(a.out, "# "+visible(exact))
		}
		return
	}
	how := fmt.Sprintf("moved in %d of %d", f.Changed, f.Of)
	switch {
	case f.Judgement == volatility.WouldMove:
		how = fmt.Sprintf("would move, did not in %d", f.Of)
	case !f.Volatile(): // the user ignores it
		how = fmt.Sprintf("did not move in %d", f.Of)
	}
	if f.Category != "" {
		how = string(f.Category) + ", " + how
	}
	if f.Rule != nil {
		how += "; a rule: " + string(f.Rule.Kind)
	}
	a.out = append(a.out, fmt.Sprintf("# %s: %s", oneLine(string(f.Place)), how))
}

// oneLine makes a text fit for a comment.
func oneLine(s string) string {
	s = visible(s)
	if utf8.RuneCountInString(s) > maxShown {
		return s[:byteOffset(s, maxShown)] + "…"
	}
	return s
}

// visible puts a text on one line, in UTF-8 and without what a reader of the file cannot see. Python takes no file that has a
// null byte anywhere.
func visible(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// assertedHeader reports whether a response header is worth an assertion: not those of the connection and the framing,
// those that the protocol moves, and the server's name.
func assertedHeader(name string) bool {
	switch name {
	case "", "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "trailer", "te",
		"upgrade", "via", "date", "age", "server", "alt-svc", "proxy-connection":
		return false
	}
	return true
}

func (a *asserting) headers() {
	seen := map[string]bool{}
	for _, f := range a.e.Response.Header {
		name := strings.ToLower(strings.TrimSpace(f.Name))
		if seen[name] || !assertedHeader(name) {
			continue
		}
		seen[name] = true
		a.header(name)
	}
}

// header asserts one header, all its lines.
func (a *asserting) header(name string) {
	place := exchange.HeaderPlace(name)
	f := a.volatile(place)
	if f != nil && f.Apart() {
		return
	}
	values := a.e.Response.Header.Values(name)
	if name == "set-cookie" {
		a.cookies(f, values)
		return
	}
	value := wireText(strings.Join(values, ", "))
	l := "res.headers[" + pyString(name) + "]"
	exact := "assert " + l + " == " + pyString(value)
	if f != nil && len(values) > 1 { // the map joins them by line feeds
		value = wireText(strings.Join(values, "\n"))
		l = `"\n".join(res.headers.all(` + pyString(name) + `))`
	}
	switch {
	case f != nil && a.mode == Comment:
		a.comment(f, a.shown(place, value), a.unlessSecret(place, value, exact))
	case f != nil:
		a.comment(f, "", "")
		if f.Holds.Optional || !a.carried(place, quoteJSON(value), l) {
			a.relaxed(f.Holds, l, `res.headers.get(`+pyString(name)+`, None)`, false)
		}
	case a.src.Redactor.Secret(place):
		a.out = append(a.out, "assert "+l+" == "+a.secret(value))
	case len(values) > 1:
		a.out = append(a.out, "assert res.headers.all("+pyString(name)+") == ["+a.texts(values)+"]")
	case a.holdsSecret(values[0]):
		a.out = append(a.out, "assert "+l+" == "+a.texts(values))
	default:
		a.out = append(a.out, exact)
	}
}

// texts writes the lines of a header, their secrets looked up.
func (a *asserting) texts(values []string) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = pyString(wireText(v))
		if a.holdsSecret(v) {
			out[i] = pyText(a.pieces(v, wireText))
		}
	}
	return strings.Join(out, ", ")
}

// cookies asserts that an answer sets the cookies that it set in the recording and in each run, not their values, which
// are secrets. A cookie's name may move too: some APIs put the address that they were asked by into it.
func (a *asserting) cookies(f *volatility.Field, values []string) {
	if f != nil && f.Holds.Optional {
		return
	}
	for _, v := range values {
		if name, _, ok := strings.Cut(v, "="); ok && a.alwaysSets(name) {
			line := "assert " + pyString(strings.TrimSpace(wireText(name))) + " in res.cookies"
			if !slices.Contains(a.out, line) {
				a.out = append(a.out, line)
			}
		}
	}
}

// alwaysSets reports whether each run that answered with the recorded status set a cookie.
func (a *asserting) alwaysSets(name string) bool {
	for _, o := range a.step.Observations {
		if o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		sets := func(v string) bool {
			n, _, _ := strings.Cut(v, "=")
			return n == name
		}
		if !slices.ContainsFunc(o.Response.Header.Values("Set-Cookie"), sets) {
			return false
		}
	}
	return true
}

func (a *asserting) shown(place exchange.Place, value string) string {
	return a.src.Redactor.Show(place, value)
}

func (a *asserting) unlessSecret(place exchange.Place, value, line string) string {
	if a.shown(place, value) != value {
		return ""
	}
	return line
}

// body asserts the payload: JSON by its parts, text and anything else as a whole.
func (a *asserting) body() {
	payload, err := a.e.Response.Payload()
	switch {
	case err != nil || a.e.Response.Cut > 0 || a.e.Request.Method == "HEAD":
		return
	case len(payload) == 0 && a.volatile(exchange.PlaceBody) == nil:
		a.out = append(a.out, `assert res.body == b""`)
		return
	}
	if root := readNode(payload); root != nil && isJSONType(a.e.Response.MediaType()) {
		if len(payload) <= maxJSON {
			a.json(root)
			return
		}
		if a.outline(root) {
			return
		}
	}
	f := a.volatileText()
	switch {
	case f != nil && f.Apart():
	case f != nil && a.mode == Comment:
		a.comment(f, a.shown(f.Place, string(payload)), "")
	case f != nil:
		a.comment(f, "", "")
		switch {
		case f.Place != exchange.PlaceBody:
		case f.Holds.Format == "binary":
			if c := lengthCondition(f.Holds, "res.body"); c != "" && a.mode == Relax {
				a.out = append(a.out, "assert "+c)
			}
		default:
			a.relaxed(f.Holds, "res.text", "res.text", false)
		}
	case !isShort(payload):
		sum := sha256.Sum256(payload)
		a.out = append(a.out, fmt.Sprintf("assert len(res.body) == %d", len(payload)),
			"assert sha256(res.body) == "+pyString(hex.EncodeToString(sum[:])))
	case a.holdsSecret(string(payload)):
		a.out = append(a.out, "assert res.text == "+a.text(string(payload)))
	default:
		n := &node{raw: quoteJSON(string(payload))}
		a.out = append(a.out, n.lines(0, "assert res.text == ", "")...)
	}
}

// maxText bounds a text, and maxJSON a JSON body, that is asserted literally, in bytes.
const (
	maxText = 16 << 10
	maxJSON = 64 << 10
)

// outline asserts no more than the outline of a JSON body that is too large to stand in a test, and reports false where
// its digest can be asserted instead, as it was the same in every run, byte for byte.
func (a *asserting) outline(root *node) bool {
	same := a.volatileText() == nil
	for _, o := range a.step.Observations {
		if o.Response == nil || !same {
			continue
		}
		recorded, _ := a.e.Response.Payload()
		payload, _ := o.Response.Payload()
		same = bytes.Equal(recorded, payload)
	}
	if same {
		return false
	}
	a.out = append(a.out, "# The body is too large to be asserted in full.")
	switch {
	case a.volatile(exchange.PlaceBody) != nil || root.scalar():
	case root.raw == "[":
		a.out = append(a.out, fmt.Sprintf("assert len(res.json()) == %d", len(root.kids)))
	case len(a.optional(root)) == 0:
		for _, k := range root.keys {
			a.out = append(a.out, "assert "+a.text(k)+" in res.json()")
		}
	}
	return true
}

// isShort reports whether a body is text that can stand in a test.
func isShort(payload []byte) bool {
	return len(payload) <= maxText && utf8.Valid(payload) && !slices.Contains(payload, 0)
}

// isJSONType reports whether a body of that media type is read as JSON, by the rule of the comparison.
func isJSONType(mediaType string) bool {
	return mediaType == "" || mediaType == "application/json" || mediaType == "text/json" || strings.HasSuffix(mediaType, "+json")
}

// volatileText returns the field that says that a text moves, or a part of it.
func (a *asserting) volatileText() *volatility.Field {
	if f := a.volatile(exchange.PlaceBody); f != nil || a.op == nil || a.mode == Exact {
		return f
	}
	for _, f := range a.op.Fields {
		if f.Place.Within(exchange.PlaceBody) && f.AppliesTo(a.fp) {
			return f
		}
	}
	return nil
}
