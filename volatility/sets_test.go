package volatility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/volatility/compare"
)

// TestSets: an array whose elements repeat as they like is a set; one that loses an element is none.
func TestSets(t *testing.T) {
	for name, c := range map[string]struct {
		items func(c call) []string
		want  string
	}{
		"repeated": {func(c call) []string {
			return append([]string{`"a"`, `"b"`, `{"n":1}`}, []string{`"a"`, `"b"`, `"a"`, `{"n":1}`}[:c.rng.IntN(5)]...)
		}, "set"},
		"some of them": {func(c call) []string { return []string{`"a"`, `"b"`, `"c"`, `"d"`}[:1+c.rng.IntN(4)] }, ""},
		"shuffled": {func(c call) []string {
			all := []string{`"a"`, `"b"`, `"c"`, `"d"`}
			c.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			return all
		}, "any"},
	} {
		a := &api{runs: 8, steps: 4, answer: func(c0 call) answer {
			return body(`{"tags":[%s]}`, strings.Join(c.items(c0), ","))
		}}
		m := a.judge(t)
		f := field(t, m, "/body/tags")
		if f.Holds.Order != c.want {
			t.Errorf("%s: order %q, want %q (%v)", name, f.Holds.Order, c.want, fmt.Sprint(f.Evidence))
		}
	}
	if compare.SameSet(`[1]`, `[1.0]`) || compare.SameSet(`[]`, `[]`) || compare.SameSet(`{"a":1}`, `[1]`) || !compare.SameSet(`[1,2]`, `[2,1,1]`) {
		t.Error("sets are not what they should be")
	}
}
