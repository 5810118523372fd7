package write

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// Each form writes what is waited for, in tests and in set-ups, and for how long.
func TestWaitsAreWritten(t *testing.T) {
	step := func(role plan.Role, seq uint64) plan.Step {
		return plan.Step{
			Role: role, Seq: seq, Title: "GET /jobs/7", Method: "GET", Target: lit("/jobs/7"),
			Wait: &plan.Wait{
				Status: 200, Patience: 5 * time.Second,
				Values: []plan.Awaited{{Place: "/body/state", JSON: json.RawMessage(`"done"`)}},
			},
			Checks: []plan.Check{
				{Kind: plan.CheckStatus, Statuses: []int{200}},
				{Kind: plan.CheckEqual, Place: "/body/state", Text: lit("done")},
			},
		}
	}
	p := plan.Plan{Target: "http://127.0.0.1:8080", Tests: []plan.Test{{
		Name: "get_result_gives_200", Group: "jobs", Steps: []plan.Step{step(plan.SetUp, 1), step(plan.Tested, 2)},
	}}}
	p.Tests[0].Steps[0].Checks = p.Tests[0].Steps[0].Checks[:1]
	want := map[string]string{
		"go":      `until: until{code: 200, values: map[string]string{"/body/state": ` + "`\"done\"`" + `}, seconds: 5}`,
		"hurl":    "[Options]\nretry: 50\nretry-interval: 100ms\nHTTP 200\n[Asserts]\n",
		"jest":    `until: { status: 200, values: { "/body/state": "done" }, seconds: 5 }`,
		"junit5":  `.filter(until(5, 200, "/body/state", "\"done\""))`,
		"kotlin":  `.filter(until(5, 200, "/body/state", "\"done\""))`,
		"postman": `if (!t.waits({ status: 200, values: { \"/body/state\": \"done\" }, seconds: 5 })) {`,
		"pytest":  `until=answers(status=200, values={"/body/state": "done"}), seconds=5`,
	}
	for _, form := range Names() {
		files, err := Write(form, p)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			all.Write(f.Data)
			all.WriteByte('\n')
		}
		words := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if n := strings.Count(words(strings.ReplaceAll(all.String(), ",\n", "\n")), words(want[form])); n != 2 {
			t.Errorf("%s: %d of 2 requests wait:\n%s", form, n, all.String())
		}
	}
}
