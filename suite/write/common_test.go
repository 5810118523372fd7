package write

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// commonPlan is a plan of twelve tests whose answers have two headers in common, but that the last lacks one of them,
// and the one before has the other otherwise.
func commonPlan() plan.Plan {
	p := plan.Plan{Target: "http://127.0.0.1:8080"}
	typed := func(name string) plan.Check {
		return plan.Check{Kind: plan.CheckHeader, Place: "/header/content-type", Lines: []plan.Text{lit(name)}}
	}
	drawn := plan.Check{Kind: plan.CheckHolds, Place: "/header/x-request-id", Holds: mapfile.Holds{Type: "string", Format: "hex:16"}}
	for i := range 12 {
		drawn.Why = fmt.Sprintf("Rand, moved in %d of %d", i+1, i+1)
		checks := []plan.Check{{Kind: plan.CheckStatus, Place: "/status", Statuses: []int{200}}, typed("application/json"), drawn}
		switch i {
		case 10:
			checks[1] = typed("text/plain")
		case 11:
			checks = checks[:2]
		}
		p.Tests = append(p.Tests, plan.Test{Name: fmt.Sprintf("get_things_%d", i), Group: "things", Steps: []plan.Step{
			{Role: plan.Tested, Seq: uint64(i + 1), Title: "GET /things/{id}", Method: "GET", Target: lit(fmt.Sprintf("/things/%d", i)), Checks: checks},
		}})
	}
	return p
}

// TestCommonChecks: what most answers have in common stands once in a suite, in a function that each test calls, also
// where an answer has it otherwise; the forms that cannot share it have it in each test.
func TestCommonChecks(t *testing.T) {
	for form, want := range map[string]struct {
		once  string   // a check that most answers have in common
		says  []string // what else the files say
		times int      // how often that check is there
	}{
		"pytest": {`holds(res, "/header/x-request-id"`, []string{
			"def check_common(res, status, but=()):", `    if "x-request-id" not in but:` + "\n        # /header/x-request-id: Rand\n",
			"from flaketap_common import check_common\n", "    check_common(res, status=200)\n", `    check_common(res, status=200, but=["content-type"])` + "\n" +
				`    assert res.headers["content-type"] == "text/plain"`, `    check_common(res, status=200, but=["x-request-id"])` + "\n",
		}, 1},
		"go": {`res.holds("/header/x-request-id"`, []string{
			"func (res *answer) common(status int, but ...except) {", `	if !slices.Contains(but, "x-request-id") {` + "\n\t\t// /header/x-request-id: Rand\n",
			"\tres.common(200)\n", `	res.common(200, except("content-type"))` + "\n" + `	res.header("content-type", "text/plain")`,
			`	res.common(200, except("x-request-id"))` + "\n}\n",
		}, 1},
		"jest": {`toHold("/header/x-request-id"`, []string{
			"function expectCommon(res, status, { except = [] } = {}) {", `  if (!except.includes("x-request-id")) {` + "\n    // /header/x-request-id: Rand\n",
			`const { expectCommon } = require("./common");`, "  expectCommon(res, 200);\n", `  expectCommon(res, 200, { except: ["content-type"] });` + "\n" +
				`  expect(res.header("content-type")).toBe("text/plain");`, `  expectCommon(res, 200, { except: ["x-request-id"] });` + "\n});",
		}, 1},
		"junit5": {`at("/header/x-request-id")`, []string{
			"static ValidatableResponse checkCommon(Response res, int status, String... but) {", `    if (!List.of(but).contains("x-request-id")) {`,
			"import static flaketap.Common.checkCommon;", "    checkCommon(res, 200);\n", `    checkCommon(res, 200, except("content-type")).header("content-type", "text/plain");`,
			`    checkCommon(res, 200, except("x-request-id"));`,
		}, 1},
		"kotlin": {`at("/header/x-request-id")`, []string{
			"fun checkCommon(res: Response, status: Int, but: List<String> = listOf()): ValidatableResponse {", `    if ("x-request-id" !in but) {`,
			"import flaketap.Common.checkCommon\n", "    checkCommon(res, 200)\n", `    checkCommon(res, 200, except("content-type")).header("content-type", "text/plain")`,
			`    checkCommon(res, 200, except("x-request-id"))`,
		}, 1},
		"postman": {`t.hold(\"/header/x-request-id\"`, []string{
			"checkCommon = (t, status, but = []) => {", `  if (!but.includes(\"x-request-id\")) {`, `"checkCommon(t, 200);"`,
			`"checkCommon(t, 200, [\"content-type\"]);"`, `"checkCommon(t, 200, [\"x-request-id\"]);"`,
		}, 1},
		"hurl": {`header "x-request-id" matches`, []string{`header "content-type" == "text/plain"`}, 11},
	} {
		files, err := Write(form, commonPlan())
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			if !strings.Contains(filepath.Base(f.Name), "own_test") {
				all.Write(f.Data)
			}
		}
		if n := strings.Count(all.String(), want.once); n != want.times {
			t.Errorf("%s has %s %d times, want %d", form, want.once, n, want.times)
		}
		for _, text := range want.says {
			if !strings.Contains(all.String(), text) {
				t.Errorf("%s has no %q", form, text)
			}
		}
	}
}

// TestNothingCommon: a suite in which no check is shared has no function for it.
func TestNothingCommon(t *testing.T) {
	for _, form := range Names() {
		files, err := Write(form, samplePlan())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if base := strings.ToLower(filepath.Base(f.Name)); strings.Contains(base, "common") {
				t.Errorf("%s writes %s", form, f.Name)
			}
		}
	}
}
