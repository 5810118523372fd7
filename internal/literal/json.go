package literal

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns s as a JSON string, with nothing escaped that need not be; what is no UTF-8 becomes U+FFFD.
func JSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string has a JSON form
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// FromJSON returns the text of a JSON string; false where the token is none.
func FromJSON(token string) (string, bool) {
	var s string
	err := json.Unmarshal([]byte(token), &s)
	return s, err == nil
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

// IsNumber reports whether a text is a number as JSON writes it (RFC 8259, section 6).
func IsNumber(s string) bool { return jsonNumber.MatchString(s) }

// JSONUnits returns the UTF-16 code units of a JSON string token, halves of surrogate pairs included. It takes any
// text, and reads what is no JSON string as well as it can.
func JSONUnits(token string) []uint16 {
	var out []uint16
	s := strings.TrimSuffix(strings.TrimPrefix(token, `"`), `"`)
	for s != "" {
		if s[0] == '\\' && len(s) > 1 {
			if s[1] == 'u' && len(s) >= 6 {
				n, _ := strconv.ParseUint(s[2:6], 16, 16)
				out = append(out, uint16(n))
				s = s[6:]
				continue
			}
			out = append(out, uint16(unescaped(s[1])))
			s = s[2:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		out = utf16.AppendRune(out, r)
		s = s[size:]
	}
	return out
}

// unescaped is what a character stands for behind the backslash of a JSON string.
func unescaped(c byte) byte {
	if at := strings.IndexByte(`bfnrt`, c); at >= 0 {
		return "\b\f\n\r\t"[at]
	}
	if strings.IndexByte(`"\/`, c) >= 0 {
		return c
	}
	return 0
}
