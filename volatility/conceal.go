package volatility

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Secrets are kept out of what a map shows, never out of what is judged: the judgement is the same whatever is known to
// be secret. What would be stated of values that are, or hold, a secret is left out, as statements name them.

var reCredential = lazy.Regexp(
	`(?i)(token|secret|password|passwd|api_?key|session|signature|auth)=[^&\s"]|\b(bearer|basic) [A-Za-z0-9+/._=-]{8}`)

// sensitive reports whether the values of a place are not to be shown: it is named as secrets are, or they are tokens,
// or texts that hold credentials.
func (j *judge) sensitive(t *fieldStats) bool {
	if t.text.secretPart || t.text.hidesSecret || j.options.Redactor.Known.Secret(t.place) && !isAttribute(t.place) ||
		t.values.shapes&notation.ShapeJWT != 0 {
		return true
	}
	credential := func(raw string) bool {
		return (strings.Contains(raw, "=") || strings.Contains(raw, "earer ") || strings.Contains(raw, "asic ")) &&
			reCredential().MatchString(raw)
	}
	return slices.ContainsFunc(t.values.distinct, credential) || slices.ContainsFunc(t.values.long, credential)
}

// conceal takes back what names values of a place that are secret, or hold a secret, and shows some of its values.
func (j *judge) conceal(f *mapfile.Field, t *fieldStats) {
	secret := j.sensitive(t)
	h := &f.Holds
	if states := h.Equal != nil || h.OneOf != nil || h.Pattern != "" || h.Min != "" ||
		h.Max != ""; states && (secret || j.holdsSecret(t)) {
		h.Equal, h.OneOf, h.Pattern, h.Min, h.Max = nil, nil, "", "", ""
		h.Captures = nil
	}
	f.Samples = j.samples(t, secret)
}

// holdsSecret reports whether a value of a place holds a secret.
func (j *judge) holdsSecret(t *fieldStats) bool {
	holds := func(raw string) bool { return len(j.options.Redactor.Secrets(notation.ScalarOf(raw).Plain())) > 0 }
	return slices.ContainsFunc(t.values.distinct, holds) || slices.ContainsFunc(t.values.long, holds)
}

// samples shows some of the values, the first ones first: scalars as they are, arrays that were resized by their size.
func (j *judge) samples(t *fieldStats, secret bool) []json.RawMessage {
	out := []json.RawMessage{}
	shown := slices.Concat(t.values.distinct, t.values.long)
	place := t.place
	if isAttribute(place) {
		place = ""
	}
	for _, raw := range shown[:min(mapfile.MaxSamples, len(shown))] {
		out = append(out, shorten(j.shown(place, raw, secret)))
	}
	for _, n := range t.values.sizes {
		if len(out) < mapfile.MaxSamples {
			out = append(out, json.RawMessage(`"length `+strconv.Itoa(n)+`"`))
		}
	}
	return out
}

// shown returns a raw JSON token with its secrets as tokens.
func (j *judge) shown(place exchange.Place, raw string, secret bool) string {
	v := notation.ScalarOf(raw)
	if v.Kind == notation.Null || v.Kind == notation.Boolean || j.options.Redactor.Reveal {
		return raw
	}
	text := v.Plain()
	switch s := j.options.Redactor.Show(place, text); {
	case secret && j.options.Redactor.Secret(place):
		return string(quoted(s)) // that may be a token behind a word already
	case secret:
		return strconv.Quote(j.options.Redactor.Token(text))
	case s != text:
		return string(quoted(s))
	}
	return raw
}

// recording returns what a map says of the recording and its runs: the URLs of targets without user information,
// queries and secrets.
func (j *judge) recording() (exchange.Recording, []exchange.Run) {
	rec, runs := j.rec, slices.Clone(j.runs.all)
	rec.Passes = slices.Clone(rec.Passes)
	for i := range rec.Passes {
		p := &rec.Passes[i]
		p.Target, p.Label = j.address(p.Target), j.options.Redactor.Show("", p.Label)
		p.Marks = nil // they say nothing of what moves
	}
	for i := range runs {
		r := &runs[i]
		r.Target, r.Label = j.address(r.Target), j.options.Redactor.Show("", r.Label)
	}
	return rec, runs
}

func (j *judge) address(target string) string {
	if u, err := url.Parse(target); err == nil && (u.User != nil || u.RawQuery != "") && !j.options.Redactor.Reveal {
		u.User, u.RawQuery = nil, ""
		target = u.String()
	}
	return j.options.Redactor.Show("", target)
}
