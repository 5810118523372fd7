package suite

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
)

// minSecret is the least length of a secret that is looked for in texts where no name tells that it is one.
const minSecret = 8

// secretAt is a secret of a request.
type secretAt struct {
	place exchange.Place
	value string
}

// secretsOf lists the secrets of a request, as their places are named: headers whole, query and form values, members of
// a JSON body.
func (w *pytestWriter) secretsOf(e *exchange.Exchange) []secretAt {
	if w.src.Redactor.Reveal {
		return nil
	}
	var out []secretAt
	add := func(place exchange.Place, value string) {
		if value != "" && exchange.Secret(place) {
			out = append(out, secretAt{place, value})
		}
	}
	r := &e.Request
	for _, f := range r.Header {
		switch name := strings.TrimSpace(f.Name); {
		case strings.EqualFold(name, "Cookie"):
			for cookie := range strings.SplitSeq(f.Value, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(cookie), "=")
				add(exchange.Place("/cookie").Key(key), value)
			}
		case !connectionField(name, f.Value):
			add(exchange.HeaderPlace(name), f.Value)
		}
	}
	_, query := exchange.SplitTarget(r.Target)
	pairs(query, "/query", add)
	if r.MediaType() == "application/x-www-form-urlencoded" {
		payload, _ := r.Payload()
		pairs(string(payload), exchange.PlaceBody, add)
	}
	bodyPlaces(r, add)
	return out
}

// pairs calls add with each pair of a query or a form; the second of a name is that name's /1.
func pairs(query string, root exchange.Place, add func(exchange.Place, string)) {
	seen := map[string]int{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		place := root.Key(name)
		if n := seen[name]; n > 0 {
			place = place.Index(n)
		}
		seen[name]++
		add(place, value)
	}
}

// findSecrets notes the secrets of an exchange, so that they are known wherever else they turn up.
func (w *pytestWriter) findSecrets(e *exchange.Exchange) {
	// A password that is a word would be found in every other text.
	note := func(value string) {
		word := !strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
		if len(value) >= minSecret && !word {
			w.known = append(w.known, value)
		}
	}
	for _, s := range w.secretsOf(e) {
		note(s.value)
		if scheme, rest, ok := strings.Cut(s.value, " "); ok && s.place.Root() == "header" && len(scheme) < minSecret+2 {
			note(rest) // Bearer, Basic, Token
		}
	}
	if e.Response == nil || w.src.Redactor.Reveal {
		return
	}
	for _, f := range e.Response.Header {
		if strings.EqualFold(f.Name, "Set-Cookie") {
			pair, _, _ := strings.Cut(f.Value, ";")
			_, value, _ := strings.Cut(pair, "=")
			note(strings.TrimSpace(value))
		}
	}
	payload, _ := e.Response.Payload()
	if root := readNode(payload); root != nil {
		root.walk(func(n *node) bool {
			if n.scalar() && n.raw[0] == '"' && exchange.Secret(n.place) {
				note(n.text())
			}
			return true
		})
	}
}

// secret returns the Python expression for a secret, and puts the value among those of secrets.json.
func (w *pytestWriter) secret(value string) string {
	token := w.src.Redactor.Token(value)
	w.secrets[token] = value
	return "secret(" + pyString(token) + ")"
}

// secretBinding reports whether a bound value is a secret: by where it came from, or where it went.
func (w *pytestWriter) secretBinding(b *exchange.Binding) bool {
	if w.src.Redactor.Reveal {
		return false
	}
	return exchange.Secret(b.Producer.Place) || slices.Contains(w.known, b.Value) ||
		slices.ContainsFunc(b.Uses, func(u exchange.Ref) bool { return exchange.Secret(u.Place) })
}

// holdsSecret reports whether a text holds a secret that is known from elsewhere.
func (w *pytestWriter) holdsSecret(text string) bool {
	return len(text) >= minSecret && w.redact != nil && w.redact.Replace(text) != text
}
