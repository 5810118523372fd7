package service

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// NewRNG returns a generator that repeats for a seed other than 0; stream tells the generators of one seed apart.
func NewRNG(seed, stream uint64) *rand.Rand {
	if seed == 0 {
		var b [8]byte
		crand.Read(b[:]) // never fails: it ends the program where there is no randomness
		seed = binary.LittleEndian.Uint64(b[:])
	}
	return rand.New(rand.NewPCG(seed, stream))
}

// Bytes returns n random bytes.
func Bytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// Chance returns the value of a dial that is a probability, or its default where it is 0.
func Chance(dial, def float64) float64 {
	if dial == 0 {
		return def
	}
	return dial
}

// Latency returns how long an answer is held back: a random part of the longest that it may be.
func Latency(rng *rand.Rand, longest time.Duration) time.Duration {
	if longest <= 0 {
		return 0
	}
	return time.Duration(rng.Int64N(int64(longest) + 1))
}
