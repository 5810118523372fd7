package notation

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// FormatPattern returns the regular expression, without anchors, of a format that a map states of texts, readable to
// RE2, Python's re, Java and JavaScript alike; "" for one that says nothing of a text. The FORMATS of a suite's
// flaketap_checks.py are the same.
func FormatPattern(format string) string {
	if n, ok := strings.CutPrefix(format, "hex:"); ok {
		return `[0-9a-fA-F]{` + n + `}`
	}
	return FormatPatterns()[format]
}

// FormatPatterns returns the expressions of all formats, hex:N apart, by their names.
func FormatPatterns() map[string]string {
	return map[string]string{
		"rfc3339":   `\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)`,
		"rfc1123":   `[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})`,
		"datetime":  `\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?`,
		"date":      `\d{4}-\d\d-\d\d`,
		"time":      `\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?`,
		"uuid4":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid":      `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`,
		"jwt":       `[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`,
		"bcrypt":    `\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}`,
		"email":     `[^@\s]+@[^@\s]+\.[^@\s.]+`,
		"uri":       `[a-zA-Z][a-zA-Z0-9+.-]*://\S+`,
		"ipv4":      `\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`,
		"uuid1":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid3":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid5":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid6":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"uuid7":     `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}`,
		"ulid":      `[0-7][0-9A-HJKMNP-TV-Z]{25}`,
		"mac":       `[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}`,
		"ipv6":      `[0-9A-Fa-f:]{2,39}(:\d{1,3}(\.\d{1,3}){3})?`,
		"semver":    `(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?`,
		"duration":  `P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?`,
		"base64url": `[A-Za-z0-9_-]+`,
		"digits":    `[0-9]+`,
		"hex":       `[0-9a-fA-F]+`,
		"base64":    `[A-Za-z0-9+/_-]+={0,2}`,
	}
}

// Formatted reports whether a text is written in a format. A date that is no day of any calendar is none, and a JWT is
// one by what it holds.
func Formatted(format, text string) bool {
	if n, ok := strings.CutPrefix(format, "hex:"); ok && strconv.Itoa(utf8.RuneCountInString(text)) != n {
		return false
	}
	if IsEpoch(format) {
		return AllDigits(text) && EpochUnit(Float(text)) == format
	}
	name, _, _ := strings.Cut(format, ":")
	if re := formatExpressions()[name]; re != nil && !re.MatchString(text) {
		return false
	}
	switch {
	case name == "jwt":
		return isJWT(text)
	case Temporal(name):
		_, ok := TextMoment(text)
		return ok
	}
	return true // or of a later version: nothing can be said against it
}

// formatExpressions are those of FormatPatterns, anchored.
var formatExpressions = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for name, pattern := range FormatPatterns() {
		out[name] = regexp.MustCompile(`\A(?:` + pattern + `)\z`)
	}
	return out
})

// EpochFormat names the unit of numbers since the epoch, given the least and the largest of them; "" where they differ
// in it.
func EpochFormat(min, max float64) string {
	for _, f := range []struct {
		name string
		from float64
	}{{"epoch-s", 1e9}, {"epoch-ms", 1e12}, {"epoch-us", 1e15}, {"epoch-ns", 1e18}} {
		if min >= f.from && max < 10*f.from {
			return f.name
		}
	}
	return ""
}

// EpochRange returns the least and the greatest whole number that counts since the epoch in seconds or milliseconds
// ([EpochFormat]), of a moment between 2001 and 2286; "" of any other format.
func EpochRange(format string) (low, high string) {
	digits := map[string]int{"epoch-s": 10, "epoch-ms": 13}[format]
	if digits == 0 {
		return "", ""
	}
	return "1" + strings.Repeat("0", digits-1), strings.Repeat("9", digits)
}

// Temporal reports whether a format is one of points in time.
func Temporal(format string) bool {
	switch format {
	case "rfc3339", "rfc1123", "datetime", "date":
		return true
	}
	return IsEpoch(format)
}

// IsEpoch reports whether a format is that of a number since the epoch, as [EpochUnit] names it.
func IsEpoch(format string) bool { return strings.HasPrefix(format, "epoch-") }

// EpochUnit names the unit of a number since the epoch; "" where it can be none.
func EpochUnit(n float64) string {
	return EpochFormat(n, n)
}
