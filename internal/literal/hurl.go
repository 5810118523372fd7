package literal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hurl returns s as it stands in a file of Hurl, with what begins a variable or an escape, or cannot be seen, escaped.
// within is where it stands: '"' or '`' between such quotes, ':' in a name before a colon, 0 in none of these, where #
// begins a comment.
func Hurl(s string, within rune) string {
	var b strings.Builder
	for i, r := range s {
		next := s[i+utf8.RuneLen(r):]
		switch {
		case r == '\\' || r == '"' && within == '"':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '#' && within == 0:
			b.WriteString(`\#`)
		case within == ':' && r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r),
			r == '{' && (next == "" || next[0] == '{'), r == '`' && within == '`', r != ' ' && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
