package redact

import (
	"strconv"

	"github.com/flaketap/flaketap/exchange"
)

// Token returns the raw JSON token at a place as it may be shown: as a whole where its place is that of a secret, else
// without the secrets that it holds. "" stands for nothing, and stays it.
func Token(r exchange.Redactor, place exchange.Place, raw string) string {
	switch {
	case raw == "", r.Reveal, isWord(raw):
		return raw
	case r.Secret(place):
		return Hidden(r, raw)
	case raw[0] == '{', raw[0] == '[':
		return string(Body(r, "application/json", []byte(raw)))
	}
	return r.Show("", raw)
}

// Hidden returns what stands for a raw JSON token which is secret as a whole. It is made of the text of a JSON string,
// and of any other token as it is, so that a secret has the same one in a header, a query and a body.
func Hidden(r exchange.Redactor, raw string) string {
	if r.Reveal || isWord(raw) {
		return raw
	}
	text := raw
	if s, err := strconv.Unquote(raw); err == nil {
		text = s
	}
	return strconv.Quote(r.Token(text))
}

// isWord reports whether a raw JSON token is one of those that tell nothing.
func isWord(raw string) bool { return raw == "null" || raw == "true" || raw == "false" }
