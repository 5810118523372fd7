package notation

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Dates that are not the same whoever reads them. 3/11/2026 is a day of March or of November; 261103, Sunday, 2026 and
// "Nov 3" are dates in the eyes of who knows the day. What is read of these depends on when the answer was made: of
// several readings the nearest counts, and a notation that many things look like counts only where it is near.

// reading is one way to read a part of a text.
type reading struct {
	Moment
	from, end int  // the part
	weak      bool // many other things look like it
}

// looseMoment reads them, the most telling first. Where the span is not known, it reads but dates with the name of
// their month, a day, and a year of four digits.
func looseMoment(s string, at Span) (m Moment, ok bool) {
	f := featuresOf(s)
	if f.foreign {
		s = asciiDigits(s)
		f = features{true, true, true, true}
	}
	if f.names && f.digits {
		if r, ok := nearest(monthNamed(s, at), at); ok {
			m = r.in(s)
			m.Unusual = !reEnglish().MatchString(s[r.from:r.end])
			return m, ok
		}
	}
	if f.numbers && at.Known() {
		if r, ok := nearest(numberDates(s), at); ok {
			return r.in(s), ok
		}
	}
	if f.numbers && strings.Count(s, ":") >= 2 {
		if m, ok = clockWithin(s); ok {
			return m, ok
		}
	}
	if !at.Known() || !f.names && !f.numbers {
		return m, false
	}
	if r, ok := nearest(partsOfDate(s, at), at); ok {
		return r.in(s).withHour(at), ok
	}
	if !f.numbers {
		return m, false
	}
	return hourWithin(s, at)
}

// reEnglish is how suites read dates with the name of their month: 3 November 2026, Nov 3, 2026.
var reEnglish = lazy.Regexp(`^(?:\d\d?\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* 20\d\d|` +
	`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d\d?, 20\d\d)$`)

// nearest returns the reading that is nearest to a span; the first where that is not known. Weak ones have to be near.
func nearest(all []reading, at Span) (best reading, ok bool) {
	for _, r := range all {
		switch {
		case r.weak && !r.Near(at):
		case !ok, at.Known() && r.Distance(at).Abs() < best.Distance(at).Abs():
			best, ok = r, true
		}
	}
	return best, ok
}

// in is the moment that a part of a text is read as.
func (r reading) in(s string) Moment {
	m := r.Moment
	m.Rest = s[:r.from] + s[r.end:]
	m.InText, m.Unusual, m.Weak = m.Rest != "", true, r.weak
	return m
}

// withHour is the moment of a weekday with the time of day beside it, as "Friday 23:42", where that is near, else the
// day.
func (m Moment) withHour(at Span) Moment {
	h, ok := hourWithin(m.Rest, at)
	if !ok || m.Cycle != Week {
		return m
	}
	h.At, h.Cycle, h.TimeOfDay, h.InText = m.At.Truncate(Day).Add(h.At.Sub(h.At.Truncate(Day))), Week, false, m.InText
	if !h.Near(at) {
		return m
	}
	return h
}

// weaklyNear is nearest for readings that have to be near, of a token as a whole.
func weaklyNear(all []reading, at Span) (m Moment, ok bool) {
	for i := range all {
		all[i].weak, all[i].from, all[i].end = true, 0, 0
	}
	r, ok := nearest(all, at)
	return r.in(""), ok
}

// asciiDigits writes the decimal digits of all scripts as those of ASCII. What else the text has stays as it is.
func asciiDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		for _, zero := range decimalZeros {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		return r
	}, s)
}

// decimalZeros are the zeros of the scripts with digits of their own that languages of today write: Arabic, Persian,
// Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Myanmar,
// Khmer, Mongolian, and the wide ones of East Asia.
var decimalZeros = [...]rune{'٠', '۰', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '๐', '໐', '༠', '၀', '០', '᠐', '０'}

// dateOf makes a reading of a day, nil where there is no such day.
func dateOf(year, month, day, from, end int) []reading {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1900 || year > 2200 || month < 1 || month > 12 || t.Day() != day {
		return nil
	}
	return []reading{{Moment: Moment{At: t, Unit: Day}, from: from, end: end}}
}

// periodOf makes a weak reading of a month, a quarter or a year, by its first month.
func periodOf(year, month int, unit time.Duration, from, end int) []reading {
	if year < 1900 || year > 2200 || month < 1 || month > 12 {
		return nil
	}
	t := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	return []reading{{Moment: Moment{At: t, Unit: unit}, from: from, end: end, weak: true}}
}

// inCentury is the year of this century that two digits are short for.
func inCentury(n int) int { return 2000 + n }

// numeral is a run of digits of a text.
type numeral struct{ from, end, value int }

func (n numeral) len() int { return n.end - n.from }

// maxNumerals bounds the numbers of a text that are looked at, and the digits of one.
const (
	maxNumerals = 16
	maxDigits   = 14
)

// numeralsOf appends the runs of digits of a text.
func numeralsOf(out []numeral, s string) []numeral {
	for i := 0; i < len(s) && len(out) < maxNumerals; i++ {
		if n := digits(s[i:]); n > 0 {
			value := -1
			if n <= maxDigits {
				value, _ = strconv.Atoi(s[i : i+n])
			}
			out = append(out, numeral{i, i + n, value})
			i += n
		}
	}
	return out
}

// numberDates reads the dates that are written in numbers alone.
func numberDates(s string) (out []reading) {
	var room [maxNumerals]numeral
	all := numeralsOf(room[:0], s)
	for i, n := range all {
		switch {
		case n.len() == 8, n.len() == 6:
			out = append(out, within(compactDates(s[n.from:n.end]), n)...)
		case i+2 < len(all):
			out = append(out, threeNumbers(s, n, all[i+1], all[i+2])...)
		}
	}
	return out
}

// within moves readings of a number to where it stands in the text. Of eight digits the first reading, 20261103, tells
// by itself.
func within(all []reading, n numeral) []reading {
	for i, r := range all {
		year := n.value / 10_000
		all[i].from, all[i].end = n.from, n.end
		all[i].weak = n.len() != 8 || year < 1990 || year > 2099 || r.At.Year() != year
	}
	return all
}

// compactDates reads a date as digits alone: 20261103, 03112026, 11032026; 261103, 031126, 110326, 202611.
func compactDates(s string) (out []reading) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return nil
	}
	switch len(s) {
	case 8:
		a, b, year := n/1_000_000, n/10_000%100, n%10_000
		return append(append(dateOf(n/10_000, n/100%100, n%100, 0, 0), dateOf(year, b, a, 0, 0)...),
			dateOf(year, a, b, 0, 0)...)
	case 6:
		a, b, c := n/10_000, n/100%100, n%100
		out = append(append(dateOf(inCentury(a), b, c, 0, 0), dateOf(inCentury(c), b, a, 0, 0)...),
			dateOf(inCentury(c), a, b, 0, 0)...)
		return append(out, periodOf(n/100, n%100, Month, 0, 0)...)
	}
	return nil
}

// threeNumbers reads 3/11/2026, 3-11-26, 2026/11/3, 2026. 11. 3., 2026年11月3日 and 3 tháng 11, 2026, as languages have it
// whose months have no names.
func threeNumbers(s string, a, b, c numeral) (out []reading) {
	first, second := s[a.end:b.from], s[b.end:c.from]
	end := c.end
	switch {
	case isMark(first, "年년") && isMark(second, "月월"):
		_, size := utf8.DecodeRuneInString(s[end:])
		if size > 1 { // 日, 일, 号
			end += size
		}
		return dateOf(a.value, b.value, c.value, a.from, end)
	case isMark(first, "tháng") && (isMark(second, ",") || isMark(second, "năm")):
		return dateOf(c.value, b.value, a.value, a.from, end)
	case first != second || !dateSeparator(first) || b.len() > 2:
		return nil
	case goesOn(s, a.from, end, first):
		return nil
	}
	switch {
	case a.len() == 4 && c.len() <= 2:
		return dateOf(a.value, b.value, c.value, a.from, end)
	case a.len() <= 2 && c.len() == 4:
		return append(dateOf(c.value, b.value, a.value, a.from, end), dateOf(c.value, a.value, b.value, a.from, end)...)
	case a.len() <= 2 && c.len() == 2:
		out = append(dateOf(inCentury(c.value), b.value, a.value, a.from, end),
			dateOf(inCentury(c.value), a.value, b.value, a.from, end)...)
		out = append(out, dateOf(inCentury(a.value), b.value, c.value, a.from, end)...)
		for i := range out {
			out[i].weak = true
		}
	}
	return out
}

// isMark reports whether a text is one of some marks, but for blanks.
func isMark(s, marks string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.Contains(marks, s) && utf8.ValidString(s)
}

func dateSeparator(s string) bool {
	switch strings.TrimSpace(s) {
	case "/", "-", ".":
		return len(s) <= 2
	}
	return false
}

// goesOn reports whether more numbers stand before or behind, with the same separator, or a letter: a version, a part
// of an id.
func goesOn(s string, from, end int, separator string) bool {
	before, after := strings.TrimSuffix(s[:from], separator), strings.TrimPrefix(s[end:], separator)
	return len(before) < from && before != "" && IsDigit(before[len(before)-1]) ||
		len(after) < len(s)-end && after != "" && IsDigit(after[0]) ||
		WordByteAt(s, from-1) || end < len(s) && WordByteAt(s, end) && s[end] != 'T'
}
