package triage

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// night is a run of CI beside six earlier executions, of a test that asks for its order and one that counts the visits.
type night struct {
	begins  exchange.Start // of the run; the earlier ones are reset
	order   string         // what the run answers
	visits  string
	failed  []string // "test: message", with the line that failed behind a "|"
	passed  []string // in the same results
	earlier int      // executions; 0 means six
	added   []string // what else the run asks for, all of which is answered {"users":[]}
}

const (
	orderThen  = `200 {"ref":"a81f09","total":3,"items":[1]}`
	visitsThen = `200 {"count":7}`
)

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func answered(answer string) *exchange.Response {
	status, body, _ := strings.Cut(answer, " ")
	head := "HTTP/1.1 " + status + " X\r\nContent-Type: application/json\r\n\r\n"
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

func request(target string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")})
}

// input puts the night beside the earlier executions.
func (n night) input() *Input {
	earlier := n.earlier
	if earlier == 0 {
		earlier = 6
	}
	op := func(target string, fields ...*mapfile.Field) *mapfile.Operation {
		for _, f := range fields {
			f.Of = earlier - 1
		}
		o := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: target}, Status: 200, Exchanges: 1,
			Fields: append(fields, &mapfile.Field{Place: exchange.PlaceStatus, Judgement: mapfile.Stable, Of: earlier - 1})}
		o.Index()
		return o
	}
	m := &mapfile.Map{Operations: []*mapfile.Operation{
		op("/order", &mapfile.Field{Place: "/body/ref", Judgement: mapfile.Jitter, Category: mapfile.Rand,
			Holds: mapfile.Holds{Pattern: "^[0-9a-f]{6}$"}},
			&mapfile.Field{Place: "/body/total", Judgement: mapfile.Stable},
			&mapfile.Field{Place: "/body/items", Judgement: mapfile.Stable}),
		op("/visits", &mapfile.Field{Place: "/body/count", Judgement: mapfile.Jitter, Category: mapfile.State,
			Holds: mapfile.Holds{Max: "9"}}),
	}}
	j := &analysis.Result{Map: m, Operations: map[uint64]exchange.Operation{}}
	for r := range earlier {
		run := exchange.Run{Number: r + 1, Kind: exchange.RunClient, Conditions: exchange.Conditions{Start: exchange.StartReset}}
		if r == earlier-1 && n.begins != "" {
			run.Conditions.Start = n.begins
		}
		j.Runs = append(j.Runs, run)
	}
	for i, c := range []struct{ mark, target, then, now string }{
		{"test_order", "/order", orderThen, n.order}, {"test_visits", "/visits", visitsThen, n.visits}} {
		e := &exchange.Exchange{Seq: uint64(i + 1), Sequence: c.mark, Start: begun, Request: request(c.target), Response: answered(c.then)}
		s := exchange.Step{Exchange: e}
		for r := range earlier {
			o := &exchange.Observation{Run: r + 1, Seq: e.Seq, Start: begun, Sent: e.Request, Response: e.Response}
			if r == earlier-1 {
				if c.now == "" {
					continue
				}
				o.Response = answered(c.now)
			}
			s.Observations = append(s.Observations, o)
		}
		j.Steps, j.Operations[e.Seq] = append(j.Steps, s), exchange.Operation{Method: "GET", Template: c.target}
	}
	var all []results.Detailed
	for _, f := range n.failed {
		name, message, _ := strings.Cut(f, ": ")
		message, line, _ := strings.Cut(message, "|")
		trace := message
		if line != "" {
			trace = ">       " + line + "\nE   " + message + "\n"
		}
		all = append(all, results.Detailed{Trace: trace, Result: results.Result{Name: name, Outcome: results.Fail, Message: message}})
	}
	executions := []flaky.Execution{{Run: earlier, Results: all}}
	for _, name := range n.passed {
		executions = append(executions, flaky.Execution{Run: earlier, Results: []results.Detailed{{Result: results.Result{Name: name, Outcome: results.Pass}}}})
	}
	beside := &analysis.Beside{Run: earlier, Operations: map[uint64]exchange.Operation{}}
	for i, target := range n.added {
		e := &exchange.Exchange{Seq: uint64(100 + i), Request: request(target), Response: answered(`200 {"users":[]}`)}
		beside.Added, beside.Operations[e.Seq] = append(beside.Added, e), exchange.Operation{Method: "GET", Template: target}
	}
	return &Input{Flaky: &flaky.Input{Judged: j, Source: suite.Source{Steps: j.Steps, Operations: j.Operations, Map: m}, Results: executions},
		Beside: beside, Basis: Basis{Recorded: true, Executions: earlier}}
}

func TestVerdicts(t *testing.T) {
	moved := `200 {"ref":"b7c3d1","total":3,"items":[1]}`
	for name, c := range map[string]struct {
		night
		want   Verdict
		reason string
	}{
		"a place that moves is shown":       {night{order: moved, failed: []string{"test_order: 'b7c3d1' != 'a81f09'"}}, Volatile, "the failure shows what stood there"},
		"the line names a place that moves": {night{order: moved, failed: []string{"test_order: no|assert order.ref == want"}}, Volatile, "the line that failed names it"},
		"nothing else differs":              {night{order: moved, failed: []string{"test_order: no"}}, Volatile, "nothing else differs"},
		"the line is about another place":   {night{order: moved, failed: []string{"test_order: no|assert order.total == 4"}}, Unknown, "nothing ties it"},
		"what follows state":                {night{order: orderThen, visits: `200 {"count":12}`, failed: []string{"test_visits: 12 != 7"}}, State, "/body/count follows what was sent before"},
		"a steady value":                    {night{order: `200 {"ref":"b7c3d1","total":4,"items":[1]}`, failed: []string{"test_order: 'b7c3d1' != 'a81f09'"}}, Regression, "/body/total has another value: 4, not 3"},
		"more elements":                     {night{order: `200 {"ref":"a81f09","total":3,"items":[1,2]}`, failed: []string{"test_order: 2 != 1"}}, Regression, "/body/items has another number of elements: 2, not 1; it never moved in 6 answers"},
		"a pattern is broken":               {night{order: `200 {"ref":"none","total":3,"items":[1]}`, failed: []string{"test_order: 'none' != 'a81f09'"}}, Regression, "/body/ref moves, and breaks what holds of it"},
		"a server's error":                  {night{order: `500 {}`, earlier: 2, failed: []string{"test_order: 500 != 200"}}, Regression, "the operation never answered so: 500, not 200"},
		"too few answers":                   {night{order: `200 {"ref":"a81f09","total":4,"items":[1]}`, earlier: 3, failed: []string{"test_order: 4 != 3"}}, Unknown, "too few to tell"},
		"the answers are as ever":           {night{order: orderThen, failed: []string{"test_order: no"}}, Unknown, "nothing in its 1 answer differs from earlier runs"},
		"it passed as well":                 {night{order: `404 {}`, failed: []string{"test_order: 404 != 200"}, passed: []string{"test_order"}}, Unknown, "the test passed in the same run as well"},
		"not reset, and refused":            {night{begins: exchange.StartContinued, order: `409 {}`, failed: []string{"test_order: 409 != 200"}}, Unknown, "left-over state may explain it"},
		"not reset, and another value":      {night{begins: exchange.StartContinued, order: `200 {"ref":"a81f09","total":4,"items":[1]}`, failed: []string{"test_order: 4 != 3"}}, Regression, "/body/total"},
		"a member that no answer has":       {night{order: `200 {"ref":"a81f09","total":4,"items":[1]}`, failed: []string{"test_order: KeyError: 'totl'|assert order[\"totl\"] == 3"}}, Slip, `it asks for the member "totl", which no answer ever had; "total" is one that some have`},
		"a member that is gone":             {night{order: `200 {"ref":"a81f09","items":[1]}`, failed: []string{"test_order: KeyError: 'total'|assert order[\"total\"] == 3"}}, Regression, "/body/total is gone"},
		"a key that a variable has":         {night{order: moved, failed: []string{"test_order: KeyError: 'b7c3d1'|assert all[ref]"}}, Volatile, "/body/ref is known to move"},
		"another API":                       {night{order: `200 {"user":"ann"}`, added: []string{"/users", "/roles"}, failed: []string{"test_order: 'ann' != 'a81f09'"}}, Unknown, "1 of the 3 operations of this run is known to what it is judged by"},
		"an error beside what is new":       {night{order: `404 {"error":"no"}`, added: []string{"/users", "/roles"}, failed: []string{"test_order: 404 != 200"}}, Regression, "the status never answered so: 404, not 200"},
		"another answer of the operation":   {night{order: `200 {"ref":"a81f09","total":4,"items":[1]}`, added: []string{"/order", "/users", "/roles"}, failed: []string{"test_order: 4 != 3"}}, Regression, "/body/total has another value"},
		"another version with more":         {night{order: `200 {"ref":"a81f09"}`, added: []string{"/users", "/roles"}, failed: []string{"test_order: KeyError: 'total'"}}, Regression, "/body/items is gone"},
		"all its members are others":        {night{order: `200 {"user":"ann"}`, failed: []string{"test_order: 'ann' != 'a81f09'"}}, Regression, "/body/ref moves, and breaks what holds of it: it is gone"},
		"a test that nothing ties":          {night{order: `500 {}`, failed: []string{"test_other: 500 != 200"}}, Unknown, "nothing ties the test to its exchanges"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.input().Judge()
			if len(r.Tests) != 1 || r.Tests[0].Verdict != c.want || !strings.Contains(r.Tests[0].Reason, c.reason) {
				t.Fatalf("want %s, %q, got %+v", c.want, c.reason, r.Tests)
			}
			f := r.Tests[0]
			if (f.Verdict == Unknown) != (len(f.Missing) > 0) || len(f.Next) == 0 && f.Verdict != Unknown {
				t.Errorf("missing %q, to do %q", f.Missing, f.Next)
			}
			if f.TiedBy != "" && len(r.Unnoticed) > 0 {
				t.Errorf("what the failed test has is said to be unnoticed: %+v", r.Unnoticed)
			}
			if r.Counts[c.want] != 1 || len(r.Counts) != len(Verdicts()) {
				t.Errorf("counts %v", r.Counts)
			}
		})
	}
}

// TestSuiteOfAnotherAPI: where the run was not recorded, a suite that names no request of the recordings says that they are
// of another API.
func TestSuiteOfAnotherAPI(t *testing.T) {
	for source, want := range map[string]Verdict{`get("/order") 3`: Regression, `get("/users") 3`: Unknown} {
		in := night{failed: []string{"test_order: 4 != 3|assert order.total == 3"}}.input()
		in.Beside, in.Basis.Recorded = nil, false
		in.Flaky.Sources = []flaky.SourceFile{{Path: "a.py", Data: []byte(source)}}
		if r := in.Judge(); r.Tests[0].Verdict != want || (r.Basis.Doubt == "") != (want == Regression) {
			t.Errorf("of a suite with %s: %+v", source, r)
		}
	}
}

// TestUnnoticed: what no failed test has is listed, and makes no verdict.
func TestUnnoticed(t *testing.T) {
	r := night{order: `200 {"ref":"a81f09","total":4,"items":[1]}`, visits: `200 {"count":8}`, failed: []string{"test_visits: 8 != 7"}}.input().Judge()
	if len(r.Unnoticed) != 1 || r.Unnoticed[0].Place != "/body/total" || r.Counts[Regression] != 0 {
		t.Errorf("%+v", r)
	}
}

// TestHostileForms: whatever a runner or an API says, it ends no line, no command and no markup.
func TestHostileForms(t *testing.T) {
	evil := "x\n::error::y\r\x1b[2J<script>|`](http://e)@all"
	r := &Report{Counts: map[Verdict]int{Regression: 1}, Tests: []Test{{Test: evil, Suite: evil, Verdict: Regression, Reason: evil, Failure: evil, Where: "a,b\n::error::c:7",
		Evidence: []Evidence{{Method: "GET", Target: evil, Place: exchange.Place("/body/" + evil), Says: evil}}, Missing: []string{evil}, Next: []string{evil}}},
		Unnoticed: []Evidence{{Says: evil, Target: evil, Method: "GET"}}}
	for name, form := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return r.Text(b) },
		"github":   func(b *bytes.Buffer) error { return r.Annotations(b) },
		"markdown": func(b *bytes.Buffer) error { return r.Markdown(b) },
	} {
		var b bytes.Buffer
		if err := form(&b); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if strings.ContainsAny(out, "\x1b\r") || name == "github" && (strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "::error file=a%2Cb%0A%3A%3Aerror%3A%3Ac,line=7,title=")) ||
			name != "github" && strings.Contains(out, "\n::error") || name == "markdown" && strings.ContainsAny(strings.ReplaceAll(strings.ReplaceAll(out, "<details><summary>", ""), "</summary>", ""), "`[@") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// TestManyAnnotations: of each kind as many are written as GitHub shows, and how many more there are.
func TestManyAnnotations(t *testing.T) {
	r := &Report{}
	for _, v := range Verdicts() {
		for i := range maxAnnotations {
			r.Tests = append(r.Tests, Test{Test: fmt.Sprint(v, i), Verdict: v})
		}
	}
	var b bytes.Buffer
	if err := r.Annotations(&b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if strings.Count(out, "::error ") != maxAnnotations || strings.Count(out, "::warning ") != maxAnnotations || strings.Contains(out, "title=state") ||
		!strings.HasSuffix(out, "\nand 20 other failed tests: flaketap triage --format text tells of all\n") {
		t.Errorf("got\n%s", out)
	}
}

// TestGravestFirst: of two regressions the one by a server's error comes first, whatever their names.
func TestGravestFirst(t *testing.T) {
	r := night{order: `200 {"ref":"a81f09","total":4,"items":[1]}`, visits: `500 {}`, failed: []string{"test_order: 4 != 3", "test_visits: 500 != 200"}}.input().Judge()
	if r.Counts[Regression] != 2 || r.Tests[0].Test != "test_visits" {
		t.Errorf("%+v", r.Tests)
	}
}

// TestNoAnswer: evidence about no answer, as of a slip of the suite, is told without one.
func TestNoAnswer(t *testing.T) {
	r := &Report{Tests: []Test{{Test: "t", Verdict: Slip, Reason: "why", Evidence: []Evidence{{Says: "it is so"}, {Method: "GET", Target: "/a", Status: 200, Place: "/body", Says: "says"}}}}}
	var github, markdown bytes.Buffer
	if err := errors.Join(r.Annotations(&github), r.Markdown(&markdown)); err != nil {
		t.Fatal(err)
	}
	if want := "::warning title=slip%3A t::why%0AGET /a, answered 200: /body\n"; github.String() != want {
		t.Errorf("want %q, got %q", want, github.String())
	}
	if want := "\n- it is so\n- GET /a, answered 200: /body: says\n"; !strings.Contains(markdown.String(), want) {
		t.Errorf("want %q, got\n%s", want, markdown.String())
	}
}

// TestSecretIsNoEvidence: that a failure prints a secret which the answer has ties it to nothing, unless secrets are
// shown.
func TestSecretIsNoEvidence(t *testing.T) {
	for _, reveal := range []bool{false, true} {
		in := night{order: `200 {"token":"b7c3d1e2f3","total":3}`, failed: []string{"test_order: got b7c3d1e2f3 of 'total': 4"}}.input()
		op := in.Flaky.Judged.Map.Operations[0]
		op.Fields[0].Place, op.Fields[0].Holds = "/body/token", mapfile.Holds{}
		op.Fields[2].Place = "/body/none"
		op.Index()
		s := &in.Flaky.Judged.Steps[0]
		s.Exchange.Response = answered(`200 {"token":"a81f09c4d5","total":3}`)
		for _, o := range s.Observations[:5] {
			o.Response = s.Exchange.Response
		}
		secrets := &exchange.Secrets{}
		secrets.Step(*s)
		in.Flaky.Judged.Redactor = exchange.Redactor{Known: secrets.Known(), Reveal: reveal}
		var b bytes.Buffer
		r := in.Judge()
		if err := r.Text(&b); err != nil {
			t.Fatal(err)
		}
		known := r.Tests[0].Evidence[0].KnownBy
		if (known == "message") != reveal || strings.Contains(b.String(), "b7c3d1e2f3") != reveal {
			t.Errorf("reveal %t: known by %q\n%s", reveal, known, b.String())
		}
	}
}

// TestSecrets: no secret of the run is shown, wherever the failure or an answer has it.
func TestSecrets(t *testing.T) {
	const secret = "s3cr3t-t0ken-of-the-run"
	n := night{order: fmt.Sprintf(`200 {"ref":"a81f09","total":3,"items":[1],"token":%q}`, secret), failed: []string{"test_order: got " + secret}}
	in := n.input()
	secrets := &exchange.Secrets{}
	secrets.Step(in.Flaky.Judged.Steps[0])
	in.Flaky.Judged.Redactor.Known = secrets.Known()
	var b bytes.Buffer
	if err := in.Judge().Text(&b); err != nil {
		t.Fatal(err)
	}
	if out := b.String(); strings.Contains(out, secret) || !strings.Contains(out, "REGRESSION") || !strings.Contains(out, "/body/token is new") {
		t.Errorf("got\n%s", out)
	}
}

// A place that never moved, and that the very same request has as ever before and behind in the same run, is no sure
// regression of an API on which something moves for the first time in each run; of one on which nothing does, it is.
func TestChance(t *testing.T) {
	const odd = `200 {"ref":"a81f09","total":4,"items":[1]}`
	for name, c := range map[string]struct {
		once          int // places that moved once, in six executions
		before, after string
		now           string
		want          Verdict
	}{
		"as ever before and behind":      {5, orderThen, orderThen, odd, Unknown},
		"an API on which little is rare": {4, orderThen, orderThen, odd, Regression},
		"from now on":                    {9, orderThen, odd, odd, Regression},
		"up to now":                      {9, odd, orderThen, odd, Regression},
		"a server's error":               {9, orderThen, orderThen, `500 {}`, Regression},
		"a refusal":                      {9, orderThen, orderThen, `409 {}`, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			in := night{order: c.now, failed: []string{"test_order: 4 != 3"}}.input()
			j := in.Flaky.Judged
			for i := range c.once {
				j.Map.Operations[1].Fields = append(j.Map.Operations[1].Fields, &mapfile.Field{Judgement: mapfile.Jitter, Changed: 1,
					Place: exchange.Place("/body/rare" + strings.Repeat("x", i)), Of: 5})
			}
			run := in.Beside.Run
			for i, answer := range []string{c.before, c.after} {
				seq := uint64(50 + i)
				s := exchange.Step{Exchange: &exchange.Exchange{Seq: seq, Sequence: "test_other", Start: begun, Request: request("/order"), Response: answered(orderThen)},
					Observations: []*exchange.Observation{{Run: run, Seq: seq, Start: begun.Add(time.Duration(2*i-1) * time.Second), Sent: request("/order"), Response: answered(answer)}}}
				j.Steps, j.Operations[seq] = append(j.Steps, s), exchange.Operation{Method: "GET", Template: "/order"}
			}
			if r := in.Judge(); r.Tests[0].Verdict != c.want {
				t.Errorf("want %s, got %+v", c.want, r.Tests[0])
			}
		})
	}
}
