package notation

import (
	"strconv"
	"strings"
)

// What several texts are like together tells whether they were drawn, where no one of them does by itself.

// NumbersVary reports whether short texts differ in numbers alone: 120/80, 1013.2 hPa.
func NumbersVary(all []string) bool {
	const numeral = "0123456789.,"
	form := ""
	for i, s := range all {
		one := strings.Map(func(r rune) rune {
			if strings.ContainsRune(numeral, r) {
				return -1
			}
			return r
		}, s)
		if i > 0 && one != form || len(one) == len(s) || len(one) > 12 {
			return false
		}
		form = one
	}
	return len(all) > 1
}

// IsNumeral reports whether a text is a number, with a fraction or without.
func IsNumeral(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "-0123456789.") == ""
}

// MinWord is the length from which on words have their digits and capitals counted: names are shorter.
const MinWord = 10

// DrawnTogether reports whether texts of one length were drawn from an alphabet of letters and digits, by what they are
// like together: of those drawn, one in a few has hardly a digit, or no capital after a small letter, by chance.
func DrawnTogether(all []string) bool {
	digits, capitals := 0, 0
	for _, s := range all {
		if len(s) != len(all[0]) {
			return false
		}
		d, c := oddities(s)
		digits, capitals = digits+d, capitals+c
	}
	// Names in a program have capitals as well, though fewer.
	return len(all) > 1 && (digits > 0 && digits+capitals >= 2*len(all) || capitals >= 3*len(all))
}

// oddities counts what names have none of: digits, and capitals after small letters. A text that is no long word with
// letters in it has none either.
func oddities(s string) (digits, capitals int) {
	if len(s) < MinWord || strings.ContainsAny(s, " \t\n") {
		return 0, 0
	}
	letters := 0
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
		switch {
		case i == 0:
		case IsDigit(c):
			digits++
		case c >= 'A' && c <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z':
			capitals++
		}
	}
	if letters < 2 {
		return 0, 0
	}
	return digits, capitals
}

// The least of a name that can be told to be drawn: the characters in which names differ, where they have letters and
// digits; and those of numbers, which a process's own has fewer of.
const (
	minDrawnName   = 4
	minDrawnNumber = 8
)

// DrawnName reports whether names, or parts of names, differ in what was drawn: letters and digits mixed, or of both
// cases, all as long; or long numbers.
func DrawnName(all []string) bool {
	prefix := CommonPrefix(all)
	var digit, small, capital, digitsOnly = false, false, false, true
	for _, s := range all {
		own := s[len(prefix):]
		if len(s) != len(all[0]) && !AllDigits(own) || len(own) < minDrawnName ||
			strings.ContainsAny(own, " \t\n") {
			return false
		}
		digitsOnly = digitsOnly && AllDigits(own) && len(own) >= minDrawnNumber
		for _, c := range own {
			digit = digit || c >= '0' && c <= '9'
			small = small || c >= 'a' && c <= 'z'
			capital = capital || c >= 'A' && c <= 'Z'
		}
	}
	return digitsOnly || (small || capital) && digit || small && capital && len(all[0])-len(prefix) >= MinWord
}

// CommonPrefix returns what all texts begin with.
func CommonPrefix(all []string) string {
	prefix := all[0]
	for _, s := range all[1:] {
		n := 0
		for n < len(s) && n < len(prefix) && s[n] == prefix[n] {
			n++
		}
		prefix = prefix[:n]
	}
	return prefix
}
