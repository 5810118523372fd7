package inspect

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
)

// masker shows texts of a recording with tokens in the place of secrets. What is shown of a recording goes through it,
// or through package redact.
type masker struct{ redactor exchange.Redactor }

// text is a text as it may be shown that stands at a place of a message, or "" where it stands at none.
func (m masker) text(place exchange.Place, s string) string { return m.redactor.Show(place, s) }

// refs returns references with the secrets in the keys of their places as tokens.
func (m masker) refs(refs []exchange.Ref) []exchange.Ref {
	out := slices.Clone(refs)
	for i := range out {
		out[i].Place = m.redactor.ShowPlace(out[i].Place)
	}
	return out
}

// token is a raw JSON token as it may be shown: whole where its place is that of a secret, else without the secrets
// that it holds.
func (m masker) token(place exchange.Place, raw string) string {
	switch {
	case raw == "", m.redactor.Reveal, isWord(raw):
		return raw
	case m.redactor.Secret(place):
		return m.hidden(raw)
	case raw[0] == '{', raw[0] == '[':
		return string(redact.Body(m.redactor, "application/json", []byte(raw)))
	}
	return m.text("", raw)
}

// isWord reports whether a raw JSON token is one of those that tell nothing.
func isWord(raw string) bool { return raw == "null" || raw == "true" || raw == "false" }

// hidden is the token that stands for a raw JSON token which is secret. It is made of the text of a JSON string, and of
// any other token as it is, so that a secret has the same one in a header, a query and a body.
func (m masker) hidden(raw string) string {
	text := raw
	if s, err := strconv.Unquote(raw); err == nil {
		text = s
	}
	return strconv.Quote(m.redactor.Token(text))
}

// maskStep shows the values of a step by a function, [masker.token] or [masker.secretToken].
func (m masker) maskStep(s *report.WhyStep, show func(place exchange.Place, raw string) string) {
	values := func(all []report.Value) {
		for i, v := range all {
			all[i] = report.Value{Place: m.redactor.ShowPlace(v.Place), Token: show(v.Place, v.Token)}
		}
	}
	values(s.Recorded)
	for i := range s.Runs {
		values(s.Runs[i].Values)
	}
}

// secretToken is a raw JSON token at a place where all that stands there is secret.
func (m masker) secretToken(_ exchange.Place, raw string) string {
	if m.redactor.Reveal || isWord(raw) {
		return raw
	}
	return m.hidden(raw)
}
