package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// bystanderSuites is one test in each family of languages: it reads /items/4, which somebody made in the session.
func bystanderSuites() map[string]string {
	jest := jestOf([]string{"expect(res_0.status).toBe(200);", "expect(res_0.body.id).toBe(4.0);"})
	return map[string]string{
		"t.py": graftedSuite, "T.java": graftedJava, "T.kt": graftedKotlin, "t.js": strings.Replace(jest, "/x0", "/items/4", 1),
		"t.json": graftedCollection, "t.hurl": graftedHurl,
	}
}

// told is a session of lines METHOD TARGET > STATUS BODY.
func told(lines ...string) []*exchange.Exchange {
	var out []*exchange.Exchange
	for i, line := range lines {
		request, answer, _ := strings.Cut(line, " > ")
		status, body := 0, ""
		fmt.Sscanf(answer, "%d", &status)
		if _, rest, ok := strings.Cut(answer, " "); ok {
			body = rest
		}
		out = append(out, &exchange.Exchange{
			Seq: uint64(i + 1), Pass: 1, Scheme: "http", Addr: "x:80", Request: sentRequest(request+" HTTP/1.1\r\nHost: x\r\n\r\n", ""),
			Response: reply(status, "Content-Type: application/json\r\n", body),
		})
	}
	return out
}

// TestPatchedBystanders: what is written into a test changes nothing by an id of the session, whatever the session did; and
// where that leaves a test without a set-up or a clean-up, a comment says so.
func TestPatchedBystanders(t *testing.T) {
	const read = `GET /items/4 > 200 {"id":4,"self":"/items/4","n":3,"at":"x"}`
	for name, tt := range map[string]struct {
		session []string
		given   bool // something is written
		says    string
	}{
		"an own one":                 {[]string{`POST /items > 201 {"id":4,"n":1}`, `PUT /items/4 > 200 {"id":4,"n":3}`, read, `DELETE /items/4 > 204`}, true, ""},
		"a change to what was there": {[]string{`GET /items/4 > 200 {"id":4,"n":1}`, `PUT /items/4 > 200 {"id":4,"n":3}`, read}, false, "PUT /items/4"},
		"an action upon it":          {[]string{`GET /items/4 > 404`, `POST /items/4/restore > 201`, read}, false, "POST /items/4/restore"},
		"an id that the client chose": {[]string{`GET /items/4 > 404`, `PUT /items/4 > 201 {"id":4,"n":3}`, read, `DELETE /items/4 > 204`},
			false, "PUT /items/4"},
	} {
		session := told(tt.session...)
		at := 2
		wanted := setup.Wanted{
			Request: session[at].Request, Seq: session[at].Seq, Seen: []*exchange.Response{reply(404, "", "")},
			Claims: []exchange.Claim{{Place: exchange.PlaceStatus, Relation: exchange.Equal, Value: "200"}, {Place: "/body/n", Relation: exchange.Equal, Value: "3"}},
		}
		graft, ok := setup.NewFinder(session, flow.Rules{}).For([]setup.Wanted{wanted})
		if ok != tt.given || !ok && !strings.Contains(graft.Refused, tt.says+", which may touch what the test did not make") {
			t.Errorf("%s: %v, %s", name, ok, graft.Refused)
		}
		g := Grafting{Graft: graft, Calls: []setup.Wanted{wanted}}
		if !ok {
			g.Comments = []string{"what it depends on is not restored: " + graft.Refused}
		}
		src := Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{Seq: 1, Request: wanted.Request, Response: reply(404, "", "")}}}}
		for file, text := range bystanderSuites() {
			test := "test_0"
			for _, known := range mustRead(t, file, text).Tests[:1] {
				test = known.Name
			}
			p, err := Patch(file, []byte(text), src, PatchOptions{Grafts: map[string]Grafting{test: g}})
			if err != nil {
				t.Fatal(err)
			}
			if grafted := strings.Contains(strings.ToLower(string(p.Data)), "delete"); grafted != tt.given {
				t.Errorf("%s: %s: a set-up and a clean-up: %v\n%s", name, file, grafted, p.Data)
			}
			if !tt.given && !strings.Contains(fmt.Sprint(string(p.Data), p.Changes), tt.says+", which may touch") {
				t.Errorf("%s: %s does not say what it lacks:\n%s", name, file, p.Data)
			}
			for line := range strings.Lines(string(p.Data)) {
				comment := strings.Contains(line, "flaketap: /items") || strings.Contains(line, "which may touch")
				for _, method := range []string{"PUT", "DELETE", "PATCH"} {
					if !comment && strings.Contains(strings.ToUpper(line), method) && strings.Contains(line, "/items/4") {
						t.Errorf("%s: %s: %s", name, file, line)
					}
				}
			}
		}
	}
}

func mustRead(t *testing.T, file, text string) *script.Script {
	t.Helper()
	s, err := Read(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
