package volatility

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
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

// A run that sends wrong values on purpose is answered by refusals: its answers are no evidence, beside those of others
// and alone.
func TestMisledRunsTellNothing(t *testing.T) {
	says := func(c call) answer {
		if c.run == 4 {
			return answer{status: 404, body: `{"error":"no such thing"}`}
		}
		return answer{body: fmt.Sprintf(`{"v":"hello world","at":%d}`, c.at.Unix())}
	}
	plain := api{runs: 3, steps: 3, answer: says}
	misled := api{runs: 4, steps: 3, answer: says, perturb: map[int]string{4: "bindings"}}
	if diff := cmp.Diff(judgements(plain.judge(t)), judgements(misled.judge(t))); diff != "" {
		t.Errorf("what is said with a misled run beside three others (-want +got):\n%s", diff)
	}
	alone := api{runs: 1, steps: 3, answer: func(call) answer { return answer{status: 404} }, perturb: map[int]string{1: "bindings"}}
	for _, o := range alone.judge(t).Operations {
		for _, f := range o.Fields {
			if f.Changed > 0 || f.Of > 0 {
				t.Errorf("%s moved in %d of %d answers of a misled run", f.Place, f.Changed, f.Of)
			}
		}
	}
}

// judgements is what a map says of places, a line for each.
func judgements(m *mapfile.Map) []string {
	var lines []string
	for _, o := range m.Operations {
		for _, f := range o.Fields {
			lines = append(lines, fmt.Sprintf("%s %d %s %s %s %d/%d %v", o.Operation, o.Status, f.Place, f.Judgement, f.Category, f.Changed, f.Of, f.Evidence))
		}
	}
	return lines
}
