package report

import "testing"

func TestMarkedShowsWhatDiffers(t *testing.T) {
	for _, c := range []struct{ recorded, value, want string }{
		{`"2026-01-02T03:04:05Z"`, `"2026-01-02T03:09:55Z"`, `"2026-01-02T03:[09:55Z]"`},
		{`1481063`, `1974743`, `[1974743]`},
		{`"ab cd"`, `"ab ce"`, `"ab [ce]"`},
		{`["a","b"]`, `["b","a"]`, `["[b","a]"]`},
		{`[1,2]`, `[1,2,3]`, `[1,2[,3]]`},
		{`[1,2,3]`, `[1,2]`, `[1,2[]]`},
		{``, `7`, `[7]`},
		{`"größe 1"`, `"größe 2"`, `"größe [2]"`},
		{`"größe"`, `"grüße"`, `"[grüße]"`},
	} {
		before, differs, behind := Marked(c.recorded, c.value)
		if got := before + "[" + differs + "]" + behind; got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.recorded, c.value, got, c.want)
		}
	}
}
