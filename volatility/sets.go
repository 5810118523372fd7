package volatility

import "github.com/flaketap/flaketap/volatility/compare"

// asSet counts a difference of an array that leaves it the same set.
func (t *fieldStats) asSet(d compare.Difference) {
	if d.Kind == compare.Resized && compare.SameSet(d.Before, d.After) {
		t.kinds.sameSet++
	}
}

// isSet reports whether an array was the same set of elements in all observations, and not the same multiset.
func (k changeKinds) isSet() bool {
	return k.sameSet > 0 && k.sameSet == k.resized && k.moves() == k.resized+k.reordered
}
