package flow

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// maxRounds bounds the rounds of one plan.
const maxRounds = 64

// maxAffected bounds the steps that are followed from one binding; one that reaches further has a round to itself.
const maxAffected = 1 << 12

// Rounds plans the runs that prove bindings: each round holds the bindings to leave out of one run, which tells of all
// of them. The caller plays a run with [Without] for each, notes their names in [exchange.Conditions], and has [Prove]
// read what came of it beside a run that left out nothing.
//
// Bindings of one round do not disturb each other: no step that uses the one, or that uses what such a step gives, has
// to do with the other. The rounds that tell of most bindings come first; there are most of them at most, 64 where it
// is 0. proofs are what is known already: only what is unproven is planned for, and nothing whose value never moved,
// since to leave that out changes no request. With nil all is planned for.
func Rounds(bindings []exchange.Binding, proofs []Proof, most int) [][]exchange.Binding {
	if most <= 0 || most > maxRounds {
		most = maxRounds
	}
	given := map[uint64][]int{}
	for i, b := range bindings {
		given[b.Producer.Seq] = append(given[b.Producer.Seq], i)
	}
	rounds := make([][]exchange.Binding, maxRounds)
	busy := map[uint64]uint64{} // the rounds that have to do with a step, as a set of bits
	taken := uint64(0)
	var wide []exchange.Binding
	for i, b := range bindings {
		if i < len(proofs) && !proofs[i].open() {
			continue
		}
		steps, whole := affected(bindings, given, i)
		if !whole {
			wide = append(wide, b)
			continue
		}
		not := uint64(0)
		for _, seq := range steps {
			not |= busy[seq]
		}
		n := bits.TrailingZeros64(^not)
		if n >= maxRounds {
			continue
		}
		for _, seq := range steps {
			busy[seq] |= 1 << n
		}
		taken |= 1 << n
		rounds[n] = append(rounds[n], b)
	}
	for _, b := range wide {
		if n := bits.TrailingZeros64(^taken); n < maxRounds {
			taken |= 1 << n
			rounds[n] = append(rounds[n], b)
		}
	}
	rounds = slices.DeleteFunc(rounds, func(r []exchange.Binding) bool { return len(r) == 0 })
	slices.SortStableFunc(rounds, func(a, b []exchange.Binding) int { return cmp.Compare(len(b), len(a)) })
	return rounds[:min(len(rounds), most)]
}

// open reports whether to leave a binding out may tell something.
func (p *Proof) open() bool {
	return p.State == Unproven && (p.Still == 0 || p.With.Of > 0)
}

// affected returns the steps that may come out otherwise where a binding is left out: those that use it, and those that
// use what such a step gave; whole is false where there are too many.
func affected(bindings []exchange.Binding, given map[uint64][]int, first int) (steps []uint64, whole bool) {
	seen := map[uint64]bool{}
	queue := []int{first}
	for len(queue) > 0 {
		b := bindings[queue[0]]
		queue = queue[1:]
		for _, u := range b.Uses {
			if seen[u.Seq] {
				continue
			}
			if len(steps) == maxAffected {
				return nil, false
			}
			seen[u.Seq] = true
			steps = append(steps, u.Seq)
			queue = append(queue, given[u.Seq]...)
		}
	}
	return steps, true
}

// Without returns the bindings but for those that have one of the names.
func Without(bindings []exchange.Binding, names ...string) []exchange.Binding {
	left := make(map[string]bool, len(names))
	for _, name := range names {
		left[name] = true
	}
	out := make([]exchange.Binding, 0, len(bindings))
	for _, b := range bindings {
		if !left[b.Name] {
			out = append(out, b)
		}
	}
	return out
}
