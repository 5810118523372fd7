package compare

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Answer is a response, or the fault in its place, read for comparing. It is cheap until its body differs from another
// one. One goroutine at a time may use it.
type Answer struct {
	status  string // raw token; "" where there is neither a response nor a fault
	reason  string // what the status line says in words
	worded  bool   // the protocol has it
	headers []header
	body    body
}

// header is all that a response has under one name.
type header struct {
	name  string // lower case
	place exchange.Place
	value string // several values joined by line feeds
}

// body is a payload and, once it was asked for, its tape.
type body struct {
	there  bool // a response has a body, be it empty; a fault has none
	src    string
	json   bool // the media type says JSON, or is missing
	parsed bool
	tape   *tape   // nil where it is no JSON
	reader *Reader // that it was read by; nil for none

	contentType string
	read        bool
	view        view // of a body that is no JSON, once it was asked for
}

// Read reads an answer: one of r and f is set, or none.
func Read(r *exchange.Response, f *exchange.Fault) *Answer {
	switch {
	case f != nil:
		return &Answer{status: quote("fault:" + string(f.Kind))}
	case r == nil:
		return &Answer{}
	}
	a := &Answer{status: strconv.Itoa(r.Status)}
	a.reason, a.worded = r.Reason, strings.HasPrefix(r.Proto, "HTTP/1")
	a.readHeaders(r)
	payload, _ := r.Payload() // a broken coding leaves the body as it was sent, which compares as well
	a.body = body{there: true, src: string(payload), json: IsJSON(r.MediaType()),
		contentType: r.Header.Get("Content-Type")}
	return a
}

// readHeaders gathers the values of each name. The order in which different names were sent is no part of an answer.
func (a *Answer) readHeaders(r *exchange.Response) {
	a.headers = make([]header, 0, len(r.Header))
	for _, f := range r.Header {
		a.headers = append(a.headers, header{name: strings.ToLower(f.Name), value: f.Value})
	}
	slices.SortStableFunc(a.headers, func(x, y header) int { return strings.Compare(x.name, y.name) })
	out := a.headers[:0]
	for _, h := range a.headers {
		if n := len(out); n > 0 && out[n-1].name == h.name {
			out[n-1].value += "\n" + h.value
			continue
		}
		h.place = exchange.HeaderPlace(h.name)
		out = append(out, h)
	}
	a.headers = out
}

// IsJSON reports whether a body of a media type is read as JSON where it can be read so; mediaType is in lower case,
// without parameters. A body without a type is.
func IsJSON(mediaType string) bool {
	switch mediaType {
	case "", "application/json", "text/json":
		return true
	}
	return strings.HasSuffix(mediaType, "+json")
}

// Parse reads the body now, which is else done once it is asked for.
func (a *Answer) Parse() { a.body.tree() }

// tree returns the body as JSON, nil where it is none.
func (b *body) tree() *tape {
	if !b.parsed {
		b.parsed = true
		if b.json {
			if t, ok := b.reader.parse(b.src); ok {
				b.tape = t
			}
		}
	}
	return b.tape
}

// token returns the whole body as one raw JSON token: itself where it is JSON, a string where it is text, and where it
// is neither, a string that tells its length and digest.
func (b *body) token() string {
	if t := b.tree(); t != nil {
		return t.raw(0)
	}
	return textToken(b.src)
}

// textToken returns what is no JSON as one raw JSON token.
func textToken(s string) string {
	if isText(s) {
		return quote(s)
	}
	return binaryToken(s)
}

// holds returns the view of a body that is no JSON.
func (b *body) holds() view {
	if !b.read {
		b.read = true
		b.view = ofBody(b.src, b.contentType)
	}
	return b.view
}

// Size returns the number of bytes of the body without its content coding, 0 where there is none.
func (a *Answer) Size() int { return len(a.body.src) }

// isText reports whether a body can be shown as text: UTF-8 without the control characters that text does not have.
func isText(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, c := range []byte(s) {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			return false
		}
	}
	return true
}

// quote returns s as a raw JSON token. What is no UTF-8 is taken for Latin-1, which old servers put into headers.
func quote(s string) string {
	if plain(s) {
		return `"` + s + `"`
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(latin1(s)) != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// latin1 returns a text in UTF-8: where it is none, each of its bytes is taken for the letter that it is in Latin-1.
func latin1(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return wire.Latin1(s)
}

// plain reports whether a text is a token but for its quotes: ASCII without anything that is escaped.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
