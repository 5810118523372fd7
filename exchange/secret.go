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
	Known  *Known // the secrets of the recording, wherever they turn up; nil knows none
	Reveal bool   // show secrets as they are
}

// A token is this prefix and so many hex digits.
const (
	tokenPrefix = "secret:"
	tokenDigits = 12
	maxToken    = len("secret%3A") + tokenDigits
)

// Show returns text, the value of a place or any other text ("" for the place), as it may be shown: a token where the
// place is that of a secret, else the text with a token in the place of each secret in it.
func (r Redactor) Show(place Place, text string) string {
	if r.Reveal || text == "" || IsToken(text) {
		return text
	}
	if r.Known.Secret(place) {
		if shown(place, text) {
			return text
		}
		return r.Token(text)
	}
	return r.Replace(text, r.Token)
}

// ShowPlace returns a place as it may be shown: a token in the place of each secret in its keys.
func (r Redactor) ShowPlace(p Place) Place {
	raw, hides := p.raw(), false
	for i, s := range raw {
		if key := unescape(s); len(key) >= minKnown && len(r.Secrets(key)) > 0 {
			raw[i], hides = escape(r.Show("", key)), true
		}
	}
	if !hides {
		return p
	}
	return Place("/" + strings.Join(raw, "/"))
}

// Replace returns a text with what token gives in the place of each secret in it.
func (r Redactor) Replace(text string, token func(value string) string) string {
	var b strings.Builder
	done := 0
	for _, s := range r.Secrets(text) {
		b.WriteString(text[done:s.From])
		token := token(s.Value)
		if s.number && text[s.From:s.To] == s.Value {
			token = `"` + token + `"`
		}
		b.WriteString(token)
		done = s.To
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// Secrets returns the secrets within a text, in their order and apart from each other: those that the text itself names
// as such, in whichever form ("password": "x", token=x, <secret>x</secret>, Bearer x), and those that are known. A
// Redactor that reveals finds none.
func (r Redactor) Secrets(text string) []Span {
	if r.Reveal || text == "" {
		return nil
	}
	return r.Known.spans(text)
}

// Secret reports whether a place is that of a secret, by its name. To a Redactor that reveals none is.
func (r Redactor) Secret(place Place) bool { return !r.Reveal && r.Known.Secret(place) }

// Token returns the token that stands for a secret: "secret:" and 12 hex digits. A token, as it is stored at rest,
// stands for itself.
func (r Redactor) Token(value string) string {
	if IsToken(value) {
		return Tokens(value)[0]
	}
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(value))
	return tokenPrefix + hex.EncodeToString(mac.Sum(nil)[:tokenDigits/2])
}

// Secret reports whether a place, in a request or a response, is named as secrets are: a credential header or cookie,
// or a member whose own name, or that of what it lies in, says password, token, secret, API key and the like.
func Secret(place Place) bool {
	segments := place.Segments()
	switch segments[0] {
	case "cookie":
		return true
	case "query":
		return slices.ContainsFunc(segments[1:], func(name string) bool { return secretName(name) || signatureName(name) })
	case "header", "body":
		return slices.ContainsFunc(segments[1:], secretName)
	default:
		return false
	}
}

// signatureName reports whether a parameter of a query is what a signed URL is signed with: who has it has what it
// signs.
func signatureName(name string) bool {
	return strings.EqualFold(name, "sig") || len(name) >= 9 && strings.EqualFold(name[len(name)-9:], "signature")
}

// secretName reports whether a member or header is named as secrets are, whatever its case and separators.
func secretName(name string) bool {
	if len(name) > 15 && strings.EqualFold(name[:15], "access-control-") {
		return false // it says whether credentials may be sent, and is none
	}
	if strings.ContainsRune(name, '[') { // user[token], tokens[]
		return slices.ContainsFunc(nameParts(name), secretName)
	}
	// An attribute of XML, or the marker before what a JWT holds: who has that has the token, or what its bearer alone
	// is to know.
	flat := flatName(strings.TrimPrefix(name, "@"))
	switch flat {
	case "authorization", "proxyauthorization", "xauth", "cookie", "setcookie", "pwd", "pass", "otp", "totp", "sid",
		"sessionkey", "xsession",
		"jwt", "bearer", "csrf", "xsrf",
		// not max_tokens, a number
		"tokens", "accesstokens", "refreshtokens", "authtokens", "apitokens", "sessiontokens", "bearertokens":
		return true
	}
	for _, part := range [...]string{"password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey",
		"privatekey",
		"credential", "sessionid", "csrftoken", "xsrftoken",
		// password in German, French, Spanish, Portuguese, Dutch, Swedish, Finnish and Polish
		"passwort", "kennwort", "motdepasse", "contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "losenord",
		"salasana", "hasło"} {
		if strings.Contains(flat, part) {
			// The id of a credential is a number or a handle, and not what it gives access by.
			return part != "credential" || !strings.HasSuffix(flat, "credentialid") && !strings.HasSuffix(flat, "credentialids")
		}
	}
	return strings.HasSuffix(flat, "token")
}

// nameParts returns the names that brackets put together, as those of parameters do.
func nameParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '[' || r == ']' })
}

// flatName returns a name without case and separators.
func flatName(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.', ' ':
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
