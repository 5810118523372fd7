package plan

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// Text is a text of which parts come from answers or from the secrets.
type Text []Piece

// plain returns a text that has no part from elsewhere.
func (t Text) Constant() (string, bool) {
	var b strings.Builder
	for _, p := range t {
		if !p.IsLiteral() {
			return "", false
		}
		b.WriteString(p.Literal)
	}
	return b.String(), true
}

// Joined puts neighbouring literals together; a text has one piece at least.
func Joined(pieces Text) Text {
	var out Text
	for _, p := range pieces {
		if n := len(out); n > 0 && p.IsLiteral() && out[n-1].IsLiteral() {
			out[n-1].Literal += p.Literal
			continue
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return Text{{}}
	}
	return out
}

// Piece is a part of a text: exactly one of the first four members is set, or none for an empty literal.
type Piece struct {
	Literal string
	Bound   string // the name of a [Value]
	Secret  string // the name of a secret
	Host    bool   // the authority that was asked, as the Host header of the request has it
	Escape  Escape // how a bound value or a secret is written here
}

func (p Piece) IsLiteral() bool { return p.Bound == "" && p.Secret == "" && !p.Host }

// Escape is how a value is written where it stands.
type Escape string

// The ways of escaping.
const (
	Plain      Escape = ""            // as it is
	InPath     Escape = "path"        // percent-encoded, for a segment of a path
	InQuery    Escape = "query"       // percent-encoded, for a query or a form
	InJSON     Escape = "json"        // within a JSON string
	AsJSON     Escape = "json-value"  // as a JSON value: a number where it is one, else a string with its quotes
	FromBase64 Escape = "from-base64" // the secret is the base64 of what is to be written
)

// write escapes a value.
func (e Escape) Apply(value string) string {
	switch e {
	case InPath:
		return strings.ReplaceAll(url.PathEscape(value), "%2C", ",")
	case InQuery:
		return url.QueryEscape(value)
	case InJSON:
		quoted := literal.JSON(value)
		return quoted[1 : len(quoted)-1]
	case AsJSON:
		if literal.IsNumber(value) {
			return value
		}
		return literal.JSON(value)
	case FromBase64:
		body, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return value
		}
		return string(body)
	}
	return value
}
