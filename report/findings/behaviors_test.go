package findings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeBehaviors(t *testing.T) {
	got, err := DecodeBehaviors([]byte(`{"flaketap": "mock-search", "version": 1, "seed": 1, "behaviors": [
		{"stubs": "001", "request": "GET /a", "trial": 3, "end": "", "status": 502, "answer": "{}", "findings": ["success"],
		 "calls": [{"service": "rates.example:443", "method": "GET", "target": "/x?y=1", "status": 0, "times": 10},
			{"service": "rates.example:443", "method": "GET", "target": "/z", "status": 200, "times": 1}]},
		{"stubs": "002", "request": "GET /a", "end": "broke", "status": 0},
		{"stubs": "003", "request": "GET /b", "end": "hang", "status": 0, "findings": ["slow"], "waited": {"seconds": 10.021, "status": 504}}], "fields": [], "traces": []}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Behavior{{Stubs: "001", Request: "GET /a", Status: 502, Findings: []string{"success"},
		Services: []string{"rates.example:443"},
		Calls:    []string{"GET rates.example:443/x?y=1: no answer, 10 times", "GET rates.example:443/z: 200"}},
		{Stubs: "002", Request: "GET /a", End: "broke", Services: []string{}, Calls: []string{}, Findings: []string{}},
		{Stubs: "003", Request: "GET /b", End: "hang", Services: []string{}, Calls: []string{}, Findings: []string{"slow"}, Waited: &Wait{Seconds: 10.021, Status: 504}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got[0].Outcome() != "502" || got[1].Outcome() != "broken off" || (Behavior{End: "hang"}).Outcome() != "no answer" {
		t.Errorf("outcomes %q, %q", got[0].Outcome(), got[1].Outcome())
	}
	for want, w := range map[string]Wait{"504 after 10.0 s": {10.021, 504, false}, "broken off after 12.0 s": {12, 0, true}, "no answer in 30 s": {30.004, 0, false}} {
		if got := (Behavior{End: "hang", Waited: &w}).Outcome(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for data, want := range map[string]string{`{"flaketap": "map"}`: "mock search --out DIR", `[`: "unexpected end"} {
		if _, err := DecodeBehaviors([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := ReadBehaviors(t.TempDir()); err == nil || !strings.Contains(err.Error(), "read behaviors") {
		t.Error(err)
	}
}

func FuzzDecodeBehaviors(f *testing.F) {
	f.Add([]byte(`{"flaketap": "mock-search", "behaviors": [{"status": -1, "calls": [{"times": 3}], "findings": ["5xx"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := DecodeBehaviors(data)
		if err == nil && (all == nil || len(all) > maxBehaviors) {
			t.Errorf("%d behaviors", len(all))
		}
		for _, b := range all {
			if b.Outcome() == "" {
				t.Errorf("%+v has no outcome", b)
			}
		}
	})
}
