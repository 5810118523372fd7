package compare

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/volatility/notation"
)

// Template is what several texts have in common: fixed parts, and gaps between them. It grows by [Template.Add], and
// every text that was added matches it. The zero Template has no text yet.
type Template struct {
	Texts int // texts added

	parts    []part
	compiled *regexp.Regexp // of Pattern; nil after a change
	quick    *matcher       // the same where it can be had; nil after a change
}

// part is a fixed word, or a gap.
type part struct {
	word  string
	class class // what a gap was seen to hold; 0 for a fixed word
	seen  []string
}

// class is a set of kinds of character, and whether a gap may be empty.
type class uint8

const (
	hasDigit class = 1 << iota
	hasLetter
	hasJoint // what joins words: . : + -
	hasMark  // any other character that is no white space
	hasSpace
	mayBeEmpty
)

// maxTemplate bounds, in words, the middle part of two texts that is aligned word by word; a longer one is one gap.
const maxTemplate = 256

// maxSeen bounds the fillings that are kept of a gap.
const maxSeen = 8

// Add widens the template to match text as well.
func (t *Template) Add(text string) {
	t.compiled, t.quick = nil, nil
	w := words(text)
	if t.Texts++; t.Texts == 1 {
		dates := notation.DatesIn(text)
		at := 0
		for _, s := range w {
			if datelike(s) || dated(text, dates, at, at+len(s)) {
				t.parts = append(t.parts, datedGap(s, text, dates))
			} else {
				t.parts = append(t.parts, part{word: s})
			}
			at += len(s)
		}
		return
	}
	t.parts = merge(t.parts, w)
}

// datelike reports whether a word is a date or a time of day. Such a word is a gap though it never changed: the texts
// may all be of one day.
func datelike(s string) bool { return dateWord.MatchString(s) }

var dateWord = regexp.MustCompile(`^(\d{4}-\d\d-\d\d|\d\d?:\d\d(:\d\d)?\b)`)

// dated reports whether a word of a text is of one of its dates, or has one within. The blanks of a date stay, but for
// those of Unix, which pads the day with one.
func dated(text string, dates [][2]int, from, upto int) bool {
	return slices.ContainsFunc(dates, func(d [2]int) bool {
		return d[0] < upto && from < d[1] && (strings.TrimSpace(text[from:upto]) != "" ||
			upto-from > 1 && upto <= d[1])
	})
}

// datedGap is the gap for a word of a date. In other languages than English, the day of a date with the name of its
// month may have an ending tomorrow: 1er.
func datedGap(word, text string, dates [][2]int) part {
	g := gapOf(word)
	if g.class == hasDigit && len(word) <= 2 && slices.ContainsFunc(dates, func(d [2]int) bool {
		return strings.IndexFunc(text[d[0]:d[1]], unicode.IsLetter) >= 0 && !monthName.MatchString(text[d[0]:d[1]])
	}) {
		g.class |= hasLetter
	}
	return g
}

// monthName is the name of a month in English.
var monthName = regexp.MustCompile(`(?i)\b(Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|January|February|March|` +
	`April|August|September|October|November|December)\b`)

func gapOf(s string) part { return part{class: classOf(s), seen: []string{s}} }

func classOf(s string) (c class) {
	if s == "" {
		return mayBeEmpty
	}
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			c |= hasDigit
		case r == '_' || r < 0x80 && unicode.IsLetter(r):
			c |= hasLetter
		case unicode.IsSpace(r), r < ' ':
			c |= hasSpace
		case r < 0x80 && joins(byte(r)):
			c |= hasJoint
		default:
			c |= hasMark
		}
	}
	return c
}

// merge aligns the fixed words of parts with the words of a text: what both have, in the same order, stays fixed.
func merge(parts []part, w []string) []part {
	var out []part
	var fixed []int
	for i, p := range parts {
		if p.class == 0 {
			fixed = append(fixed, i)
		}
	}
	fromPart, fromWord := 0, 0
	for _, m := range common(parts, fixed, w) {
		out = gap(out, parts[fromPart:m.x], w[fromWord:m.y])
		out = append(out, parts[m.x])
		fromPart, fromWord = m.x+1, m.y+1
	}
	return gap(out, parts[fromPart:], w[fromWord:])
}

// gap appends the gap that covers both what the template had there and what the text has.
func gap(out, parts []part, w []string) []part {
	if len(parts) == 0 && len(w) == 0 {
		return out
	}
	filling := strings.Join(w, "")
	g := part{class: classOf(filling), seen: []string{filling}}
	var before strings.Builder
	canBeEmpty := true
	for _, p := range parts {
		if p.class == 0 {
			canBeEmpty = false
			g.class |= classOf(p.word)
			before.WriteString(p.word)
			continue
		}
		g.class |= p.class &^ mayBeEmpty
		canBeEmpty = canBeEmpty && p.class&mayBeEmpty != 0
	}
	if canBeEmpty {
		g.class |= mayBeEmpty
	}
	if len(parts) == 1 && parts[0].class != 0 {
		g.seen = parts[0].seen
		if len(g.seen) < maxSeen && !slices.Contains(g.seen, filling) {
			g.seen = append(slices.Clip(g.seen), filling)
		}
	} else if before.Len() > 0 {
		g.seen = []string{before.String(), filling}
	}
	return append(out, g)
}

// common returns a longest common subsequence of the fixed parts and the words, as positions in parts and in w.
func common(parts []part, fixed []int, w []string) []pair {
	if pairs := samePositions(parts, w); pairs != nil {
		return pairs
	}
	var head, tail []pair
	lo, hi, wlo, whi := 0, len(fixed), 0, len(w)
	for lo < hi && wlo < whi && fixed[lo] == lo && parts[lo].word == w[wlo] {
		head = append(head, pair{lo, wlo})
		lo, wlo = lo+1, wlo+1
	}
	for end := len(parts) - 1; lo < hi && wlo < whi && fixed[hi-1] == end && parts[end].word == w[whi-1]; end-- {
		hi, whi = hi-1, whi-1
		tail = append(tail, pair{end, whi})
	}
	slices.Reverse(tail)
	return slices.Concat(head, longest(parts, fixed[lo:hi], w[wlo:whi], wlo), tail)
}

// samePositions pairs the fixed parts with the words of the same position. That is what two texts of one making nearly
// always come to, whatever their length; where it is not, it returns nil.
func samePositions(parts []part, w []string) []pair {
	if len(parts) != len(w) {
		return nil
	}
	var pairs []pair
	gaps := 0
	for i, p := range parts {
		switch {
		case p.class != 0:
			gaps++
		case p.word == w[i]:
			pairs = append(pairs, pair{i, i})
		}
	}
	if 10*len(pairs) < 9*(len(parts)-gaps) {
		return nil
	}
	return pairs
}

// longest is the textbook longest common subsequence; words are counted by their length, so that a name outweighs the
// blanks around it.
func longest(parts []part, fixed []int, w []string, offset int) []pair {
	if len(fixed) == 0 || len(w) == 0 || len(fixed) > maxTemplate || len(w) > maxTemplate {
		return nil
	}
	width := len(w) + 1
	best := make([]int, (len(fixed)+1)*width)
	for i := len(fixed) - 1; i >= 0; i-- {
		for j := len(w) - 1; j >= 0; j-- {
			b := max(best[(i+1)*width+j], best[i*width+j+1])
			if word := parts[fixed[i]].word; word == w[j] {
				b = max(b, best[(i+1)*width+j+1]+len(word))
			}
			best[i*width+j] = b
		}
	}
	var out []pair
	for i, j := 0, 0; i < len(fixed) && j < len(w); {
		switch word := parts[fixed[i]].word; {
		case word == w[j] && best[i*width+j] == best[(i+1)*width+j+1]+len(word):
			out = append(out, pair{fixed[i], offset + j})
			i, j = i+1, j+1
		case best[i*width+j] == best[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
	return out
}

// Gap is a variable part of a template: the fixed text before it, and some of what it was seen to hold.
type Gap struct {
	Before string
	Seen   []string
	Spaces bool // it was seen to hold white space: not one thing
}

// Gaps lists the variable parts.
func (t *Template) Gaps() []Gap {
	var (
		out    []Gap
		before strings.Builder
	)
	for _, p := range t.parts {
		if p.class == 0 {
			before.WriteString(p.word)
			continue
		}
		out = append(out, Gap{Before: before.String(), Seen: p.seen, Spaces: p.class&hasSpace != 0})
		before.Reset()
	}
	return out
}

// Fixed returns the number of letters in the fixed parts: how much the template says.
func (t *Template) Fixed() (letters int) {
	for _, p := range t.parts {
		if p.class != 0 {
			continue
		}
		for _, r := range p.word {
			if unicode.IsLetter(r) {
				letters++
			}
		}
	}
	return letters
}

// Pattern returns the template as an anchored regular expression that RE2 and Python's re read alike. Every text that
// was added matches it.
func (t *Template) Pattern() string {
	var b strings.Builder
	b.WriteString("^")
	for _, p := range t.parts {
		if p.class == 0 {
			b.WriteString(regexp.QuoteMeta(p.word))
			continue
		}
		b.WriteString(p.expression())
	}
	b.WriteString("$")
	return b.String()
}

// Matches reports whether a text matches the template as it is.
func (t *Template) Matches(text string) bool {
	if t.compiled == nil && t.quick == nil {
		t.quick = matcherOf(t.parts)
	}
	if t.quick != nil && utf8.ValidString(text) {
		return t.quick.match(text)
	}
	if t.compiled == nil {
		var err error
		if t.compiled, err = regexp.Compile(t.Pattern()); err != nil { // larger than what the engine takes
			return false
		}
	}
	return t.compiled.MatchString(text)
}

// What gaps may hold, as expressions. [bytesOf] knows them too.
const (
	anyFilling   = `[\s\S]`
	lineFilling  = `.`
	markFilling  = `\S`
	timeFilling  = `[0-9A-Za-zµμ_.:+-]`
	mixedFilling = `[0-9A-Za-z_.:+/=~-]`
	jointFilling = `[0-9A-Za-z_.:+-]`
	digitFilling = `[0-9]`
	wordFilling  = `[0-9A-Za-z_]`
)

func (p part) expression() string {
	if p.class&mayBeEmpty != 0 {
		return p.filling() + "*"
	}
	return p.filling() + "+"
}

// filling is deliberately coarse: what a gap will hold tomorrow is of the same making, not of the same letters.
func (p part) filling() string {
	switch c := p.class &^ mayBeEmpty; {
	case c&hasSpace != 0:
		return anyFilling
	case c&hasMark != 0:
		return markFilling
	case p.all(duration):
		return timeFilling
	case c&(hasDigit|hasLetter) == hasDigit|hasLetter && p.all(mixedCase):
		return mixedFilling
	case c&hasJoint != 0:
		return jointFilling
	case c == hasDigit && p.numbers():
		return digitFilling
	case c == hasLetter && p.named(): // the next name may have a blank, a hyphen, an accent
		return lineFilling
	}
	return wordFilling
}

// A duration is written with another unit, or with a point, as soon as it is longer or shorter: 392ms, 1.25s, 870µs.
// What has digits and letters of both cases is base64 or of its kind, some of which hold / and + only now and then.
var (
	duration  = regexp.MustCompile(`^[0-9.]+(h|m|s|ms|us|µs|μs|ns)([0-9.]+(m|s))*$`)
	mixedCase = regexp.MustCompile(`[A-Z].*[a-z]|[a-z].*[A-Z]`)
)

// all reports whether everything that a gap was seen to hold is of one making.
func (p part) all(form *regexp.Regexp) bool {
	return !slices.ContainsFunc(p.seen, func(s string) bool { return !form.MatchString(s) })
}

// named reports whether a gap of letters holds words, not what was drawn letter by letter: that has always the same
// length.
func (p part) named() bool {
	drawn := func(s string) bool { return len(s) >= 8 && len(s) == len(p.seen[0]) }
	return len(p.seen) < 4 || slices.ContainsFunc(p.seen, func(s string) bool { return !drawn(s) })
}

// numbers reports whether a gap of digits is one of numbers: short ones, or seen so often that hex digits would have
// shown a letter.
func (p part) numbers() bool {
	if len(p.seen) >= 4 {
		return true
	}
	return !slices.ContainsFunc(p.seen, func(s string) bool { return len(s) > 5 })
}
