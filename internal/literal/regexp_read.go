package literal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// regexpOfJS returns a regular expression of JavaScript as one that Go and Python read; false where it uses what they
// have not, or may mean something else by.
func RegexpOfJavaScript(pattern, flags string) (string, bool) {
	var b strings.Builder
	for _, f := range flags {
		switch f {
		case 'i', 'm', 's':
			fmt.Fprintf(&b, "(?%c)", f)
		case 'g', 'u', 'y', 'd':
		default:
			return "", false
		}
	}
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		i++
		switch c := pattern[i]; c {
		case '/', '-':
			if c == '-' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case 'u':
			if i+4 >= len(pattern) || !isHex(pattern[i+1:i+5]) {
				return "", false
			}
			b.WriteString(`\x{` + pattern[i+1:i+5] + "}")
			i += 4
		case 'c', 'k', 'p', 'P', 'A', 'z', 'Z', 'Q', 'E', 'a', 'C', '0':
			return "", false
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	out := b.String()
	if strings.Contains(pattern, "(?P") || strings.Contains(pattern, "[[:") {
		return "", false
	}
	_, err := regexp.Compile(out)
	return out, err == nil
}

func isHex(s string) bool {
	_, err := strconv.ParseUint(s, 16, 64)
	return err == nil
}

// QuoteRegexp escapes what means something in a regular expression.
func QuoteRegexp(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
