package literal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
)

// FuzzJSONUnits: a JSON string is read as encoding/json reads it, where that reads it whole.
func FuzzJSONUnits(f *testing.F) {
	f.Add(`"a\u00e9\"\\\/\b\f\n\r\t\ud83d\ude00 😀"`)
	f.Add(`"\ud800"`)
	f.Fuzz(func(t *testing.T, token string) {
		units := JSONUnits(token)
		PrettyJavaScriptUnits(units)
		var want string
		if json.Unmarshal([]byte(token), &want) == nil && !strings.Contains(want, "\ufffd") {
			if got := string(utf16.Decode(units)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}
