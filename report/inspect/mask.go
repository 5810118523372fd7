package inspect

import (
	"slices"

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

// token is a raw JSON token as it may be shown.
func (m masker) token(place exchange.Place, raw string) string {
	return redact.Token(m.redactor, place, raw)
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
	return redact.Hidden(m.redactor, raw)
}
