package graft

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/compare"
)

// requestPieces is a request of the graft in pieces, its bound values as variables.
type requestPieces struct {
	target  []script.TextPart
	headers []script.HeaderField // all of them, in order
	body    []script.TextPart    // nil for none
}

// sendings writes the requests of a part of the graft; false where one holds what cannot be written into a suite.
func (w *builder) sendings(steps []setup.Step, in setup.Part) ([]script.SetUpRequest, bool) {
	var out []script.SetUpRequest
	for i, s := range steps {
		m, ok := w.message(&s.Request, in, i)
		if !ok || !w.mayWrite("", m.target) || !w.mayWrite("", m.body) {
			return nil, false
		}
		name := script.SetUpPrefix
		if in == setup.InCleanUp {
			name = "cleanup_"
		}
		x := script.SetUpRequest{Var: name + strconv.Itoa(i), Method: s.Request.Method, Target: m.target, Body: m.body,
			Status: s.Status}
		if by := w.g.MadeBy(in, i); by >= 0 {
			if !w.in.Script.Writer.Graft.Otherwise {
				return nil, false
			}
			x.Made, x.MadeBy = script.SetUpPrefix+strconv.Itoa(by), w.statusOf(w.g.Steps[by])
		}
		if x.Headers, ok = w.fields(m); !ok || s.Look != nil && !w.look(&x, s, i) {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}

// fields are the headers of a request that are written; false where one cannot be.
func (w *builder) fields(m requestPieces) (out []script.HeaderField, ok bool) {
	for _, f := range m.headers {
		if clientField(f.Name) || w.sentAnyway(f) {
			continue
		}
		if !w.mayWrite(exchange.HeaderPlace(f.Name), f.Value) {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}

// look has a request be sent only where its look finds nothing; false where that cannot be written. It looks where the
// recording had it, and as the request is authorized.
func (w *builder) look(x *script.SetUpRequest, s setup.Step, step int) bool {
	m, ok := w.lookPieces(s, step)
	if !ok || !w.in.Script.Writer.Graft.Otherwise || !w.mayWrite("", m.target) {
		return false
	}
	look := script.SetUpRequest{Var: x.Var, Method: s.Look.Request.Method, Target: m.target, Status: s.Look.Status}
	if look.Headers, ok = w.fields(m); ok {
		x.Look = &look
	}
	return ok
}

// lookPieces is the look of a step in pieces. Values are bound in its headers alone.
func (w *builder) lookPieces(s setup.Step, step int) (requestPieces, bool) {
	all := w.g.Binds
	defer func() { w.g.Binds = all }()
	w.g.Binds = slices.Clone(all)
	for i := range w.g.Binds {
		w.g.Binds[i].Uses = slices.DeleteFunc(slices.Clone(all[i].Uses), func(u setup.BindUse) bool {
			return u.In == setup.InSetUp && u.At == step && !u.Place.InHeader()
		})
	}
	return w.message(&s.Look.Request, setup.InSetUp, step)
}

// able reports whether all requests can be written in the suite's language.
func (w *builder) able(all []script.SetUpRequest) bool {
	able := w.in.Script.Writer.Graft.Able
	return able == nil || !slices.ContainsFunc(all, func(x script.SetUpRequest) bool {
		return !able(w.in.Script, w.t, x) || x.Look != nil && !able(w.in.Script, w.t, *x.Look)
	})
}

// captured has the set-up keep the values that something speaks of; false where one stands where no suite can take it
// from.
func (w *builder) captured(before []script.SetUpRequest) bool {
	for i := range w.g.Binds {
		b := &w.g.Binds[i]
		into := w.handed[i]
		if !w.used[Variable(b)] && into == "" || b.Fresh != nil {
			continue
		}
		k, ok := w.capture(b)
		if !ok {
			return false
		}
		if step := w.g.Steps[b.Step]; step.MayBeThere {
			if !w.in.Script.Writer.Graft.Otherwise || !w.mayWrite("", []script.TextPart{{Text: b.Value}}) {
				return false
			}
			k.Otherwise, k.If = b.Value, w.statusOf(step)
		}
		k.Into = into
		before[b.Step].Captures = append(before[b.Step].Captures, k)
	}
	return true
}

// statusOf is what the session's answer to a step has for its status.
func (w *builder) statusOf(step setup.Step) int {
	for _, e := range w.in.Session {
		if e.Seq == step.Seq && e.Response != nil {
			return e.Response.Status
		}
	}
	return 0
}

// capture says how suites take a value from where the answer has it: a header, a segment of the path in one, the whole
// body, a member of it where it is JSON; false where they cannot.
func (w *builder) capture(b *setup.Bind) (script.Capture, bool) {
	k, s := script.Capture{Name: Variable(b), Place: b.Place}, b.Place.Segments()
	switch {
	case s[0] == "header":
		return k, len(s) == 2 || len(s) == 4 && s[2] == "path"
	case len(s) == 1:
		return k, true
	}
	kinds := map[exchange.Place]byte{}
	for _, e := range w.in.Session {
		if e.Seq == w.g.Steps[b.Step].Seq && e.Response != nil {
			compare.Walk(e.Response, func(place exchange.Place, raw string) { kinds[place] = raw[0] })
		}
	}
	k.Steps = script.StepsOf(b.Place, func(p exchange.Place) byte { return kinds[p] })
	return k, len(kinds) == 0 || kinds[b.Place] != 0
}

// clientField reports whether a request header is the client's own business: framing, connection, its name.
func clientField(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "user-agent", "accept-encoding", "te",
		"expect", "upgrade", "proxy-connection", "proxy-authorization", "postman-token", "x-flaketap-sequence":
		return true
	}
	return false
}

// message returns a request of the graft in pieces; false where a value is not found where it was said to be, or the
// body is no text. What a call of the test does not send at all is not looked for.
func (w *builder) message(r *exchange.Request, in setup.Part, at int) (requestPieces, bool) {
	var fills []message.Fill
	for i := range w.g.Binds {
		if w.g.Binds[i].Fresh != nil && in == setup.InCall && w.in.Script.Writer.Graft.Bind != nil {
			continue // the test's literals are another
		}
		for _, u := range w.g.Binds[i].Uses {
			if u.In != in || u.At != at || in == setup.InCall && !hasPlace(r, u.Place) {
				continue
			}
			fill := message.Fill{Place: u.Place, Before: w.g.Binds[i].Value, After: message.Marker(i, w.g.Binds[i].Value)}
			one := message.Filled(r, fill)
			if m, ok := w.pieces(&one); !ok || !m.bound() {
				return requestPieces{}, false
			}
			fills = append(fills, fill)
		}
	}
	filled := message.Filled(r, fills...)
	return w.pieces(&filled)
}

// hasPlace reports whether a request has the header, where that is what a place is of.
func hasPlace(r *exchange.Request, place exchange.Place) bool {
	switch s := place.Segments(); {
	case place.Root() == "cookie":
		return r.Header.Has("Cookie")
	case place.Root() == "header" && len(s) > 1:
		return r.Header.Has(s[1])
	}
	return true
}

// pieces cuts a request at its markers; false where it is no text.
func (w *builder) pieces(r *exchange.Request) (requestPieces, bool) {
	payload, err := r.Payload()
	if err != nil || !utf8.Valid(payload) || !utf8.ValidString(r.Target) {
		return requestPieces{}, false
	}
	path, query := exchange.SplitTarget(r.Target)
	if strings.Contains(r.Target, "?") {
		path += "?" + query
	}
	m := requestPieces{target: w.split(path)}
	if len(payload) > 0 {
		m.body = w.split(string(payload))
	}
	for _, f := range r.Header {
		if !utf8.ValidString(f.Value) && !clientField(f.Name) {
			return requestPieces{}, false
		}
		m.headers = append(m.headers, script.HeaderField{Name: f.Name, Value: w.split(f.Value)})
	}
	return m, true
}

// bound reports whether any piece of a message is a variable.
func (m *requestPieces) bound() bool {
	return bound(m.target) || bound(m.body) ||
		slices.ContainsFunc(m.headers, func(f script.HeaderField) bool { return bound(f.Value) })
}

func bound(parts []script.TextPart) bool {
	return slices.ContainsFunc(parts, func(p script.TextPart) bool { return p.Variable != "" })
}

// split cuts a text at its markers.
func (w *builder) split(text string) []script.TextPart {
	var out []script.TextPart
	at := 0
	for _, m := range message.Marks(text, len(w.g.Binds)) {
		if m.Start > at {
			out = append(out, script.TextPart{Text: text[at:m.Start]})
		}
		out = append(out, script.TextPart{Variable: Variable(&w.g.Binds[m.N])})
		at = m.End
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, script.TextPart{Text: text[at:]})
	}
	return out
}

// hole stands for a variable where a text is searched for secrets.
const hole = "\ufffc"

// mayWrite reports whether a text can go into the suite, and notes its variables: it holds no secret that the suite
// does not hold already. place is that of a header, "" for other texts.
func (w *builder) mayWrite(place exchange.Place, parts []script.TextPart) bool {
	var b strings.Builder
	for _, p := range parts {
		if b.WriteString(p.Text); p.Variable != "" {
			w.used[p.Variable] = true
			b.WriteString(hole)
		}
	}
	text, redactor := b.String(), w.in.Redactor
	for _, s := range redactor.Secrets(text) {
		if !w.hasSecret(s.Value) && !w.hasSecret(text[s.From:s.To]) {
			return false
		}
	}
	if place == "" || !redactor.Secret(place) {
		return true
	}
	if place == exchange.HeaderPlace("cookie") {
		for pair := range strings.SplitSeq(text, ";") {
			if _, value, _ := strings.Cut(pair, "="); !w.hasSecret(strings.TrimSpace(value)) {
				return false
			}
		}
		return true
	}
	if _, rest, ok := exchange.Scheme(text); ok {
		text = rest
	}
	return w.hasSecret(text)
}

// minHeld is how long a secret is that the suite can be said to hold, in bytes: a shorter text stands in any.
const minSecret = 4

// hasSecret reports whether the suite has a secret, or it is not written into it but bound.
func (w *builder) hasSecret(secret string) bool {
	secret = strings.Trim(secret, `"`)
	return secret == hole || len(secret) >= minSecret && strings.Contains(w.in.Script.Text, secret)
}

// calls writes the bound values into the test's own requests.
func (w *builder) calls(lang *script.Grafter) bool {
	for i, c := range w.t.Calls {
		if i >= len(w.g.Calls) {
			if w.uses(setup.InCall, i) {
				return false
			}
			continue
		}
		own := &w.g.Calls[i].Request
		m, ok := w.message(own, setup.InCall, i)
		if !ok {
			if w.uses(setup.InCall, i) && !w.isHanded(i) { // where the variable had no value, it was sent without
				return false
			}
			continue
		}
		if lang.Bind == nil && !w.writeCall(lang, c, own, m) || lang.Bind != nil && !w.bind(lang, c, own, m) {
			return false
		}
	}
	return true
}

// writeCall writes the bound values of one of the test's own requests.
func (w *builder) writeCall(lang *script.Grafter, c *script.Call, own *exchange.Request, m requestPieces) bool {
	s := w.in.Script
	if lang.Able == nil && bound(m.target) && strings.Contains(strings.TrimPrefix(c.Target, "\x00"), "\x00") {
		return false // what is a variable's now would be written out
	}
	if !w.write(c.TargetAt, m.target, "", func(p []script.TextPart) string { return lang.URL(s, c, p) }) ||
		!w.write(c.BodyAt, m.body, "", func(p []script.TextPart) string { return lang.Body(s, c, p) }) {
		return false
	}
	seen := map[string]int{}
	for k, f := range m.headers {
		name := strings.ToLower(f.Name)
		n := seen[name]
		seen[name]++
		if !bound(f.Value) {
			continue
		}
		h, sent := c.Header(name, n)
		if !sent && !c.MoreHeaders || strings.Contains(h.Value, "\x00") {
			continue // the test does not send it, or has it from elsewhere
		}
		if h.Value != own.Header[k].Value ||
			!w.write(h.At, f.Value, exchange.HeaderPlace(name),
				func(p []script.TextPart) string { return lang.Header(s, c, p) }) {
			return false
		}
	}
	return true
}

// write puts a text with variables in the place of one of a call's; false where that cannot be.
func (w *builder) write(at script.Span, parts []script.TextPart, place exchange.Place,
	source func([]script.TextPart) string) bool {
	if !bound(parts) {
		return true
	}
	if at.End == 0 || !w.mayWrite(place, parts) {
		return false
	}
	e := script.Edit{Start: at.Start, End: at.End, Text: source(parts)}
	if e.Text == "" {
		return false
	}
	for _, other := range w.edits {
		if other.Start < e.End && e.Start < other.End { // another call sends the same text
			return other == e
		}
	}
	w.edits = append(w.edits, e)
	return true
}

// uses reports whether a message of the graft holds a bound value.
func (w *builder) uses(in setup.Part, at int) bool {
	for _, b := range w.g.Binds {
		if slices.ContainsFunc(b.Uses, func(u setup.BindUse) bool { return u.In == in && u.At == at }) {
			return true
		}
	}
	return false
}
