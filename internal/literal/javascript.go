package literal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// JavaScript returns s as a string literal of JavaScript or TypeScript in double quotes.
func JavaScript(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		javaScriptRune(&b, r, '"')
	}
	b.WriteByte('"')
	return b.String()
}

// PrettyJavaScript returns s as a string literal of JavaScript in the quotes that Prettier prefers: double ones, except
// where single ones need fewer escapes.
func PrettyJavaScript(s string) string { return PrettyJavaScriptUnits(utf16.Encode([]rune(s))) }

// PrettyJavaScriptUnits is [PrettyJavaScript] of UTF-16 code units, among which there may be half a surrogate pair.
func PrettyJavaScriptUnits(units []uint16) string {
	double, single := 0, 0
	for _, u := range units {
		switch u {
		case '"':
			double++
		case '\'':
			single++
		}
	}
	quote := byte('"')
	if double > single {
		quote = '\''
	}
	var b strings.Builder
	b.WriteByte(quote)
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if i+1 < len(units) && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, rune(units[i+1])); pair != unicode.ReplacementChar {
				r = pair
				i++
			}
		}
		javaScriptRune(&b, r, quote)
	}
	b.WriteByte(quote)
	return b.String()
}

// javaScriptRune writes a character, or half a surrogate pair, within the given quotes.
func javaScriptRune(b *strings.Builder, r rune, quote byte) {
	switch {
	case r == rune(quote) || r == '\\':
		b.WriteString(`\` + string(r))
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r > 0xffff && !unicode.IsPrint(r):
		fmt.Fprintf(b, `\u{%x}`, r)
	case utf16.IsSurrogate(r) || !unicode.IsPrint(r):
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteRune(r)
	}
}

// JavaScriptTemplate returns s as it stands within a template literal of JavaScript.
func JavaScriptTemplate(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r == '$' && strings.HasPrefix(s[i+1:], "{") {
			b.WriteByte('\\')
		}
		javaScriptRune(&b, r, '`')
	}
	return b.String()
}
