package flow

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
)

// jwtHead is how the first part of every JSON Web Token begins: {" in base64url.
const jwtHead = "eyJ"

// Expired reports whether the head of a request bears a token that lived at then, when it was recorded, and has ended
// at now, by its own word: the exp of a JSON Web Token (RFC 7519 §4.1.4). One that had ended when it was recorded is
// the client's wish.
func Expired(r *exchange.Request, then, now time.Time) bool {
	if r.Malformed || !bytes.Contains(r.Head, []byte(jwtHead)) {
		return false
	}
	return expired(string(r.Head), then, now)
}

// expired is the same of a text that holds tokens.
func expired(text string, then, now time.Time) bool {
	for end := range endings(text) {
		if end.After(then) && !end.After(now) {
			return true
		}
	}
	return false
}

// Expiry returns when the first JSON Web Token in a text ends, by its own word; ok is false where none says so.
func Expiry(text string) (end time.Time, ok bool) {
	for end := range endings(text) {
		return end, true
	}
	return end, false
}

// endings goes over the ends of the JSON Web Tokens in a text.
func endings(text string) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for {
			i := strings.Index(text, jwtHead)
			if i < 0 {
				return
			}
			text = text[i:]
			n := 0
			for n < len(text) && (isTokenByte(text[n]) || text[n] == '.') {
				n++
			}
			if end, ok := expiry(text[:n]); ok && !yield(end) {
				return
			}
			text = text[n:]
		}
	}
}

func isTokenByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || words.IsUpper(c) || c == '-' || c == '_'
}

// expiry returns when a JSON Web Token ends; ok is false for what is none, or has no end.
func expiry(token string) (end time.Time, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > words.MaxValue {
		return end, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return end, false
	}
	var claims struct {
		Exp float64 `json:"exp"` // seconds since 1970
	}
	const latest = 1 << 38 // the year 10680; beyond lies no time that a token could mean
	if json.Unmarshal(payload, &claims) != nil || !(claims.Exp > 0 && claims.Exp < latest) {
		return end, false
	}
	return time.Unix(int64(claims.Exp), 0), true
}
