package build

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/secret"
)

// fill is a value of a request that is not written into the suite as it was recorded: bound, or secret.
type fill struct {
	place exchange.Place
	value string
	piece plan.Piece
}

// usesOf lists the values of a recorded request that answers gave.
func (b *builder) usesOf(e *exchange.Exchange) []setup.Use {
	var out []setup.Use
	for _, t := range b.session.Takes(e.Seq) {
		out = append(out, setup.Use{Place: t.Place, From: t.Producer, Name: t.Name, Value: t.Value})
	}
	return out
}

// fills lists the values of a request that are bound, then those that are secret.
func (b *builder) fills(e *exchange.Exchange, uses []setup.Use) []fill {
	var out []fill
	for _, u := range uses {
		out = append(out, fill{u.Place, u.Value, plan.Piece{Bound: u.Name}})
	}
	for _, s := range secret.Of(e, b.src.Redactor) {
		if !slices.ContainsFunc(out, func(f fill) bool { return f.place == s.Place }) {
			out = append(out, fill{s.Place, s.Value, b.secret(s.Value)})
		}
	}
	return out[:min(len(out), maxMarked)]
}

// maxMarked bounds how many values of one request are filled in.
const maxMarked = 1000

// mark returns the request with a marker in place of each value, put there by the same rules by which a replay puts in
// its own: where the value stands, and how it is escaped, is said in one place only.
func mark(e *exchange.Exchange, fills []fill) exchange.Request {
	marked := e.Request
	for i, f := range fills {
		// A value within something packed, as Basic credentials are, cannot be put in by a text that stands for it.
		if r := message.Filled(&marked, message.Fill{Place: f.place, Before: f.value,
			After: message.Marker(i, f.value)}); has(&r, message.Marker(i, f.value)) {
			marked = r
		}
	}
	return marked
}

// has reports whether a text stands in a request as it is.
func has(r *exchange.Request, text string) bool {
	payload, _ := r.Payload()
	return bytes.Contains(r.Head, []byte(text)) || bytes.Contains(payload, []byte(text))
}

// split cuts a marked text at its markers and at its secrets. escape says how the value of a marker is written, given
// what stands before it; show makes what is left into the text that a suite holds.
func (b *builder) split(text string, fills []fill, show func(string) string,
	escape func(before string) plan.Escape) plan.Text {
	var out plan.Text
	at := 0
	spans := b.src.Redactor.Secrets(text)
	for _, m := range message.Marks(text, len(fills)) {
		out = append(out, b.between(text, at, m.Start, spans, show)...)
		p := fills[m.N].piece
		p.Escape = escape(text[:m.Start])
		out = append(out, p)
		at = m.End
	}
	return plan.Joined(append(out, b.between(text, at, len(text), spans, show)...))
}

func as(e plan.Escape) func(string) plan.Escape { return func(string) plan.Escape { return e } }

// send fills in what a step sends: uses are the values of the request that answers give.
func (b *builder) send(s *plan.Step, e *exchange.Exchange, uses []setup.Use) {
	fills := b.fills(e, uses)
	r := mark(e, fills)
	path, query := exchange.SplitTarget(r.Target)
	s.Method = r.Method
	s.Target = b.split(path, fills, wire.Latin1, as(plan.InPath))
	if strings.Contains(r.Target, "?") {
		s.Target = plan.Joined(append(s.Target, b.split("?"+query, fills, wire.Latin1, as(plan.InQuery))...))
	}
	if base := baseURL(e); base != b.target {
		s.Base = base
	}
	for _, f := range r.Header {
		name, value := strings.TrimSpace(f.Name), f.Value
		if b.noise.is(b, e, name) {
			if strings.EqualFold(name, "User-Agent") { // some APIs refuse who does not say
				s.Headers = append(s.Headers, plan.Header{Name: "User-Agent", Value: plan.Text{{Literal: userAgent}}})
			}
			continue
		}
		if name == "" || secret.ConnectionField(name, value) || r.Plain && strings.EqualFold(name, "Content-Encoding") {
			continue
		}
		value = strings.Join(strings.FieldsFunc(value, func(c rune) bool { return c == '\r' || c == '\n' }), " ")
		s.Headers = append(s.Headers,
			plan.Header{Name: wire.Latin1(name), Value: b.split(value, fills, wire.Latin1, as(plan.Plain))})
	}
	if r.Header.Has("Content-Length") || r.Header.Has("Transfer-Encoding") || len(r.Body) > 0 {
		s.Body = b.body(&r, fills)
		s.Body.Chunked = !r.Plain && r.Header.HasToken("Transfer-Encoding", "chunked")
	}
}

// body is the body of a request: text where it is text, bytes where it is not or has a content coding.
func (b *builder) body(r *exchange.Request, fills []fill) *plan.Body {
	payload, err := r.Payload()
	if !r.Plain && (r.Header.Has("Content-Encoding") || err != nil) {
		coded := r.Body
		if r.Header.HasToken("Transfer-Encoding", "chunked") {
			coded, _, _ = wire.Dechunk(r.Body)
		}
		return b.bytes(coded, payload)
	}
	if !utf8.Valid(payload) {
		return b.bytes(payload, payload)
	}
	kind := r.MediaType()
	return &plan.Body{Text: b.split(string(payload), fills, asIs, func(before string) plan.Escape {
		switch {
		case kind == "application/x-www-form-urlencoded":
			return plan.InQuery
		case !strings.HasSuffix(kind, "json"):
			return plan.Plain
		case strings.HasSuffix(before, `"`):
			return plan.InJSON
		}
		return plan.AsJSON
	})}
}

func asIs(s string) string { return s }
