package volatility

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestMovedOnlyBy: what moves in the runs of one condition alone depends on what that changed. What moves in others too
// does not, nor what moved so seldom that it may have been chance.
func TestMovedOnlyBy(t *testing.T) {
	in := func(runs ...int) func(call) answer {
		return func(c call) answer {
			if slices.Contains(runs, c.run) {
				return body(`{"v":"salut tout le monde"}`)
			}
			return body(`{"v":"hello world"}`)
		}
	}
	for _, c := range []struct {
		name    string
		runs    int
		steps   int
		perturb map[int]string
		moves   []int
		want    kind
		code    string
	}{
		{"later", 4, 1, map[int]string{4: "delay=2s"}, []int{4}, kind{mapfile.Jitter, mapfile.Time}, "moved-only-by:delay"},
		{"in another language", 4, 2, map[int]string{4: "language=fr"}, []int{4}, kind{mapfile.Hint, ""}, "moved-only-by:language"},
		{"in another zone, of two runs", 5, 1, map[int]string{4: "tz=Asia/Tokyo", 5: "tz=UTC"}, []int{4, 5}, kind{mapfile.WouldMove, mapfile.Env}, "moved-only-by:tz"},
		{"in another order", 4, 2, map[int]string{4: "order=reverse"}, []int{4}, kind{mapfile.Hint, ""}, "moved-only-by:order"},
		{"beside each other", 4, 2, map[int]string{4: "workers=4"}, []int{4}, kind{mapfile.Hint, ""}, "moved-only-by:workers"},
		{"in others too", 4, 2, map[int]string{4: "language=fr"}, []int{3, 4}, kind{}, ""},
		{"under two conditions", 5, 2, map[int]string{4: "tz=UTC", 5: "order=reverse"}, []int{4, 5}, kind{mapfile.WouldMove, mapfile.Env}, "moved-only-by:tz"},
		{"later and on other connections", 5, 2, map[int]string{4: "delay=2s", 5: "connection=fresh"}, []int{4, 5}, kind{}, ""},
		{"after another start", 4, 2, map[int]string{4: "restart"}, []int{4}, kind{mapfile.Drift, mapfile.Env}, "moved-only-by:restart"},
		{"one run as recorded, two moves", 2, 2, map[int]string{2: "language=fr"}, []int{2}, kind{mapfile.Hint, ""}, "moved-only-by:language"},
		{"one run as recorded, one move", 2, 1, map[int]string{2: "language=fr"}, []int{2}, kind{}, ""},
		{"no run as recorded", 1, 3, map[int]string{1: "language=fr"}, []int{1}, kind{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := api{runs: c.runs, steps: c.steps, perturb: c.perturb, answer: in(c.moves...)}
			f := field(t, a.judge(t), "/body/v")
			code := ""
			for _, e := range f.Evidence {
				if strings.HasPrefix(e, "moved-only-by:") {
					code = e
				}
			}
			if got := (kind{f.Judgement, f.Category}); code != c.code || code != "" && got != c.want {
				t.Errorf("got %v want %v: %q", got, c.want, f.Evidence)
			}
		})
	}
}

// TestDouble: what differs between answers to one request at one time, and between no others, was drawn; a number that
// each request raises was not, whichever of those sent at one instant came first.
func TestDouble(t *testing.T) {
	came := []int{0, 2, 1, 3, 4} // the second answer was to the request that came first
	m := judgeRows(t, 3, 4, func(step, n int) (int, string) {
		seen := 7
		if n > 0 {
			seen += came[n] + 4*step
		}
		return 200, fmt.Sprintf(`{"drawn":%q,"seen":%d}`, []string{"calm", "calm", "odd", "calm", "calm"}[n], seen)
	}, "double")
	if f := field(t, m, "/body/drawn"); f.Judgement != mapfile.Jitter || f.Category != mapfile.Rand || !slices.Contains(f.Evidence, "moved-only-by:double") {
		t.Errorf("drawn: %s %s %q", f.Judgement, f.Category, f.Evidence)
	}
	if f := field(t, m, exchange.Place("/body/seen")); f.Judgement != mapfile.Stable {
		t.Errorf("seen: %s %s %q", f.Judgement, f.Category, f.Evidence)
	}
}
