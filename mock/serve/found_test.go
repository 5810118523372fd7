package serve

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/google/go-cmp/cmp"
)

// Who searches is told which requests were not searched, and what to do.
func TestUnsteadyRequestsAreTold(t *testing.T) {
	var out bytes.Buffer
	found := search.Result{Unsteady: []search.Request{{Method: "GET", Target: "/quote?token=4f9d2c71a8"}}}
	if err := WriteFound(t.TempDir(), found, 1, &console.Console{Err: &out}); err != nil {
		t.Fatal(err)
	}
	first, last, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(first, "flaketap: GET /quote is not searched: ") || !strings.Contains(first, "--patience") || !strings.HasPrefix(last, "flaketap: 0 behaviors found") {
		t.Error(out.String())
	}
}

// Who searches is told behind which answer a behavior with findings came, without the query of what was asked.
func TestFindingsAreTold(t *testing.T) {
	var out bytes.Buffer
	asked := []search.Call{{Service: "a.example:443", Method: "GET", Target: "/a", Status: 200, Times: 1},
		{Service: "b.example:80", Method: "GET", Target: "/b?key=4f9d2c71a8", Status: 503, Times: 1}}
	broken := slices.Clone(asked)
	broken[1].Status = 0
	request := search.Request{Method: "GET", Target: "/quote?a=b"}
	found := search.Result{Behaviors: []*search.Behavior{
		{Request: request, Status: 500, Calls: asked, Findings: []search.Finding{"5xx"}},
		{Request: request, Status: 500, Calls: broken, Findings: []search.Finding{"5xx", "stack trace"}},
		{Request: request, Status: 200, Calls: asked}, {Request: request, End: "hang", Findings: []search.Finding{"hang"}}}}
	dir := t.TempDir()
	if err := WriteFound(dir, found, 1, &console.Console{Err: &out}); err != nil {
		t.Fatal(err)
	}
	want := "GET /quote: 5xx, behind 503 of GET b.example:80/b; flaketap mock serve DIR/001 serves its stubs\n" +
		"GET /quote: 5xx, stack trace, behind no answer of GET b.example:80/b; flaketap mock serve DIR/002 serves its stubs\n" +
		"GET /quote: hang; flaketap mock serve DIR/004 serves its stubs\n" +
		"flaketap: 4 behaviors found, 3 of them with findings, in DIR\n"
	if diff := cmp.Diff(want, strings.ReplaceAll(out.String(), dir, "DIR")); diff != "" {
		t.Error(diff)
	}
}

// Who searches is told of connections that no stub can answer; what a fault of a trial did to a service that was asked
// is none of that.
func TestUnheardIsTold(t *testing.T) {
	var out bytes.Buffer
	o := SearchOptions{Serve: Options{Console: &console.Console{Err: &out}}}
	found := search.Result{Behaviors: []*search.Behavior{{Calls: []search.Call{{Service: "a.example:443"}}}}}
	o.tellUnheard(aReport(), found)
	for _, part := range []string{"flaketap: b.example:25: 2 connections refused: ", "flaketap: c.example:443: 1 connection ended at the certificate", "flaketap: refused: udp to 192.0.2.1:8125, 2 times"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "a.example") || strings.Contains(out.String(), "idle.example") || strings.HasSuffix(out.String(), "\n\n") {
		t.Error(out.String())
	}
	out.Reset()
	if o.tellUnheard(Report{}, found); out.Len() > 0 {
		t.Errorf("it says %q", out.String())
	}
}
