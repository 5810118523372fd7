package steady_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/waits/settle"
)

// What tells that the API is ready is not held still where reads are waited for: a job that failed is not shown as done,
// though both have been seen.
func TestEndsAreNotHeldStill(t *testing.T) {
	states := []string{"done", "pending", "failed"}
	w := world{
		requests: []string{"GET /jobs/7 HTTP/1.1\nHost: a"},
		answer: func(run, _ int, _ time.Time) string {
			result := ""
			if run%3 == 0 {
				result = `,"result":{"cups":2}`
			}
			return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" + `{"state":"` + states[run%3] + `"` + result + `}`
		},
	}
	oracle := &settle.Oracle{Status: 200, Values: []settle.Value{
		{Place: "/body/state", JSON: `"done"`, Type: settle.String}, {Place: "/body/result", Type: settle.Object}}}
	for _, waited := range []bool{false, true} {
		s, raw := w.learned(t, func(o *steady.Options) {
			if waited {
				o.Oracles = map[uint64]*settle.Oracle{1: oracle}
			}
		})
		_, shown := say(s, w.requests[0], w.answer(2, 0, began(live)))
		if failed := strings.HasSuffix(shown, `{"state":"failed"}`); failed != waited {
			t.Errorf("waited for %t: the client sees %q", waited, shown)
		}
		told := slices.Contains(*raw, "/body/state: not what the API answers when it is ready")
		if told != waited {
			t.Errorf("waited for %t: it is told that %q passed", waited, *raw)
		}
	}
}
