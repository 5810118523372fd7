package notation

import (
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
)

// The bounds on the spelling of texts.
const (
	minSpelled  = 5   // texts that it takes
	maxSpelled  = 200 // bytes of one
	maxRuns     = 12  // runs of letters and digits in one
	minRunLong  = 8   // letters and digits of a run whose length is spoken of
	byAccident  = 1e-5
	sizeOfASCII = 128
)

// Spelling is what texts that were drawn have in common in the way they are spelled: runs of letters and digits, and
// what stands between these, which is the same in all of them: R-70EE96A4F1, qajF6LFKTxXR.
type Spelling struct {
	texts   int
	between []string // before, between and behind the runs
	runs    []run
	whole   run  // the text as one run of letters, digits, - and _
	unlike  bool // they have no runs in common
	nothing bool // nor are they of these characters alone
}

// run is one run of letters and digits over all texts.
type run struct {
	text              string // of the first text
	varies            bool
	chars             int // over all texts
	seen              [sizeOfASCII / 64]uint64
	shortest, longest int
	padded            bool // one begins with 0
}

// alphabet is a set of characters that texts are drawn from, as an expression writes it.
type alphabet struct {
	size  int
	class string
	has   func(c byte) bool
}

// alphabets lists those that programs draw from, each after all that are within it.
func alphabets() []alphabet {
	digit := IsDigit
	lower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	return []alphabet{
		{10, "[0-9]", digit},
		{16, "[0-9a-f]", func(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' }},
		{16, "[0-9A-F]", func(c byte) bool { return digit(c) || c >= 'A' && c <= 'F' }},
		{36, "[0-9a-z]", func(c byte) bool { return digit(c) || lower(c) }},
		{36, "[0-9A-Z]", func(c byte) bool { return digit(c) || upper(c) }},
		{62, "[0-9A-Za-z]", func(c byte) bool { return digit(c) || lower(c) || upper(c) }},
		{64, "[0-9A-Za-z_-]", func(c byte) bool { return digit(c) || lower(c) || upper(c) || c == '_' || c == '-' }},
	}
}

// GiveUp has nothing be said of the texts, whatever comes.
func (s *Spelling) GiveUp() { s.unlike, s.nothing = true, true }

// Add takes in a further text.
func (s *Spelling) Add(text string) {
	if s.unlike && s.nothing {
		return
	}
	s.texts++
	if s.nothing = s.nothing || text == "" || len(text) > maxSpelled; !s.nothing {
		if s.texts == 1 {
			s.whole.begin(text)
		}
		s.whole.add(text)
	}
	if !s.unlike {
		s.addRuns(text)
	}
}

func (s *Spelling) addRuns(text string) {
	if s.texts == 1 {
		text = strings.Clone(text)
	}
	var room [2][maxRuns + 2]string
	between, runs, ok := cutRuns(text, room[0][:0], room[1][:0])
	if !ok || s.texts > 1 && len(runs) != len(s.runs) {
		s.unlike = true
		return
	}
	if s.texts == 1 {
		s.between, s.runs = slices.Clone(between), make([]run, len(runs))
	}
	for i, b := range between {
		s.unlike = s.unlike || s.between[i] != b
	}
	for i, r := range runs {
		if s.texts == 1 {
			s.runs[i].begin(r)
		}
		s.runs[i].add(r)
	}
}

// cutRuns cuts a text into its runs and what stands between them, which it appends; false where it is too long, or no
// text of ASCII.
func cutRuns(text string, between, runs []string) (_, _ []string, ok bool) {
	if len(text) > maxSpelled {
		return nil, nil, false
	}
	at, in := 0, false
	for i := range len(text) {
		c := text[i]
		if c >= sizeOfASCII {
			return nil, nil, false
		}
		alnum := IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
		if alnum == in {
			continue
		}
		if in {
			runs = append(runs, text[at:i])
		} else {
			between = append(between, text[at:i])
		}
		if len(runs) > maxRuns {
			return nil, nil, false
		}
		at, in = i, alnum
	}
	if in {
		return append(between, ""), append(runs, text[at:]), true
	}
	return append(between, text[at:]), runs, len(runs) > 0
}

// begin takes in what the run is in the first text.
func (r *run) begin(text string) { r.text, r.shortest = text, len(text) }

// add takes in what it is in a text, the first one included.
func (r *run) add(text string) {
	r.varies = r.varies || text != r.text
	r.chars += len(text)
	r.shortest, r.longest = min(r.shortest, len(text)), max(r.longest, len(text))
	r.padded = r.padded || text[0] == '0'
	for i := range len(text) {
		if c := text[i]; c < sizeOfASCII {
			r.seen[c/64] |= 1 << (c % 64)
		} else {
			r.seen[0] |= 1 // of no alphabet
		}
	}
}

// Pattern returns the anchored expression that the texts match, and those to come are expected to; "" where they are
// too few, or too unlike, or words rather than drawn.
func (s *Spelling) Pattern() string {
	if s.texts < minSpelled {
		return ""
	}
	if s.unlike {
		if expr := s.whole.expression(s.texts); !s.nothing && s.whole.shortest >= minRunLong && expr != "" {
			return "^" + expr + "$"
		}
		return ""
	}
	var b strings.Builder
	b.WriteString("^")
	varies := false
	for i := range s.runs {
		r := &s.runs[i]
		expr := r.expression(s.texts)
		if expr == "" {
			return ""
		}
		varies = varies || r.varies
		between := regexp.QuoteMeta(s.between[i])
		if i > 0 && s.between[i] == " " && expr == "[0-9]+" && isCalendarName(s.runs[i-1].text) {
			between = " +" // as in Nov  5, where a day of one digit is as wide as one of two
		}
		b.WriteString(between + expr)
	}
	if !varies {
		return ""
	}
	b.WriteString(regexp.QuoteMeta(s.between[len(s.runs)]) + "$")
	return b.String()
}

// expression returns what the run matches in all texts; "" where nothing is certain.
func (r *run) expression(texts int) string {
	if !r.varies {
		switch {
		case strings.Trim(r.text, "0123456789") == "": // a year, a number of a series
			return "[0-9]+"
		case strings.ContainsAny(r.text, "0123456789"):
			return "[0-9A-Za-z]+"
		case isCalendarName(r.text), isHalfOfDay(r.text): // which may be another one tomorrow
			return "[A-Za-z]+"
		}
		return r.text // a word
	}
	a, ok := r.alphabet()
	if !ok {
		return ""
	}
	switch {
	case r.shortest < minRunLong:
		return a.class + "+"
	case r.shortest == r.longest && (r.padded || texts >= MinLengths):
		return fmt.Sprintf("%s{%d}", a.class, r.longest)
	}
	// A number has a digit less at times. What has half of them is none of these.
	return fmt.Sprintf("%s{%d,%d}", a.class, r.shortest/2+1, 2*r.longest)
}

// alphabet returns the one that the run was drawn from: the least that holds all that was seen, where it is all but
// impossible that nothing else of a larger one would have shown. Of words there is none: they have few letters of it,
// or no digits.
func (r *run) alphabet() (alphabet, bool) {
	all := alphabets()
	for i, a := range all {
		if !r.within(a) {
			continue
		}
		certain := true
		for _, larger := range all[i+1:] {
			if larger.size > a.size && math.Pow(float64(a.size)/float64(larger.size), float64(r.chars)) > byAccident &&
				larger.holds(a) {
				certain = false
			}
		}
		if !certain {
			continue
		}
		different := bits.OnesCount64(r.seen[0]) + bits.OnesCount64(r.seen[1])
		digits := bits.OnesCount64(r.seen[0] >> '0' & 0x3ff)
		return a, digits > 0 && (3*different >= 2*a.size || a.class == "[0-9]") // what counts on has few digits at a time
	}
	return alphabet{}, false
}

func (r *run) within(a alphabet) bool {
	for c := range byte(sizeOfASCII) {
		if r.seen[c/64]&(1<<(c%64)) != 0 && !a.has(c) {
			return false
		}
	}
	return true
}

// holds reports whether an alphabet has all of another one.
func (a alphabet) holds(b alphabet) bool {
	for c := range byte(sizeOfASCII) {
		if b.has(c) && !a.has(c) {
			return false
		}
	}
	return true
}

// SpellingOf returns an anchored expression, readable to RE2 and to Python's re alike, that texts match and others that
// were drawn as they were will: of R-70EE96A4F1, R-490CED4B18 and so on ^R-[0-9A-F]{6,20}$. It is "" where they are
// fewer than five, or words rather than drawn. Each text is to be given once.
func SpellingOf(texts []string) string {
	var s Spelling
	for _, t := range texts {
		s.Add(t)
	}
	return s.Pattern()
}

// MinLengths is how many strings of one length make it the rule where nothing else does: of random numbers that are
// written without leading zeros, in hex, one in 16 is shorter.
const MinLengths = 200
