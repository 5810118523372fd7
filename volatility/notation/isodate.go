package notation

import (
	"strings"
	"time"
)

// isoParts reads the date and, where one follows, the time of day and the zone that a text begins with, as ISO 8601 and
// its kin write them:
//
//	\d{4}[-/.]\d\d[-/.]\d\d([Tt ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)? ?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d\b)?)?
//
// It returns them as partsOf takes them, and how long they are: 0 where there is no date. Every string that moves is
// looked at, so that no expression does it.
func isoParts(s string) (p [8]string, n int) {
	if len(s) < 10 || !AllDigits(s[:4]) || !dateMark(s[4]) || !twoDigits(s, 5) || !dateMark(s[7]) || !twoDigits(s, 8) {
		return p, 0
	}
	p[0], p[1], p[2] = s[:4], s[5:7], s[8:10]
	if len(s) < 16 || s[10]|0x20 != 't' && s[10] != ' ' || !twoDigits(s, 11) || s[13] != ':' || !twoDigits(s, 14) {
		return p, 10
	}
	p[3], p[4] = s[11:13], s[14:16]
	n = 16
	if n < len(s) && s[n] == ':' && twoDigits(s, n+1) {
		p[5] = s[n+1 : n+3]
		n += 3
		if digits := fractionLen(s[n:]); digits > 0 {
			p[6] = s[n+1 : n+1+digits]
			n += 1 + digits
		}
	}
	if n < len(s) && s[n] == ' ' {
		n++
	}
	zone := zoneLen(s[n:])
	p[7] = s[n : n+zone]
	return p, n + zone
}

func dateMark(c byte) bool { return c == '-' || c == '/' || c == '.' }

func twoDigits(s string, i int) bool { return i+2 <= len(s) && IsDigit(s[i]) && IsDigit(s[i+1]) }

// fractionLen returns the number of digits, nine at most, behind the point or comma that s begins with.
func fractionLen(s string) (n int) {
	if s == "" || s[0] != '.' && s[0] != ',' {
		return 0
	}
	for n < 9 && n+1 < len(s) && IsDigit(s[n+1]) {
		n++
	}
	return n
}

// zoneLen returns the length of the zone that s begins with.
func zoneLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0]|0x20 == 'z':
		return 1
	case strings.HasPrefix(s, "UTC"), strings.HasPrefix(s, "GMT"):
		return 3
	case s[0] != '+' && s[0] != '-' || !twoDigits(s, 1):
		return 0
	case twoDigits(s, 3):
		return 5
	case len(s) > 3 && s[3] == ':' && twoDigits(s, 4):
		return 6
	case len(s) == 3 || !WordByteAt(s, 3) && s[3] != '_':
		return 3
	}
	return 0
}

// imfDate reads a date as the fields of HTTP have it: Sun, 06 Nov 1994 08:49:37 GMT.
func imfDate(s string) (m Moment, ok bool) {
	const form, months = "???, dd ??? dddd dd:dd:dd GMT", "JanFebMarAprMayJunJulAugSepOctNovDec"
	if len(s) != len(form) || s[3] != ',' {
		return m, false
	}
	for i := range len(form) {
		if c := form[i]; c == 'd' && !IsDigit(s[i]) || c != 'd' && c != '?' && s[i] != c {
			return m, false
		}
	}
	month := strings.Index(months, s[8:11])
	hour, minute, second := twoOf(s[17:]), twoOf(s[20:]), twoOf(s[23:])
	if month < 0 || month%3 != 0 || hour > 23 || minute > 59 || second > 59 {
		return m, false
	}
	t := time.Date(100*twoOf(s[12:])+twoOf(s[14:]), time.Month(1+month/3), twoOf(s[5:]), hour, minute, second, 0, time.UTC)
	if t.Day() != twoOf(s[5:]) || t.Weekday().String()[:3] != s[:3] { // no such day
		return m, false
	}
	return Moment{At: t, Unit: time.Second, Zoned: true}, true
}

// twoOf is the number that two digits are.
func twoOf(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }

// isRFC3339 reports whether a text is a date and time as RFC 3339 has it: four digits of the year, a zone.
func isRFC3339(s string) bool {
	const form = "dddd-dd-dd?dd:dd:dd"
	if len(s) <= len(form) || s[10]|0x20 != 't' {
		return false
	}
	for i := range len(form) {
		if c := form[i]; c == 'd' && !IsDigit(s[i]) || c != 'd' && c != '?' && s[i] != c {
			return false
		}
	}
	zone := s[len(form):]
	if zone[0] == '.' {
		n := digits(zone[1:])
		if n == 0 {
			return false
		}
		zone = zone[1+n:]
	}
	if len(zone) == 1 {
		return zone[0]|0x20 == 'z'
	}
	return len(zone) == 6 && (zone[0] == '+' || zone[0] == '-') && twoDigits(zone, 1) && zone[3] == ':' &&
		twoDigits(zone, 4)
}
