package literal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Java returns s as a string literal of Java. A backslash is always escaped, so no \u that would be read before the
// literal is (JLS §3.3) can arise.
func Java(s string) string { return quote(s, '"', "", utf16Escape) }

// Kotlin returns s as a string literal of Kotlin: as Java's, but that a dollar sign would begin a template.
func Kotlin(s string) string { return quote(s, '"', "$", utf16Escape) }

// Go returns s as an interpreted string literal of Go.
func Go(s string) string { return strconv.Quote(s) }

// quote puts a text between marks, with what all these languages escape alike escaped, the characters of also too, and
// by how what cannot be seen.
func quote(s string, mark rune, also string, how func(rune) string) string {
	var b strings.Builder
	b.WriteRune(mark)
	for _, r := range s {
		switch {
		case r == mark || r == '\\' || strings.ContainsRune(also, r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r):
			b.WriteString(how(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(mark)
	return b.String()
}

// utf16Escape escapes a character by its UTF-16 code units, as Java does.
func utf16Escape(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
