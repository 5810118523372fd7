package fresh

import (
	"encoding/json"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/google/go-cmp/cmp"
)

const address = "bob@x.org"

// signUp is a plan that signs somebody up for all tests, and reads what came of it.
func signUp(body string, more ...plan.Step) *plan.Plan {
	sends := plan.Step{Role: plan.SetUp, Once: true, Single: true, Method: "POST", Target: lit("/users"), Body: &plan.Body{Text: lit(body)},
		Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{201}}, {Kind: plan.CheckJSON, Place: exchange.PlaceBody,
			JSON: json.RawMessage(`{"email":"bob@x.org","hint":"not jacobob@x.org","of":["bob@x.org"]}`)}}}
	return &plan.Plan{Tests: []plan.Test{{Name: "reads", Steps: append([]plan.Step{sends}, more...)}}}
}

func lit(s string) plan.Text { return plan.Text{{Literal: s}} }

func TestNames(t *testing.T) {
	named := plan.Text{{Literal: "bob"}, {Bound: Run}, {Literal: "@x.org"}}
	p := signUp(`{"email":"bob@x.org","password":"pw"}`, plan.Step{Role: plan.Tested, Method: "GET", Target: lit("/users?of=bob@x.org")})
	if !Names(p) {
		t.Fatal("nothing is named")
	}
	s := p.Tests[0].Steps
	want := plan.Text{{Literal: `{"email":"bob`}, {Bound: Run}, {Literal: `@x.org","password":"pw"}`}}
	if diff := cmp.Diff(want, s[0].Body.Text); diff != "" {
		t.Errorf("body: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(plan.Text{{Literal: "/users?of=bob"}, {Bound: Run}, {Literal: "@x.org"}}, s[1].Target); diff != "" {
		t.Errorf("target: -want +got\n%s", diff)
	}
	checks := []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{201}},
		{Kind: plan.CheckJSON, Place: exchange.PlaceBody, Masks: []exchange.Place{"/email", "/of/0"},
			JSON: json.RawMessage(`{"email":"<volatile>","hint":"not jacobob@x.org","of":["<volatile>"]}`)},
		{Kind: plan.CheckEqual, Place: "/body/email", Text: named}, {Kind: plan.CheckEqual, Place: "/body/of/0", Text: named}}
	if diff := cmp.Diff(checks, s[0].Checks); diff != "" {
		t.Errorf("checks: -want +got\n%s", diff)
	}
	if len(p.Bound) != 1 || !p.Bound[0].Fresh || p.Bound[0].Name != Run {
		t.Errorf("%+v", p.Bound)
	}
}

// TestNamesLeft: an address is left alone where nobody knows whose it is, or the plan holds it in a way that no run can
// be put into.
func TestNamesLeft(t *testing.T) {
	secret := signUp(`{"email":"bob@x.org"}`)
	secret.Secrets = map[string]string{"secret:1": "of " + address}
	other := signUp(`{"email":"bob@x.org"}`)
	other.Tests[0].Steps[0].Single = false
	for name, p := range map[string]*plan.Plan{
		"none":                        signUp(`{"name":"bob"}`),
		"two":                         signUp(`{"email":"bob@x.org","of":"eve@x.org"}`),
		"escaped":                     signUp(`{"email":"bob@x.org"}`, plan.Step{Target: lit("/users?of=bob%40x.org")}),
		"secret":                      secret,
		"no account that tests share": other,
	} {
		before, _ := json.Marshal(p)
		if Names(p) {
			t.Errorf("%s: named", name)
		}
		if after, _ := json.Marshal(p); string(after) != string(before) {
			t.Errorf("%s: the plan was changed", name)
		}
	}
}

// A test that does not send the address tells of another thing of that name, such as an example in a document: it says
// what was recorded.
func TestNamesOfOthers(t *testing.T) {
	p := signUp(`{"email":"bob@x.org"}`)
	document := plan.Check{Kind: plan.CheckJSON, Place: exchange.PlaceBody, JSON: json.RawMessage(`{"example":"bob@x.org"}`)}
	p.Tests = append(p.Tests, plan.Test{Name: "document", Steps: []plan.Step{{Role: plan.Tested, Method: "GET",
		Target: lit("/openapi.json"), Checks: []plan.Check{document}}}})
	if !Names(p) {
		t.Fatal("nothing is named")
	}
	if diff := cmp.Diff([]plan.Check{document}, p.Tests[1].Steps[0].Checks); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
