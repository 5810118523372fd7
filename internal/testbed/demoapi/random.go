package demoapi

import (
	"encoding/hex"
	"fmt"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// All randomness of the API comes from a.rng: the callers hold a.mu.

// bytes returns n random bytes.
func (a *API) bytes(n int) []byte { return service.Bytes(a.rng, n) }

// hex returns 2n random hex digits.
func (a *API) hex(n int) string { return hex.EncodeToString(a.bytes(n)) }

// uuid returns a random UUID of version 4.
func (a *API) uuid() string {
	b := a.bytes(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// letters returns n random letters and digits.
func (a *API) letters(n int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[a.rng.IntN(len(alphabet))]
	}
	return string(b)
}

// digits returns n random decimal digits.
func (a *API) digits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + a.rng.IntN(10))
	}
	return string(b)
}

// happens reports true with the given probability.
func (a *API) happens(p float64) bool { return a.rng.Float64() < p }

// shuffled returns the elements in a random order.
func shuffled[T any](a *API, from []T) []T {
	to := append([]T{}, from...)
	a.rng.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	return to
}
