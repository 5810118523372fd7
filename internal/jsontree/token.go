package jsontree

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Unquote returns what a scalar token says: the text of a string, without quotes and escapes, and any other token as it
// is written.
func Unquote[T ~string | ~[]byte](raw T) string {
	s := string(raw)
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	if strings.IndexByte(s, '\\') < 0 {
		return s[1 : len(s)-1]
	}
	var text string
	if json.Unmarshal([]byte(s), &text) != nil {
		return s[1 : len(s)-1]
	}
	return text
}

// Quote returns a text as a JSON string token, with nothing escaped that need not be.
func Quote(s string) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

// IsNumber reports whether s is a number in JSON's own grammar.
func IsNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	return json.Valid([]byte(s))
}
