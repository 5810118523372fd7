package mapfile

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/volatility/relation"
)

// Canonical returns the part of what is stated that another recording of the same client states as well. Everything in
// it follows from h. What h states exactly depends on which values happened to be drawn: the length of the longest, the
// largest of thirty numbers, how far a date was from its answer. So lengths are left out unless a digest's, and so are
// ranges, of which a sample decides even whether they are stated; distances from the clock end at the steps of a
// ladder; templates of loose texts and orders of elements are left out. Suites assert h itself; locks and differences
// of maps speak of this.
func (h Holds) Canonical() Holds {
	c := Holds{Type: h.Type, Echo: h.Echo, Bound: h.Bound, Optional: h.Optional, Format: canonicalFormat(h.Format),
		Pattern: canonicalPattern(h.Pattern), Clock: canonicalClock(h.Clock)}
	c.OneOf = statuses(h.OneOf)
	if h.Order != "" {
		c.Order = "any"
	}
	for _, r := range h.Relations {
		if certain(r.Is) {
			c.Relations = append(c.Relations, relation.Relation{Is: r.Is, Of: r.Of})
		}
	}
	return c
}

// statuses returns a set of numbers, the statuses of an operation, which is short and the same everywhere. Of truth
// values and of null beside one value there is nothing to say that the type does not.
func statuses(oneOf []json.RawMessage) []json.RawMessage {
	for _, raw := range oneOf {
		if _, err := strconv.Atoi(string(bytes.TrimSpace(raw))); err != nil {
			return nil
		}
	}
	return oneOf
}

// digestLengths are the hex digits of digests: lengths that no sample decides.
var digestLengths = []string{"32", "40", "56", "64", "96", "128"}

// canonicalFormat leaves out a number of hex digits that some padded value happened to fix.
func canonicalFormat(format string) string {
	if n, ok := strings.CutPrefix(format, "hex:"); ok && !slices.Contains(digestLengths, n) {
		return "hex"
	}
	return format
}

var (
	counted = regexp.MustCompile(`\]\{\d+(,\d+)?\}`)
	gaps    = regexp.MustCompile(`(\.[+*])+`)
	// gap puts any characters where a template has what those of a few texts were: package compare lists them.
	gap = strings.NewReplacer("[0-9A-Za-zµμ_.:+-]", ".", "[0-9A-Za-z_.:+/=~-]", ".", "[0-9A-Za-z_.:+-]", ".",
		"[0-9A-Za-z_]", ".", `\S`, ".")
)

// canonicalPattern leaves out the lengths of a spelling: one text more, or one that begins with 0, makes another. The
// gaps of a template hold anything. A template with a gap of several words says which words a few texts happened to
// have in common; it is left out as a whole.
func canonicalPattern(pattern string) string {
	if strings.Contains(pattern, `[\s\S]`) || strings.Contains(pattern, `\\`) {
		return ""
	}
	return gaps.ReplaceAllString(gap.Replace(counted.ReplaceAllString(pattern, "]+")), ".*")
}

// clockLadder are the distances from the clock that are spoken of, in seconds. Each takes what is stated of up to half
// as much again. That stays true, as a statement allows twice of what was seen; and validities of a round number of
// minutes, hours or days are far from where one step ends and the next begins.
var clockLadder = []int{60, 600, 3600, 24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600}

func canonicalClock(seconds int) int {
	if seconds == 0 {
		return 0
	}
	for _, step := range clockLadder {
		if 2*seconds <= 3*step {
			return step
		}
	}
	return clockLadder[len(clockLadder)-1]
}

// certain reports whether a relation is found in any recording that has some dozens of answers. The others are orders
// that it takes many overlapping values to be sure of.
func certain(k relation.Kind) bool {
	switch k {
	case relation.Equal, relation.Count, relation.Total, relation.Sum, relation.Difference, relation.Product:
		return true
	}
	return false
}
