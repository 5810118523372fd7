package literal

import (
	"bytes"
	"encoding/json"
	"regexp"
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
