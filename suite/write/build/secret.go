package build

import (
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// secret returns the piece for a secret, and puts its value among those of the plan: the one that is given instead, if
// there is one.
func (b *builder) secret(value string) plan.Piece {
	token := cmp.Or(b.named[value], b.src.Redactor.Token(value))
	b.secrets[token] = cmp.Or(b.given[value], value)
	return plan.Piece{Secret: token}
}

// secretBinding reports whether a bound value is a secret: by where it came from, or where it went, or because it is
// known to be one, or holds one.
func (b *builder) secretBinding(v *exchange.Binding) bool {
	return b.src.Redactor.Secret(v.Producer.Place) || b.holdsSecret(v.Value) ||
		slices.ContainsFunc(v.Uses, func(u exchange.Ref) bool { return b.src.Redactor.Secret(u.Place) })
}

// holdsSecret reports whether a text holds a secret.
func (b *builder) holdsSecret(text string) bool { return len(b.src.Redactor.Secrets(text)) > 0 }

// text cuts a text at its secrets, each of which is looked up as it stands there; what is between them is shown by
// show.
func (b *builder) text(text string, show func(string) string) plan.Text {
	return plan.Joined(b.between(text, 0, len(text), b.src.Redactor.Secrets(text), show))
}

// between is text for the part of a text from one byte to another; the spans are those of the whole.
func (b *builder) between(text string, from, to int, spans []exchange.Span, show func(string) string) plan.Text {
	var out plan.Text
	for _, s := range spans {
		low, high := max(s.From, from), min(s.To, to)
		if low >= high {
			continue
		}
		if low > from {
			out = append(out, plan.Piece{Literal: show(text[from:low])})
		}
		out = append(out, b.secret(show(text[low:high])))
		from = high
	}
	if from < to {
		out = append(out, plan.Piece{Literal: show(text[from:to])})
	}
	return out
}

// bytes is a body that is no text. Where it holds a secret, or does once it is unpacked, it is looked up as a whole.
func (b *builder) bytes(body, payload []byte) *plan.Body {
	if b.holdsSecret(string(body)) || b.holdsSecret(string(payload)) {
		p := b.secret(base64.StdEncoding.EncodeToString(body))
		p.Escape = plan.FromBase64
		return &plan.Body{Text: plan.Text{p}}
	}
	return &plan.Body{Bytes: body}
}

// tokenForm is what a Redactor, and so a map, shows in the place of a secret.
var tokenForm = regexp.MustCompile(`secret:[0-9a-f]{12}`)

// writable reports whether a place can stand in a suite: none of its keys is, or holds, a secret.
func (b *builder) writable(place exchange.Place) bool {
	return !tokenForm.MatchString(string(place)) && !b.holdsSecret(string(place))
}
