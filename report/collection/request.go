package collection

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/wire"
)

// address is the address of the API that an exchange was with.
func address(e *exchange.Exchange) string {
	scheme, rest, _ := strings.Cut(e.URL(), "://")
	authority, _, _ := strings.Cut(rest, "/")
	authority, _, _ = strings.Cut(authority, "?")
	return scheme + "://" + authority
}

// encode writes a value as it stands in a URL.
func encode(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

// read takes the request of an exchange, or says why it is left out.
func (r *reader) read(e *exchange.Exchange) {
	path, _, _ := strings.Cut(redact.Target(r.redactor, e.Request.Target), "?")
	name := plain(fmt.Sprintf("%d %s %s", e.Seq, e.Request.Method, path), maxTitle)
	out, err := r.request(e)
	if err != nil {
		r.left = append(r.left, name+": "+err.Error())
		return
	}
	out.Name, out.Folder = name, plain(r.redactor.Show("", e.Sequence), maxTitle)
	for _, b := range r.gives[e.Seq] {
		if from, ok := sourceOf(e.Response, b.Producer.Place, b.Value); ok {
			out.Keeps = append(out.Keeps, Keep{Variable: b.variable, From: from})
			if b.encoded == "" {
				b.encoded = r.encodedName(b)
			}
			if b.encoded != "" {
				out.Keeps = append(out.Keeps, Keep{Variable: b.encoded, From: from, Encoded: true})
			}
		}
	}
	r.requests = append(r.requests, out)
}

// encodedName is the name of the variable for a value as it stands in URLs; "" where it stands there as it is.
func (r *reader) encodedName(b *binding) string {
	if encode(b.Value) == b.Value {
		return ""
	}
	for _, u := range b.Uses {
		if root := u.Place.Root(); root == "path" || root == "query" || root == "body" {
			return r.name(b.variable + "Encoded")
		}
	}
	return ""
}

// maxTitle bounds the names of requests and folders.
const maxTitle = 200

// plain makes a text fit for a name: one line of what can be seen.
func plain(s string, limit int) string {
	s = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) || c == utf8.RuneError {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(s, "?"))
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// request makes a request of a recorded one. The error says why no client could send it.
func (r *reader) request(e *exchange.Exchange) (out Request, err error) {
	q := &e.Request
	switch {
	case q.Malformed:
		return out, errors.New("it is no HTTP")
	case q.Cut > 0:
		return out, errors.New("its body was not recorded to its end")
	case q.Method == "" || strings.Trim(q.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || q.Method == "CONNECT":
		return out, errors.New("clients know no such method")
	case !strings.HasPrefix(q.Target, "/") || strings.ContainsAny(q.Target, "# "):
		return out, errors.New("its target is no path")
	case slices.ContainsFunc(q.Header, func(f wire.Field) bool { return strings.ContainsAny(f.Value, "\r\n\x00") }):
		return out, errors.New("it has a header of several lines")
	}
	payload, err := q.Payload()
	if err != nil || !utf8.Valid(payload) || strings.ContainsRune(string(payload), 0) || len(payload) > maxBody {
		return out, errors.New("its body is no text, or a very long one")
	}
	fills := r.fills(e)
	marked := mark(e, fills)
	out.Method = q.Method
	base := Piece{Variable: "baseUrl"}
	if own := address(e); own != r.base {
		base = Piece{Literal: own}
	}
	out.URL = append(Text{base}, r.split(wire.Latin1(marked.Target), fills, inURL)...)
	for _, f := range marked.Header {
		if name := strings.TrimSpace(f.Name); name != "" && !ofConnection(name) {
			out.Headers = append(out.Headers, Header{wire.Latin1(name), r.split(wire.Latin1(f.Value), fills, asItIs)})
		}
	}
	if len(payload) > 0 {
		payload, _ = marked.Payload()
		within := asItIs
		if q.MediaType() == formType {
			within = inURL
		}
		out.Body = r.split(string(payload), fills, within)
	}
	return out, nil
}

// maxBody bounds the bodies of a collection, in bytes.
const maxBody = 4 << 20

// ofConnection reports whether a header is the client's own affair.
func ofConnection(name string) bool {
	return slices.Contains([]string{"connection", "content-encoding", "content-length", "expect", "host", "keep-alive", "proxy-authorization",
		"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}, strings.ToLower(name))
}

// fill is a value of a request that a variable stands for.
type fill struct {
	place exchange.Place
	value string
	bound *binding // nil for a secret
	name  string   // of the variable
}

// fills are the values of a request that earlier answers gave, and its secrets. Of a secret that holds more than what
// was given, all is secret.
func (r *reader) fills(e *exchange.Exchange) []fill {
	var out []fill
	uses := slices.Clone(r.uses[e.Seq])
	message.Values(&e.Request, func(place exchange.Place, value string) bool {
		if !r.redactor.Secret(place) || value == "" {
			return true
		}
		whole := func(u use) bool {
			_, rest, _ := exchange.Scheme(value)
			return u.of.Value == value || u.of.Value == rest
		}
		if slices.ContainsFunc(uses, func(u use) bool { return u.place == place && whole(u) }) {
			return true
		}
		uses = slices.DeleteFunc(uses, func(u use) bool { return u.place == place })
		segments := place.Segments()
		out = append(out, fill{place: place, value: value, name: r.secret(value, segments[len(segments)-1])})
		return len(out) < maxFills
	})
	for _, u := range uses {
		inText := u.place.Root() == "body" && strings.ContainsAny(u.of.Value, "\"\\\r\n") // escaped there, in a way of its own
		if len(out) < maxFills && !inText {
			out = append(out, fill{place: u.place, value: u.of.Value, bound: u.of, name: u.of.variable})
		}
	}
	return out
}

// maxFills bounds how many values of one request are variables.
const maxFills = 1000

// mark returns the request with a marker in the place of each value, put there as a replay puts in its own.
func mark(e *exchange.Exchange, fills []fill) exchange.Request {
	marked := e.Request
	for i, f := range fills {
		marker := message.Marker(i, f.value)
		r := message.Filled(&marked, message.Fill{Place: f.place, Before: f.value, After: marker})
		if payload, _ := r.Payload(); strings.Contains(string(r.Head), marker) || strings.Contains(string(payload), marker) {
			marked = r // within something packed, no text could stand for the value
		}
	}
	return marked
}

// within says how values stand in a text.
type within int

const (
	asItIs within = iota
	inURL         // percent-encoded
)

// split cuts a marked text at its markers, and at the secrets that it holds by other names.
func (r *reader) split(text string, fills []fill, how within) Text {
	var out Text
	at := 0
	put := func(from, to int, variable string) {
		if from < at {
			return // within what has been put already
		}
		if at < from {
			out = append(out, Piece{Literal: text[at:from]})
		}
		if variable != "" {
			out = append(out, Piece{Variable: variable})
		}
		at = to
	}
	marks := message.Marks(text, len(fills))
	for _, s := range r.redactor.Secrets(text) {
		inside := func(m message.Mark) bool { return m.Start < s.To && m.End > s.From }
		for len(marks) > 0 && marks[0].Start < s.From && !inside(marks[0]) {
			put(marks[0].Start, marks[0].End, r.variable(fills[marks[0].N], how))
			marks = marks[1:]
		}
		if i := slices.IndexFunc(marks, inside); i >= 0 && onlyMark(text[s.From:s.To], len(fills)) {
			continue
		}
		put(s.From, s.To, r.secret(s.Value, "secret"))
		marks = slices.DeleteFunc(marks, inside)
	}
	for _, m := range marks {
		put(m.Start, m.End, r.variable(fills[m.N], how))
	}
	put(len(text), len(text), "")
	return out
}

// onlyMark reports whether what is named as a secret is a marker, after the word for a scheme at the most.
func onlyMark(text string, n int) bool {
	marks := message.Marks(text, n)
	if len(marks) != 1 {
		return false
	}
	before := strings.ToLower(strings.TrimSpace(text[:marks[0].Start]))
	return strings.Trim(text[marks[0].End:], `"' `) == "" && slices.Contains([]string{"", "bearer", "token", "basic"}, strings.Trim(before, `"'`))
}

// variable is the variable of a value as it stands in a text.
func (r *reader) variable(f fill, how within) string {
	if f.bound == nil || how != inURL || encode(f.value) == f.value {
		return f.name
	}
	if f.bound.encoded == "" {
		f.bound.encoded = r.encodedName(f.bound)
	}
	if f.bound.encoded == "" {
		return f.name
	}
	return f.bound.encoded
}
