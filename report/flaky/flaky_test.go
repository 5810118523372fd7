package flaky

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// call is one exchange: its mark, what it asks, and what it was answered in the recording and each run; "" where a run
// did not send it.
type call struct {
	mark, target string
	answers      []string
}

var begun = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// input records calls and their runs, and judges them. Each execution is an hour after the one before, each call a
// second.
func input(t *testing.T, calls ...call) *Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	_, err = db.BeginPass(exchange.Pass{Started: begun, Target: "http://127.0.0.1:8080", Source: "record"})
	check(err)
	request := func(target string) exchange.Request {
		return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", target)})
	}
	response := func(answer string) *exchange.Response {
		status, body, _ := strings.Cut(answer, " ")
		head := fmt.Sprintf("HTTP/1.1 %s OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
	}
	at := func(execution, call int) time.Time {
		return begun.Add(time.Duration(execution)*time.Hour + time.Duration(call)*time.Second)
	}
	for i, c := range calls {
		check(db.Record(&exchange.Exchange{Conn: 1, Sequence: c.mark, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
			Start: at(0, i), Request: request(c.target), Response: response(c.answers[0])}))
	}
	check(db.EndPass(begun.Add(time.Minute)))
	for n := 1; n < len(calls[0].answers); n++ {
		run := exchange.Run{Kind: exchange.RunClient, Started: at(n, 0), Ended: at(n, 60), Conditions: exchange.Conditions{Start: exchange.StartContinued}}
		w, err := db.BeginRun(run)
		check(err)
		for i, c := range calls {
			if c.answers[n] == "fault" {
				check(w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: at(n, i), Sent: request(c.target), Fault: &exchange.Fault{Kind: exchange.FaultReset}}))
			} else if c.answers[n] != "" {
				check(w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: at(n, i), Sent: request(c.target), Response: response(c.answers[n])}))
			}
		}
		check(w.Finish(run))
	}
	check(db.Close())
	j, err := analysis.JudgeWithSteps(path, analysis.Options{})
	check(err)
	return &Input{Judged: j, DB: "flaketap.db", Source: suite.Source{Steps: j.Steps, Operations: j.Operations, Map: j.Map, Redactor: j.Redactor}}
}

// shop is a test that makes an order and reads it, and another one.
func shop(t *testing.T) *Input {
	return input(t,
		call{"tests/test_shop.py::test_order (call)", "/orders", []string{`200 {"ref":"k3Jx81kq","total":3}`, `200 {"ref":"P0vR7mW2","total":3}`, `200 {"ref":"zz81kqP0","total":3}`}},
		call{"tests/test_shop.py::test_order (call)", "/orders/last", []string{`200 {"state":"new"}`, `200 {"state":"new"}`, ``}},
		call{"tests/test_shop.py::test_list", "/list", []string{`200 {"items":[5],"visits":1}`, `200 {"items":[5,6],"visits":2}`, `200 {"items":[5],"visits":1}`}},
		call{"tests/test_shop.py::test_stock", "/stock", []string{`200 {"tea":1}`, `404 {}`, `200 {"tea":1}`}})
}

func failed(suite, name, trace string) Execution {
	return Execution{Run: NotKnown, Results: []results.Detailed{{Result: results.Result{Suite: suite, Name: name, Outcome: results.Fail, Message: trace}, Trace: trace}}}
}

// What makes a test flake is known by what its failure shows, by the line that failed, by where it stopped, or only by
// what moves.
func TestHowCausesAreKnown(t *testing.T) {
	where := results.Where{File: "/ci/tests/test_shop.py", Line: 2}
	for name, tt := range map[string]struct {
		trace, test, known, place string
		line                      string
	}{
		"message":                    {trace: "assert 'P0vR7mW2' == 'abc'", test: "test_order", known: report.KnownByMessage, place: "/body/ref"},
		"line":                       {trace: "AssertionError", line: `    assert r.json()["ref"] == want`, test: "test_order", known: report.KnownByLine, place: "/body/ref"},
		"line, written otherwise":    {trace: "AssertionError", line: `    expect(order.REF)`, test: "test_order", known: report.KnownByLine, place: "/body/ref"},
		"line above":                 {trace: "AssertionError", line: "if got.Ref != want {\n\tt.Error()", test: "test_order", known: report.KnownByLine, place: "/body/ref"},
		"line about something else":  {trace: "AssertionError", line: `    assert total == 3`, test: "test_order", known: report.KnownByStop, place: "/body/ref"},
		"stop":                       {test: "test_order", known: report.KnownByStop, place: "/body/ref"},
		"status":                     {trace: "assert 404 == 200", test: "test_stock", known: report.KnownByMessage, place: "/status"},
		"line about the status":      {trace: "wrong", line: `assertThat(r.statusCode()).isEqualTo(200)`, test: "test_stock", known: report.KnownByLine, place: "/status"},
		"place":                      {test: "test_stock", known: report.KnownByPlace, place: "/status"},
		"the line tells which":       {trace: "assert 1 == 2", line: `assert len(r["items"]) == 1`, test: "test_list", known: report.KnownByMessage, place: "/body/items"},
		"numbers that anything says": {trace: "line 200", test: "test_stock", known: report.KnownByPlace, place: "/status"},
	} {
		t.Run(name, func(t *testing.T) {
			in := shop(t)
			if tt.trace != "" {
				in.Results = []Execution{failed("tests.test_shop", tt.test, tt.trace)}
				in.Results[0].Results[0].Where = where
			}
			if tt.line != "" {
				in.Results[0].Results[0].Where.Line = 2 + strings.Count(tt.line, "\n")
				in.Sources = []SourceFile{{Path: "x/test_shop.pyc", Data: []byte("a\nb")}, {Path: "suite/test_shop.py", Data: []byte("import x\n" + tt.line + "\n")}}
			}
			f, err := in.Find(tt.test)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Causes) != 1 || f.Causes[0].Known != tt.known || string(f.Causes[0].Place) != tt.place {
				t.Fatalf("got %+v, others %+v", f.Causes, f.Others)
			}
			c := f.Causes[0]
			if c.Since == nil || c.Since.Run != 1 || len(c.Values) != 3 || c.Judged == nil || len(c.Next) == 0 || f.TiedBy != report.TiedByMark {
				t.Errorf("got %+v", c)
			}
			if tt.known == report.KnownByLine && (c.Statement != strings.Join(strings.Fields(tt.line), " ") || !strings.HasPrefix(c.Where, where.File)) {
				t.Errorf("it stands at %q: %q", c.Where, c.Statement)
			}
		})
	}
}

// A place that has another value in those executions in which the test failed, and in no other, is what it failed by.
// What is drawn anew each time is not.
func TestOutcomesTell(t *testing.T) {
	for name, tt := range map[string]struct {
		states string // by execution
		failed []int
		want   string
	}{
		"it is another where it failed": {"new new old new", []int{2}, "outcome /body/state"},
		"the recording is what failed":  {"old new new new", []int{0}, "outcome /body/state"},
		"it is another elsewhere too":   {"new old old new", []int{2}, "place /body/ref"},
		"too few passed":                {"new old old old", []int{1, 2, 3}, "place /body/ref"},
	} {
		t.Run(name, func(t *testing.T) {
			c := call{mark: "test_order", target: "/orders/last"}
			var all []Execution
			for i, state := range strings.Fields(tt.states) {
				c.answers = append(c.answers, fmt.Sprintf(`200 {"ref":"%s","state":"%s"}`, []string{"k3Jx81kq", "P0vR7mW2", "zz81kqP0", "Rm2x0Kv1"}[i], state))
				r := results.Detailed{Result: results.Result{Name: "test_order", Outcome: results.Pass}}
				if slices.Contains(tt.failed, i) {
					r.Outcome, r.Message = results.Fail, "it failed"
				}
				all = append(all, Execution{Run: i, Results: []results.Detailed{r}})
			}
			in := input(t, c)
			in.Results = all
			f, err := in.Find("test_order")
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(f.Causes[0].Known, " ", f.Causes[0].Place); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if len(f.FailedIn) != len(tt.failed) || f.FailedIn[0].Run != tt.failed[0] || f.Failed != len(tt.failed) || f.Of != 4 {
				t.Errorf("it failed in %+v", f.FailedIn)
			}
		})
	}
}

// Results that say when they were tell which run of the recording they are of.
func TestOutcomesByTime(t *testing.T) {
	in := input(t, call{"test_order", "/o", []string{`200 {"state":"new"}`, `200 {"state":"new"}`, `200 {"state":"old"}`}})
	for i := range 4 { // the last one is of no run
		x := failed("", "test_order", "x")
		if x.Results[0].Start = begun.Add(time.Duration(i)*time.Hour + time.Second); i < 2 {
			x.Results[0].Outcome = results.Pass
		}
		in.Results = append(in.Results, x)
	}
	f := in.Failing()[0]
	if len(f.Causes) != 1 || f.Causes[0].Known != report.KnownByOutcome || len(f.FailedIn) != 1 || f.FailedIn[0].Run != 2 || f.Failed != 2 || f.Of != 4 {
		t.Errorf("got %+v", f)
	}
}

// What to do follows from the evidence.
func TestWhatToDo(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []string
		want    string
	}{
		"no answer":       {[]string{`200 {"state":"new"}`, "fault", `200 {"state":"new"}`}, "flaketap inspect exchanges --db flaketap.db --fault any"},
		"state":           {[]string{`200 {"items":[1]}`, `200 {"items":[1,2]}`, `200 {"items":[1,2,3]}`}, "flaketap rerun --reset CMD|URL -- CMD"},
		"drawn":           {[]string{`200 {"ref":"k3Jx81kq"}`, `200 {"ref":"P0vR7mW2"}`, `200 {"ref":"zz81kqP0"}`}, "assert what holds of it instead of the value: string"},
		"one execution":   {[]string{`200 {"ref":"k3Jx81kq"}`}, "flaketap rerun --db flaketap.db --runs 5 -- CMD"},
		"nothing differs": {[]string{`200 {}`, `200 {}`}, "look for what moves in the test itself"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, call{"test_a", "/a", tt.answers})
			f, err := in.Find("test_a")
			if err != nil {
				t.Fatal(err)
			}
			next := f.Next
			for _, c := range f.Causes {
				next = append(next, c.Next...)
			}
			if !strings.Contains(strings.Join(next, "\n"), tt.want) {
				t.Errorf("it says %q", next)
			}
		})
	}
}

// Where stabilize has patched the suite, no further patch is advised.
func TestWhatToDoAfterStabilize(t *testing.T) {
	for _, stabilized := range []bool{false, true} {
		in := input(t, call{"test_a", "/a", []string{`200 {"items":[1]}`, `200 {"items":[1,2]}`, `200 {"items":[1,2,3]}`}})
		in.Stabilized = stabilized
		f, err := in.Find("test_a")
		if err != nil || len(f.Causes) == 0 {
			t.Fatal(err)
		}
		said := strings.Join(append(f.Next, f.Causes[0].Next...), "\n")
		if strings.Contains(said, "the report of stabilize (unhelped, not_reset) says why") != stabilized {
			t.Errorf("stabilized %v: %s", stabilized, said)
		}
	}
}

// A run in which a test sends less tells where it stopped.
func TestWhereATestStopped(t *testing.T) {
	f, err := shop(t).Find("test_order")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Exchanges[0].StoppedIn, f.Exchanges[1].MissingIn, f.Exchanges[1].StoppedIn); got != "[2] [2] []" {
		t.Errorf("got %s", got)
	}
}

// A test is found by its name, by what is written around it, and by a part of it that no other has.
func TestFind(t *testing.T) {
	in := shop(t)
	in.Results = []Execution{failed("tests.test_shop", "test_stock", "x"), failed("tests.test_mail", "test_stock", "x"), failed("tests.test_mail", "test_send", "x")}
	for name, want := range map[string]string{
		"test_send": "test_send", "SEND": "test_send", "tests.test_mail::test_stock": "test_stock", "tests.test_mail.test_stock": "test_stock",
		"test_order": "tests/test_shop.py::test_order", "tests/test_shop.py::test_stock": "test_stock", "order": "tests/test_shop.py::test_order",
		"test_stock": "2 tests are named so", "nobody": "no test is named", "test_sent": `no test is named`,
	} {
		f, err := in.Find(name)
		got := fmt.Sprint(err)
		if err == nil {
			got = f.Test
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q finds %s, want %s", name, got, want)
		}
	}
	// the mark of the one is not taken for that of the other, which has the same name
	for _, f := range in.Failing() {
		if f.Suite == "tests.test_mail" && f.TiedBy != "" {
			t.Errorf("%s of %s: %s", f.Test, f.Suite, f.Tie)
		}
	}
}

// Results that say when a test ran tie it to what was sent then, in whichever execution that was.
func TestTiedByTime(t *testing.T) {
	calls := []call{
		{"", "/a", []string{`200 {"n":1}`, `200 {"n":1}`}}, {"", "/b", []string{`200 {"ref":"k3Jx81kq"}`, `200 {"ref":"P0vR7mW2"}`}}, {"", "/c", []string{`200 {}`, `200 {}`}},
	}
	for name, tt := range map[string]struct {
		from, to time.Duration
		want     string
	}{
		"the recording": {time.Second, time.Second, "time[2]"},
		"a run":         {time.Hour + 500*time.Millisecond, time.Hour + 2500*time.Millisecond, "time[2 3]"},
		"neither":       {30 * time.Minute, 31 * time.Minute, "[]"},
	} {
		in := input(t, calls...)
		in.Results = []Execution{failed("p", "TestB", "x")}
		in.Results[0].Results[0].Start, in.Results[0].Results[0].End = begun.Add(tt.from), begun.Add(tt.to)
		f := in.Failing()[0]
		var seqs []uint64
		for _, e := range f.Exchanges {
			seqs = append(seqs, e.Seq)
		}
		if got := fmt.Sprint(f.TiedBy, seqs); got != tt.want {
			t.Errorf("%s: got %s, want %s (%s)", name, got, tt.want, f.Tie)
		}
		if f.TiedBy == "" && len(f.Next) == 0 {
			t.Errorf("%s: it does not say what would help", name)
		}
	}
}

// Secrets stay in, whoever names them: an answer, a runner, a line of the suite.
func TestSecretsAreMasked(t *testing.T) {
	const secret = "s3cr3tW0rdOfTheShop"
	in := input(t, call{"test_login", "/login?api_key=" + secret, []string{`200 {"access_token":"` + secret + `","ref":"k3Jx81kq"}`, `200 {"access_token":"another` + secret + `","ref":"P0vR7mW2"}`}})
	in.Results = []Execution{failed("", "test_login", "assert '"+secret+"' == 'P0vR7mW2' and 'another"+secret+"'")}
	in.Results[0].Results[0].Where = results.Where{File: "a.py", Line: 1}
	in.Sources = []SourceFile{{Path: "a.py", Data: []byte("assert token == '" + secret + "'")}}
	var b strings.Builder
	for _, f := range in.Failing() {
		if err := f.Text(&b); err != nil {
			t.Fatal(err)
		}
		if err := report.JSON(&b, f); err != nil {
			t.Fatal(err)
		}
	}
	if out := b.String(); strings.Contains(out, secret) || !strings.Contains(out, "secret:") {
		t.Errorf("it says\n%s", out)
	}
}

func TestPlacesAreNamed(t *testing.T) {
	for _, tt := range []struct {
		line  string
		place exchange.Place
		want  bool
	}{
		{`assert r.json()["uptimeSeconds"] == 1`, "/body/uptimeSeconds", true},
		{`require.Equal(t, 1, got.UptimeSeconds)`, "/body/uptime_seconds", true},
		{`expect(r.headers["ETag"])`, "/header/etag", true},
		{`expect(items[0].id)`, "/body/items/0/id", true},
		{`expect(items[0])`, "/body/items/0", true},
		{`expect(identity)`, "/body/items/0/id", false},
		{`assert body == want`, "/body", false},
		{`assert status == 1`, "/status", true},
		{`assert 1`, "/body/1", false},
	} {
		if got := named(tt.line, tt.place); got != tt.want {
			t.Errorf("named(%q, %s) = %t", tt.line, tt.place, got)
		}
	}
}

// Names, marks and failures come from programs that nobody here wrote.
func FuzzNames(f *testing.F) {
	f.Add("tests.test_shop", "test_order[1-a]", "tests/test_shop.py::test_order[1-a] (call)", "assert 1 == 2")
	f.Add("", "Ünï › ", "__", "\xff")
	f.Fuzz(func(t *testing.T, suite, name, mark, trace string) {
		one := &Test{ID: results.ID{Suite: suite, Name: name}}
		byName := map[string][]*Test{script.Folded(name): {one, {ID: results.ID{Suite: mark, Name: name}}}}
		namedBy(byName, mark)
		among([]*Test{one}, mark, trace)
		if !results.SameName(name, name) {
			t.Errorf("%q is not itself", name)
		}
		if script.Folded(script.Folded(name)) != script.Folded(name) {
			t.Errorf("%q folds to %q, and that to %q", name, script.Folded(name), script.Folded(script.Folded(name)))
		}
		named(trace, exchange.PlaceBody.Key(mark))
		(&movement{tokens: map[string]bool{mark: true, name: false}}).shownBy(trace)
		in := Input{Sources: []SourceFile{{Path: suite, Data: []byte(trace)}, {Path: name}}}
		in.body(one)
		in.lines(results.Where{File: mark, Line: 1})
	})
}
