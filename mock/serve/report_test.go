package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/google/go-cmp/cmp"
)

func aReport() Report {
	call := func(service, target, stub string, status, times int) mock.Counted {
		return mock.Counted{Call: mock.Call{Service: service, Scheme: "https", Method: "GET", Target: target, Status: status, Stub: stub}, Times: times}
	}
	missed := call("a.example:443", "/b", "", 404, 1)
	missed.Nearest, missed.Misses = "rates", "path"
	return report(Engine{}, []Service{{Service: "b.example:25", Schemes: []string{}}, {Service: "a.example:443", Schemes: []string{}},
		{Service: "c.example:443", Schemes: []string{}, Allowed: true}},
		redacted([]mock.Counted{call("a.example:443", "/a?api_key=4f9d2c71a8", "rates", 200, 3), missed, call("a.example:443", "/c", "", 0, 1)}), 2,
		[]intercept.Refusal{{Network: "udp", To: "192.0.2.1:8125", Why: "no name server", Times: 2}, {Network: "raw", Why: "only TCP is led", Times: 1}})
}

func TestReportText(t *testing.T) {
	var out strings.Builder
	if err := aReport().Text(&out); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(out.String(), "/a?api_key=")
	_, rest, _ = strings.Cut(rest, " ")
	want := "a.example:443: 5 calls, 2 without a stub\n  GET " + "… " + `200, 3 times, by rates
  GET /b 404, no stub; the nearest is rates, for another path
  GET /c, no stub
b.example:25: connected to, and asked nothing that is HTTP; if it speaks TLS, it may not trust the mock's certificate (a pin)
c.example:443: the real service, allowed
and 2 calls more
refused: udp to 192.0.2.1:8125, 2 times: no name server
refused: raw to an address that cannot be read, 1 time: only TCP is led
`
	if diff := cmp.Diff(want, head+"… "+rest); diff != "" || strings.Contains(out.String(), "4f9d2c71a8") {
		t.Error(diff)
	}
}

func TestReportJSON(t *testing.T) {
	var out strings.Builder
	if err := aReport().JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := []Service{{Service: "a.example:443", Schemes: []string{"https"}, Calls: 5, Unmatched: 2, Failed: 1}, {Service: "b.example:25", Schemes: []string{}},
		{Service: "c.example:443", Schemes: []string{}, Allowed: true}}
	if diff := cmp.Diff(want, got.Services); diff != "" || got.More != 2 || len(got.Refused) != 2 || strings.Contains(out.String(), "4f9d2c71a8") {
		t.Errorf("%s\n%s", diff, &out)
	}
}
