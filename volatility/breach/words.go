package breach

import (
	"slices"
	"strings"
)

// shuffled takes back that a text breaks what holds of its place, where earlier answers to the same request had the
// same words there, in several orders, and this one has them in another: what was learned of the few orders that were
// seen says nothing of the others.
func (j *judging) shuffled() {
	if j.recorded == nil {
		return
	}
	for place, f := range j.found {
		if f.Kind != Broken || !strings.HasPrefix(f.Is, `"`) {
			continue
		}
		words := wordsOf(f.Is)
		texts := map[string]bool{}
		for _, a := range append(j.earlier[:len(j.earlier):len(j.earlier)], j.recorded) {
			if raw, ok := a.At(place); ok && slices.Equal(wordsOf(raw), words) {
				texts[raw] = true
			} else if a.SameStatus(j.recorded) {
				texts = nil
				break
			}
		}
		if len(texts) > 1 {
			f.Kind, f.Says = Moves, "has its words in another order"
			j.found[place] = f
		}
	}
}

// wordsOf are the words of a text, sorted. What stands between two of them belongs to neither.
func wordsOf(raw string) []string {
	return slices.Sorted(slices.Values(strings.FieldsFunc(textOf(raw), func(r rune) bool {
		return strings.ContainsRune(" ,;:|/\n\t", r)
	})))
}
