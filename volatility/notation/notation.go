package notation

import (
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Notations of time beside ISO 8601's and HTTP's that a text may have somewhere: 15.06.2026 12:00:03.123,
// 20260615T120003Z, 2026-W25-1, 15-JUN-26 12.00.03.123 PM, and the time of day alone.

// notated reads the first of them.
func notated(s string) (m Moment, ok bool) {
	for i := 0; i < len(s); i++ {
		if !IsDigit(s[i]) {
			continue
		}
		n := digits(s[i:])
		// the end of a name; a stamp may follow a letter: T20260615…
		if WordByteAt(s, i-1) && !IsDigit(s[i-1]) && n < 8 {
			i += n
			continue
		}
		end := 0
		switch rest := s[i:]; {
		case n == 14:
			m, end, ok = stamp(rest[:8], rest[8:])
		case n == 8 && len(rest) > 14 && strings.IndexByte("Tt-_", rest[8]) >= 0 && digits(rest[9:]) == 6:
			m, end, ok = stamp(rest[:8], rest[9:])
			end++
		case n == 4:
			m, end, ok = isoWeek(rest)
		case n <= 2 && (i < 2 || s[i-1] != '.' || !IsDigit(s[i-2])):
			if m, end, ok = dotted(rest, n); !ok {
				m, end, ok = oracle(rest)
			}
		}
		if ok {
			m.Rest = s[:i] + s[i+end:]
			m.InText = m.Rest != ""
			return m, true
		}
		i += n
	}
	return m, false
}

// digits counts the digits that a text begins with.
func digits(s string) (n int) {
	for n < len(s) && IsDigit(s[n]) {
		n++
	}
	return n
}

// fractionAt returns the digits of a fraction that a text begins with, at most nine, and how many bytes they take.
func fractionAt(s string) (fraction string, n int) {
	if len(s) < 2 || s[0] != '.' && s[0] != ',' {
		return "", 0
	}
	n = digits(s[1:])
	return s[1 : 1+min(n, 9)], min(n, 1) + n
}

// stamp reads the digits of a date, and those of the time after it with its fraction and zone.
func stamp(date, clock string) (m Moment, end int, ok bool) {
	fraction, n := fractionAt(clock[6:])
	end = 6 + n
	zone := ""
	switch after := clock[end:]; {
	case strings.HasPrefix(after, "Z"):
		zone = "Z"
	case len(after) >= 5 && (after[0] == '+' || after[0] == '-') && digits(after[1:]) == 4:
		zone = after[:5]
	}
	m, ok = partsOf([]string{date[:4], date[4:6], date[6:], clock[:2], clock[2:4], clock[4:6], fraction, zone})
	return m, 8 + end + len(zone), ok
}

// dotted reads a date as 15.6.2026, with a time or without. n is the number of digits of its day.
func dotted(s string, n int) (m Moment, end int, ok bool) {
	if len(s) == n || s[n] != '.' {
		return m, 0, false
	}
	p := strings.SplitN(s[:min(len(s), n+8)], ".", 3)
	if len(p) < 3 || len(p[0]) != n || len(p[1]) == 0 || len(p[1]) > 2 || digits(p[1]) != len(p[1]) || digits(p[2]) < 4 {
		return m, 0, false
	}
	year := p[2][:4]
	end = n + 1 + len(p[1]) + 1 + 4
	after := s[end:]
	if digits(after) > 0 || len(after) > 1 && after[0] == '.' && IsDigit(after[1]) { // a version has more of them
		return m, 0, false
	}
	parts := []string{year, pad(p[1]), pad(s[:n]), "", "", "", "", ""}
	clock := strings.TrimLeft(after, " ,T")
	if len(clock) >= 5 && clock[2] == ':' && digits(clock) == 2 && digits(clock[3:]) == 2 {
		end += len(after) - len(clock) + 5
		parts[3], parts[4] = clock[:2], clock[3:5]
		if clock = clock[5:]; len(clock) >= 3 && clock[0] == ':' && digits(clock[1:]) == 2 {
			fraction, n := fractionAt(clock[3:])
			parts[5], parts[6] = clock[1:3], fraction
			end += 3 + n
		}
	}
	m, ok = partsOf(parts)
	return m, end, ok
}

func pad(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}

// isoWeek reads a week as 2026-W25, or a day of it as 2026-W25-1.
func isoWeek(s string) (m Moment, end int, ok bool) {
	if len(s) < 8 || s[4:6] != "-W" || digits(s[6:]) != 2 {
		return m, 0, false
	}
	year, _ := strconv.Atoi(s[:4])
	number, _ := strconv.Atoi(s[6:8])
	if year < 1900 || year > 2200 || number < 1 || number > 53 {
		return m, 0, false
	}
	// The fourth of January is always in the first week.
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	m.At = first.AddDate(0, 0, (number-1)*7-(int(first.Weekday())+6)%7)
	if len(s) >= 10 && s[8] == '-' && digits(s[9:]) == 1 && s[9] >= '1' && s[9] <= '7' {
		m.At, m.Unit = m.At.AddDate(0, 0, int(s[9]-'1')), Day
		return m, 10, true
	}
	m.Unit = Week
	return m, 8, true
}

var reOracle = lazy.Regexp(`^\d\d-[A-Z]{3}-\d\d \d\d\.\d\d\.\d\d(?:\.\d{1,9})? [AP]M`)

// oracle reads a time as that database writes it: 15-JUN-26 10.00.03.123000 AM.
func oracle(s string) (m Moment, end int, ok bool) {
	if len(s) < 21 || s[2] != '-' || s[6] != '-' {
		return m, 0, false
	}
	found := reOracle().FindString(s)
	if found == "" {
		return m, 0, false
	}
	month := found[3:4] + strings.ToLower(found[4:6])
	fraction, n := fractionAt(found[18:])
	found = found[:3] + month + found[6:18] + found[18+n:]
	at, err := time.Parse("02-Jan-06 03.04.05 PM", found)
	if err != nil {
		return m, 0, false
	}
	nanos, _ := strconv.Atoi((fraction + "000000000")[:9])
	return Moment{At: at.Add(time.Duration(nanos)), Unit: digitOf(fraction)}, len(found) + n, true
}

// digitOf returns what the last digit of a fraction of a second is worth.
func digitOf(fraction string) time.Duration {
	unit := time.Second
	for range fraction {
		unit /= 10
	}
	return max(unit, 1)
}

// clockWithin reads the time of day that a text has, to the second at least.
func clockWithin(s string) (m Moment, ok bool) {
	for i := 2; i+6 <= len(s); i++ {
		if s[i] != ':' || s[i+3] != ':' || digits(s[i-2:]) != 2 || digits(s[i+1:]) != 2 || digits(s[i+4:]) != 2 ||
			WordByteAt(s, i-3) {
			continue
		}
		fraction, n := fractionAt(s[i+6:])
		m, ok = partsOf([]string{"2000", "01", "01", s[i-2 : i], s[i+1 : i+3], s[i+4 : i+6], fraction, ""})
		m.TimeOfDay, m.InText, m.Rest = true, true, s[:i-2]+s[i+6+n:]
		return m, ok
	}
	return m, false
}

// gregorian is the number of 100 ns steps from the begin of the calendar, from which UUIDs count, to 1970.
const gregorian = 0x01b21dd213814000

// uuidMoment reads the time in a UUID of version 1 or 6. What else is in it belongs to the machine.
func uuidMoment(s string) (m Moment, ok bool) {
	if len(s) != 36 || s[14] != '1' && s[14] != '6' || !isUUID(s) {
		return m, false
	}
	steps := s[15:18] + s[9:13] + s[:8]
	if s[14] == '6' {
		steps = s[:8] + s[9:13] + s[15:18]
	}
	n, err := strconv.ParseInt(steps, 16, 64)
	if err != nil {
		return m, false
	}
	n -= gregorian
	m = Moment{At: time.Unix(n/10_000_000, n%10_000_000*100).UTC(), Unit: 100, Zoned: true, Rest: s[18:]}
	return m, m.At.Year() >= 2001 && m.At.Year() < 2100
}
