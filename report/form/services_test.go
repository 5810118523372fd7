package form

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// served are findings of an API that asks a service.
func served() *findings.Findings {
	f := &findings.Findings{Map: &mapfile.Map{}, Operations: []findings.Operation{{ID: "o1", Operation: "GET /orders", Status: 200}},
		Places: []findings.Place{{ID: "p1", Operation: "o1", Place: "/body/usd",
			Reasons: []report.Reason{{Code: "follows-external:rates.example/latest#/usd"}}}},
		Services: &inspect.Externals{Calls: []*inspect.Asking{{Cause: inspect.CauseBackground, Service: "https://rates.example:443", Method: "GET",
			Path: "/all\x1b[2J", Calls: 4, Statuses: map[string]int{"0": 1, "200": 3}}}},
		Behaviors: []findings.Behavior{{Stubs: "001", Request: "GET /orders", Status: 200},
			{Stubs: "002", Request: "GET /orders", Status: 500, Findings: []string{"5xx", "stack trace"},
				Calls: []string{"GET a.example:80/b: 200", "GET rates.example:443/latest: 503"}}, {Stubs: "003", Request: "GET /orders", End: "hang", Findings: []string{"hang"}}}}
	return f
}

func TestServices(t *testing.T) {
	var text, markdown bytes.Buffer
	if err := Text(&text, served()); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, served()); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{text.String(), markdown.String()} {
		for _, want := range []string{"in the background asks GET https://rates.example:443/all", "4 calls, 1 without an answer",
			"GET /orders 200 /body/usd follows rates.example/latest#/usd", "GET /orders: 500 (5xx, stack trace), behind GET rates.example:443/latest: 503, by the stubs in 002",
			"GET /orders: no answer (hang), by the stubs in 003",
			"1 more behavior in which nothing looks wrong"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%q", out)
		}
	}
}

// What is long is cut, and said to be.
func TestManyServices(t *testing.T) {
	f := served()
	for n := range 3 * maxListed {
		call := *f.Services.Calls[0]
		call.Path = fmt.Sprintf("/all/%d", n)
		f.Services.Calls = append(f.Services.Calls, &call)
	}
	groups := services(f)
	if len(groups) != 3 || len(groups[0].lines) != maxListed || groups[0].more != 2*maxListed+1 {
		t.Errorf("%+v", groups)
	}
	if got := services(&findings.Findings{}); len(got) != 0 {
		t.Errorf("of nothing is said %+v", got)
	}
}
