package notation

import (
	_ "embed"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// names.txt has the names of months and weekdays, and how times from now are told, in all languages that the Unicode
// CLDR covers well, in small letters: what is named, and behind it the names of several languages. internal/cldr writes
// it.
//
//go:embed names.txt
var namesTable string

// calendarName is what a word, or several, may be the name of: one bit for each month from 1 on, and for each weekday
// from Sunday, 0, on. A word may be a month in one language and another month, or a weekday, in the next.
type calendarName struct {
	rest            string // of the name, behind its first word
	months, days    uint16
	wideMonths      uint16 // those that have the name in full
	wideDays        uint16
	wordFrom, wordN int
}

// relativeName is one way to tell a time from now: "{} minutes ago".
type relativeName struct {
	before, after string
	unit          string
	future        bool
}

// nameIndex finds names by their first word, and times from now by the first word behind their number.
type nameIndex struct {
	calendar map[string][]calendarName
	relative map[string][]relativeName
	leads    map[rune]bool   // the letters that names begin with
	filter   [1 << 11]uint32 // a bit for the hash of each first word of ASCII letters
}

// names reads the table when it is first asked for.
var names = sync.OnceValue(func() *nameIndex {
	x := &nameIndex{calendar: map[string][]calendarName{}, relative: map[string][]relativeName{},
		leads: map[rune]bool{}}
	for line := range strings.Lines(namesTable) {
		key, list, ok := strings.Cut(strings.TrimSpace(line), "|")
		what, number, _ := strings.Cut(key, " ")
		if !ok || line[0] == '#' {
			continue
		}
		for name := range strings.SplitSeq(list, "|") {
			switch what {
			case "past", "future":
				x.addRelative(name, number, what == "future")
			default:
				x.addCalendar(name, what, bitOf(number))
			}
		}
	}
	return x
})

func (x *nameIndex) addCalendar(name, what string, bit uint16) {
	first := name[:wordEnd(name, 0)]
	if len(first) < 2 || len(name) < 3 && strings.HasPrefix(what, "month") { // which stand for anything
		return
	}
	c := calendarName{rest: name[len(first):]}
	switch what {
	case "month":
		c.months, c.wideMonths = bit, bit
	case "month-short":
		c.months = bit
	case "weekday":
		c.days, c.wideDays = bit, bit
	case "weekday-short":
		c.days = bit
	}
	for i, known := range x.calendar[first] {
		if known.rest == c.rest {
			known.months |= c.months
			known.wideMonths |= c.wideMonths
			known.days |= c.days
			known.wideDays |= c.wideDays
			x.calendar[first][i] = known
			return
		}
	}
	x.calendar[first] = append(x.calendar[first], c)
	lead, _ := utf8.DecodeRuneInString(first)
	x.leads[lead] = true
	if h, ascii := wordHash(first); ascii {
		x.filter[h>>5&(1<<11-1)] |= 1 << (h & 31)
	}
}

func (x *nameIndex) addRelative(name, unit string, future bool) {
	before, after, _ := strings.Cut(name, "{}")
	lead := strings.TrimLeft(after, " \u00a0\u202f")
	first := lead[:wordEnd(lead, 0)]
	if first == "" { // the number is the last word: too little to go by
		return
	}
	x.relative[first] = append(x.relative[first], relativeName{before, lead, unit, future})
}

// mayName reports whether a word of ASCII letters may be the first of a name.
func (x *nameIndex) mayName(hash uint32) bool { return x.filter[hash>>5&(1<<11-1)]&(1<<(hash&31)) != 0 }

// The numbers of FNV-1a for 32 bits.
const (
	hashBasis = 2166136261
	hashPrime = 16777619
)

// wordHash is FNV-1a over a word in small letters, and whether it is of ASCII letters alone.
func wordHash(s string) (h uint32, ascii bool) {
	h = hashBasis
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return 0, false
		}
		h = (h ^ uint32(s[i]|0x20)) * hashPrime
	}
	return h, true
}

// wordEnd returns where the word ends that begins at a position: a run of letters with their marks.
func wordEnd(s string, from int) int {
	i := from
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\u200c' && r != '\u200d' {
			break
		}
		i += n
	}
	return i
}

// unspaced are the scripts that put no blanks between words: a name may begin at any letter.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Hangul}

// maxName bounds, in letters, the names in scripts without blanks.
const maxName = 16

// minAlone is how many bytes a name has that tells by itself: shorter ones are words of other languages.
const minAlone = 5

// maxWord bounds, in bytes, the first words of names in all others.
const maxWord = 64

// namesIn goes through the names of months and weekdays in a text, with where they begin and how long they are.
func namesIn(s string) iter.Seq[calendarName] {
	return func(yield func(calendarName) bool) {
		x := names()
		for i, end := 0, 0; i < len(s); {
			c := s[i]
			if c < utf8.RuneSelf && (c|0x20 < 'a' || c|0x20 > 'z') {
				i++
				continue
			}
			if i >= end { // else within a word of a script without blanks
				end = wordEnd(s, i)
			}
			if end == i {
				_, n := utf8.DecodeRuneInString(s[i:])
				i += n
				continue
			}
			name, n, next := x.nameAt(s, i, end)
			if n > 0 {
				name.wordFrom, name.wordN = i, n
				if !yield(name) {
					return
				}
			}
			i = next
		}
	}
}

// nameAt returns the name that begins with the word at a position, how long it is, 0 for none, and where to look next.
func (x *nameIndex) nameAt(s string, from, end int) (name calendarName, n, next int) {
	word := s[from:end]
	if h, ascii := wordHash(word); ascii {
		if !x.mayName(h) {
			return name, 0, end
		}
		name, n = x.longest(s, from, end)
		return name, n, max(end, from+n)
	}
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.In(first, unspaced...) {
		name, n = x.longest(s, from, end)
		return name, n, max(end, from+n)
	}
	if !x.leads[first] {
		return name, 0, from + size
	}
	ends := make([]int, 0, maxName)
	for i := range word {
		if i > 0 {
			ends = append(ends, i)
		}
		if len(ends) == maxName {
			break
		}
	}
	if len(ends) < maxName {
		ends = append(ends, len(word))
	}
	for i := len(ends) - 1; i >= 0; i-- {
		for _, c := range x.calendar[word[:ends[i]]] {
			if c.rest == "" && (c.wideDays|c.wideMonths) != 0 {
				return c, ends[i], from + ends[i]
			}
		}
	}
	return name, 0, from + size
}

// longest returns the longest name that begins with the word between two positions.
func (x *nameIndex) longest(s string, from, upto int) (name calendarName, n int) {
	if upto-from > maxWord {
		return name, 0
	}
	for _, c := range x.calendar[strings.ToLower(s[from:upto])] {
		end := upto + len(c.rest)
		if end-from <= n || end > len(s) || !strings.EqualFold(s[upto:end], c.rest) || wordEnd(s, end) != end {
			continue
		}
		name, n = c, end-from
	}
	return name, n
}

// isDayOrMonth reports whether a text is the name of a day's weekday or month, in whichever language.
func isDayOrMonth(s string, weekday time.Weekday, month time.Month) bool {
	for c := range namesIn(s) {
		return c.wordFrom == 0 && c.wordN == len(s) && (c.days>>int(weekday)&1 == 1 || c.months>>int(month)&1 == 1)
	}
	return false
}

// isCalendarName reports whether a word is the name of a weekday or month in whichever language.
func isCalendarName(word string) bool {
	return len(word) > 2 && slices.ContainsFunc(names().calendar[strings.ToLower(word)],
		func(c calendarName) bool { return c.rest == "" })
}

// isHalfOfDay reports whether a word says which half of the day a time of twelve hours is in.
func isHalfOfDay(word string) bool { return slices.Contains([]string{"AM", "PM", "am", "pm"}, word) }

// withoutWeekdays returns what stands around a date without the names of weekdays: "Sunday, ", "So., ".
func withoutWeekdays(s string) string {
	out, at := "", 0
	for c := range namesIn(s) {
		after := strings.TrimSpace(s[c.wordFrom+c.wordN:])
		short := c.wordN > 1 && c.days != 0 && (after == "" || after[0] == ',' || after[0] == '.')
		if c.wideDays != 0 || short {
			out += s[at:c.wordFrom]
			at = c.wordFrom + c.wordN
		}
	}
	return out + s[at:]
}

// bitOf is the bit of a month or weekday, given its number as a text.
func bitOf(number string) uint16 {
	n, _ := strconv.Atoi(number)
	return 1 << (n & 15)
}
