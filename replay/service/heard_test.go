package service

import (
	"slices"
	"strings"
	"testing"
)

// What an API logs is given on line by line, however it comes, and a line that is very long in parts.
func TestHeard(t *testing.T) {
	long := strings.Repeat("x", maxTail)
	for name, tt := range map[string]struct {
		read, want []string
	}{
		"nothing":         {nil, nil},
		"lines":           {[]string{"a\nb\n", "\n"}, []string{"a", "b", ""}},
		"of Windows":      {[]string{"a\r\nb\r\n"}, []string{"a", "b"}},
		"in parts":        {[]string{"a", "b\nc", "d"}, []string{"ab", "cd"}},
		"a long one":      {[]string{long + "y\nz\n"}, []string{long, "y", "z"}},
		"one without end": {[]string{long, long + "y"}, []string{long, long, "y"}},
	} {
		var got []string
		h := heard{tell: func(line string) { got = append(got, line) }}
		for _, p := range tt.read {
			h.take([]byte(p))
		}
		if h.end(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %d lines, want %d: %.80q", name, len(got), len(tt.want), got)
		}
	}
	var deaf heard
	deaf.take([]byte("a"))
	deaf.end()
}
