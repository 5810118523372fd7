package suite

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// secretAt is a secret of a request.
type secretAt struct {
	place exchange.Place
	value string
}

// secretsOf lists the secrets of a request, as their places are named: headers whole, query and form values, members of
// a JSON body.
func (w *pytestWriter) secretsOf(e *exchange.Exchange) []secretAt {
	var out []secretAt
	add := func(place exchange.Place, value string) {
		if value != "" && w.src.Redactor.Secret(place) {
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

// secret returns the Python expression for a secret, and puts the value among those of secrets.json.
func (w *pytestWriter) secret(value string) string {
	token := w.src.Redactor.Token(value)
	w.secrets[token] = value
	return "secret(" + pyString(token) + ")"
}

// secretBinding reports whether a bound value is a secret: by where it came from, or where it went, or because it is known
// to be one, or holds one.
func (w *pytestWriter) secretBinding(b *exchange.Binding) bool {
	return w.src.Redactor.Secret(b.Producer.Place) || w.holdsSecret(b.Value) ||
		slices.ContainsFunc(b.Uses, func(u exchange.Ref) bool { return w.src.Redactor.Secret(u.Place) })
}

// holdsSecret reports whether a text holds a secret.
func (w *pytestWriter) holdsSecret(text string) bool { return len(w.src.Redactor.Secrets(text)) > 0 }

// pieces cuts a text at its secrets, each of which is looked up as it stands there; what is between them is shown by show.
func (w *pytestWriter) pieces(text string, show func(string) string) []piece {
	return w.between(text, 0, len(text), w.src.Redactor.Secrets(text), show)
}

// between is pieces for the part of a text from one byte to another; the spans are those of the whole.
func (w *pytestWriter) between(text string, from, to int, spans []exchange.Span, show func(string) string) []piece {
	var out []piece
	for _, s := range spans {
		low, high := max(s.From, from), min(s.To, to)
		if low >= high {
			continue
		}
		if low > from {
			out = append(out, piece{show(text[from:low]), false})
		}
		out = append(out, piece{w.secret(show(text[low:high])), true})
		from = high
	}
	if from < to {
		out = append(out, piece{show(text[from:to]), false})
	}
	return out
}

// text returns a text as a Python expression, its secrets looked up.
func (w *pytestWriter) text(text string) string {
	if !w.holdsSecret(text) {
		return pyString(text)
	}
	return pyText(w.pieces(text, asIs))
}

func asIs(s string) string { return s }

// bytes returns bytes that are no text as a Python expression. Where they hold a secret, or do once they are unpacked, they
// are looked up as a whole.
func (w *pytestWriter) bytes(b, payload []byte) string {
	if w.holdsSecret(string(b)) || w.holdsSecret(string(payload)) {
		return "from_base64(" + w.secret(base64.StdEncoding.EncodeToString(b)) + ")"
	}
	return pyBytesBroken(b)
}

// known lists the secrets of the recording, where the caller did not.
func (s *Source) known() {
	if s.Redactor.Known != nil || s.Redactor.Reveal {
		return
	}
	var secrets exchange.Secrets
	for _, step := range s.Steps {
		secrets.Step(step)
	}
	s.Redactor.Known = secrets.Known()
}

// aToken is what a Redactor, and so a map, shows in the place of a secret.
var aToken = regexp.MustCompile(`secret:[0-9a-f]{12}`)

// pointer returns the JSON pointer, within the body, of a place, as a Python expression. A place of the map may have a
// token for a key.
func (w *pytestWriter) pointer(place exchange.Place) string {
	path := strings.TrimPrefix(string(place), string(exchange.PlaceBody))
	var out []piece
	at := 0
	for _, m := range aToken.FindAllStringIndex(path, -1) {
		if _, ok := w.secrets[path[m[0]:m[1]]]; ok {
			out = append(append(out, w.pieces(path[at:m[0]], asIs)...), piece{"secret(" + pyString(path[m[0]:m[1]]) + ")", true})
			at = m[1]
		}
	}
	if out = append(out, w.pieces(path[at:], asIs)...); len(out) == 0 {
		return `""`
	}
	return pyText(out)
}

// secretKeys has the keys of objects that hold secrets looked up.
func (w *pytestWriter) secretKeys(n *node) bool {
	for i, k := range n.keys {
		if w.holdsSecret(k) {
			if n.codes == nil {
				n.codes = make(map[int]string)
			}
			n.codes[i] = w.text(k)
		}
	}
	return true
}
