package jest

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// What gives the body of an answer is asked for again until that is ready; of a file that was patched so, the last
// answer is judged.
func TestPollsWhatIsGiven(t *testing.T) {
	const head = "async function jobOf(id) {\n  const r = await fetch(`http://a:1/jobs/${id}`);\n  expect(r.status).toBe(200);\n" +
		"  return r.json();\n}\n\ntest(\"it\", async () => {\n"
	given := func(margin string) string {
		return strings.ReplaceAll("{\n  ready: (body) => body?.state === \"done\",\n  failed: (body) => body?.state === \"failed\",\n"+
			"  seconds: 2,\n  every: 0.02,\n}", "\n", "\n"+margin)
	}
	poll := func(name, read string) string {
		return "  // flaketap: hm\n  const " + name + " = await pollFor(" + read + ", " + given("  ") + ");\n"
	}
	long := func(read string) string {
		return "  // flaketap: hm\n  const job = await pollFor(\n    " + read + ",\n    " + given("    ") + ",\n  );\n"
	}
	const asserts = "  expect(job.state).toBe(\"done\");\n"
	for _, tt := range []struct{ file, body, want string }{
		{"a.test.js", "  const job = await jobOf(7);\n" + asserts, poll("job", "() => jobOf(7)") + asserts},
		{"a.test.ts", "  const job = await jobOf(7);\n" + asserts, poll("job", "() => jobOf(7)") + asserts},
		{"a.test.js", "  const job = await (await fetch(`http://a:1/jobs/7`)).json();\n" + asserts,
			long("async () => (await fetch(`http://a:1/jobs/7`)).json()") + asserts},
		{"a.test.js", "  const job = await fetch(`http://a:1/jobs/7`).then((r) => r.json());\n" + asserts,
			long("() => fetch(`http://a:1/jobs/7`).then((r) => r.json())") + asserts},
		{"a.test.js", "  expect((await jobOf(7)).state).toBe(\"done\");\n", poll("answer1", "() => jobOf(7)") + "  expect(answer1.state).toBe(\"done\");\n"},
		{"a.test.js", "  expect(await jobOf(7)).toMatchObject({ state: \"done\" }); // now\n",
			poll("answer1", "() => jobOf(7)") + "  expect(answer1).toMatchObject({ state: \"done\" }); // now\n"},
		{"a.test.js", "  expect(await jobOf(7)).toEqual({ state: \"done\", total: 42 });\n",
			poll("answer1", "() => jobOf(7)") + "  expect(answer1).toEqual({ state: \"done\", total: 42 });\n"},
		{"a.test.js", "  const jobs = [await jobOf(7), await jobOf(8)];\n  expect(jobs[0].state).toBe(\"done\");\n",
			poll("answer1", "() => jobOf(7)") + "  const jobs = [answer1, await jobOf(8)];\n  expect(jobs[0].state).toBe(\"done\");\n"},
		{"a.test.js", "  const job = jobOf ? await jobOf(7) : null;\n" + asserts, ""},
		{"a.test.js", "  const job = jobOf.last || (await jobOf(7));\n" + asserts, ""},
		{"a.test.js", "  const job = jobOf.last ?? (await jobOf(7));\n" + asserts, ""},
		{"a.test.js", "  const r = jobOf ? await fetch(`http://a:1/jobs/7`) : null;\n  const job = await r.json();\n" + asserts, ""},
		{"a.test.js", "  if (jobOf) {\n    const job = await jobOf(7);\n  " + asserts + "  }\n", ""},
	} {
		s := wrote(t, tt.file, head+tt.body+"});\n")
		test := s.Tests[0]
		state := expr.Expr(expr.Index{X: expr.Answer{Var: test.Calls[0].Var, Part: expr.JSON}, I: expr.Str{Value: "state"}})
		status := expr.Cmp(expr.Answer{Var: test.Calls[0].Var, Part: expr.Status}, expr.Eq, expr.Int(200))
		w := script.Wait{Call: test.Calls[0], Ready: expr.AllOf(status, expr.Same(state, expr.Str{Value: "done"})),
			Body: expr.Same(state, expr.Str{Value: "done"}), Failed: expr.Same(state, expr.Str{Value: "failed"}), Atmost: 2 * time.Second, Every: 20 * time.Millisecond, Comment: "hm"}
		text := script.Apply(s.Text, s.Writer.Poll(s, test, w))
		if _, body, _ := strings.Cut(text, "test(\"it\", async () => {\n"); tt.want == "" && text != s.Text || tt.want != "" && body != tt.want+"});\n" {
			t.Errorf("%s becomes\n%s", tt.body, text)
		}
		w.Ready, w.Body = status, nil
		if edits := s.Writer.Poll(s, test, w); len(edits) > 0 {
			t.Errorf("%s is asked for the status that it does not have", tt.body)
		}
		if tt.want == "" {
			continue
		}
		again := wrote(t, tt.file, text).Tests[0]
		last := again.Assertions[len(again.Assertions)-1]
		for _, a := range again.Assertions {
			if strings.Contains(a.Text, "state") {
				last = a
			}
		}
		if c := again.Calls[0]; !c.Many || !c.Last || len(again.Calls) != len(test.Calls) || last.Reason != "" || !last.Place.Within("/body") {
			t.Errorf("read again: %+v, %+v\n%s", c, last, text)
		}
	}
}
