package literal

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Python returns s as a Python string literal, in the quotes that need the fewer escapes, double ones where both need
// as many.
func Python(s string) string {
	mark := '"'
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		mark = '\''
	}
	return quote(s, mark, "", func(r rune) string {
		switch {
		case r < 0x80:
			return fmt.Sprintf(`\x%02x`, r)
		case r <= 0xffff:
			return fmt.Sprintf(`\u%04x`, r)
		}
		return fmt.Sprintf(`\U%08x`, r)
	})
}

// PythonRaw returns a regular expression as a raw string literal where it can be one.
func PythonRaw(pattern string) string {
	printable := !strings.ContainsFunc(pattern, func(r rune) bool { return !unicode.IsPrint(r) })
	if printable && !strings.Contains(pattern, `"`) && !strings.HasSuffix(pattern, `\`) {
		return `r"` + pattern + `"`
	}
	return Python(pattern)
}

// PythonBytes returns b as a Python bytes literal.
func PythonBytes(b []byte) string {
	mark := byte('"')
	if bytes.Count(b, []byte{'"'}) > bytes.Count(b, []byte{'\''}) {
		mark = '\''
	}
	var out strings.Builder
	out.WriteString("b" + string(mark))
	for _, c := range b {
		switch {
		case c == mark || c == '\\':
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
	out.WriteByte(mark)
	return out.String()
}

// PythonNumber returns a JSON number as a Python literal: an int, a float where a float holds the number as it is
// written, else a Decimal.
func PythonNumber(token string) string {
	if !strings.ContainsAny(token, ".eE") {
		return token
	}
	f, err := strconv.ParseFloat(token, 64)
	if err == nil && len(token) < 40 && f != 0 {
		want, ok := new(big.Rat).SetString(token)
		short, okShort := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		if ok && okShort && want.Cmp(short) == 0 {
			return strings.ToLower(token)
		}
	}
	if f == 0 && err == nil && strings.Trim(token, "-0.eE+") == "" {
		return strings.ToLower(token)
	}
	return "Decimal(" + Python(token) + ")"
}
