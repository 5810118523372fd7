package wardapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// All randomness of the API comes from a.rng: the callers hold a.mu.

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

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// nanoID returns an id of 21 characters, all of them random.
func (a *API) nanoID() string {
	return a.draw(21, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-")
}

// ulid returns an id of ten characters of time and sixteen random ones.
func (a *API) ulid(now time.Time) string {
	var b [10]byte
	ms := now.UnixMilli()
	for i := len(b) - 1; i >= 0; i-- {
		b[i], ms = crockford[ms&31], ms>>5
	}
	return string(b[:]) + a.draw(16, crockford)
}

// dashed writes 16 bytes as a UUID of a version.
func dashed(b []byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// uuid4 returns a random UUID.
func (a *API) uuid4() string { return dashed(a.bytes(16), 4) }

// uuid7 returns a UUID of 48 bits of time and 74 random ones.
func (a *API) uuid7(now time.Time) string {
	b := a.bytes(16)
	ms := binary.BigEndian.AppendUint64(nil, uint64(now.UnixMilli()))
	copy(b, ms[2:])
	return dashed(b, 7)
}

// uuid1 returns a UUID of the time alone: the node and the clock sequence are those of the machine that the service
// was built for.
func uuid1(now time.Time) string {
	ticks := uint64(now.UnixNano()/100) + 0x01B21DD213814000
	b := make([]byte, 16)
	binary.BigEndian.PutUint32(b, uint32(ticks))
	binary.BigEndian.PutUint16(b[4:], uint16(ticks>>32))
	binary.BigEndian.PutUint16(b[6:], uint16(ticks>>48))
	copy(b[8:], []byte{0x13, 0x92, 0x00, 0x1b, 0x44, 0x11, 0x3a, 0xb7})
	return dashed(b, 1)
}

// happens reports true with the given probability.
func (a *API) happens(p float64) bool { return a.rng.Float64() < p }

// rarely reports true as often as the dial says.
func (a *API) rarely() bool { return a.happens(service.Chance(a.dials.RareChance, 1.0/30)) }

// about returns a number up to d away from v, with the given number of decimals.
func (a *API) about(v, d float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round((v+d*(2*a.rng.Float64()-1))*p) / p
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
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","kid":"klinik-2026","typ":"JWT"}`)) + "." +
		base64.RawURLEncoding.EncodeToString(service.Encode(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(a.mac(text))
}

// digest returns the SHA-256 of a text in hex.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// withCheckDigit appends the check digit of Luhn's method to a number.
func withCheckDigit(n int) string {
	s := fmt.Sprint(n)
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return fmt.Sprintf("%s-%d", s, (10-sum%10)%10)
}
