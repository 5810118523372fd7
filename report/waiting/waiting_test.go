package waiting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/tune"
)

// suite is the text of the suite of sessions: lines 5 and 8 are in tests, 2 is a helper's.
const suite = "const open = (name) =>\n  driver.get(name);\n\ntest('first', async () => {\n  await go();\n});\n" +
	"test('second', async () => {\n  await go();\n});\n"

func command(at float64, kind oracle.Kind, line int, does, answer string) oracle.Command {
	c := oracle.Command{Browser: 1, Kind: kind, Does: does, Start: at, Sent: at, First: oracle.Answer{Value: answer, At: at + 5},
		Given: oracle.Answer{Value: answer, At: at + 5}}
	if line > 0 {
		c.Source = fmt.Sprintf("a.test.js:%d:3", line)
	}
	return c
}

// run is one run of the suite, that waits for so long, or not at all.
func run(waits float64, first string, patience string, status int) oracle.Run {
	late := command(40, oracle.Reads, 5, "text of #age", `"23"`)
	late.Reads, late.Found = "text", []oracle.Locator{{Using: "css selector", Value: "#age"}}
	late.First = oracle.Answer{Value: first, At: 45}
	if waits > 0 {
		late.Later = []oracle.Answer{{Value: `"23"`, At: 40 + waits}}
	}
	late.Given = oracle.Answer{Value: `"23"`, At: 45 + waits}
	begin := 100 + waits
	return oracle.Run{Patience: patience, Status: status,
		Commands: []oracle.Command{
			command(10, oracle.Acts, 2, "open", "0"), command(20, oracle.Acts, 0, "click on #go", "0"), late,
			command(begin, oracle.Acts, 2, "open", "0"), command(begin+10, oracle.Reads, 8, "find #x", "an element"),
			command(begin+20, oracle.Reads, 0, "title", "a")},
		Mutations: []oracle.Mutation{
			{Browser: 1, Element: "#age", Property: "text", New: "23", At: 60, Later: true, Visible: true},
			{Browser: 1, Element: "#busy", Property: "@class", New: "x", At: 61, Later: true},
			{Browser: 1, Element: "#x", Property: "text", New: "s3cret-value", At: begin + 15, Later: true, Visible: true}},
		Requests: []oracle.Request{{Browser: 1, What: "GET /age", Start: 25, End: 58}, {Browser: 1, What: "GET /poll", Start: begin + 5}},
	}
}

// written is a session of three runs, as waits record writes it.
func written(t testing.TB) []byte {
	t.Helper()
	return sessionOf(t, run(0, `""`, "none", 1), run(200, `""`, "rest", 0), run(240, `""`, "rest", 0))
}

// sessionOf is a session of some runs, as waits record writes it.
func sessionOf(t testing.TB, runs ...oracle.Run) []byte {
	t.Helper()
	s := &oracle.Session{Runs: runs}
	for i := range s.Runs {
		s.See(&s.Runs[i], source)
	}
	var b bytes.Buffer
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func source(name string) ([]byte, error) {
	if name != "a.test.js" {
		return nil, os.ErrNotExist
	}
	return []byte(suite), nil
}

func decoded(t testing.TB, data []byte, r exchange.Redactor, source func(string) ([]byte, error)) *Panel {
	t.Helper()
	p := New()
	if err := p.Decode("s.json", data, r, source); err != nil {
		t.Fatal(err)
	}
	return p
}

// A session is told by its tests: what each did in a run that passed, what it waits for, and what nobody does.
func TestSession(t *testing.T) {
	p := decoded(t, written(t), exchange.Redactor{}, source)
	if len(p.Tests) != 2 {
		t.Fatalf("%d tests", len(p.Tests))
	}
	first := p.Tests[0]
	want := Test{Name: "first", File: "a.test.js", Session: "s.json", Run: 2, Took: 235,
		Times: []Timing{{"s.json", "as it is", 0, 1, 35}, {"s.json", "waiting for rest", 2, 2, 235}},
		Commands: []Command{{Does: "open", Source: "a.test.js:2:3", Acts: true, First: 5, Given: 5, Answer: "0"},
			{Does: "click on #go", Acts: true, Start: 10, First: 15, Given: 15, Answer: "0"},
			{Does: "text of #age", Source: "a.test.js:5:3", Start: 30, First: 35, Given: 235, Answer: `"23"`,
				Wait: &Wait{Until: `it is answered "23"`, Early: 3, Of: 3, Median: 40, Longest: 40, Cap: 1000}}},
		Requests: []Request{{"GET /age", 15, 48}},
		Changes:  []Change{{"#age", "text", "23", 50, oracle.Awaited}, {"#busy", "@class", "x", 51, oracle.Hidden}},
		Pruned:   []Pruned{{"@class of #busy", "it is not shown, or outside of the body", 1}},
	}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	second := p.Tests[1]
	if second.Name != "second" || len(second.Commands) != 3 || len(second.Pruned) != 1 || second.Requests[0].End != second.Took {
		t.Errorf("the second test is %+v", second)
	}
}

// Where no run passed, each test counts those runs in which it passed itself, and one of these is told.
func TestTestsThatPassed(t *testing.T) {
	waiting := run(200, `""`, "rest", 1)
	waiting.Failed = []oracle.Span{{From: 290, To: 1000}} // when the second test ran
	p := decoded(t, sessionOf(t, run(0, `""`, "none", 1), waiting), exchange.Redactor{}, source)
	want := [][]Timing{{{"s.json", "as it is", 0, 1, 35}, {"s.json", "waiting for rest", 1, 1, 235}},
		{{"s.json", "as it is", 0, 1, 25}, {"s.json", "waiting for rest", 0, 1, 25}}}
	for i, times := range want {
		if diff := cmp.Diff(times, p.Tests[i].Times); diff != "" || p.Tests[i].Run != 2 {
			t.Errorf("run %d of %q\n%s", p.Tests[i].Run, p.Tests[i].Name, diff)
		}
	}
}

// A run of which a test passed is told before one whose reads waited, and of which none did.
func TestPassedBeforeWaited(t *testing.T) {
	passing := run(0, `"23"`, "none", 1)
	passing.Failed = []oracle.Span{{From: 90, To: 1000}} // when the second test ran
	data := sessionOf(t, run(200, `""`, "rest", 1), passing)
	if first := decoded(t, data, exchange.Redactor{}, source).Tests[0]; first.Run != 2 {
		t.Errorf("run %d is told", first.Run)
	}
}

// What the same tests took in another session stands beside what they took in the first.
func TestTwoSessions(t *testing.T) {
	p := decoded(t, written(t), exchange.Redactor{}, source)
	patched := sessionOf(t, run(0, `"23"`, "none", 0))
	if err := p.Decode("patched.json", patched, exchange.Redactor{}, source); err != nil {
		t.Fatal(err)
	}
	if len(p.Tests) != 2 || p.Tests[0].Session != "s.json" || len(p.Tests[0].Times) != 3 {
		t.Fatalf("%+v", p.Tests)
	}
	if diff := cmp.Diff(Timing{"patched.json", "as it is", 1, 1, 35}, p.Tests[0].Times[2]); diff != "" {
		t.Error(diff)
	}
}

// Where the text of the suite is not there, or is another one, a browser is all that is known.
func TestSuiteIsAnother(t *testing.T) {
	for name, source := range map[string]func(string) ([]byte, error){
		"gone":    func(string) ([]byte, error) { return nil, os.ErrNotExist },
		"another": func(string) ([]byte, error) { return []byte("// new\n" + suite), nil },
	} {
		p := decoded(t, written(t), exchange.Redactor{}, source)
		if len(p.Tests) != 1 || p.Tests[0].Name != "browser 1" || len(p.Tests[0].Commands) != 6 {
			t.Errorf("%s: %+v", name, p.Tests)
		}
	}
}

// What the recording knows for a secret is shown as a token, wherever a page showed it.
func TestSecretsOfPages(t *testing.T) {
	var known exchange.Secrets
	known.Text(`password=s3cret-value`)
	p := decoded(t, written(t), exchange.Redactor{Key: []byte("k"), Known: known.Known()}, source)
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("s3cret-value")) || !bytes.Contains(out, []byte("secret:")) {
		t.Errorf("%s", out)
	}
}

// A file of something else is refused, in words that say what is wanted.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"map.json":   {`{"flaketap":"volatile-map"}`, "holds no waits"},
		"text.json":  {`hello`, "invalid character"},
		"cut.json":   {`{"flaketap":"waits-session","version":1,"ru`, "the file is damaged or cut off, so record the suite"},
		"old.json":   {`{"flaketap":"waits-session","version":9}`, "version 9"},
		"tuned.json": {`{"flaketap":"waits-tune","version":2}`, "version 2"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := New().AddFile(path, exchange.Redactor{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := New().AddFile(filepath.Join(dir, "none.json"), exchange.Redactor{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestTuned(t *testing.T) {
	out, err := json.Marshal(tune.Report{Flaketap: "waits-tune", Version: 1, File: "a.js", Line: 3, Patch: "secret patch",
		Strategies: []tune.Strategy{{Strategy: "settle", Millis: 40, Holds: true, Tried: []tune.Tried{{Millis: 40, Passed: 9}}}}, Best: "settle"})
	if err != nil {
		t.Fatal(err)
	}
	p := decoded(t, out, exchange.Redactor{}, source)
	if len(p.Tuned) != 1 || p.Tuned[0].Best != "settle" || p.Tuned[0].Patch != "" || len(p.Tuned[0].Strategies[0].Tried) != 1 {
		t.Errorf("%+v", p.Tuned)
	}
}

// A job that is pending, then done, is told with what each execution was answered when.
func TestReads(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ms int) time.Time { return begin.Add(time.Duration(ms) * time.Millisecond) }
	request := func(line string) exchange.Request {
		return exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\nHost: a\r\n\r\n")})
	}
	response := func(body string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body)})
	}
	ops := map[uint64]exchange.Operation{}
	r := NewReads(ops, exchange.Redactor{})
	for i, s := range []struct {
		line, body string
		ms         int
	}{{"POST /jobs", `{}`, 0}, {"GET /jobs/7", `{"state":"new","n":1}`, 20}, {"GET /jobs/7", `{"state":"new","n":2}`, 40}, {"GET /jobs/7", `{"state":"done","n":3}`, 60}} {
		e := &exchange.Exchange{Seq: uint64(i + 1), Pass: 1, Start: at(s.ms), Request: request(s.line), Response: response(s.body)}
		ops[e.Seq] = exchange.Operation{Method: e.Request.Method, Template: e.Request.Target}
		r.Add(exchange.Step{Exchange: e})
	}
	p := r.Panel()
	want := []Read{{Operation: "GET /jobs/7", Seqs: []uint64{2, 3, 4}, Until: `the status is 200, /body/state is "done"`, Vain: []string{},
		N: 1, Median: 60, Longest: 60, Every: 10, Cap: 1000,
		Trails: []Trail{{0, []Look{{20, `200, "new"`, Early}, {40, `200, "new"`, Early}, {60, `200, "done"`, Ready}}}},
		Pruned: []Pruned{{"/body/n", "it changes, and its values do not tell that the API is ready", 1}}}}
	if diff := cmp.Diff(want, p.Reads); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// FuzzDecode: whatever stands in a file, it is told or refused, and what is told can be written.
func FuzzDecode(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte(`{"flaketap":"waits-tune","version":1,"strategies":[{"ms":1e308,"tried":[{}]}]}`))
	f.Add([]byte(`{"flaketap":"waits-session","version":1,"runs":[{"commands":[{"kind":"acts","browser":-1,"start":-1e308,"source":"::"}],"mutations":[{"at":1e308}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := New()
		if p.Decode("s", data, exchange.Redactor{}, source) != nil {
			return
		}
		if _, err := json.Marshal(p); err != nil {
			t.Error(err)
		}
	})
}
