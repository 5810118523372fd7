package compare

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// seed makes the hashes unforeseeable to whoever writes the bodies. Nothing that leaves the package depends on it.
var seed = newSeed()

// hashSeed is what the hashes of a process begin with, and what they multiply by.
type hashSeed struct{ first, by, last uint64 }

func newSeed() hashSeed {
	s := maphash.MakeSeed()
	return hashSeed{maphash.String(s, "first"), maphash.String(s, "by") | 1, maphash.String(s, "last") | 1}
}

// mix joins two hashes into one, in an order that matters.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1342543de82ef95)
	return hi ^ lo
}

// fold takes eight bytes of a text into its hash.
func fold(h, word, by uint64) uint64 {
	hi, lo := bits.Mul64(h^word, by)
	return hi ^ lo
}

// hashOf returns the hash of a text, which is the one that scanString returns for the text within quotes.
func hashOf(s string) uint64 { return hashWithin(s, 0, len(s)) }

// hashWithin returns the hash of s[from:upto].
func hashWithin(s string, from, upto int) uint64 {
	h, by, i := seed.first, seed.by, from
	for ; i+8 <= upto; i += 8 {
		h = fold(h, load(s, i), by)
	}
	var rest uint64
	if upto > i {
		rest = loadRest(s, i, upto)
	}
	return finish(h, rest, upto-from)
}

// finish takes in the last bytes of a text, fewer than eight, and its length.
func finish(h, rest uint64, length int) uint64 {
	return fold(fold(h, rest, seed.by), uint64(length), seed.last)
}

// load returns the eight bytes of s from i on.
func load(s string, i int) uint64 { return binary.LittleEndian.Uint64([]byte(s[i : i+8])) }

// loadRest returns the bytes s[i:upto], fewer than eight, as load would were zeros behind them.
func loadRest(s string, i, upto int) uint64 {
	if i+8 <= len(s) {
		return load(s, i) & (1<<(8*(upto-i)) - 1)
	}
	var w uint64
	for n := upto - 1; n >= i; n-- {
		w = w<<8 | uint64(s[n])
	}
	return w
}
