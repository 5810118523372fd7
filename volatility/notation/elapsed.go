package notation

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Ago is a time from now as people write it: "3 minutes ago", "in 2 hours", "il y a 3 minutes".
type Ago struct {
	Since time.Duration // negative where it is to come
	Unit  time.Duration
	Rest  string // the text around it
}

// agoUnits are the units of such times, by the names that names.txt has for them.
var agoUnits = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": Day}

// AgoOf reads the first time from now that a text has, in any language.
func AgoOf(s string) (a Ago, ok bool) {
	if len(s) > maxMomentText || len(s) < 4 {
		return a, false
	}
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii && strings.IndexByte(s, ' ') < 0 { // an id
		return a, false
	}
	if !ascii {
		s = asciiDigits(s)
	}
	var room [maxNumerals]numeral
	for _, n := range numeralsOf(room[:0], s) {
		name, from, end, ok := relativeAt(s, n)
		if !ok || n.len() > 4 {
			continue
		}
		a = Ago{Unit: agoUnits[name.unit], Rest: s[:from] + s[end:]}
		a.Since = time.Duration(n.value) * a.Unit
		if name.future {
			a.Since = -a.Since
		}
		return a, true
	}
	return a, false
}

// relativeSpan returns where the time from now stands of which a number is a part.
func relativeSpan(s string, n numeral) (from, end int, ok bool) {
	_, from, end, ok = relativeAt(s, n)
	return from, end, ok
}

// relativeAt finds the longest name of a time from now around a number.
func relativeAt(s string, n numeral) (best relativeName, from, end int, ok bool) {
	lead := strings.TrimLeft(s[n.end:], " \u00a0\u202f")
	at := len(s) - len(lead)
	switch {
	case lead == "", WordByteAt(s, n.from-1), at-n.end > 3:
		return best, 0, 0, false
	case at == n.end && WordByteAt(s, at): // 4f0c
		return best, 0, 0, false
	}
	x := names()
	word := lead[:min(wordEnd(lead, 0), maxWord)]
	best, from, end, ok = x.around(s, n, at, word)
	if !ok && word != "" && word[0] >= utf8.RuneSelf {
		for i := range word {
			if best, from, end, ok = x.around(s, n, at, word[:i]); ok {
				break
			}
		}
	}
	return best, from, end, ok
}

// around finds the longest name of a time from now around a number, with the given word behind it.
func (x *nameIndex) around(s string, n numeral, at int, word string) (best relativeName, from, end int, ok bool) {
	for _, name := range x.relative[strings.ToLower(word)] {
		first, last := n.from-len(name.before), at+len(name.after)
		if first < 0 || last > len(s) || ok && last-first <= end-from ||
			!strings.EqualFold(s[first:n.from], name.before) || !strings.EqualFold(s[at:last], name.after) ||
			name.before != "" && WordByteAt(s, first-1) || last < len(s) && WordByteAt(s, last) {
			continue
		}
		best, from, end, ok = name, first, last, true
	}
	return best, from, end, ok
}

// clockLike reads a duration as a clock shows one: 02:03:04, 1d 02:03:04, "1 day, 2:03:04.5", in days, hours, minutes
// and seconds.
func clockLike(s string) (d time.Duration, ok bool) {
	if len(s) == 0 || !IsDigit(s[0]) || strings.Count(s, ":") != 2 {
		return 0, false
	}
	if n := digits(s); n <= 6 {
		rest := strings.TrimLeft(s[n:], " ")
		for _, mark := range []string{"days, ", "day, ", "days ", "day ", "d, ", "d ", "."} {
			if after, found := strings.CutPrefix(rest, mark); found && strings.Count(after, ":") == 2 {
				days, _ := strconv.Atoi(s[:n])
				d, ok = clockLike(after)
				return d + time.Duration(days)*Day, ok
			}
		}
	}
	parts := strings.Split(s, ":")
	if len(parts[0]) > 6 || !AllDigits(parts[0]) || len(parts[1]) != 2 ||
		!twoDigits(parts[1], 0) || len(parts[2]) < 2 || !twoDigits(parts[2], 0) {
		return 0, false
	}
	fraction, n := fractionAt(parts[2][2:])
	if n != len(parts[2])-2 {
		return 0, false
	}
	hours, _ := strconv.Atoi(parts[0])
	nanos, _ := strconv.Atoi((fraction + "000000000")[:9])
	return time.Duration(hours)*time.Hour + time.Duration(twoOf(parts[1]))*time.Minute +
		time.Duration(twoOf(parts[2]))*time.Second + time.Duration(nanos), true
}

// JustNow reads the time from now of a text that is less than two of its units ago: "0 minutes ago", "1 second ago".
// Nearly every text is told by its digits to have none.
func JustNow(s string) (a Ago, ok bool) {
	for i := range len(s) {
		if (s[i] == '0' || s[i] == '1') && !WordByteAt(s, i-1) && i+1 < len(s) && !IsDigit(s[i+1]) && s[i+1] != '.' {
			a, ok = AgoOf(s)
			return a, ok && a.Since >= 0 && a.Since < 2*a.Unit
		}
	}
	return a, false
}
