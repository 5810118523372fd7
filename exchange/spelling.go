package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// spellings returns how else a value may be written: percent-encoded, within JSON, within XML.
func spellings(value string) []string {
	plain := !strings.ContainsFunc(value, func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.'
	})
	if plain {
		return nil
	}
	component := strings.ReplaceAll(url.QueryEscape(value), "+", "%20") // what a + stands for is %2B
	out := []string{html.EscapeString(value), strings.ReplaceAll(value, "/", `\/`)}
	for _, encoded := range []string{url.QueryEscape(value), url.PathEscape(value), component,
		unescapeComponent.Replace(component)} {
		out = append(out, encoded, lowerHex(encoded))
	}
	for _, escapeHTML := range []bool{false, true} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escapeHTML)
		if enc.Encode(value) == nil {
			inner := strings.TrimSuffix(b.String(), "\n")
			inner = inner[1 : len(inner)-1]
			ascii := asciiJSON(inner)
			out = append(out, inner, ascii, strings.ReplaceAll(inner, "/", `\/`), strings.ReplaceAll(ascii, "/", `\/`))
		}
	}
	return out
}

// unescapeComponent undoes the encoding of what JavaScript's encodeURIComponent leaves as it is.
var unescapeComponent = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// lowerHex writes percent-encoding with small letters.
func lowerHex(encoded string) string {
	b := []byte(encoded)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], bytes.ToLower(b[i+1:i+3]))
		}
	}
	return string(b)
}

// asciiJSON writes what is not ASCII as the escapes that many encoders use for it.
func asciiJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// encodedNames are signs that a text names a secret, or a URL with user information, in what it encodes.
var encodedNames = []string{"%3D", "%3d", "%3A", "%3a", "asic+", "asic%20", "earer+", "earer%20"}

// mayEncode reports whether a text has one of the bytes of which each of encodedNames has one: most texts have neither.
func mayEncode(text string) bool {
	return strings.IndexByte(text, '%') >= 0 || strings.IndexByte(text, '+') >= 0
}

// spaced undoes what stands for the blank within credentials.
var spaced = strings.NewReplacer("Basic+", "Basic ", "basic+", "basic ", "Bearer+", "Bearer ", "bearer+", "bearer ")

// decodeAll undoes percent-encoding wherever there is some, and the plus behind the word for a scheme.
func decodeAll(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return spaced.Replace(b.String())
}
