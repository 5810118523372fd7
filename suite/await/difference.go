package await

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/settle"
)

// maxDepth bounds how deep values are taken apart.
const maxDepth = 32

// Difference is a value of an answer that an assertion may want otherwise.
type Difference struct {
	Place  exchange.Place
	Is     string // a raw token; "" where nothing is there
	Wanted string // a raw token; "" where any other will do
}

// Differences says in what an answer, which has a raw token where an assertion looks, "" for nothing, differs from what
// that wants: one value, or, where that is an object or an array which is written out, those in it.
func Differences(c exchange.Claim, is string) []Difference {
	if c.Relation != exchange.Equal {
		return []Difference{{Place: c.Place, Is: is}}
	}
	return apart(Difference{c.Place, is, c.Value}, 0)
}

// apart is a difference by the values in it; itself where it has none.
func apart(d Difference, depth int) []Difference {
	if same(d.Is, d.Wanted) {
		return nil
	}
	is, wanted := members(d.Place, d.Is), members(d.Place, d.Wanted)
	if is == nil || wanted == nil || !settle.SameType(d.Is, d.Wanted) || depth > maxDepth {
		return []Difference{d}
	}
	var out []Difference
	for _, p := range slices.Sorted(maps.Keys(wanted)) {
		out = append(out, apart(Difference{p, is[p], wanted[p]}, depth+1)...)
	}
	if len(out) == 0 { // it has more than is wanted
		return []Difference{d}
	}
	return out
}

// same reports whether two raw tokens are the same but for blanks.
func same(a, b string) bool {
	var x, y bytes.Buffer
	return a == b || json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && x.String() == y.String()
}

// members are the values of an object, or of an array, by their places; nil where a raw token is neither.
func members(p exchange.Place, raw string) map[exchange.Place]string {
	var object map[string]json.RawMessage
	var array []json.RawMessage
	out := map[exchange.Place]string{}
	switch {
	case raw != "" && raw[0] == '{' && json.Unmarshal([]byte(raw), &object) == nil:
		for key, x := range object {
			out[p.Key(key)] = string(x)
		}
	case raw != "" && raw[0] == '[' && json.Unmarshal([]byte(raw), &array) == nil:
		for i, x := range array {
			out[p.Index(i)] = string(x)
		}
	default:
		return nil
	}
	return out
}

// AtWork reports whether a value may differ since the API is not done yet: a status, something that is not there, null,
// empty or of another type, another word. Numbers, times and ids differ for other reasons.
func (d Difference) AtWork() bool {
	return d.Place == exchange.PlaceStatus || d.Is == "" || d.Is == "null" || d.Is == "[]" || d.Wanted == "" ||
		!settle.SameType(d.Is, d.Wanted) || settle.IsWord(d.Is) && settle.IsWord(d.Wanted)
}
