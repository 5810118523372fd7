package demoapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// claims is the payload of the API's JSON Web Tokens (RFC 7519). Times are seconds since 1970.
type claims struct {
	Subject  string `json:"sub"`
	Issuer   string `json:"iss"`
	IssuedAt int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	ID       string `json:"jti"`
}

// jwtHeader is {"alg":"HS256","typ":"JWT"}: the only one that verify takes, so that no token chooses its own algorithm.
const jwtHeader = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"

// sign returns a token for the claims, signed with HS256.
func (a *API) sign(c claims) string {
	payload, _ := json.Marshal(c) // strings and integers: always JSON
	text := jwtHeader + "." + base64.RawURLEncoding.EncodeToString(payload)
	return text + "." + base64.RawURLEncoding.EncodeToString(a.mac(text))
}

// verify returns the claims of a token that this API signed and that has not expired.
func (a *API) verify(token string) (c claims, ok bool) {
	text, signature, found := cutLast(token, ".")
	header, payload, both := strings.Cut(text, ".")
	mac, err := base64.RawURLEncoding.DecodeString(signature)
	if !found || !both || err != nil || header != jwtHeader || !hmac.Equal(mac, a.mac(text)) {
		return c, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return c, false
	}
	return c, a.now().Unix() < c.Expires
}

// mac returns the HMAC-SHA256 of a text under the API's key.
func (a *API) mac(text string) []byte {
	m := hmac.New(sha256.New, a.key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// cutLast cuts s around its last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
