package exchange

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/wire"
)

// Known returns what was collected so far. The result does not change with what is collected afterwards. It may be
// asked for after each exchange: what is new since the last time gets a matcher of its own, and matchers of about one
// size become one, so that there are few of them and the work for each secret grows with the logarithm of their number.
func (s *Secrets) Known() *Known {
	if s.last != nil && len(s.fresh) == 0 && s.last.full == s.full {
		return s.last
	}
	if len(s.fresh) > 0 {
		s.layers = append(slices.Clone(s.layers), newMatcher(s.fresh))
		s.fresh = nil
	}
	for n := len(s.layers); n >= 2 && len(s.layers[n-2].texts) < 2*len(s.layers[n-1].texts); n = len(s.layers) {
		both := s.layers[n-1].values()
		maps.Copy(both, s.layers[n-2].values())
		s.layers = append(slices.Clone(s.layers[:n-2]), newMatcher(both))
	}
	s.last = &Known{
		names:  naming{places: slices.Clone(s.rules().places), words: slices.Clone(s.names.words)},
		layers: s.layers,
		stored: s.Stored,
		full:   s.full,
	}
	return s.last
}

// keep adds a text that stands for a secret.
func (s *Secrets) keep(text, value string) {
	if s.values == nil {
		s.values = make(map[string]string)
	}
	if s.fresh == nil {
		s.fresh = make(map[string]string)
	}
	s.values[text], s.fresh[text] = value, value
	s.bytes += len(text)
}

// Text collects what a text itself names as secrets, in any of the forms that bodies have.
func (s *Secrets) Text(text string) { s.text(text) }

// Header collects the secrets of a header field, or of another member that is given its name.
func (s *Secrets) Header(name, value string) { s.header(wire.Fields{{Name: name, Value: value}}, nil) }

// echoes returns the known secrets within a text, layer by layer.
func (k *Known) echoes(text string) []Span {
	if k == nil {
		return nil
	}
	var out []Span
	for _, m := range k.layers {
		for at, n := m.next(text, 0); n >= 0; at, n = m.next(text, at) {
			end := at + len(m.texts[n])
			out = append(out, Span{From: at, To: end, Value: m.shown[n]})
			at = end
		}
	}
	return out
}

// Echoes returns the known secrets within a text, in their order and apart from each other, whatever the text itself
// names as one.
func (r Redactor) Echoes(text string) []Span {
	if r.Reveal {
		return nil
	}
	return tidy(text, r.Known.echoes(text))
}

// Begun returns the secret that a text breaks off in: text[at:] is the beginning of value. Where it breaks off in none
// that is known, or so early that it may be anything, at is the length of the text.
func (r Redactor) Begun(text string) (at int, value string) {
	if r.Reveal || r.Known == nil {
		return len(text), ""
	}
	for at := max(0, len(text)-maxBegun); at+minKnown <= len(text); at++ {
		for _, m := range r.Known.layers {
			if h := m.hash(text[at:]); m.bits[h>>6]&(1<<(h&63)) == 0 {
				continue
			}
			if n, _ := slices.BinarySearch(m.texts, text[at:]); n < len(m.texts) && strings.HasPrefix(m.texts[n], text[at:]) {
				return at, m.shown[n]
			}
		}
	}
	return len(text), ""
}

// maxBegun bounds, in bytes, how much of a secret is looked for where a text breaks off.
const maxBegun = 8 << 10

// Scheme splits credentials into the word for their scheme and what follows: a registered one (RFC 9110 §16.4.1), or
// one that is common without being so.
func Scheme(credentials string) (scheme, rest string, ok bool) {
	scheme, rest, _ = strings.Cut(credentials, " ")
	switch strings.ToLower(scheme) {
	case "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "oauth", "privatetoken",
		"scram-sha-1", "scram-sha-256", "vapid", "token", "apikey", "api-key", "key", "jwt", "hawk", "hmac", "ntlm",
		"aws4-hmac-sha256":
		rest = strings.TrimSpace(rest)
		return scheme, rest, rest != ""
	}
	return "", credentials, false
}

// shown reports whether what stands at the place of a secret is tokens already, as they are stored at rest: behind the
// word for a scheme, or as the values of cookies.
func shown(place Place, text string) bool {
	if _, rest, ok := Scheme(text); ok && IsToken(rest) {
		return true
	}
	switch place {
	case "/header/set-cookie":
		text, _, _ = strings.Cut(text, ";")
	case "/header/cookie":
	default:
		return false
	}
	for pair := range strings.SplitSeq(text, ";") {
		if _, value, _ := strings.Cut(pair, "="); !IsToken(strings.Trim(value, " \"")) {
			return false
		}
	}
	return true
}

// tokenForm is what Token writes, as it is and percent-encoded.
var tokenForm = regexp.MustCompile(`secret(?::|%3[Aa])([0-9a-f]{12})`)

// Tokens returns the tokens within a text that a Redactor wrote in the place of secrets, each once, as Token gives
// them.
func Tokens(text string) []string {
	var out []string
	if !strings.Contains(text, "secret") {
		return nil
	}
	for _, found := range tokenForm.FindAllStringSubmatch(text, -1) {
		if token := tokenPrefix + found[1]; !slices.Contains(out, token) {
			out = append(out, token)
		}
	}
	return out
}
