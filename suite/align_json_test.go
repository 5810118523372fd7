package suite

import (
	"testing"
)

// A fuzzer sends JSON in another form than the one that it writes into a suite.
func TestSameJSON(t *testing.T) {
	for _, tt := range []struct {
		written, sent string
		want          bool
	}{
		{` { "a" : 1, "b":[true] } `, `{"b":[true],"a":1.0}`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`"x"`, `"x"`, true},
		{`a=1`, `a=1`, false},
		{``, ``, false},
		{`{`, `{`, false},
	} {
		if got := sameJSON(tt.written, []byte(tt.sent)); got != tt.want {
			t.Errorf("sameJSON(%q, %q) = %v", tt.written, tt.sent, got)
		}
	}
}
