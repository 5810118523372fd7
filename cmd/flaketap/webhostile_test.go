package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/write"
	suiteplan "github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// What a suite must carry unchanged: quotes of each kind, escapes, what begins a variable in Postman, Hurl and JavaScript,
// a separator that ends lines in some languages, keys that prototypes of objects have, numbers that no double holds.
const (
	hostileText   = "</script> {{x}} {{$guid}} {{{y}} \" ' \\ `${z}` # \u2028 \u00e9 __proto__ \\u0041 %41"
	hostileTarget = "/odd/{x}/a;b=c/%2e%2e/:id/{{$guid}}?q='a'&r={{x}}&s=%27&e="
	hostileHeader = `{{x}} "q" \ '{' {{$randomInt}}`
	hostileJSON   = `{"__proto__":{"a":1},"constructor":"x","toString":null,"1":"one","big":123456789012345678901234567890,` +
		`"dec":1.10,"neg":-0.5,"text":TEXT,"":{},"a'b\"c/d~e":[],"list":["b","a"],"hasOwnProperty":false}`
)

// odd is an API that answers so, and keeps what it was sent.
type odd struct {
	mu      sync.Mutex
	targets map[string]int
	wrong   []string
	answer  string
	body    string
}

func (o *odd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.targets[r.RequestURI]++
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost && string(body) != o.body {
		o.wrong = append(o.wrong, "body "+string(body[:min(len(body), 300)]))
	}
	if got := r.Header.Get("X-Odd"); got != hostileHeader {
		o.wrong = append(o.wrong, "header "+got)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Odd", hostileHeader)
	io.WriteString(w, o.answer)
}

// hostilePlan has two requests whose parts are all hostile.
func hostilePlan(url, answer, body string) suiteplan.Plan {
	lit := func(s string) suiteplan.Text { return suiteplan.Text{{Literal: s}} }
	headers := []suiteplan.Header{{Name: "X-Odd", Value: lit(hostileHeader)}, {Name: "Content-Type", Value: lit("text/plain")}}
	checks := []suiteplan.Check{
		{Kind: suiteplan.CheckStatus, Place: "/status", Statuses: []int{200}},
		{Kind: suiteplan.CheckHeader, Place: "/header/x-odd", Lines: []suiteplan.Text{lit(hostileHeader)}, Why: hostileText},
		{Kind: suiteplan.CheckJSON, Place: "/body", JSON: json.RawMessage(answer)},
		{Kind: suiteplan.CheckHolds, Place: "/body/__proto__/a", Holds: mapfile.Holds{Type: "integer", Min: "0"}},
		{Kind: suiteplan.CheckHolds, Place: "/body/text", Holds: mapfile.Holds{Type: "string", Pattern: `^</script> [\s\S]*%41$`}},
		{Kind: suiteplan.CheckHolds, Place: "/body/__proto__/b", Optional: true, Holds: mapfile.Holds{Type: "string", Format: "uuid"}},
		{Kind: suiteplan.CheckItems, Place: "/body/list", JSON: json.RawMessage(`["a","b"]`)},
		{Kind: suiteplan.CheckEqual, Place: "/body/constructor", Text: suiteplan.Text{{Bound: "x"}}},
	}
	return suiteplan.Plan{
		Target: url,
		Bound:  []suiteplan.Value{{Name: "x", Recorded: lit("{{x}}"), From: "*/ " + hostileText}},
		Tests: []suiteplan.Test{{
			Name: "hostile", Group: "odd", About: []string{hostileText},
			Steps: []suiteplan.Step{
				{
					Role: suiteplan.Tested, Seq: 1, Title: hostileText, Method: "POST", Target: lit(hostileTarget), Headers: headers,
					Body: &suiteplan.Body{Text: lit(body)}, Captures: []suiteplan.Capture{{Name: "x", Place: "/body/constructor"}}, Checks: checks,
				},
				{Role: suiteplan.Tested, Seq: 2, Title: "GET /", Method: "GET", Target: lit("/again/../x"), Headers: headers[:1], Checks: checks[:3]},
			},
		}},
	}
}

// TestWebProjectsHostile runs suites whose texts are made to break them: the API is sent each byte as it was recorded, and
// a difference of one digit fails.
func TestWebProjectsHostile(t *testing.T) {
	answer := strings.Replace(hostileJSON, "TEXT", quoted(hostileText), 1)
	body := `{"text":` + quoted(hostileText) + `,"huge":"` + strings.Repeat("x{{y}}", 30_000) + `"}`
	for _, form := range webForms() {
		t.Run(form.format, func(t *testing.T) {
			form.needed(t)
			b := newBench(t)
			api := &odd{targets: map[string]int{}, answer: answer, body: body}
			server := httptest.NewServer(api)
			defer server.Close()
			files, err := write.Write(form.format, hostilePlan(server.URL, answer, body))
			if err != nil {
				t.Fatal(err)
			}
			if err := outfile.WriteAll(filepath.Join(b.dir, "suite"), files, nil); err != nil {
				t.Fatal(err)
			}
			modules, _ := toolsDir(t, "node")
			b.must("cd suite && " + strings.ReplaceAll(form.setUp, "MODULES", modules+"/node_modules"))
			form.passes(b, "suite", server.URL, true)
			api.mu.Lock()
			if len(api.wrong) > 0 || api.targets[hostileTarget] != 1 || api.targets["/again/../x"] != 1 {
				t.Errorf("the API was sent %v, and asked for %v", api.wrong, api.targets)
			}
			api.answer = strings.Replace(answer, "567890,", "567891,", 1)
			api.mu.Unlock()
			form.passes(b, "suite", server.URL, false)
		})
	}
}

// quoted is a text as JSON.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
