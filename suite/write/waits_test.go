package write

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/waits/settle"
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
		"go":   `until: until{code: 200, values: map[string]string{"/body/state": ` + "`\"done\"`" + `}, seconds: 5}`,
		"hurl": "[Options]\nretry: 50\nretry-interval: 100ms\nHTTP 200\n[Asserts]\n",
		"jest": `until: { status: 200, values: { "/body/state": "done" }, seconds: 5 }`,
		"junit5": `await() .pollInSameThread() .pollDelay(Duration.ZERO) .pollInterval(Duration.ofMillis(100)) .atMost(Duration.ofSeconds(5)) ` +
			`.until(() -> given().when().request("GET", "/jobs/7"), says(200, "/body/state", "\"done\""))`,
		"kotlin": `await() .pollInSameThread() .pollDelay(Duration.ZERO) .pollInterval(Duration.ofMillis(100)) .atMost(Duration.ofSeconds(5)) ` +
			".until({ given().`when`().request(\"GET\", \"/jobs/7\") }, " + `says(200, "/body/state", "\"done\""))`,
		"postman": `if (!t.waits({ status: 200, values: { \"/body/state\": \"done\" }, seconds: 5 })) {`,
		"pytest":  `until=answers(status=200, values={"/body/state": "done"}), seconds=5`,
	}
	held(t, p, want)
}

// A project for Maven has Awaitility where a test waits, and else does not.
func TestAwaitilityIsThereForWaits(t *testing.T) {
	step := plan.Step{Role: plan.Tested, Seq: 1, Title: "GET /jobs/7", Method: "GET", Target: lit("/jobs/7"),
		Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}}}
	for _, form := range []string{"junit5", "kotlin"} {
		for _, wait := range []*plan.Wait{nil, {Status: 200, Patience: 5 * time.Second}} {
			step.Wait = wait
			files, err := Write(form, plan.Plan{Target: "http://127.0.0.1:8080", Tests: []plan.Test{{
				Name: "get_result_gives_200", Group: "jobs", Steps: []plan.Step{step}}}})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(files, func(f suite.File) bool { return f.Name == "pom.xml" })
			if has := at >= 0 && strings.Contains(string(files[at].Data), "<artifactId>awaitility</artifactId>"); has != (wait != nil) {
				t.Errorf("%s, waits: %t, has Awaitility: %t", form, wait != nil, has)
			}
		}
	}
}

// What is known of a wait is written too: how often to ask, what ends it in vain, and, above it, how long it took.
func TestWaitsAreWrittenWithWhatWasSeen(t *testing.T) {
	p := plan.Plan{Target: "http://127.0.0.1:8080", Tests: []plan.Test{{Name: "get_result_gives_200", Group: "jobs", Steps: []plan.Step{{
		Role: plan.Tested, Seq: 2, Title: "GET /jobs/7", Method: "GET", Target: lit("/jobs/7"),
		Wait: &plan.Wait{
			Status: 200, Patience: 5 * time.Second, Every: 20 * time.Millisecond,
			Seen:   settle.Times{N: 10, Median: 204 * time.Millisecond, Longest: 400 * time.Millisecond},
			Values: []plan.Awaited{{Place: "/body/state", JSON: json.RawMessage(`"done"`)}},
			InVain: []plan.Awaited{{Place: "/body/state", JSON: json.RawMessage(`"failed"`)}},
		},
		Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}},
	}}}}}
	p.Tests[0].Steps = append(p.Tests[0].Steps, p.Tests[0].Steps[0])
	held(t, p, map[string]string{
		"go": `until: until{code: 200, values: map[string]string{"/body/state": ` + "`\"done\"`" + `}, never: [][2]string{{"/body/state", ` +
			"`\"failed\"`" + `}}, seconds: 5, every: 20}`,
		"hurl": "[Options]\nretry: 250\nretry-interval: 20ms\nHTTP *\n[Asserts]\njsonpath \"$.state\" matches /^(?:done|failed)$/\n\n" +
			"GET {{url}}/jobs/7\nHTTP 200\n[Asserts]\njsonpath \"$.state\" == \"done\"\n",
		"jest": `until: { status: 200, values: { "/body/state": "done" }, never: [["/body/state", "failed"]], seconds: 5, every: 20 }`,
		"junit5": `.pollInterval(Duration.ofMillis(20)) .atMost(Duration.ofSeconds(5)) ` +
			`.until(() -> given().when().request("GET", "/jobs/7"), says(200, "/body/state", "\"done\"").orNever("/body/state", "\"failed\""))`,
		"kotlin": `.pollInterval(Duration.ofMillis(20)) .atMost(Duration.ofSeconds(5)) ` +
			".until({ given().`when`().request(\"GET\", \"/jobs/7\") }, " + `says(200, "/body/state", "\"done\"").orNever("/body/state", "\"failed\""))`,
		"postman": `never: [[\"/body/state\", \"failed\"]],`,
		"pytest":  `until=answers(status=200, values={"/body/state": "done"}, never=[("/body/state", "failed")]), seconds=5, every=0.02`,
	})
	seen := map[string]string{}
	for _, form := range Names() {
		seen[form] = "Ready 204ms after the write, 400ms at most, in 10 reads."
	}
	held(t, p, seen)
}

// held wants a suite of two requests that wait to have a text for each, in each form, white space and commas aside.
func held(t *testing.T, p plan.Plan, want map[string]string) {
	t.Helper()
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
		words := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, ",", "")), "") }
		if n := strings.Count(words(all.String()), words(want[form])); n != 2 {
			t.Errorf("%s: %d of 2 requests wait:\n%s", form, n, all.String())
		}
	}
}
