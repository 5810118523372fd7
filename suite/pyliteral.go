package suite

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineWidth is the column that generated Python keeps within, where it can.
const lineWidth = 120

// pyString returns s as a Python string literal on one line, in the quotes that need the fewer escapes. Characters
// that would not show are escaped.
func pyString(s string) string {
	quote := byte('"')
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		quote = '\''
	}
	var b strings.Builder
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(quote)
	return b.String()
}

// pyRaw returns a regular expression as a raw string literal where it can be one.
func pyRaw(pattern string) string {
	printable := !strings.ContainsFunc(pattern, func(r rune) bool { return !unicode.IsPrint(r) })
	if printable && !strings.Contains(pattern, `"`) && !strings.HasSuffix(pattern, `\`) {
		return `r"` + pattern + `"`
	}
	return pyString(pattern)
}

// pyBytes returns b as a Python bytes literal.
func pyBytes(b []byte) string {
	quote := byte('"')
	if bytes.Count(b, []byte{'"'}) > bytes.Count(b, []byte{'\''}) {
		quote = '\''
	}
	var out strings.Builder
	out.WriteString("b" + string(quote))
	for _, c := range b {
		switch {
		case c == quote || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\r':
			out.WriteString(`\r`)
		case c == '\t':
			out.WriteString(`\t`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&out, `\x%02x`, c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte(quote)
	return out.String()
}

// pyNumberLiteral returns a JSON number as a Python literal that the generated client's JSON reader gives the same
// value: an int, a float where a float holds the number as it is written, else a Decimal.
func pyNumberLiteral(token string) string {
	if !strings.ContainsAny(token, ".eE") {
		return token
	}
	f, err := strconv.ParseFloat(token, 64)
	if err == nil && len(token) < 40 && f != 0 {
		want, ok := new(big.Rat).SetString(token)
		short, okShort := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		if ok && okShort && want.Cmp(short) == 0 {
			return token
		}
	}
	if f == 0 && err == nil && strings.Trim(token, "-0.eE+") == "" {
		return token
	}
	return "Decimal(" + pyString(token) + ")"
}

// pyBreak splits a long text into literals of at most width characters, after white space where there is some.
func pyBreak(s string, width int) []string {
	var out []string
	for len(s) > 0 {
		n, last := 0, 0
		for i, r := range s {
			if n == width {
				break
			}
			size := utf8.RuneLen(r)
			if size < 0 {
				size = 1
			}
			n++
			if r == '\n' {
				last = i + size
				break
			}
			if r == ' ' {
				last = i + size
			}
			if i+size == len(s) {
				last = len(s)
			}
		}
		if last == 0 {
			last = byteOffset(s, width)
		}
		out = append(out, pyString(s[:last]))
		s = s[last:]
	}
	return out
}

// byteOffset returns where the first n characters of s end.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
