package volatility

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

// TestCaptures: the gaps of a pattern are named, and those that repeat the request say so.
func TestCaptures(t *testing.T) {
	for name, c := range map[string]struct {
		text func(c call) string
		want []mapfile.Capture
	}{
		"a path that names what was asked for": {func(c call) string { return fmt.Sprintf("/things/%d", 1000+c.rng.IntN(9000)) },
			[]mapfile.Capture{{Is: "number"}}},
		"number of the path": {func(c call) string { return fmt.Sprintf("Order %d placed in %dms", c.step, 10+c.rng.IntN(900)) },
			[]mapfile.Capture{{Is: "number", Echo: "/path/1"}, {Is: "duration"}}},
		"a number of its own": {func(c call) string { return fmt.Sprintf("Ticket %d is open", 100+c.rng.IntN(90000)) },
			[]mapfile.Capture{{Is: "number"}}},
		"twice": {func(c call) string { return fmt.Sprintf("Number %d, ticket %d", c.step, 100+c.rng.IntN(90000)) },
			[]mapfile.Capture{{Is: "number", Echo: "/path/1"}, {Is: "number"}}},
		"uuid": {func(c call) string { return "Request " + uuid(c) + " failed" }, []mapfile.Capture{{Is: "uuid"}}},
		"name": {func(c call) string { return "Hello " + []string{"Ann", "Bob", "Cleo"}[c.rng.IntN(3)] + ", welcome" }, []mapfile.Capture{{Is: "word"}}},
		"date": {func(c call) string {
			return "Backup of " + c.at.Format("2006-01-02") + fmt.Sprintf(" number %d done", c.run)
		}, []mapfile.Capture{{Is: "date"}, {Is: "number"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 10, steps: 5, answer: func(c2 call) answer { return body(`{"m":%q}`, c.text(c2)) }}
			h := field(t, a.judge(t), "/body/m").Holds
			if h.Pattern == "" {
				t.Fatalf("no pattern: %+v", h)
			}
			if diff := cmp.Diff(c.want, h.Captures); diff != "" {
				t.Errorf("%s (-want +got):\n%s", h.Pattern, diff)
			}
		})
	}
}

// TestMonotone: a number that no later answer has smaller is said to rise; one that a reset sets back is not.
func TestMonotone(t *testing.T) {
	for name, c := range map[string]struct {
		value func(c call) int
		want  string
	}{
		"counter":       {func(c call) int { return 100 + c.run*10 + c.step }, "rising"},
		"with resets":   {func(c call) int { return 100 + c.step }, ""},
		"per request":   {func(c call) int { return 100 + c.run*10 + c.step%3 }, ""},
		"random":        {func(c call) int { return c.rng.IntN(1000) }, ""},
		"one step back": {func(c call) int { return 100 + c.run*10 + c.step - 30*(c.run/9) }, ""},
	} {
		a := &api{runs: 10, steps: 6, answer: func(c2 call) answer { return body(`{"n":%d}`, c.value(c2)) }}
		if got := field(t, a.judge(t), "/body/n").Holds.Monotone; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
