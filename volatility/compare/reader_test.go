package compare

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestReader: in memory that had other answers, whatever they were, comparing gives what it gives in fresh memory, and
// what it gave stays.
func TestReader(t *testing.T) {
	var rd Reader
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			if rapid.IntRange(0, 5).Draw(t, name+" broken") == 0 {
				return rapid.SampledFrom([]string{"", "[1,", `{"a":1,"a":2}`, "text", `[[2,1],[3]]`}).Draw(t, name)
			}
			return value(3).Draw(t, name)[0]
		}
		x, y, z := jsonAnswer(draw("x")), jsonAnswer(draw("y")), jsonAnswer(draw("z"))
		a, b := rd.Read(x, nil), rd.Read(y, nil)
		got := a.Differences(b)
		rd.Release(a)
		rd.Release(b)
		c := rd.Read(z, nil)
		c.Parse()
		if want := Responses(x, y); !slices.Equal(lines(got), lines(want)) {
			t.Fatalf("%s and %s: %q, want %q", x.Body, y.Body, lines(got), lines(want))
		}
		rd.Release(c)
	})
}
