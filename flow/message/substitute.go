package message

import (
	"github.com/flaketap/flaketap/exchange"
)

// Values calls visit with each value of a request that a binding could fill, and its place: segments of the path,
// values of the query, headers, cookies and what the body holds. It stops where visit returns false.
func Values(r *exchange.Request, visit func(place exchange.Place, value string) bool) {
	for _, s := range Sites(r) {
		if !visit(s.Place, s.Value) {
			return
		}
	}
}

// ValueAt returns the value at a place of a request, one of those that [Values] has; ok is false where there is none.
func ValueAt(r *exchange.Request, place exchange.Place) (value string, ok bool) {
	Values(r, func(p exchange.Place, v string) bool {
		if p == place {
			value, ok = v, true
		}
		return !ok
	})
	return value, ok
}

// Substitute returns a request with the value at each place replaced by what instead returns for it, and the length or
// chunk framing of its body mended. Of a value that stays, those within it are asked for: the members of JSON in a
// text, the parts of a URL, what is packed in base64. All else stays as it is, byte for byte. What no header could hold
// is not put in.
func Substitute(r *exchange.Request, instead func(place exchange.Place, value string) string) exchange.Request {
	var head, body []Edit
	var payload []byte
	for _, s := range Sites(r) {
		value := substituted(&s, instead, 0)
		if value == s.Value || !Sendable(value) {
			continue
		}
		at := Span{s.start, s.end}
		if !s.Body {
			head = append(head, Edit{at, encode(&s, r.Head[s.start:s.end], value)})
			continue
		}
		if payload == nil {
			payload, _ = r.Payload()
		}
		body = append(body, Edit{at, encode(&s, payload[s.start:s.end], value)})
	}
	if len(head) == 0 && len(body) == 0 {
		return *r
	}
	m := r.Message
	if len(body) > 0 {
		m.Body, head = editBody(r, body, head)
	}
	m.Head = apply(r.Head, head)
	return exchange.ParseRequest(m)
}

// substituted returns the value of a site with it, and what is within it, replaced.
func substituted(s *Site, instead func(exchange.Place, string) string, depth int) string {
	if value := instead(s.Place, s.Value); value != s.Value || depth == MaxNested {
		return value
	}
	var edits []Edit
	for _, in := range Nested(s) {
		if v := substituted(&in, instead, depth+1); v != in.Value {
			edits = append(edits, Edit{Span{in.start, in.end}, encode(&in, []byte(s.Value[in.start:in.end]), v)})
		}
	}
	return string(apply([]byte(s.Value), edits))
}
