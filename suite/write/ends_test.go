package write

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// earlyPlan is a plan whose first test is skipped where its set-up is refused, with 409, and cleans up all the same; and
// whose second has a set-up that changes what the one before it made.
func earlyPlan() plan.Plan {
	item := plan.Text{{Literal: "/items/"}, {Bound: "itemId", Escape: plan.InPath}}
	status := func(any ...int) []plan.Check { return []plan.Check{{Kind: plan.CheckStatus, Statuses: any}} }
	makes := plan.Step{Role: plan.SetUp, Seq: 1, Title: "POST /items", Method: "POST", Target: lit("/items"),
		Captures: []plan.Capture{{Name: "itemId", Place: "/body/id"}}, Checks: status(201, 409), Ends: true}
	reads := plan.Step{Role: plan.Tested, Seq: 3, Title: "GET /items/{id}", Method: "GET", Target: item, Checks: status(200)}
	cleans := plan.Step{Role: plan.CleanUp, Seq: 4, Title: "DELETE /items/{id}", Method: "DELETE", Target: item, Given: []string{"itemId"}}
	strict := makes
	strict.Checks, strict.Ends = status(201), false
	changes := plan.Step{Role: plan.SetUp, Seq: 2, Title: "PUT /items/{id}", Method: "PUT", Target: item, Given: []string{"itemId"}, Checks: status(200)}
	return plan.Plan{
		Target: "http://127.0.0.1:8080",
		Bound:  []plan.Value{{Name: "itemId", Recorded: lit("17"), From: "POST /items /body/id"}},
		Tests: []plan.Test{
			{Name: "ends", Group: "items", Steps: []plan.Step{makes, reads, cleans}},
			{Name: "fails", Group: "items", Steps: []plan.Step{strict, changes, reads, cleans}},
		},
	}
}

// TestSkips: where a set-up is answered by another status that it may have, each form that can skip the rest of the test
// does, with words, and Hurl leaves the test out.
func TestSkips(t *testing.T) {
	for form, want := range map[string]string{
		"pytest":  "    if res.status != 201:\n            pytest.skip(\"the set-up is refused",
		"go":      "if res.code != 201 {\n\t\tc.t.Skip(\"the set-up is refused",
		"jest":    "if (res.status !== 201) {\n      console.warn(\"the set-up is refused",
		"junit5":  "assumeTrue(\n          res.statusCode() == 201, \"the set-up is refused",
		"kotlin":  "res.statusCode() == 201,\n        \"the set-up is refused",
		"postman": `"t.only(201);"`,
		"hurl":    "is left out: Hurl cannot end a test early",
	} {
		files, err := Write(form, earlyPlan())
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			if base := filepath.Base(f.Name); !strings.HasPrefix(base, "flaketap") && !strings.HasSuffix(base, ".md") {
				all.Write(f.Data)
			}
		}
		if !strings.Contains(all.String(), want) {
			t.Errorf("%s has no %q:\n%s", form, want, all.String())
		}
	}
}

// TestSkipsInParts: a test of several methods is skipped as a whole, since an assumption throws.
func TestSkipsInParts(t *testing.T) {
	p := earlyPlan()
	for range 600 {
		p.Tests[0].Steps = append(p.Tests[0].Steps[:2:2], p.Tests[0].Steps[1:]...)
	}
	for form, wants := range map[string][]string{
		"junit5": {"      endsPart1();\n", "private void endsPart1() {", "    assumeTrue("},
		"kotlin": {"      endsPart1()\n", "private fun endsPart1() {", "    assumeTrue("},
	} {
		files, err := Write(form, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, want := range wants {
				if strings.Contains(f.Name, "ItemsTest") && !strings.Contains(string(f.Data), want) {
					t.Errorf("%s has no %q", f.Name, want)
				}
			}
		}
	}
}
