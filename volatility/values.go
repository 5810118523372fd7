package volatility

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// The bounds on what is kept of the values of one place, so that memory does not grow with the number of exchanges.
const (
	maxDistinct   = 24       // distinct values kept as they are
	maxKept       = 512      // bytes of such a value
	maxLong       = 4        // distinct longer values kept
	maxReservoir  = 64       // numbers kept for the shape of their distribution
	minMerges     = 32       // texts that go into a template whether or not they match it already
	maxMerges     = 200      // texts that do where they do not
	maxTemplated  = 32 << 10 // bytes of a text that goes into a template, and of a longer value that is kept
	maxSampleSize = 200      // bytes of a sample
)

// values is what is known of all values that one place had, the recording's included.
type values struct {
	n        int
	filled   int // scalars beside null, those of observations that do not differ included
	types    [notation.Kinds]bool
	distinct []string // raw tokens, in the order they came, at most maxDistinct
	long     []string // the same, of longer ones
	overflow bool     // there were more, or one too long to keep

	strings        int
	shapes         notation.Shapes    // of every string
	chance         notation.Common    // of these, the ones that a string shows by chance
	minLen, maxLen int                // characters of the strings
	padded         bool               // some string begins with 0
	spelling       *notation.Spelling // of the strings; nil until there are two
	binaries       int                // strings that stand for bytes, see binaryLen; if all do, the lengths are theirs

	numbers  int
	min, max float64
	minRaw   string    // as written
	maxRaw   string    // as written
	coarse   bool      // two numbers are the same to a float64, and not as they are written
	drawn    []float64 // the first of the numbers, repeated ones included

	sizes []int // numbers of elements of arrays that were resized, each once, at most MaxSamples

	hosts    *across.Authorities
	template *compare.Template // nil until the place moved
	merges   int
}

// add takes a value in. It reports false where the value was there before, so that it changed nothing.
func (v *values) add(s notation.Scalar) bool {
	v.n++
	v.types[s.Kind] = true
	if s.Kind >= notation.Array {
		return false
	}
	if s.Numeric() && len(v.drawn) < maxReservoir {
		v.drawn = append(v.drawn, notation.Float(s.Raw))
	}
	if !v.keep(s.Raw) {
		return false
	}
	switch {
	case s.Kind == notation.String:
		v.addString(s.Text)
	case s.Numeric():
		v.addNumber(s.Raw)
	}
	return true
}

// replace counts that an observation has another value than the recorded one.
func (v *values) replace(before, after notation.Scalar) {
	if before.Kind != notation.Null && before.Kind < notation.Array {
		v.filled--
	}
	if after.Kind != notation.Null && after.Kind < notation.Array {
		v.filled++
	}
}

// keep adds a token to those that are kept. It reports false where it is among them.
func (v *values) keep(raw string) bool {
	list, most := &v.distinct, maxDistinct
	if len(raw) > maxKept {
		list, most = &v.long, maxLong
	}
	switch {
	case slices.Contains(*list, raw):
		return false
	case len(*list) < most && len(raw) <= maxTemplated:
		*list = append(*list, strings.Clone(raw))
	default:
		v.overflow = true
	}
	return true
}

func (v *values) addString(s string) {
	sh, n := notation.Shapes(0), utf8.RuneCountInString(s)
	switch {
	case v.strings == 0:
		sh = notation.ShapesOf(s)
	case v.shapes|v.chance.May != 0: // else they have none in common, whatever this one's are
		sh = notation.ShapesAmong(s, v.shapes|v.chance.May)
	}
	if size, ok := notation.BinaryLen(s); ok {
		v.binaries++
		sh, n = 0, size
	}
	v.padded = v.padded || strings.HasPrefix(s, "0")
	if v.strings == 0 {
		v.shapes, v.minLen, v.maxLen = sh, n, n
	}
	v.strings++
	v.chance.Add(s, sh, v.strings)
	v.shapes = v.shapes&sh&^notation.ByChance | v.chance.Shapes
	// else the format says more
	if v.spelling != nil || v.strings > 1 && v.shapes&notation.FormatShapes == 0 {
		v.spell(s)
	}
	v.minLen, v.maxLen = min(v.minLen, n), max(v.maxLen, n)
	if v.template != nil {
		v.merge(s)
	}
}

// spell takes in how a string is spelled that is not the first one. Where those before it were not all kept, nothing
// can be said.
func (v *values) spell(s string) {
	if v.spelling == nil {
		lost := v.overflow || len(v.long) > 0
		v.spelling = &notation.Spelling{}
		if lost {
			v.spelling.GiveUp()
		}
		for _, before := range v.texts() {
			if before != s {
				v.spelling.Add(before)
			}
		}
	}
	v.spelling.Add(s)
}

func (v *values) addNumber(raw string) {
	f := notation.Float(raw)
	if v.numbers == 0 || f < v.min {
		v.min, v.minRaw = f, strings.Clone(raw)
	}
	if v.numbers == 0 || f > v.max {
		v.max, v.maxRaw = f, strings.Clone(raw)
	}
	v.numbers++
	v.coarse = v.coarse || f == v.min && raw != v.minRaw || f == v.max && raw != v.maxRaw
}

// learn begins to gather what the strings have in common. It is called when a place is seen to move; where some of the
// earlier values were not kept, nothing true could be said of them, and there is no template.
func (v *values) learn() {
	if v.template != nil {
		return
	}
	v.template = &compare.Template{}
	if v.overflow {
		v.merges = maxMerges + 1
		return
	}
	for _, raw := range slices.Concat(v.distinct, v.long) {
		if s := notation.ScalarOf(raw); s.Kind == notation.String {
			v.merge(s.Text)
		}
	}
}

// merge takes a text into the template, or gives the template up.
func (v *values) merge(s string) {
	s = v.hosts.Fold(s)
	switch {
	case v.merges > maxMerges:
		return
	case len(s) > maxTemplated:
		v.merges = maxMerges + 1
		return
	case v.merges >= minMerges && v.template.Matches(s):
		return
	}
	if v.merges++; v.merges <= maxMerges {
		v.template.Add(s)
	}
}

// pattern returns the template as an expression.
func (v *values) pattern() string {
	return strings.ReplaceAll(v.template.Pattern(), regexp.QuoteMeta(across.HostWord), across.HostPattern)
}

// templated reports whether every string that the place had went into the template.
func (v *values) templated() bool {
	return v.template != nil && v.merges > 1 && v.merges <= maxMerges
}

// only reports whether all values were of the given types, null aside.
func (v *values) only(kinds ...notation.Kind) bool {
	some := false
	for k := notation.Boolean; k <= notation.Object; k++ {
		if !v.types[k] {
			continue
		}
		if !slices.Contains(kinds, k) {
			return false
		}
		some = true
	}
	return some
}

// typeName joins the types seen, as Holds.Type writes them.
func (v *values) typeName() string {
	var names []string
	for k, seen := range v.types {
		if seen && !(notation.Kind(k) == notation.Integer && v.types[notation.Number]) {
			names = append(names, notation.Kind(k).String())
		}
	}
	return strings.Join(names, "|")
}

// constant returns the one value that the place always had.
func (v *values) constant() (raw string, ok bool) {
	if v.overflow || len(v.distinct) != 1 || len(v.long) > 0 || v.types[notation.Array] || v.types[notation.Object] {
		return "", false
	}
	return v.distinct[0], true
}

// minDrawn is how many numbers are wanted before anything is said of those to come: of 20 that are drawn evenly from a
// range, the next lies outside of theirs, widened by its width to both sides, once in a thousand million times; of ten
// it would once in 20 thousand, which a suite of some hundred numbers comes to within weeks.
const minDrawn = 20

// bounded reports whether the numbers look like drawn from a range with ends: enough of them, about as far above their
// middle as below, and the half in the middle not crowded on a sixth of the range. Of what has a long tail (durations,
// counts) the largest seen says nothing about tomorrow's, and of what differs beyond a float64's precision nothing can
// be computed.
func (v *values) bounded() bool {
	if len(v.drawn) < minDrawn || v.coarse {
		return false
	}
	sorted := slices.Sorted(slices.Values(v.drawn))
	median := sorted[len(sorted)/2]
	above, below := v.max-median, median-v.min
	if half := sorted[len(sorted)*3/4] - sorted[len(sorted)/4]; v.max-v.min > 6*half {
		return false
	}
	return above <= 2.5*below && below <= 2.5*above
}

// addSizes keeps the numbers of elements of an array that was resized.
func (v *values) addSizes(sizes [2]int) {
	for _, n := range sizes {
		if len(v.sizes) < mapfile.MaxSamples && !slices.Contains(v.sizes, n) {
			v.sizes = append(v.sizes, n)
		}
	}
}

// texts returns the distinct strings that are kept.
func (v *values) texts() (all []string) {
	for _, raw := range v.distinct {
		if s := notation.ScalarOf(raw); s.Kind == notation.String {
			all = append(all, s.Text)
		}
	}
	return all
}

// all reports whether all strings that are kept are of a kind, and there are two at least.
func (v *values) all(is func(string) bool) bool {
	texts := v.texts()
	return len(texts) > 1 && !slices.ContainsFunc(texts, func(s string) bool { return !is(s) })
}

// unlike reports whether the strings have no word in common.
func (v *values) unlike() bool { return v.templated() && v.template.Fixed() == 0 }

// minAlike is how often one value must have been the only one beside null before it is taken for the only one there is.
const minAlike = 8

// few reports whether there were two values and no more, both scalars, often enough for there to be no third.
func (v *values) few() bool {
	return v.filled >= minAlike && len(v.distinct) == 2 && len(v.long) == 0 && !v.overflow && !v.types[notation.Array] &&
		!v.types[notation.Object]
}

// fixedLength reports whether all strings are of one length and those to come will be: it is that of a digest, or they
// are padded with zeros, or there were so many of them.
func (v *values) fixedLength() bool {
	if v.minLen != v.maxLen {
		return false
	}
	switch v.minLen {
	case 32, 40, 56, 64, 96, 128:
		if v.shapes&notation.ShapeHex != 0 {
			return true
		}
	}
	return v.padded && v.shapes&notation.ShapeHex != 0 || v.strings >= notation.MinLengths
}

// scalars reports whether the place ever had a value that is no container.
func (v *values) scalars() bool {
	return v.types[notation.Null] || v.types[notation.Boolean] || v.types[notation.Integer] || v.types[notation.Number] ||
		v.types[notation.String]
}
