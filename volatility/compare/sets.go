package compare

import (
	"encoding/json"
	"slices"
)

// The bounds on the arrays that are held against each other as sets.
const (
	maxSetBytes = 64 << 10
	maxSetItems = 1000
)

// SameSet reports whether two arrays of different lengths hold the same elements, some of them more often. Elements
// that are written otherwise are others.
func SameSet(before, after string) bool {
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
