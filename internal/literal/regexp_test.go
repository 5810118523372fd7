package literal

import "testing"

func TestJavaScriptRegexp(t *testing.T) {
	for pattern, want := range map[string]string{
		`a\d+\.b"`:          `/a\d+\.b"/`,
		`^ord_[A-Z0-9]+$`:   `/^ord_[\dA-Z]+$/`,
		`ab|c`:              `/ab|c/`,
		`(?i)a`:             `/[Aa]/`,
		`.`:                 `/[^\n]/u`,
		`a/b`:               `/a\/b/`,
		"\u2028😀\U000e0001": `/\u2028\u{1f600}\u{e0001}/u`,
		`[^a]`:              `/[^a]/u`,
		`a{2,3}?`:           `/a{2,3}?/`,
		``:                  `/(?:)/`,
	} {
		if got, ok := JavaScriptRegexp(pattern); !ok || got != want {
			t.Errorf("%s is %s, %v, want %s", pattern, got, ok, want)
		}
	}
	if got, ok := JavaScriptRegexpWhole(`ab|c`); !ok || got != `/^(?:ab|c)$/` {
		t.Errorf("the whole of ab|c is %s, %v", got, ok)
	}
	if got, ok := JavaScriptRegexp(`a(`); ok {
		t.Errorf("a( is %s", got)
	}
}
