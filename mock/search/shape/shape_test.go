package shape

import "testing"

// Names, types and short texts tell answers apart; values, and what was given, do not.
func TestShape(t *testing.T) {
	given := map[string]bool{"Oslo": true}
	for body, want := range map[string]string{
		`{"b": 1, "a": [true, false]}`:           `{a: [true], b: number}`,
		`{"city": "Oslo", "error": "no seat 7"}`: `{city: text given, error: "no seat 0"}`,
		`{"token": "4f9d2c71a8"}`:                `{token: secret}`,
		`[]`:                                     `[]`,
		`not found`:                              `"not found"`,
		`{"x": [[[[[[[[[[1]]]]]]]]]]}`:           `{x: [[[[[[[…]]]]]]]}`,
		"line\nline":                             `text`,
		"Traceback (most recent call last):\n  File\nKeyError: 'rate'": `trace, KeyError`,
	} {
		if got := Of([]byte(body), given); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`{"a": [1, "KeyError: 'x'", null]}`))
	f.Fuzz(func(_ *testing.T, body []byte) { Of(body, nil) })
}
