package notation

import (
	"strconv"
	"strings"
	"time"
)

// shortWord is how many letters what stands between the parts of a date may have: "of", "de", "st", "m.".
const shortWord = 3

// monthNamed reads a date with the name of its month. A year that is not written is the one that is nearest to the
// span.
func monthNamed(s string, at Span) (out []reading) {
	for name := range namesIn(s) {
		if name.months == 0 {
			continue
		}
		end := name.wordFrom + name.wordN
		day, year := numberBefore(s, name.wordFrom), numeral{}
		after := numberAfter(s, end)
		switch {
		case day.len() == 4: // 2026 November 3
			year, day = day, after
		case day.len() > 0:
			year = after
		case after.len() == 4:
			year = after
		case after.len() > 0:
			day, year = after, numberAfter(s, after.end)
		}
		for month := 1; month <= 12; month++ {
			if name.months>>month&1 == 1 {
				out = append(out, monthReadings(s, name, month, day, year, at)...)
			}
		}
	}
	return out
}

// monthReadings makes a date of a month's name and the numbers beside it.
func monthReadings(s string, name calendarName, month int, day, year numeral, at Span) (out []reading) {
	from, end := name.wordFrom, name.wordFrom+name.wordN
	if day.len() > 0 {
		from, end = min(from, day.from), max(end, day.end)
	}
	weak := true
	switch {
	case day.len() == 0 && year.len() == 4 && at.Known() && name.wideMonths>>month&1 == 1:
		return periodOf(year.value, month, Month, from, year.end)
	case day.len() == 0 || day.len() > 2:
		return nil
	case year.len() == 4:
		weak = false
		out = dateOf(year.value, month, day.value, min(from, year.from), max(end, year.end))
	case !at.Known():
		return nil
	case year.len() == 2 && year.from > day.end:
		out = dateOf(inCentury(year.value), month, day.value, from, year.end)
	default:
		for y := at.From.Year() - 1; y <= at.From.Year()+1; y++ {
			out = append(out, dateOf(y, month, day.value, from, end)...)
		}
		for i := range out {
			out[i].Cycle = Year
		}
	}
	for i := range out {
		out[i].weak = weak
		out[i] = withTime(s, out[i])
	}
	return out
}

// numberBefore returns the number of at most four digits that stands before a position, with an ending of its own and a
// short word between: "22nd of ".
func numberBefore(s string, upto int) (n numeral) {
	i := upto
	for words := 0; i > 0 && upto-i < 12; {
		c := s[i-1]
		if IsDigit(c) {
			end := i
			for i > 0 && IsDigit(s[i-1]) {
				i--
			}
			if end-i > 4 || end-i == 3 || WordByteAt(s, i-1) || i > 0 && (s[i-1] == ':' || s[i-1] == '.') {
				return numeral{}
			}
			return numeralOf(s, i)
		}
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			start := i
			for i > 0 && s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z' {
				i--
			}
			if words++; words > 2 || start-i > shortWord {
				return numeral{}
			}
			continue
		}
		if c == ':' || c == ';' || c == '(' {
			return numeral{}
		}
		i--
	}
	return numeral{}
}

// numberAfter is the same behind a position.
func numberAfter(s string, from int) (n numeral) {
	i := from
	for words := 0; i < len(s) && i-from < 12; {
		c := s[i]
		if IsDigit(c) {
			length := digits(s[i:])
			if length > 4 || length == 3 || i+length < len(s) && s[i+length] == ':' {
				return numeral{}
			}
			return numeralOf(s, i)
		}
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			end := i
			for end < len(s) && s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z' {
				end++
			}
			if words++; words > 2 || end-i > shortWord {
				return numeral{}
			}
			i = end
			continue
		}
		if c == ':' || c == ';' || c == ')' {
			return numeral{}
		}
		i++
	}
	return numeral{}
}

// numeralOf is the run of digits, no longer than maxDigits, that begins at a position.
func numeralOf(s string, from int) numeral {
	n := digits(s[from:])
	value, _ := strconv.Atoi(s[from : from+n])
	return numeral{from, from + n, value}
}

// withTime adds the time of day that follows a date, with a short word between: "at 9:23 AM".
func withTime(s string, r reading) reading {
	i, words := r.end, 0
	for i < len(s) && i-r.end < 8 && !IsDigit(s[i]) {
		if s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' {
			if words++; words > shortWord {
				return r
			}
		}
		i++
	}
	offset, unit, end, ok := timeAt(s, i)
	if !ok || r.Unit != Day || i == r.end {
		return r
	}
	r.At, r.Unit, r.end = r.At.Add(offset), unit, end
	return r
}

// timeAt reads the time of day that begins at a position: 9:23 AM, 09:23:11, 9h23, 9 PM.
func timeAt(s string, from int) (offset, unit time.Duration, end int, ok bool) {
	n := digits(s[from:])
	if n == 0 || n > 2 {
		return 0, 0, 0, false
	}
	hour := numeralOf(s, from).value
	end, unit = from+n, time.Hour
	minute, second, fraction := 0, 0, ""
	if end < len(s) && (s[end] == ':' || s[end] == 'h' || s[end] == 'H') && twoDigits(s, end+1) && digits(s[end+1:]) == 2 {
		minute, unit = twoOf(s[end+1:]), time.Minute
		end += 3
		if end < len(s) && s[end] == ':' && twoDigits(s, end+1) && digits(s[end+1:]) == 2 {
			second, unit = twoOf(s[end+1:]), time.Second
			end += 3
			var length int
			if fraction, length = fractionAt(s[end:]); length > 0 {
				end, unit = end+length, digitOf(fraction)
			}
		}
	}
	switch rest := strings.TrimLeft(s[end:], " \u00a0\u202f"); {
	case meridiem(rest) == 'p' && hour < 12:
		hour += 12
		end = len(s) - len(rest) + 2
	case meridiem(rest) != 0 && hour <= 12:
		hour %= 12
		if rest[0]|0x20 == 'p' {
			hour = 12
		}
		end = len(s) - len(rest) + 2
	case unit == time.Hour:
		return 0, 0, 0, false
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, 0, 0, false
	}
	nanos, _ := strconv.Atoi((fraction + "000000000")[:9])
	offset = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	return offset + time.Duration(nanos), unit, end, true
}

// meridiem returns the small letter of the AM or PM that a text begins with, 0 for none.
func meridiem(s string) byte {
	if len(s) < 2 || s[1]|0x20 != 'm' || len(s) > 2 && WordByteAt(s, 2) {
		return 0
	}
	if c := s[0] | 0x20; c == 'a' || c == 'p' {
		return c
	}
	return 0
}

// hourWithin reads the time of day that a text has, as 9:23 AM, 9h23, 9:23, 9 AM, 9 o'clock, where it has one.
func hourWithin(s string, at Span) (m Moment, ok bool) {
	var room [maxNumerals]numeral
	for _, n := range numeralsOf(room[:0], s) {
		if n.len() > 2 || WordByteAt(s, n.from-1) || n.from > 0 && (s[n.from-1] == ':' || s[n.from-1] == '.') {
			continue
		}
		offset, unit, end, ok := timeAt(s, n.from)
		if !ok && n.value <= 24 && strings.HasPrefix(s[n.end:], " o'clock") {
			offset, unit, end, ok = time.Duration(n.value%24)*time.Hour, time.Hour, n.end, true
		}
		if !ok || end < len(s) && (WordByteAt(s, end) || s[end] == ':') {
			continue
		}
		today := at.From.UTC().Truncate(Day)
		m = Moment{At: today.Add(offset), Unit: unit, TimeOfDay: true, Unusual: true, Cycle: Day, Weak: true,
			Rest: s[:n.from] + s[end:]}
		m.InText = m.Rest != ""
		return m, true
	}
	return m, false
}

// partsOfDate reads what tells a part of the date: a month as 2026-11 or 11/2026, a day of the year as 2026-307, a
// quarter as Q4 2026, the one weekday of a text, a month's name by itself, a year.
func partsOfDate(s string, at Span) (out []reading) {
	var room [maxNumerals]numeral
	all := numeralsOf(room[:0], s)
	for i, n := range all {
		if WordByteAt(s, n.from-1) && (s[n.from-1]|0x20 != 'q' || WordByteAt(s, n.from-2)) {
			continue
		}
		if i+1 < len(all) && joinedBy(s, n.end, all[i+1].from) {
			out = append(out, twoNumbers(s, n, all[i+1])...)
		}
		if n.len() == 4 && standsAlone(s, n.from, n.end) {
			out = append(out, periodOf(n.value, 1, Year, n.from, n.end)...)
		}
	}
	if len(out) > 0 {
		return mostPrecise(out, at)
	}
	return append(out, weekdayAlone(s, at)...)
}

// mostPrecise drops the years of what is read more precisely.
func mostPrecise(all []reading, at Span) (out []reading) {
	for _, r := range all {
		if r.Unit < Year && r.Near(at) {
			return []reading{r}
		}
	}
	return all
}

// joinedBy reports whether nothing but what joins the parts of a date stands between two positions.
func joinedBy(s string, from, end int) bool {
	switch s[from:end] {
	case "-", "/", ".", " ", "-Q", "Q", " Q", "/Q":
		return true
	}
	return false
}

// standsAlone reports whether a part of a text is joined to nothing before or behind it.
func standsAlone(s string, from, end int) bool {
	const joins = "-/_.:+#@="
	return !WordByteAt(s, from-1) && (from == 0 || strings.IndexByte(joins, s[from-1]) < 0) &&
		(end == len(s) || !WordByteAt(s, end) && (strings.IndexByte(joins, s[end]) < 0 || end+1 == len(s)))
}

// besideDigits reports whether what stands before or behind a part of a text is a letter or digit, or joins it to a
// number.
func besideDigits(s string, from, end int) bool {
	return WordByteAt(s, from-1) || end < len(s) && WordByteAt(s, end) || from > 1 && IsDigit(s[from-2]) ||
		end+1 < len(s) && IsDigit(s[end+1])
}

// twoNumbers reads a month, a day of the year or a quarter.
func twoNumbers(s string, a, b numeral) (out []reading) {
	between := s[a.end:b.from]
	from := a.from
	quarterFirst := a.len() == 1 && a.from > 0 && s[a.from-1]|0x20 == 'q'
	if quarterFirst {
		from--
	}
	month := a.len() == 4 && b.len() == 2 && (between == "-" || between == "/") // within names too: notices-2026-06.zip
	if !standsAlone(s, from, b.end) && (!month || besideDigits(s, from, b.end)) {
		return nil
	}
	switch {
	case quarterFirst && b.len() == 4 && a.value <= 4:
		return periodOf(b.value, 3*a.value-2, quarter, from, b.end)
	case strings.HasSuffix(between, "Q") && a.len() == 4 && b.len() == 1 && b.value <= 4:
		return periodOf(a.value, 3*b.value-2, quarter, from, b.end)
	case strings.HasSuffix(between, "Q"), between == " ":
		return nil
	case a.len() == 4 && b.len() == 2:
		return periodOf(a.value, b.value, Month, from, b.end)
	case a.len() <= 2 && b.len() == 4:
		return periodOf(b.value, a.value, Month, from, b.end)
	case a.len() == 4 && b.len() == 3 && between == "-" && b.value <= 366:
		out = dateOf(a.value, 1, 1, from, b.end)
		for i := range out {
			out[i].At, out[i].weak = out[i].At.AddDate(0, 0, b.value-1), true
		}
	}
	return out
}

// weekdayAlone reads the one name of a weekday that a text has, and a month's name that is all of a text.
func weekdayAlone(s string, at Span) (out []reading) {
	found := calendarName{}
	for name := range namesIn(s) {
		whole := name.wordN == len(strings.TrimSpace(s))
		switch {
		case whole && name.wideMonths != 0:
			found = name
		case (name.wideDays == 0 || name.wordN < minAlone) && !(whole && name.days != 0):
		case found.wordN > 0: // Monday to Friday: hours that a shop is open
			return nil
		default:
			found = name
		}
	}
	if found.wordN == 0 {
		return nil
	}
	from, end := found.wordFrom, found.wordFrom+found.wordN
	today := at.From.UTC().Truncate(Day)
	for off := -1; off <= 1; off++ { // the day somewhere on earth
		if day := today.AddDate(0, 0, off); found.days>>int(day.Weekday())&1 == 1 {
			out = append(out, reading{Moment{At: day, Unit: Day, Cycle: Week}, from, end, true})
		}
	}
	if found.wideMonths>>int(today.Month())&1 == 1 && found.wordN == len(strings.TrimSpace(s)) {
		first := today.AddDate(0, 0, 1-today.Day())
		out = append(out, reading{Moment{At: first, Unit: Month, Cycle: Year}, from, end, true})
	}
	return out
}
