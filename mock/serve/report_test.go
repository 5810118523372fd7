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
	return report(Engine{}, []Service{{Service: "idle.example:80", Schemes: []string{}}, {Service: "b.example:25", Schemes: []string{}}, {Service: "a.example:443", Schemes: []string{}},
		{Service: "c.example:443", Schemes: []string{}, Allowed: true}},
		redacted([]mock.Counted{call("a.example:443", "/a?api_key=4f9d2c71a8", "rates", 200, 3), missed, call("a.example:443", "/c", "", 0, 1)}), 2,
		[]mock.Distrust{{Service: "a.example:443", Alert: mock.UnknownAuthority, Times: 2}, {Service: "a.example:443", Alert: "bad certificate", Times: 1}, {Service: "a.example:443", Shaken: true, Times: 1},
			{Service: "c.example:443", Times: 1}},
		map[string]mock.Foreign{"b.example:25": {Spoke: 2, Silent: 1}},
		[]intercept.Refusal{{Network: "udp", To: "192.0.2.1:8125", Why: "no name server", Times: 2}, {Network: "raw", Why: "only TCP is led", Times: 1}})
}

func TestReportText(t *testing.T) {
	var out strings.Builder
	if err := aReport().Text(&out); err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(out.String(), "/a?api_key=")
	_, rest, _ = strings.Cut(rest, " ")
	const untrusted = "a.example:443: 2 connections refused the certificate (unknown certificate authority): the client does not heed the variables that name flaketap's authority (SSL_CERT_FILE and the like), but has authorities of its own\n" +
		"a.example:443: 1 connection refused the certificate (bad certificate): the client pins another one, or does not heed the variables that name flaketap's authority (SSL_CERT_FILE and the like)\n" +
		"a.example:443: 1 connection ended right behind the handshake: the client may pin another certificate\n"
	want := "a.example:443: 5 calls, 2 without a stub\n" + untrusted + "  GET " + "… " + `200, 3 times, by rates
  GET /b 404, no stub; the nearest is rates, for another path
  GET /c without an answer, no stub
b.example:25: 2 connections refused: the API spoke another protocol than HTTP, which is let through to localhost alone
b.example:25: 1 connection refused: the API waited for the service to begin, as some databases and mail servers do; what is not HTTP is let through to localhost alone
c.example:443: the real service, allowed
c.example:443: 1 connection ended at the certificate: the client may pin another one, or not heed the variables that name flaketap's authority (SSL_CERT_FILE and the like); in Node both end so
idle.example:80: connected to, and asked nothing that is HTTP
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
	want := []Service{{Service: "a.example:443", Schemes: []string{"https"}, Calls: 5, Unmatched: 2, Failed: 1,
		Distrusted: []mock.Distrust{{Alert: mock.UnknownAuthority, Times: 2}, {Alert: "bad certificate", Times: 1}, {Shaken: true, Times: 1}}},
		{Service: "b.example:25", Schemes: []string{}, Foreign: mock.Foreign{Spoke: 2, Silent: 1}}, {Service: "c.example:443", Schemes: []string{}, Allowed: true, Distrusted: []mock.Distrust{{Times: 1}}},
		{Service: "idle.example:80", Schemes: []string{}}}
	if diff := cmp.Diff(want, got.Services); diff != "" || got.More != 2 || len(got.Refused) != 2 || strings.Contains(out.String(), "4f9d2c71a8") {
		t.Errorf("%s\n%s", diff, &out)
	}
}
