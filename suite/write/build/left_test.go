package build

import (
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// Each exchange of a recording is in a test, or counted with a reason.
func TestLeft(t *testing.T) {
	lines := []string{
		`GET /books > 200 {"books":[]}`, `GET /books > 200 {"books":[]}`,
		`GET /books?q=a > 404 {"error":"none"}`, `GET /books?q=b > 404 {"error":"no"}`,
		`POST /books {"title":"Sand"} > 201 {"title":"Sand"}`, `POST /books {"title":"Emma"} > 201 {"title":"Emma"}`,
		`PUT /books > 405`, `PUT /shelves > 405`,
		`GET /shelves?n=1 > 200 {"n":1}`, `GET /shelves?n=2 > 200 {"n":2}`, `GET /shelves?n=3 > 200 {"n":3}`, `GET /shelves?n=4 > 200 {"n":4}`,
	}
	p := build(t, session(t, lines...), Options{})
	want := map[string]int{leftAlike: 1, leftRefused: 1, leftWritten: 1, leftMethods: 1, leftEnough: 1}
	got, in := map[string]int{}, 0
	for _, l := range p.Left {
		got[l.Why] = l.Exchanges
	}
	for why, n := range want {
		if got[why] != n {
			t.Errorf("%d are %s, want %d", got[why], why, n)
		}
		in += got[why]
	}
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if s.Role == plan.Tested {
				in++
			}
		}
	}
	if in != len(lines) || len(got) != len(want) {
		t.Errorf("%d of %d exchanges are in tests or told: %v", in, len(lines), got)
	}
	if p := build(t, session(t, lines...), Options{All: true}); len(p.Left) > 0 {
		t.Errorf("all are wanted, and %v left out", p.Left)
	}
}

// A test that asserts nothing of any answer is none.
func TestSilent(t *testing.T) {
	step := func(checks ...plan.Check) plan.Test {
		return plan.Test{Steps: []plan.Step{{Role: plan.SetUp, Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{201}}}},
			{Role: plan.Tested, Checks: checks}}}
	}
	any200 := plan.Check{Kind: plan.CheckStatus}
	for _, tt := range []struct {
		name string
		test plan.Test
		want bool
	}{
		{"any status", step(any200), true},
		{"a comment", step(any200, plan.Check{Kind: plan.CheckHolds, Place: "/body", Optional: true, Why: "ignored"}), true},
		{"a status", step(plan.Check{Kind: plan.CheckStatus, Statuses: []int{200, 503}}), false},
		{"a body", step(any200, plan.Check{Kind: plan.CheckEmpty, Place: "/body"}), false},
		{"something is there", step(any200, plan.Check{Kind: plan.CheckHolds, Place: "/body/a"}), false},
	} {
		if got := silent(tt.test); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}
