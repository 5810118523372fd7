package exchange

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// Redactor shows secrets as tokens that keep equality: the same secret gives the same token within one database, and
// the token does not tell the secret. The zero Redactor has no key and redacts all the same, with tokens that anybody
// could compute for a guessed secret.
type Redactor struct {
	Key    []byte // random, kept in the database
	Reveal bool   // show secrets as they are
}

// Text returns value as it may be shown: a token where place is that of a secret, else value itself.
func (r Redactor) Text(place Place, value string) string {
	if r.Reveal || value == "" || !Secret(place) {
		return value
	}
	return r.Token(value)
}

// Token returns the token that stands for a secret: "secret:" and 12 hex digits.
func (r Redactor) Token(value string) string {
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(value))
	return "secret:" + hex.EncodeToString(mac.Sum(nil)[:6])
}

// Secret reports whether a place, in a request or a response, is named as secrets are: a credential header or cookie,
// or a member whose own name, or that of what it lies in, says password, token, secret, API key and the like.
func Secret(place Place) bool {
	segments := place.Segments()
	switch segments[0] {
	case "cookie":
		return true
	case "header", "query", "body":
		return slices.ContainsFunc(segments[1:], secretName)
	default:
		return false
	}
}

// secretName reports whether a member or header is named as secrets are, whatever its case and separators.
func secretName(name string) bool {
	if len(name) > 15 && strings.EqualFold(name[:15], "access-control-") {
		return false // it says whether credentials may be sent, and is none
	}
	flat := strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.', ' ':
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	switch flat {
	case "authorization", "proxyauthorization", "cookie", "setcookie", "pwd", "pass", "sessionkey", "jwt", "bearer", "csrf", "xsrf":
		return true
	}
	for _, part := range [...]string{"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey",
		"credential", "sessionid", "csrftoken", "xsrftoken"} {
		if strings.Contains(flat, part) {
			return true
		}
	}
	return strings.HasSuffix(flat, "token")
}
