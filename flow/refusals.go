package flow

import "github.com/flaketap/flaketap/exchange"

// Reason says why a use is not bound.
type Reason string

// The reasons.
const (
	// Broad: the value is a small number or a word, and nothing made it under the request's own collection. That an
	// answer listed it does not tell it from a number that the client counts by itself.
	Broad Reason = "over-broad"
	// Ambiguous: several collections count ids of this kind, and the request does not tell which is meant.
	Ambiguous Reason = "ambiguous"
	// Literal: the client sent the value before any answer gave it.
	Literal Reason = "literal"
	// Forbidden: a rule of the user.
	Forbidden Reason = "forbidden"
	// Disproved: runs showed that it is wrong; see [Proof].
	Disproved Reason = "disproved"
)

// Refusal is a use that might have been bound and was not.
type Refusal struct {
	Use   exchange.Ref
	Value string // the whole value at Use
	// what gave the value; its Place is "" where that is not kept, all of it zero where several gave it
	Producer exchange.Ref
	Reason   Reason
}

// maxRefusals bounds the refusals that are kept.
const maxRefusals = 1000

// refusals keeps the first refusals and counts all.
type refusals struct {
	list  []Refusal
	count int
}

func (r *refusals) add(x Refusal) {
	if n := len(r.list); n > 0 && r.list[n-1].Use == x.Use {
		return // one reason is enough
	}
	if r.count++; len(r.list) < maxRefusals {
		r.list = append(r.list, x)
	}
}

// hashes is a set of hashes of bounded size, each with the exchange that gave what it is the hash of.
type hashes struct {
	seqs  map[uint64]uint64
	order []uint64 // oldest first
}

func newHashes() *hashes { return &hashes{seqs: map[uint64]uint64{}} }

func (s *hashes) has(h uint64) bool {
	_, ok := s.seqs[h]
	return ok
}

// note adds a hash if it is not there, and returns the exchange that it is known with.
func (s *hashes) note(h, seq uint64, limit int) uint64 {
	if known, again := s.seqs[h]; again {
		return known
	}
	s.seqs[h] = seq
	s.order = append(s.order, h)
	if len(s.order) > limit {
		delete(s.seqs, s.order[0])
		s.order = s.order[1:]
	}
	return seq
}

// hash is FNV-1a.
func hash(s string) uint64 { return hashOn(14695981039346656037, s) }

// hashOn goes on with a hash.
func hashOn(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
