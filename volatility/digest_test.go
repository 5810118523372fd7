package volatility

import (
	"fmt"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestDigestOfInput: what moves when something beside it does, and only then, is computed from it; what moves on its own was
// drawn. The name says nothing here, and the length may be that of an id.
func TestDigestOfInput(t *testing.T) {
	for name, c := range map[string]struct {
		value func(c call, input int) string
		want  mapfile.Category
	}{
		"a digest": {func(c call, input int) string { return sha(fmt.Sprint(input))[:16] }, mapfile.Crypt},
		"an id":    {func(c call, input int) string { return sha(fmt.Sprint(c.run, c.step, input))[:16] }, mapfile.Rand},
	} {
		a := &api{runs: 8, steps: 6}
		a.answer = func(x call) answer {
			input := 5
			if x.run > 0 && x.rng.IntN(2) == 0 {
				input = x.rng.IntN(1000)
			}
			return body(`{"n":%d,"ref":"%s"}`, input, c.value(x, input))
		}
		f := field(t, a.judge(t), "/body/ref")
		if f.Category != c.want {
			t.Errorf("%s: %s by %q", name, f.Category, f.Evidence)
		}
		if got := slices.Contains(f.Evidence, "moves-with-input"); got != (c.want == mapfile.Crypt) {
			t.Errorf("%s: evidence %q", name, f.Evidence)
		}
	}
}
