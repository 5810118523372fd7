package mocked

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/google/go-cmp/cmp"
)

const stubs = `{"mappings": [{"name": "GET rates.example.com:443/latest", "request": {"urlPath": "/latest"}, "response": {"status": 429}}]}`

var began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// tried is a trial that is answered with a body, at a time.
func tried(n int, status int, body, journal string) []*exchange.Exchange {
	at := func(head, answer, body string) *exchange.Exchange {
		_, host, _ := strings.Cut(head, "\r\nHost: ")
		host, _, _ = strings.Cut(host, "\r\n")
		return &exchange.Exchange{Scheme: "http", Addr: host, Start: began.Add(time.Duration(n) * time.Second), Latency: time.Millisecond,
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n\r\n")}),
			Response: exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: application/json\r\n\r\n", answer), Body: []byte(body)})}
	}
	return []*exchange.Exchange{at("GET /quote?currency=EUR HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAuthorization: Bearer k33p-it-s3cret", fmt.Sprint(status, " Some"), body),
		at("GET /calls HTTP/1.1\r\nHost: mocks", "200 OK", journal)}
}

func hung(trial []*exchange.Exchange, kind exchange.FaultKind, after time.Duration) []*exchange.Exchange {
	trial[0].Response, trial[0].Fault, trial[0].Latency = nil, &exchange.Fault{Kind: kind}, after
	return trial
}

// three tries a behavior; %d in what is given is the number of the trial.
func three(name string, status int, body, journal string) archive.Behavior {
	b := archive.Behavior{Name: name, Stubs: []byte(stubs)}
	for n := range 3 {
		number := func(text string) string { return strings.ReplaceAll(text, "%d", fmt.Sprint(17*n*n+n)) }
		b.Trials = append(b.Trials, tried(n, status, number(body), number(journal)))
	}
	return b
}

func planned(t *testing.T, all ...archive.Behavior) plan.Plan {
	t.Helper()
	p, err := Plan(all, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// said are the kinds and places of checks.
func said(s plan.Step) (out []string) {
	for _, c := range s.Checks {
		out = append(out, fmt.Sprint(c.Kind, " ", c.Place, c.Masks, c.Extent))
	}
	return out
}

const oneCall = `{"calls":[{"service":"rates.example.com:443","method":"GET","target":"/latest","times":1}]}`

func TestPlanOfBehaviors(t *testing.T) {
	steady := three("001", 502, `{"error":"rates down"}`, oneCall)
	moves := three("002", 200, `{"id":"%d","price":20}`, strings.Replace(oneCall, "/latest", "/latest?n=%d", 1))
	moves.Findings = []search.Finding{"success"}
	p := planned(t, steady, moves)
	if len(p.Tests) != 2 || p.Target != "http://127.0.0.1:8080" {
		t.Fatalf("planned %+v", p)
	}
	first, second := p.Tests[0], p.Tests[1]
	if first.Name != "get_quote_gives_502_001" || first.Mock != "001" || first.Group != "quote" || len(first.Steps) != 2 ||
		first.Steps[0].Base != "" || first.Steps[1].Base != plan.MocksBase || first.Hangs() {
		t.Errorf("the first is %+v", first)
	}
	if about := strings.Join(first.About, "|"); about != "GET /quote gives 502|GET rates.example.com:443/latest answers 429" {
		t.Errorf("it says %q", about)
	}
	if got := said(first.Steps[1]); !slices.Equal(got, []string{"json /body[]"}) || string(first.Steps[1].Checks[0].JSON) != oneCall {
		t.Errorf("of what was asked it says %q: %s", got, first.Steps[1].Checks[0].JSON)
	}
	if got := said(second.Steps[0]); !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "[/id]") }) {
		t.Errorf("what moves is asserted: %q", got)
	}
	if got := said(second.Steps[1]); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "[/calls/0/target]") }) {
		t.Errorf("what moves of what was asked is asserted: %q", got)
	}
	if !strings.Contains(strings.Join(second.About, "|"), "Found: success") {
		t.Errorf("it says %q", second.About)
	}
}

// That the same request is answered otherwise with other stubs is no reason to assert less.
func TestPlanJudgesEachByItself(t *testing.T) {
	alone := planned(t, three("001", 502, `{"error":"a"}`, oneCall))
	beside := planned(t, three("001", 502, `{"error":"a"}`, oneCall), three("002", 502, `{"error":"b"}`, oneCall), three("003", 200, `{}`, oneCall))
	if a, b := said(alone.Tests[0].Steps[0]), said(beside.Tests[0].Steps[0]); !slices.Equal(a, b) {
		t.Errorf("alone %q, beside others %q", a, b)
	}
}

// Calls are no elements alike: that one of them moves is no reason to assert less of another, nor of the parts of its
// own target that do not.
func TestPlanOfCalls(t *testing.T) {
	call := func(target, body string) string {
		return fmt.Sprintf(`{"service":"rates.example.com:443","method":"POST","target":%q,"body":%s,"times":1}`, target, body)
	}
	list := func(calls ...string) string { return `{"calls":[` + strings.Join(calls, ",") + `]}` }
	first := call("/rates.v1/eur?day="+began.Format(time.DateOnly)+"&base=a%20b&n=%d", `{"id":1}`)
	for name, c := range map[string]struct {
		journals [3]string
		masks    []exchange.Place
		pattern  string
	}{
		"a day, and a number": {[3]string{list(first, call("/other", `{"id":2}`))}, []exchange.Place{"/calls/0/target"},
			`^/rates\.v1/eur\?day=[^/?&=]+&base=a%20b&n=[^/?&=]+$`},
		"a member of a body": {[3]string{list(call("/a", `{"id":"%d"}`), call("/b", `{"id":"x"}`))}, []exchange.Place{"/calls/0/body/id"}, ""},
		"another number":     {[3]string{list(call("/a", "1"), call("/b", "1")), list(call("/a", "1"))}, []exchange.Place{"/calls"}, ""},
	} {
		b := three("001", 502, `{"error":"a"}`, c.journals[0])
		for n, journal := range c.journals[1:] {
			if journal != "" {
				b.Trials[n+1] = tried(n+1, 502, `{"error":"a"}`, journal)
			}
		}
		checks := planned(t, b).Tests[0].Steps[1].Checks
		patterns := ""
		for _, c := range checks {
			patterns += c.Holds.Pattern
		}
		if !slices.Equal(checks[0].Masks, c.masks) || patterns != c.pattern {
			t.Errorf("%s: masked are %q, the pattern is %s", name, checks[0].Masks, patterns)
		}
	}
}

// Calls that were made side by side in a trial of one behavior are asserted in any order in the tests of all.
func TestPlanOfCallsSideBySide(t *testing.T) {
	call := func(target string) string {
		return fmt.Sprintf(`{"service":"rates.example.com:443","method":"GET","target":%q,"times":1}`, target)
	}
	list := func(more string, targets ...string) string {
		var all []string
		for _, target := range targets {
			all = append(all, call(target))
		}
		return `{"calls":[` + strings.Join(all, ",") + `]` + more + `}`
	}
	one := func(name string, journals ...string) archive.Behavior {
		b := archive.Behavior{Name: name, Stubs: []byte(stubs)}
		for n, journal := range journals {
			b.Trials = append(b.Trials, tried(n, 502, `{"error":"a"}`, journal))
		}
		return b
	}
	same := func(name, journal string) archive.Behavior { return one(name, journal, journal, journal) }
	const beside = `,"beside":[[1,2]]`
	late := same("001", list(beside, "/t", "/a", "/b"))
	late.Stubs = bytes.Replace(late.Stubs, []byte(`429`), []byte(`200, "fixedDelayMilliseconds": 6000`), 1)
	day := "/c?day=" + began.Format(time.DateOnly)
	for name, c := range map[string]struct {
		all  []archive.Behavior // the last one is looked at
		want string
	}{
		"nothing known":   {[]archive.Behavior{same("001", list("", "/t", "/a", "/b"))}, "[json /body[]]"},
		"under way":       {[]archive.Behavior{same("001", list(beside, "/t", "/a", "/b"))}, "[json /body[/calls] items /body/calls[]]"},
		"of another":      {[]archive.Behavior{same("001", list(beside, "/t", "/a", "/b")), same("002", list("", "/t", "/a?x=1", "/b", "/d"))}, "[json /body[/calls] items /body/calls[]]"},
		"late":            {[]archive.Behavior{late}, "[json /body[/calls] items /body/calls[]]"},
		"of a late one":   {[]archive.Behavior{late, same("002", list("", "/t", "/a", "/b"))}, "[json /body[]]"},
		"not of these":    {[]archive.Behavior{same("001", list(beside, "/t", "/a", "/b")), same("002", list("", "/t", "/a"))}, "[json /body[]]"},
		"the other way":   {[]archive.Behavior{one("001", list("", "/a", "/b"), list("", "/a", "/b"), list("", "/b", "/a"))}, "[json /body[/calls] items /body/calls[]]"},
		"made again":      {[]archive.Behavior{same("001", list("", "/a", "/b", "/a"))}, "[json /body[]]"},
		"turned again":    {[]archive.Behavior{one("001", list("", "/a", "/b", "/a"), list("", "/a", "/b", "/a"), list("", "/b", "/a", "/a"))}, "[json /body[/calls] items /body/calls[]]"},
		"with a day":      {[]archive.Behavior{one("001", list("", "/a", "/b", day), list("", "/b", "/a", day), list("", "/a", "/b", day))}, "[json /body[/calls] items /body/calls[/*/target] holds /body/calls/*/target[]]"},
		"others retry":    {[]archive.Behavior{one("001", list("", "/a", "/b"), list("", "/b", "/a", "/a"), list("", "/a", "/b"))}, "[json /body[/calls] items /body/calls[]set]"},
		"numbers of none": {[]archive.Behavior{same("001", list(`,"beside":[[-3,7]]`, "/a", "/b"))}, "[json /body[/calls] items /body/calls[]]"},
	} {
		p := planned(t, c.all...)
		checks := p.Tests[len(p.Tests)-1].Steps[1]
		got := fmt.Sprint(said(checks))
		if got != c.want || strings.Contains(string(checks.Checks[0].JSON), "beside") {
			t.Errorf("%s: it says %s: %s", name, got, checks.Checks[0].JSON)
		}
	}
}

func TestPlanOfEndings(t *testing.T) {
	for _, c := range []struct {
		kind    exchange.FaultKind
		after   time.Duration
		want    plan.Ending
		seconds int
	}{
		{exchange.FaultTimeout, 2500 * time.Millisecond, plan.Hangs, 2},
		{exchange.FaultEOF, 20 * time.Millisecond, plan.BreaksOff, 5},
		{exchange.FaultEOF, 2500 * time.Millisecond, plan.BreaksOff, 5}, // where the API gave up by itself
		{exchange.FaultEOF, 4500 * time.Millisecond, plan.BreaksOff, 8},
	} {
		b := three("001", 200, "{}", oneCall)
		for i := range b.Trials {
			b.Trials[i] = hung(b.Trials[i], c.kind, c.after)
		}
		p := planned(t, b)
		s := p.Tests[0].Steps[0]
		if s.Ending != c.want || len(s.Checks) > 0 || !p.Tests[0].Hangs() || s.EndsWithin() != c.seconds {
			t.Errorf("%s after %s: %+v", c.kind, c.after, s)
		}
		if got := said(p.Tests[0].Steps[1]); !slices.Equal(got, []string{"json /body[]"}) {
			t.Errorf("%s: of what was asked it says %q", c.kind, got)
		}
	}
}

// Of calls without an end is asserted that they are made again; where the request is answered, how often.
func TestPlanOfEndlessCalls(t *testing.T) {
	often := strings.Replace(oneCall, `"times":1`, `"times":10`, 1)
	answered, endless := three("001", 502, `{}`, often), three("002", 502, `{}`, often)
	for i := range endless.Trials {
		endless.Trials[i] = hung(endless.Trials[i], exchange.FaultTimeout, 3*time.Second)
	}
	p := planned(t, answered, endless)
	for i, want := range []string{"[json /body[]]", "[json /body[/calls/0/times] holds /body/calls/0/times[]]"} {
		if got := fmt.Sprint(said(p.Tests[i].Steps[1])); got != want {
			t.Errorf("it says %s, want %s", got, want)
		}
	}
	if h := p.Tests[1].Steps[1].Checks[1].Holds; h.Min != "2" {
		t.Errorf("it holds %+v", h)
	}
}

// A stack trace names lines of files, which another version has elsewhere: that there is one is asserted.
func TestPlanOfTrace(t *testing.T) {
	for _, body := range []string{`{"error":"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'rate'\n"}`,
		`{"stack":["TypeError: x\n    at run (/app/a.js:1:2)\n"]}`, `{"trace":"at a.B.c(B.java:3)"}`} {
		s := planned(t, three("001", 500, body, oneCall)).Tests[0].Steps[0]
		patterns := 0
		for _, c := range s.Checks {
			if strings.Contains(string(c.JSON), "a.") {
				t.Errorf("it asserts %s", c.JSON)
			}
			if c.Holds.Pattern != "" {
				patterns++
			}
		}
		if patterns != 1 {
			t.Errorf("%s: %d patterns in %q", body, patterns, said(s))
		}
	}
}

// So it is of a trace that moved between trials: what stood still of it moves with the next start of the API.
func TestPlanOfMovedTrace(t *testing.T) {
	b := three("001", 500, "", oneCall)
	for i, trial := range b.Trials {
		body := fmt.Sprintf(`{"stack":"goroutine %d [running]:\nmain.show(0x20e9f913c000, 0x%x)\n\t/app/main.go:112 +0x1ad\n"}`, 20+i, 4096*(i+7))
		trial[0].Response = three("001", 500, body, oneCall).Trials[0][0].Response
	}
	s := planned(t, b).Tests[0].Steps[0]
	told := false
	for _, c := range s.Checks {
		if said := string(c.JSON) + c.Holds.Pattern; strings.Contains(said, "0x20") || strings.Contains(said, "main") {
			t.Errorf("it asserts %s", said)
		}
		told = told || strings.Contains(c.Holds.Pattern, "goroutine")
	}
	if !told {
		t.Errorf("it does not assert that there is a trace: %q", said(s))
	}
}

// Of an API that verifies nobody no test is written, nor of what is not proven; both are told.
func TestWriteLeavesOut(t *testing.T) {
	unverified, unproven := three("002", 200, `{}`, oneCall), three("003", 200, `{}`, oneCall)
	unverified.Findings, unproven.Trials = []search.Finding{search.WrongSuccess, search.Unverified}, nil
	var said bytes.Buffer
	s := Suite{Form: "pytest", Dir: filepath.Join(t.TempDir(), "suite"), Console: &console.Console{Err: &said}}
	if err := s.Write([]archive.Behavior{three("001", 502, `{"error":"a"}`, oneCall), unverified, unproven}, exchange.Redactor{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"left out 1 behavior that the search, ended early,", "left out 1 behavior of an API that takes a certificate", "1 test written to "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it says not %q:\n%s", want, said.String())
		}
	}
}

// A test whose stubs WireMock does not know is skipped where that serves them, and this is told; of other forms it is one
// as any.
func TestWriteBeyondWireMock(t *testing.T) {
	early := three("002", 200, `{}`, oneCall)
	early.Stubs = []byte(`{"mappings": [{"request": {"urlPath": "/rates"}, "response": {"interimStatus": 103}}]}`)
	const why = "WireMock has no interim answers, and this one is behind a 103"
	for form, want := range map[string][]string{
		"junit5": {"README.md", "src/test/java/flaketap/QuoteTest.java"},
		"kotlin": {"README.md", "src/test/kotlin/flaketap/QuoteTest.kt"},
		"pytest": nil,
	} {
		var said bytes.Buffer
		s := Suite{Form: form, Dir: filepath.Join(t.TempDir(), "suite"), Console: &console.Console{Err: &said}}
		if err := s.Write([]archive.Behavior{three("001", 502, `{"error":"a"}`, oneCall), early}, exchange.Redactor{}); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(said.String(), "the test of behavior 002 is skipped where flaketap does not serve it: "+why); told != (want != nil) {
			t.Errorf("%s: it says\n%s", form, said.String())
		}
		files, err := write.Write(form, planned(t, three("001", 502, `{"error":"a"}`, oneCall), early))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			if bytes.Contains(f.Data, []byte(why)) {
				got = append(got, f.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: who says so (-want +got):\n%s", form, diff)
		}
	}
}

// Secrets are in the plan's alone, and one of another value has a name of its own.
func TestPlanHidesSecrets(t *testing.T) {
	other := three("002", 200, `{}`, oneCall)
	for _, trial := range other.Trials {
		raw := bytes.ReplaceAll(trial[0].Request.Head, []byte("k33p-it-s3cret"), []byte("an0ther-s3cret"))
		trial[0].Request = exchange.ParseRequest(exchange.Message{Head: raw})
	}
	p := planned(t, three("001", 200, `{}`, oneCall), other, three("003", 200, `{}`, oneCall))
	if len(p.Secrets) != 2 {
		t.Errorf("secrets %q", p.Secrets)
	}
	used := map[string]bool{}
	for _, test := range p.Tests {
		for _, h := range test.Steps[0].Headers {
			for _, piece := range h.Value {
				used[p.Secrets[piece.Secret]] = true
			}
		}
		if len(test.Steps[1].Headers) > 0 {
			t.Errorf("what asks the mocks sends %+v", test.Steps[1].Headers)
		}
	}
	if !used["Bearer k33p-it-s3cret"] || !used["Bearer an0ther-s3cret"] {
		t.Errorf("sent are %v of %q", used, p.Secrets)
	}
}

// What the API asks of services may hold its own secrets.
func TestPlanHidesSecretsOfCalls(t *testing.T) {
	journal := `{"calls":[{"service":"rates.example.com:443","method":"POST","target":"/latest?api_key=4f9d2c71a8b3e5&n=1","body":{"password":"s3cr3t-of-api","a":1},"times":1}]}`
	files, err := write.Write("pytest", planned(t, three("001", 502, `{"error":"a"}`, journal)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name != "secrets.json" && (bytes.Contains(f.Data, []byte("4f9d2c71a8b3e5")) || bytes.Contains(f.Data, []byte("s3cr3t-of-api"))) {
			t.Errorf("%s holds a secret:\n%s", f.Name, f.Data)
		}
	}
}

// Each form that can carry stubs does, and says the same twice; the others refuse.
func TestForms(t *testing.T) {
	hangs := three("002", 200, "{}", oneCall)
	for i := range hangs.Trials {
		hangs.Trials[i] = hung(hangs.Trials[i], exchange.FaultTimeout, 2*time.Second)
	}
	all := []archive.Behavior{three("001", 502, `{"error":"a"}`, oneCall), hangs}
	for _, form := range write.Names() {
		files, err := write.Write(form, planned(t, all...))
		if !slices.Contains(write.MockNames(), form) {
			if err == nil || !strings.Contains(err.Error(), "want one of go, jest, pytest") {
				t.Errorf("%s: %v", form, err)
			}
			continue
		}
		again, err2 := write.Write(form, planned(t, all...))
		if err != nil || err2 != nil || len(files) != len(again) {
			t.Fatal(form, err, err2)
		}
		names, loads := map[string]bool{}, 0
		for i, f := range files {
			names[f.Name] = true
			if !bytes.Equal(f.Data, again[i].Data) {
				t.Errorf("%s: %s is another the second time", form, f.Name)
			}
			if f.Name != "secrets.json" && bytes.Contains(f.Data, []byte("k33p-it-s3cret")) {
				t.Errorf("%s: %s holds a secret", form, f.Name)
			}
			if bytes.Contains(f.Data, []byte(`("001")`)) {
				loads++
			}
		}
		if !names["mocks/001.json"] || !names["mocks/002.json"] || loads != 1 {
			t.Errorf("%s: %d files load the stubs among %v", form, loads, names)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	whole := three("001", 200, "{}", oneCall)
	for name, c := range map[string]struct {
		change func(*archive.Behavior)
		want   string
	}{
		"no trials":  {func(b *archive.Behavior) { b.Trials = nil }, "001: no trial of it is stored"},
		"no journal": {func(b *archive.Behavior) { b.Trials[1] = b.Trials[1][:1] }, "001: a trial of it is not stored as a whole"},
		"no mapping": {func(b *archive.Behavior) { b.Stubs = []byte("[]") }, "001: it must be an object"},
		"no request": {func(b *archive.Behavior) {
			b.Trials[0][0].Request = exchange.ParseRequest(exchange.Message{Head: []byte("nothing")})
		}, "001: its request cannot be sent again"},
	} {
		b := archive.Behavior{Name: whole.Name, Stubs: whole.Stubs}
		for _, trial := range whole.Trials {
			first := *trial[0]
			b.Trials = append(b.Trials, []*exchange.Exchange{&first, trial[1]})
		}
		c.change(&b)
		if _, err := Plan([]archive.Behavior{b}, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
