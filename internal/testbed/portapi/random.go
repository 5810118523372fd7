package portapi

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// All randomness of the API comes from a.rng, but for that of the cache: the callers hold a.mu.

// bytes returns n random bytes.
func (a *API) bytes(n int) []byte { return service.Bytes(a.rng, n) }

// hex returns 2n random hex digits.
func (a *API) hex(n int) string { return hex.EncodeToString(a.bytes(n)) }

// draw returns n random characters of an alphabet.
func (a *API) draw(n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[a.rng.IntN(len(alphabet))]
	}
	return string(b)
}

// The alphabets that ids are drawn from.
const (
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	digits    = "0123456789"
	letters   = "abcdefghijklmnopqrstuvwxyz"
)

// uuid4 returns a random UUID.
func (a *API) uuid4() string {
	b := a.bytes(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// happens reports true with the given probability.
func (a *API) happens(p float64) bool { return a.rng.Float64() < p }

// about returns a number up to d away from v, with the given number of decimals.
func (a *API) about(v, d float64, decimals int) float64 {
	return round(v+d*(2*a.rng.Float64()-1), decimals)
}

// round returns v with the given number of decimals.
func round(v float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(v*p) / p
}

// shuffled returns the elements in a random order.
func shuffled[T any](a *API, from []T) []T {
	to := append([]T{}, from...)
	a.rng.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	return to
}

// mac signs a text with the instance's key.
func (a *API) mac(text string) []byte {
	h := hmac.New(sha256.New, a.key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// token returns claims as a signed JWT.
func (a *API) token(claims object) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","kid":"port-2024-11","typ":"JWT"}`)) + "." +
		base64.RawURLEncoding.EncodeToString(service.Encode(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(a.mac(text))
}

// sha returns the SHA-256 of a text in hex.
func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// md5Of returns the MD5 of a text in hex.
func md5Of(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// took returns how long the answer has been in the making, by another reading of the clock.
func (a *API) took(r *request) time.Duration { return a.dials.now().UTC().Sub(r.now) }
