package jsontree

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
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

// Source returns what a string says, and for each byte of that where it is written in the text that was parsed: where
// its escape begins, if it is written as one. One offset more ends the list, that of the closing quote.
func (n *Node) Source() (text string, at []int) {
	var b strings.Builder
	end := len(n.Raw) - 1
	at = make([]int, 0, end)
	for i := 1; i < end; {
		width, said := 1, n.Raw[i:i+1]
		if said == `\` {
			width = escapeWidth(n.Raw[i:])
			said = Unquote(`"` + n.Raw[i:i+width] + `"`)
		}
		for range len(said) {
			at = append(at, n.Start+i)
		}
		b.WriteString(said)
		i += width
	}
	return b.String(), append(at, n.Start+end)
}

// escapeWidth returns how many bytes the escape takes that a valid token goes on with: two of them, where they are the
// halves of one character.
func escapeWidth(raw string) int {
	switch {
	case raw[1] != 'u':
		return 2
	case strings.HasPrefix(raw[6:], `\u`) && utf8.RuneCountInString(Unquote(`"`+raw[:12]+`"`)) == 1:
		return 12
	}
	return 6
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
