package volatility

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestCached: what an answer that may be kept for a while has anew once it has expired is told by that, and not taken for
// the clock's; what is the clock's all the same stays so.
func TestCached(t *testing.T) {
	const kept = 30 * time.Second
	epoch := func(c call) int64 { return int64(c.at.Sub(moment0)/kept) + 7 } // how often it was made anew
	for _, c := range []struct {
		name string
		says func(c call) string
		head string
		want kind
		code string
	}{
		{"an id that is drawn", func(c call) string {
			c.rng = rand.New(rand.NewPCG(uint64(epoch(c)), uint64(c.step)))
			return fmt.Sprintf("%q", uuid(c))
		}, "Cache-Control: max-age=30\r\n", kind{mapfile.Jitter, mapfile.Rand}, "cached:30s"},
		{"what others do", func(c call) string { return []string{`"calm sea"`, `"storm at sea"`, `"rain"`}[epoch(c)%3] },
			"Cache-Control: public, max-age=30\r\n", kind{mapfile.Jitter, mapfile.State}, "cached:30s"},
		{"when it was made", func(c call) string {
			return fmt.Sprintf("%q", c.at.Truncate(kept).Add(9*time.Second).Format(time.RFC3339))
		},
			"Cache-Control: max-age=30\r\n", kind{mapfile.Jitter, mapfile.Time}, ""},
		{"drawn each time", func(c call) string { return fmt.Sprintf("%q", uuid(c)) },
			"Cache-Control: max-age=30\r\n", kind{mapfile.Jitter, mapfile.Rand}, ""},
		{"not said to be kept", func(c call) string { return []string{`"calm sea"`, `"storm at sea"`, `"rain"`}[epoch(c)%3] },
			"", kind{mapfile.Jitter, mapfile.Time}, ""},
	} {
		a := api{runs: 5, steps: 3, start: "continued", gap: 2 * time.Second, perturb: map[int]string{5: "delay=31s"},
			answer: func(k call) answer {
				return answer{head: c.head, body: `{"v":` + c.says(k) + `}`}
			}}
		a.later = func(run int) time.Duration {
			if run == 5 {
				return 31 * time.Second
			}
			return 0
		}
		f := field(t, a.judge(t), "/body/v")
		said := slices.DeleteFunc(slices.Clone(f.Evidence), func(code string) bool { return !strings.HasPrefix(code, "cached:") })
		if got := (kind{f.Judgement, f.Category}); got != c.want || strings.Join(said, " ") != c.code {
			t.Errorf("%s: %s %s %q, want %v %q", c.name, f.Judgement, f.Category, f.Evidence, c.want, c.code)
		}
	}
}

// Quick runs cannot see what changes when a cached answer expires: the map says so, of no other answers.
func TestCachedForLongerThanRunsLasted(t *testing.T) {
	const doubt = "answers may be cached for longer than any run was later than the recording (GET /things/{id}: up to 5m0s): " +
		"what changes when they expire was not seen"
	for _, c := range []struct {
		head string
		gap  time.Duration
		want bool
	}{
		{"Cache-Control: max-age=300\r\n", time.Second, true},
		{"Cache-Control: max-age=300\r\n", 2 * time.Minute, false}, // the last run is 10 minutes later
		{"", time.Second, false},
	} {
		a := api{runs: 5, steps: 2, start: "continued", gap: c.gap, answer: func(call) answer { return answer{head: c.head, body: `{"v":1}`} }}
		if got := slices.Contains(a.judge(t).Warnings, doubt); got != c.want {
			t.Errorf("%q with runs %s apart: %q, want the doubt: %t", c.head, c.gap, a.judge(t).Warnings, c.want)
		}
	}
}
