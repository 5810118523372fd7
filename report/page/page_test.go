package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/report/waiting"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/tune"
)

var update = flag.Bool("update", false, "write the golden files anew")

// gathered are the findings of a recording.
func gathered(t *testing.T, all []recorded.Call, runs int) *findings.Findings {
	t.Helper()
	f, err := findings.Gather(recorded.Write(t, all, runs), analysis.Options{})
	check(t, err)
	return f
}

// full are findings that have one of everything.
func full(t *testing.T) *findings.Findings {
	t.Helper()
	f := gathered(t, recorded.Shop(), 4)
	old := gathered(t, recorded.Shop()[2:], 4)
	f.Compare(old.Map)
	rates, err := findings.DecodeRates([]byte(`{"flaketap": "verification", "version": 1, "runs": 10, "suites": [
		{"suite": "suite", "tests": 20, "fr": 0.125, "failing": [{"suite": "orders", "name": "test_total", "ran": 10, "failed": 3, "message": "assert 12 == 13"}]},
		{"suite": "stable", "tests": 20, "fr": 0, "failing": []}]}`))
	check(t, err)
	f.Measure(rates)
	f.Services = &inspect.Externals{Services: []*inspect.Service{{Scheme: "https", Host: "rates.example", Port: 443, Calls: 8}},
		Calls: []*inspect.Asking{{Operation: "POST /orders", Service: "https://rates.example:443", Method: "GET", Path: "/v1/{currency}",
			Calls: 8, Exchanges: 4, Statuses: map[string]int{"200": 7, "0": 1}}}}
	// A place that moves follows the service.
	for i := range f.Places {
		if p := &f.Places[i]; p.Common == "" && len(p.Reasons) > 0 {
			p.Reasons = append(p.Reasons, report.Reason{Code: "follows-external:rates.example/v1/eur#/usd", Says: "it follows"})
			break
		}
	}
	f.Behaviors, err = findings.DecodeBehaviors([]byte(`{"flaketap": "mock-search", "version": 1, "behaviors": [
		{"stubs": "001", "request": "POST /orders", "status": 201, "end": "", "calls": [{"service": "rates.example:443", "method": "GET", "target": "/v1/eur", "status": 200, "times": 1}], "findings": []},
		{"stubs": "002", "request": "POST /orders", "status": 0, "end": "hang", "calls": [{"service": "rates.example:443", "method": "GET", "target": "/v1/eur", "status": 0, "times": 10}], "findings": ["hang", "endless retries"]}]}`))
	check(t, err)
	f.Waits = waits()
	return f
}

// waits are what is told of a test, of a read that is ready later, and of a time that was looked for.
func waits() *waiting.Panel {
	return &waiting.Panel{
		Tests: []waiting.Test{{Name: "shows the age", File: "age.test.js", Session: "session.json", Run: 2, Took: 812.4, Left: 3,
			Times: []waiting.Timing{{Session: "session.json", Way: "as it is", Passed: 1, Of: 3, Median: 310},
				{Session: "patched.json", Way: "as it is", Passed: 3, Of: 3, Median: 702}},
			Commands: []waiting.Command{{Does: `click on css "#go"`, Source: "age.test.js:5:3", Acts: true, First: 60, Given: 60, Answer: "0"},
				{Does: `text of css "#age"`, Source: "age.test.js:6:3", Start: 64, First: 70, Given: 470, Answer: `"23"`,
					Wait: &waiting.Wait{Until: `it is answered "23"`, Early: 2, Of: 6, Median: 383, Longest: 400, Cap: 2000}}},
			Requests: []waiting.Request{{What: "GET /age", Start: 61, End: 380}},
			Changes: []waiting.Change{{Element: "#clock", Property: "text", New: "1", At: 100, Fate: oracle.Background},
				{Element: "#clock", Property: "text", New: "2", At: 200, Fate: oracle.Background},
				{Element: "#age", Property: "text", New: "23", At: 384, Fate: oracle.Awaited}},
			Pruned: []waiting.Pruned{{What: "text of #clock", Why: waiting.FateWords(oracle.Background), Times: 2}}}},
		Reads: []waiting.Read{{Operation: "GET /jobs/{id}", Seqs: []uint64{2, 3}, Until: `the status is 200, /body/state is "done"`,
			Vain: []string{`/body/state is "failed"`}, N: 4, Median: 318, Longest: 486.6, Every: 32, Cap: 2433, Left: 2,
			Trails: []waiting.Trail{{Run: 0, Looks: []waiting.Look{{After: 4, Says: `200, "pending"`, State: waiting.Early}, {After: 318, Says: `200, "done"`, State: waiting.Ready}}},
				{Run: 1, Looks: []waiting.Look{{After: 5, Says: `200, "failed"`, State: waiting.Vain}}}},
			Pruned: []waiting.Pruned{{What: "/body/progress", Why: "it changes, but what is waited for tells as much", Times: 1}}}},
		Tuned: []tune.Report{{File: "test_jobs.py", Line: 12, Test: "test_done", Millis: 500, Written: "0.5", Against: 2000, Best: "settle",
			Strategies: []tune.Strategy{{Strategy: "settle", Millis: 620, Holds: true, Passed: 100, Bound: 0.03, Saves: 1380,
				Evidence: "ready after 540ms at most", Tried: []tune.Tried{{Millis: 620, Passed: 100}, {Millis: 600, Passed: 9, Failed: true}}},
				{Strategy: "poll", Unusable: "the file is in no form whose requests are read"}, {Strategy: "first-match", Millis: 900, Failed: true, Words: "assert 'pending'"}}}},
		Left: waiting.Left{Tests: 1, Reads: 1},
	}
}

func write(t *testing.T, f *findings.Findings) string {
	t.Helper()
	var b bytes.Buffer
	check(t, HTML(&b, f))
	return b.String()
}

func TestGolden(t *testing.T) {
	const file = "testdata/page.html" // without style sheet and script, which are files of their own
	shorten := func(page string) string {
		page = regexp.MustCompile(`&#39;sha256-.*?&#39;`).ReplaceAllString(page, "sha256")
		return strings.NewReplacer(css(), "", script, "").Replace(page)
	}
	got := shorten(write(t, full(t)))
	if again := shorten(write(t, full(t))); again != got {
		t.Error("the same recording gave another page")
	}
	if *update {
		check(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs from %s; -update writes it anew (-want +got):\n%s", file, diff)
	}
}

func TestPageTellsWhatIsAskedOfIt(t *testing.T) {
	got := text(t, write(t, full(t)))
	for what, want := range map[string]string{
		"tests that failed":           "tests at risk they failed before the suite was patched 1 of 20",
		"sequences not reproduced":    "sequences not reproduced a run was answered with another status, or not at all 1 of 4",
		"what to do":                  "compare the elements in any order",
		"what still holds":            "What still holds array the recorded elements in any order",
		"a run that was answered 503": "otherwise in run 2",
		"failure rates":               "suite 12.5 % of tests fail in a run; 1 of 20 tests failed in any of 10 runs",
		"failure rates after":         "stable no test fails in a run",
		"which test is at risk":       "Tests at risk orders › test_total failed 3 of 10 assert 12 == 13 What to do first",
		"the test with its reason":    "orders › test_total 3 of 10 – assert 12 == 13",
		"a service and who asks it":   "GET https://rates.example:443/v1/{currency} 8 4 fault ×1, 200 ×7",
		"the graph":                   "operations services that they ask places that follow behaviors that a search found",
		"the behaviors in the graph":  "POST /orders: 2 behaviors",
		"what follows a service":      "rates.example/v1/eur#/usd",
		"what a search found":         "mock search found 2 behaviors, of which 1 looks wrong",
		"a behavior that looks wrong": "POST /orders no answer hang, endless retries GET rates.example:443/v1/eur: no answer, 10 times 002",
		"how long a test took":        "session.json as it is 1 of 3 310 ms patched.json as it is 3 of 3 702 ms",
		"the wait of a command":       "age.test.js:6:3 it is answered \"23\" 2 of 6 383 ms 2000 ms",
		"what nobody waits for":       "text of #clock background: it changes again and again, at about the same intervals 2",
		"when an API is ready":        "Ready when the status is 200, /body/state is \"done\". In vain when /body/state is \"failed\". Asked every 32 ms, for 2433 ms at most.",
		"a time that was looked for":  "settle 620 ms: passed 100 runs, fails in less than 3.0 % of runs, saves 1380 ms of each; chosen",
		"what changed":                "move that the earlier map never saw",
		"the flow of the id":          "orderId 0a1b2c3d-4e5f-4a6b-8c7d-000007300419 1 at /body/orderId 2 at /path/1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in\n%s", what, want, got)
		}
	}
}

// text is what a page says, with single blanks.
func text(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	hidden := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			if !hidden {
				b.WriteString(z.Token().Data + " ")
			}
		case html.StartTagToken, html.EndTagToken:
			token := z.Token()
			if token.Data == "style" || token.Data == "script" {
				hidden = token.Type == html.StartTagToken
			}
		}
	}
}

// TestPolicy: a browser runs the page's own script and style sheet, as their digests are those of what stands in the page,
// and nothing else of it is style, script or an address.
func TestPolicy(t *testing.T) {
	page := write(t, full(t))
	policy := html.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for _, tag := range []string{"style", "script"} {
		all := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(all) != 1 || !strings.Contains(policy, tag+"-src '"+digest(all[0][1])+"'") {
			t.Errorf("%d of %s, and the policy is %s", len(all), tag, policy)
		}
		page = strings.Replace(page, all[0][0], "", 1)
	}
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %s", policy)
	}
	if m := regexp.MustCompile(`(?i)<(script|link|img|iframe|object|base|style)\b|\sstyle=|\son[a-z]+=|url\(|@import|\ssrc=`).FindString(page); m != "" {
		t.Errorf("the page holds %q", m)
	}
}

// TestLinks: each id is there once, each link leads to one, and each place has one.
func TestLinks(t *testing.T) {
	f := full(t)
	page := write(t, f)
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`\sid="?([^">\s]*)"?`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("two elements have the id %q", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`\shref="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[strings.TrimPrefix(m[1], "#")] {
			t.Errorf("a link leads to %q, which is not there", m[1])
		}
	}
	for _, p := range f.Places {
		if !ids[p.ID] {
			t.Errorf("%s has no anchor", p.Place)
		}
	}
}

func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	full := errors.New("the disk is full")
	if err := HTML(failing{full}, gathered(t, recorded.Shop(), 2)); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// hostile is a text that tries to leave its place: in HTML, in a comment, in attributes, and by sheer length.
var hostile = []string{
	`<script>alert(1)</script>`,
	`</style></script><script>alert(1)</script>`,
	`--><script>alert(1)</script><!--`,
	`--!><img src=x onerror=alert(1)>`,
	`" onmouseover="alert(1)" x="`,
	`' onmouseover='alert(1)`,
	`javascript:alert(1)`,
	`{{.Title}}`,
	"\x1b[31mred\x1b[0m\x07\r\n\t\x00\x7f\u009b31m",
	"\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029",
	"\xff\xfe\xc3(",
	strings.Repeat("a", 1<<16),
	"e" + strings.Repeat("\u0301\u0302\u0303", 1<<10),
	strings.Repeat("漢字", 1<<10),
	"\U000e0041\U0010ffff",
}

// hostileFindings puts s wherever findings have a text, and so many harmless places beside it.
func hostileFindings(t *testing.T, doc []byte, s string, places int) *findings.Findings {
	t.Helper()
	var f findings.Findings
	check(t, json.Unmarshal(doc, &f))
	f.Title, f.Warnings = s, []string{s}
	for i := range places {
		one := f.Places[0]
		one.ID = fmt.Sprintf("p%012x", i)
		f.Places = append(f.Places, one)
	}
	p := &f.Places[0]
	p.Place, p.Holds, p.Warnings, p.Samples, p.Ruled = "/body/x", []string{s, s}, []string{s}, []string{s}, s
	p.Reasons, p.Do.Do, p.Do.Command, p.Except = nil, s, s, []string{s}
	p.Judgement, p.Category = mapfile.Judgement("j"), mapfile.Category("c")
	p.Seen = []findings.Seen{{Seq: 1, Request: s, Place: "/body/x", Recorded: "r", Runs: []findings.SeenRun{{Run: 1, Moved: true, Value: "q" + s},
		{Run: 2, Otherwise: s}}}}
	p.Conditions = []findings.Condition{{Words: s, Runs: []int{1}, Moved: 1, Of: 1}}
	for i := range f.Operations {
		f.Operations[i].Operation = s
	}
	for i := range f.Sequences {
		q := &f.Sequences[i]
		q.Name, q.Do = s, s
		for k := range q.Steps {
			q.Steps[k].Request, q.Steps[k].Outcome = s, s
		}
		for k := range q.Bindings {
			q.Bindings[k].Name, q.Bindings[k].Value = s, s
		}
	}
	for i := range f.Runs {
		f.Runs[i].Words, f.Runs[i].Label = s, s
	}
	f.Tests[0].Name, f.Tests[0].File, f.Tests[0].Why = s, s, s
	f.Tests[0].Claims = []findings.Claim{{File: s, Line: 1, Statement: s, Place: "/body/x"}}
	f.Rates.Forms[0].Name = s
	f.Services.Services[0].Host, f.Services.Calls[0].Path = s, s
	f.Since.Changes[0].Operation = s
	hostileWaits(f.Waits, s)
	return &f
}

// hostileWaits puts s wherever waits have a text.
func hostileWaits(p *waiting.Panel, s string) {
	t, r, u := &p.Tests[0], &p.Reads[0], &p.Tuned[0]
	t.Name, t.File, t.Session, t.Times[0].Session, t.Times[0].Way = s, s, s, s, s
	c := &t.Commands[1]
	c.Does, c.Source, c.Answer, c.Wait.Until, t.Requests[0].What = s, s, s, s, s
	t.Changes[0].Element, t.Changes[0].Property, t.Changes[0].New, t.Changes[0].Fate = s, s, s, oracle.Fate(s)
	t.Pruned[0].What, t.Pruned[0].Why = s, s
	r.Operation, r.Until, r.Vain, r.Trails[0].Looks[0].Says = s, s, []string{s}, s
	u.File, u.Test, u.Written, u.Best = s, s, s, s
	for i := range u.Strategies {
		k := &u.Strategies[i]
		k.Strategy, k.Words, k.Evidence = s, s, s
	}
	u.Strategies[1].Unusable = s
}

// TestHostile holds that a hostile page has the very elements, attributes and comments of a harmless one, be it of few
// places or of so many that what is in them stands in comments.
func TestHostile(t *testing.T) {
	doc, err := json.Marshal(full(t))
	check(t, err)
	for _, places := range []int{0, dense} {
		want := skeleton(write(t, hostileFindings(t, doc, "harmless", places)))
		if i := slices.Index(want, "comment"); (i >= 0) != (places > 0) {
			t.Fatalf("with %d places a comment is element %d", places, i)
		}
		for i, s := range hostile {
			t.Run(fmt.Sprint(places, "-", i), func(t *testing.T) {
				page := write(t, hostileFindings(t, doc, s, places))
				if diff := cmp.Diff(want, skeleton(page)); diff != "" {
					t.Errorf("the page's structure changed (-harmless +hostile):\n%.500s", diff)
				}
				if len(page) > 300<<10+places*4<<10 {
					t.Errorf("the page has %d bytes", len(page))
				}
				visibleOnly(t, strings.Replace(page, script, "", 1))
			})
		}
	}
}

// skeleton lists the elements of a page with the names of their attributes, those in comments too.
func skeleton(page string) []string {
	var out []string
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.CommentToken:
			inner := strings.TrimSuffix(strings.TrimPrefix(string(z.Raw()), "<!--"), "-->")
			out = append(append(out, "comment"), skeleton(inner)...)
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			s := token.Data
			for _, a := range token.Attr {
				s += " " + a.Key
			}
			out = append(out, s)
		}
	}
}

func visibleOnly(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Error("the page is no UTF-8")
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("the page holds %U", r)
			return
		}
	}
}

func TestRangesAreShort(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{nil, ""}, {[]int{3}, "3"}, {[]int{1, 2, 3, 7}, "1–3, 7"}, {[]int{1, 3}, "1, 3"}} {
		if got := ranges(c.in); got != c.want {
			t.Errorf("%v: %q, want %q", c.in, got, c.want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A graph of more than there is room for says so, and links lead somewhere.
func TestGraphIsBounded(t *testing.T) {
	f := full(t)
	for n := range 3 * graphRows {
		s := &inspect.Service{Scheme: "https", Host: fmt.Sprintf("s%d.example", n), Port: 443, Calls: 1}
		f.Services.Services = append(f.Services.Services, s)
		f.Services.Calls = append(f.Services.Calls, &inspect.Asking{Operation: fmt.Sprintf("GET /%d", n), Method: "GET",
			Service: fmt.Sprintf("https://s%d.example:443", n), Path: "/", Calls: 1, Exchanges: 1, Statuses: map[string]int{"200": 1}})
		f.Behaviors = append(f.Behaviors, findings.Behavior{Request: fmt.Sprintf("GET /%d", n), Services: []string{s.Addr()}},
			findings.Behavior{Request: fmt.Sprintf("GET /%d", n), Services: []string{s.Addr()}})
	}
	g := newGraph(f)
	if most := 2*graphTop + (graphRows+1)*graphHigh + 1; g.Height != most || g.Left != 3*(2*graphRows+1) || len(g.Nodes) != 3*graphRows+1 {
		t.Errorf("%d high, want %d; %d nodes, %d left", g.Height, most, len(g.Nodes), g.Left)
	}
	page := write(t, f)
	for _, n := range g.Nodes {
		if n.Link != "" && !strings.Contains(page, `id="`+n.Link+`"`) && !strings.Contains(page, "id="+n.Link) {
			t.Errorf("%s leads to %s, which is not there", n.Name, n.Link)
		}
	}
}

// What a search found is drawn where no recording tells of services, too: a node for each request, those first in which
// something looks wrong, and a curve from each service that was asked there.
func TestGraphOfBehaviors(t *testing.T) {
	f := gathered(t, recorded.Shop(), 2)
	f.Behaviors = []findings.Behavior{
		{Request: "GET /sound", Status: 200, Services: []string{"b.example:443"}},
		{Request: "GET /alone", Status: 200},
		{Request: "GET /quote", Status: 200, Services: []string{"a.example:443", "b.example:443"}},
		{Request: "GET /quote", Status: 500, Services: []string{"a.example:443"}, Findings: []string{"5xx"}}}
	g := newGraph(f)
	var nodes, edges []string
	for _, n := range g.Nodes {
		nodes = append(nodes, n.Name+" "+n.Link)
	}
	for _, e := range g.Edges {
		edges = append(edges, fmt.Sprint(e.Words, " ", e.Fails))
	}
	if diff := cmp.Diff([]string{"a.example:443 ", "b.example:443 ", "GET /quote: 2 behaviors behaviors",
		"GET /sound: 1 behavior behaviors", "GET /alone: 1 behavior behaviors"}, nodes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"answers of a.example:443 stand behind GET /quote: 2 behaviors, of which 1 looks wrong true",
		"answers of b.example:443 stand behind GET /quote: 1 behavior false",
		"answers of b.example:443 stand behind GET /sound: 1 behavior false"}, edges); diff != "" {
		t.Error(diff)
	}
	if page := write(t, f); !strings.Contains(page, `id="behaviors"`) || strings.Contains(page, ">places that follow<") || strings.Contains(page, "Who asks what") {
		t.Error("the table is missing, or there are parts of a recording that has none")
	}
}

// A service at an address of IPv6 is drawn with what asks it.
func TestGraphOfAnAddress(t *testing.T) {
	g := newGraph(&findings.Findings{Services: &inspect.Externals{
		Services: []*inspect.Service{{Scheme: "http", Host: "2001:db8::5", Port: 81, Calls: 1}},
		Calls:    []*inspect.Asking{{Operation: "GET /a", Service: "http://[2001:db8::5]:81", Calls: 1}}}})
	if len(g.Edges) != 1 || len(g.Nodes) != 2 || g.Nodes[1].Name != "http://[2001:db8::5]:81" {
		t.Errorf("nodes %+v, edges %+v", g.Nodes, g.Edges)
	}
}

// A recording whose API asks nobody has no section for it.
func TestNoServices(t *testing.T) {
	if page := write(t, gathered(t, recorded.Shop(), 2)); strings.Contains(page, "External services") || strings.Contains(page, "Graph of") {
		t.Error("there is a section for services")
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		scheme, host string
		port         int
		value        string
		want         bool
	}{
		{"https", "rates.example", 443, "rates.example/v1#/usd", true}, {"http", "rates.example", 8080, "rates.example/v1#/usd", false},
		{"http", "rates.example", 8080, "rates.example:8080/v1#/usd", true}, {"https", "2001:db8::5", 443, "2001:db8::5/#status", true},
		{"http", "2001:db8::5", 81, "[2001:db8::5]:81/#/a", true}, {"https", "rates.example", 443, "xrates.example/#/a", false},
	} {
		if got := answers(&inspect.Service{Scheme: tt.scheme, Host: tt.host, Port: tt.port}, tt.value); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
