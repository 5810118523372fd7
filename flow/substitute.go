package flow

import (
	"github.com/flaketap/flaketap/exchange"
)

// Values calls visit with each value of a request that a binding could fill, and its place: segments of the path, values of the
// query, headers, cookies and what the body holds. It stops where visit returns false.
func Values(r *exchange.Request, visit func(place exchange.Place, value string) bool) {
	for _, s := range spots(r) {
		if !visit(s.place, s.value) {
			return
		}
	}
}

// Substitute returns a request with the value at each place replaced by what instead returns for it, and the length or chunk
// framing of its body mended. Of a value that stays, those within it are asked for: the members of JSON in a text, the parts
// of a URL, what is packed in base64. All else stays as it is, byte for byte. What no header could hold is not put in.
func Substitute(r *exchange.Request, instead func(place exchange.Place, value string) string) exchange.Request {
	var head, body []edit
	var payload []byte
	for _, s := range spots(r) {
		value := substituted(&s, instead, 0)
		if value == s.value || !sendable(value) {
			continue
		}
		at := span{s.start, s.end}
		if !s.body {
			head = append(head, edit{at, encode(&s, r.Head[s.start:s.end], value)})
			continue
		}
		if payload == nil {
			payload, _ = r.Payload()
		}
		body = append(body, edit{at, encode(&s, payload[s.start:s.end], value)})
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

// substituted returns the value of a spot with it, and what is within it, replaced.
func substituted(s *spot, instead func(exchange.Place, string) string, depth int) string {
	if value := instead(s.place, s.value); value != s.value || depth == maxNested {
		return value
	}
	var edits []edit
	for _, in := range nested(s) {
		if v := substituted(&in, instead, depth+1); v != in.value {
			edits = append(edits, edit{span{in.start, in.end}, encode(&in, []byte(s.value[in.start:in.end]), v)})
		}
	}
	return string(apply([]byte(s.value), edits))
}
