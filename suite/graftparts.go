package suite

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/compare"
)

// requestPieces is a request of the graft in pieces, its bound values as variables.
type requestPieces struct {
	target  []part
	headers []field // all of them, in order
	body    []part  // nil for none
}

// sendings writes the requests of a part of the graft; false where one holds what cannot be written into a suite.
func (w *grafted) sendings(steps []setup.Step, in setup.Part) ([]sending, bool) {
	var out []sending
	for i, s := range steps {
		m, ok := w.message(&s.Request, in, i)
		if !ok || !w.mayWrite("", m.target) || !w.mayWrite("", m.body) {
			return nil, false
		}
		name := setUpName
		if in == setup.InCleanUp {
			name = "cleanup_"
		}
		x := sending{name: name + strconv.Itoa(i), method: s.Request.Method, target: m.target, body: m.body, status: s.Status}
		for _, f := range m.headers {
			if clientField(f.name) {
				continue
			}
			if !w.mayWrite(exchange.HeaderPlace(f.name), f.value) {
				return nil, false
			}
			x.headers = append(x.headers, f)
		}
		out = append(out, x)
	}
	return out, true
}

// able reports whether all requests can be written in the suite's language.
func (w *grafted) able(all []sending) bool {
	l, ok := w.p.script.language.(chooser)
	return !ok || !slices.ContainsFunc(all, func(x sending) bool { return !l.able(w.p.script, w.t, x) })
}

// taken has the set-up keep the values that something speaks of; false where one stands where no suite can take it from.
func (w *grafted) taken(before []sending) bool {
	for i := range w.g.Binds {
		b := &w.g.Binds[i]
		if !w.used[variable(b)] {
			continue
		}
		k, ok := w.take(b)
		if !ok {
			return false
		}
		before[b.Step].takes = append(before[b.Step].takes, k)
	}
	return true
}

// take says how suites take a value from where the answer has it: a header, a segment of the path in one, the whole body, a
// member of it where it is JSON; false where they cannot.
func (w *grafted) take(b *setup.Bind) (take, bool) {
	k, s := take{name: variable(b), place: b.Place}, b.Place.Segments()
	switch {
	case s[0] == "header":
		return k, len(s) == 2 || len(s) == 4 && s[2] == "path"
	case len(s) == 1:
		return k, true
	}
	kinds := map[exchange.Place]byte{}
	for _, e := range w.p.session {
		if e.Seq == w.g.Steps[b.Step].Seq && e.Response != nil {
			compare.Walk(e.Response, func(place exchange.Place, raw string) { kinds[place] = raw[0] })
		}
	}
	k.steps = stepsOf(b.Place, func(p exchange.Place) byte { return kinds[p] })
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

// message returns a request of the graft in pieces; false where a value is not found where it was said to be, or the body
// is no text. What a call of the test does not send at all is not looked for.
func (w *grafted) message(r *exchange.Request, in setup.Part, at int) (requestPieces, bool) {
	var fills []message.Fill
	for i := range w.g.Binds {
		for _, u := range w.g.Binds[i].Uses {
			if u.In != in || u.At != at || in == setup.InCall && !sends(r, u.Place) {
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

// sends reports whether a request has the header, where that is what a place is of.
func sends(r *exchange.Request, place exchange.Place) bool {
	switch s := place.Segments(); {
	case place.Root() == "cookie":
		return r.Header.Has("Cookie")
	case place.Root() == "header" && len(s) > 1:
		return r.Header.Has(s[1])
	}
	return true
}

// pieces cuts a request at its markers; false where it is no text.
func (w *grafted) pieces(r *exchange.Request) (requestPieces, bool) {
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
		m.headers = append(m.headers, field{f.Name, w.split(f.Value)})
	}
	return m, true
}

// bound reports whether any piece of a message is a variable.
func (m *requestPieces) bound() bool {
	return bound(m.target) || bound(m.body) || slices.ContainsFunc(m.headers, func(f field) bool { return bound(f.value) })
}

func bound(parts []part) bool {
	return slices.ContainsFunc(parts, func(p part) bool { return p.variable != "" })
}

// split cuts a text at its markers.
func (w *grafted) split(text string) []part {
	var out []part
	at := 0
	for _, m := range message.Marks(text, len(w.g.Binds)) {
		if m.Start > at {
			out = append(out, part{text: text[at:m.Start]})
		}
		out = append(out, part{variable: variable(&w.g.Binds[m.N])})
		at = m.End
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, part{text: text[at:]})
	}
	return out
}

// hole stands for a variable where a text is searched for secrets.
const hole = "\ufffc"

// mayWrite reports whether a text can go into the suite, and notes its variables: it holds no secret that the suite does
// not hold already. place is that of a header, "" for other texts.
func (w *grafted) mayWrite(place exchange.Place, parts []part) bool {
	var b strings.Builder
	for _, p := range parts {
		if b.WriteString(p.text); p.variable != "" {
			w.used[p.variable] = true
			b.WriteString(hole)
		}
	}
	text, redactor := b.String(), w.p.src.Redactor
	for _, s := range redactor.Secrets(text) {
		if !w.holds(s.Value) && !w.holds(text[s.From:s.To]) {
			return false
		}
	}
	if place == "" || !redactor.Secret(place) {
		return true
	}
	if place == exchange.HeaderPlace("cookie") {
		for pair := range strings.SplitSeq(text, ";") {
			if _, value, _ := strings.Cut(pair, "="); !w.holds(strings.TrimSpace(value)) {
				return false
			}
		}
		return true
	}
	if _, rest, ok := exchange.Scheme(text); ok {
		text = rest
	}
	return w.holds(text)
}

// minHeld is how long a secret is that the suite can be said to hold, in bytes: a shorter text stands in any.
const minHeld = 4

// holds reports whether the suite has a secret, or it is not written into it but bound.
func (w *grafted) holds(secret string) bool {
	secret = strings.Trim(secret, `"`)
	return secret == hole || len(secret) >= minHeld && strings.Contains(w.p.script.text, secret)
}

// calls writes the bound values into the test's own requests.
func (w *grafted) calls(lang grafter) bool {
	s := w.p.script
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
			if w.uses(setup.InCall, i) {
				return false
			}
			continue
		}
		if _, ok := lang.(chooser); !ok && bound(m.target) && strings.Contains(strings.TrimPrefix(c.Target, "\x00"), "\x00") {
			return false // what is a variable's now would be written out
		}
		if !w.write(c.target, m.target, "", func(p []part) string { return lang.url(s, c, p) }) ||
			!w.write(c.body, m.body, "", func(p []part) string { return lang.payload(s, c, p) }) {
			return false
		}
		seen := map[string]int{}
		for k, f := range m.headers {
			name := strings.ToLower(f.name)
			n := seen[name]
			seen[name]++
			if !bound(f.value) {
				continue
			}
			h, sent := c.header(name, n)
			if !sent && !c.unclear || strings.Contains(h.value, "\x00") {
				continue // the test does not send it, or has it from elsewhere
			}
			if h.value != own.Header[k].Value || !w.write(h.at, f.value, exchange.HeaderPlace(name), func(p []part) string { return lang.header(s, c, p) }) {
				return false
			}
		}
	}
	return true
}

// write puts a text with variables in the place of one of a call's; false where that cannot be.
func (w *grafted) write(at span, parts []part, place exchange.Place, source func([]part) string) bool {
	if !bound(parts) {
		return true
	}
	if at.end == 0 || !w.mayWrite(place, parts) {
		return false
	}
	e := edit{at.start, at.end, source(parts)}
	if e.text == "" {
		return false
	}
	for _, other := range w.edits {
		if other.start < e.end && e.start < other.end { // another call sends the same text
			return other == e
		}
	}
	w.edits = append(w.edits, e)
	return true
}

// header returns the n-th header of a name, in lower case, that a call sends.
func (c *Call) header(name string, n int) (header, bool) {
	for _, h := range c.headers {
		if strings.EqualFold(h.name, name) {
			if n == 0 {
				return h, true
			}
			n--
		}
	}
	return header{}, false
}

// uses reports whether a message of the graft holds a bound value.
func (w *grafted) uses(in setup.Part, at int) bool {
	for _, b := range w.g.Binds {
		if slices.ContainsFunc(b.Uses, func(u setup.BindUse) bool { return u.In == in && u.At == at }) {
			return true
		}
	}
	return false
}
