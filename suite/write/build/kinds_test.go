package build

import (
	"fmt"
	"testing"
)

// TestKinds: of requests that differ in values alone, those are kept whose answers say different things, as many as
// tell that the answer depends on the value; of writes and refusals one.
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"answered alike", []string{`GET /a?x=1 > 200 {"n":1}`, `GET /a?x=2 > 200 {"n":1}`}, 1},
		{"answered otherwise", []string{`GET /a?x=1 > 200 {"n":1}`, `GET /a?x=2 > 200 {"n":2}`}, 2},
		{"many values", many(`GET /a?x=%d > 200 {"n":%d}`), maxValues},
		{"many ways", many(`GET /a?x%d=1 > 200 {"n":%d}`), maxWays},
		{"refused", many(`GET /a?x=%d > 400 {"n":%d}`), maxRefusedValues},
		{"refused in many ways", many(`GET /a?x%d=1 > 400 {"n":%d}`), maxRefusedWays},
		{"writes", many(`POST /a {"x":%d} > 201 {"n":%d}`), 1},
	} {
		if got := len(build(t, session(t, tt.lines...), Options{}).Tests); got != tt.want {
			t.Errorf("%s: %d tests, want %d", tt.name, got, tt.want)
		}
	}
}

// many are 20 exchanges that differ in a number.
func many(format string) (out []string) {
	for n := range 20 {
		out = append(out, fmt.Sprintf(format, n, n))
	}
	return out
}
