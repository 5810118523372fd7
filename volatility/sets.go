package volatility

import (
	"encoding/json"
	"slices"

	"github.com/flaketap/flaketap/volatility/compare"
)

// The bounds on the arrays that are held against each other as sets.
const (
	maxSetBytes = 64 << 10
	maxSetItems = 1000
)

// sameSet reports whether two arrays of different lengths hold the same elements, some of them more often. Elements
// that are written otherwise are others.
func sameSet(before, after string) bool {
	x, okX := elements(before)
	y, okY := elements(after)
	return okX && okY && len(x) > 0 && slices.Equal(x, y)
}

// elements returns the different elements of an array, sorted; ok is false where it is none, or too large.
func elements(raw string) (out []string, ok bool) {
	var all []json.RawMessage
	if len(raw) > maxSetBytes || json.Unmarshal([]byte(raw), &all) != nil || len(all) > maxSetItems {
		return nil, false
	}
	for _, e := range all {
		out = append(out, string(e))
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

// asSet counts a difference of an array that leaves it the same set.
func (t *fieldStats) asSet(d compare.Difference) {
	if d.Kind == compare.Resized && sameSet(d.Before, d.After) {
		t.kinds.sameSet++
	}
}

// isSet reports whether an array was the same set of elements in all observations, and not the same multiset.
func (k changeKinds) isSet() bool {
	return k.sameSet > 0 && k.sameSet == k.resized && k.moves() == k.resized+k.reordered
}
