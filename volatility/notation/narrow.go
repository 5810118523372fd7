package notation

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// minLetters is how many hexadecimal letters of one case it takes, and none of the other, to say that all are of it:
// where each could be of either, that happens once in a million times.
const minLetters = 20

// minFraction is how many digits the fraction of a second must have to be always there: those who leave out a fraction
// of nothing do so once in a million times then.
const minFraction = 6

// fractions are how the expressions of moments in time write the fraction of a second.
var fractions = lazy.Regexp(`\(\\\.\\d\+\)\?|\(\[\.,\]\\d\+\)\?`)

// fractionOf is the fraction of the second of a time of day.
var fractionOf = lazy.Regexp(`:\d\d:\d\d(?:[.,](\d+))?`)

// Narrow returns the expression of a format ([FormatPattern]) made as narrow as the texts in it are sure to stay, which
// are given once each: hexadecimal letters of one case, a fixed number of digits where one text has a leading zero and
// all are of one length, T or a blank between a date and its time of day, the fraction of a second there or not. Of
// fewer than five texts, and of what they leave open, the expression says what it said.
func Narrow(pattern string, texts []string) string {
	if len(texts) < minSpelled {
		return pattern
	}
	narrow := narrowFraction(narrowMoment(narrowLength(narrowCase(pattern, texts), texts), texts), texts)
	whole, err := regexp.Compile(`\A(?:` + narrow + `)\z`)
	for _, t := range texts {
		if err != nil || !whole.MatchString(t) {
			return pattern
		}
	}
	return narrow
}

// narrowCase has hexadecimal letters be of the one case that the texts show.
func narrowCase(pattern string, texts []string) string {
	lower, upper := 0, 0
	for _, t := range texts {
		for _, c := range t {
			switch {
			case c >= 'a' && c <= 'f':
				lower++
			case c >= 'A' && c <= 'F':
				upper++
			}
		}
	}
	switch {
	case upper == 0 && lower >= minLetters:
		return strings.NewReplacer("a-fA-F", "a-f", "A-Fa-f", "a-f", "abAB", "ab").Replace(pattern)
	case lower == 0 && upper >= minLetters:
		return strings.NewReplacer("a-fA-F", "A-F", "A-Fa-f", "A-F", "abAB", "AB").Replace(pattern)
	}
	return pattern
}

// narrowLength states how many digits a number has whose leading zeros are written.
func narrowLength(pattern string, texts []string) string {
	digits, ok := strings.CutSuffix(pattern, "]+")
	if !ok || !strings.HasPrefix(digits, "[0-9") || strings.Contains(digits, "]") || strings.Contains(digits, "-z") {
		return pattern
	}
	padded := false
	for _, t := range texts {
		if t == "" || len(t) != len(texts[0]) {
			return pattern
		}
		padded = padded || len(t) > 1 && t[0] == '0'
	}
	if !padded {
		return pattern
	}
	return digits + "]{" + strconv.Itoa(len(texts[0])) + "}"
}

// narrowMoment states what stands between a date and its time of day.
func narrowMoment(pattern string, texts []string) string {
	for _, class := range []string{"[Tt ]", "[Tt]"} {
		if !strings.Contains(pattern, class) {
			continue
		}
		const at = len("2006-01-02")
		for _, t := range texts {
			if len(t) <= at || t[at] != texts[0][at] {
				return pattern
			}
		}
		return strings.Replace(pattern, class, texts[0][at:at+1], 1)
	}
	return pattern
}

// narrowFraction states whether a time of day has the fraction of a second.
func narrowFraction(pattern string, texts []string) string {
	fraction := fractions().FindString(pattern)
	if fraction == "" {
		return pattern
	}
	never, always := true, true
	for _, t := range texts {
		m := fractionOf().FindStringSubmatch(t)
		if m == nil { // without seconds, or no moment
			return pattern
		}
		never, always = never && m[1] == "", always && m[1] != ""
	}
	switch {
	case never:
		return strings.Replace(pattern, fraction, "", 1)
	case always && longestFraction(texts) >= minFraction:
		return strings.Replace(pattern, fraction, fraction[1:len(fraction)-len(")?")], 1)
	}
	return pattern
}

func longestFraction(texts []string) int {
	longest := 0
	for _, t := range texts {
		longest = max(longest, len(fractionOf().FindStringSubmatch(t)[1]))
	}
	return longest
}
