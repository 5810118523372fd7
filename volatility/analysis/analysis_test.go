package analysis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// call is one exchange of a test: what is asked, and what is answered in the recording and in each run.
type call struct {
	method, target string
	answers        []string // the bodies
}

// shop makes orders, whose ids move from run to run, and looks at them.
func shop() []call {
	return []call{
		{"POST", "/orders", []string{`{"orderId":"0a1b2c3d-1"}`, `{"orderId":"0a1b2c3d-2"}`}},
		{"GET", "/orders/0a1b2c3d-1", []string{`{"state":"new"}`, `{"state":"new"}`}},
		{"GET", "/login/by/tokenvalue0001", []string{`{"access_token":"tokenvalue0001"}`, `{"access_token":"tokenvalue0001"}`}},
	}
}

// write makes a recording of calls with one run, and a repeat run that sees what the first one did.
func write(t *testing.T, calls []call) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"})
	check(err)
	for i, c := range calls {
		check(db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
			Start: begin.Add(time.Duration(i) * time.Second), Request: request(c), Response: response(c.answers[0])}))
	}
	check(db.EndPass(begin.Add(time.Minute)))
	for _, kind := range []exchange.RunKind{exchange.RunReplay, exchange.RunRepeat} {
		if len(calls) == 0 {
			break
		}
		run := exchange.Run{Kind: kind, Started: begin.Add(time.Hour), Ended: begin.Add(2 * time.Hour)}
		w, err := db.BeginRun(run)
		check(err)
		for i, c := range calls {
			check(w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: run.Started, Sent: request(c), Response: response(c.answers[1])}))
		}
		check(w.Finish(run))
	}
	check(db.Close())
	return path
}

func request(c call) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", c.method, c.target)})
}

func response(body string) *exchange.Response {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

func TestJudgeRefusesWhatHoldsNothing(t *testing.T) {
	if _, err := Judge(filepath.Join(t.TempDir(), "none.db"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
	if _, err := Judge(write(t, nil), Options{}); err == nil || !strings.Contains(err.Error(), "the recording contains no exchanges") {
		t.Errorf("a recording of nothing gives %v", err)
	}
}

func TestJudgeKeepsTheMapAlone(t *testing.T) {
	path := write(t, shop())
	r, err := Judge(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := JudgeWithSteps(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Steps)+len(r.Exchanges) > 0 || len(r.Bindings) == 0 || len(r.Operations) != 3 || len(r.Runs) != 2 {
		t.Errorf("Judge keeps %d steps and %d exchanges, and finds %d bindings, %d operations and %d runs",
			len(r.Steps), len(r.Exchanges), len(r.Bindings), len(r.Operations), len(r.Runs))
	}
	if len(whole.Exchanges) != 3 || len(whole.Steps) != 3 || len(whole.Steps[0].Observations) != 1 || whole.Steps[0].Observations[0].Run != 1 {
		t.Errorf("JudgeWithSteps keeps %d exchanges and the steps %+v", len(whole.Exchanges), whole.Steps)
	}
	if a, b := encoded(t, r.Map), encoded(t, whole.Map); a != b {
		t.Errorf("the maps differ:\n%s\n%s", a, b)
	}
	if n := r.Map.Summary.Volatile(); n != 1 {
		t.Errorf("%d places are volatile, want the id of the order", n)
	}
}

func encoded(t *testing.T, m *mapfile.Map) string {
	t.Helper()
	var b strings.Builder
	if err := m.Encode(&b, mapfile.EncodeOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSecretsAreConcealed(t *testing.T) {
	path := write(t, shop())
	for _, reveal := range []bool{false, true} {
		r, err := JudgeWithSteps(path, Options{Reveal: reveal})
		if err != nil {
			t.Fatal(err)
		}
		var templates []string
		for _, seq := range []uint64{1, 2, 3} {
			templates = append(templates, r.Operations[seq].Template)
		}
		if shown := strings.Contains(strings.Join(templates, " ")+encoded(t, r.Map), "tokenvalue0001"); shown != reveal {
			t.Errorf("with reveal %t the secret is shown: %t in %q", reveal, shown, templates)
		}
	}
}

func TestRulesHaveTheLastWord(t *testing.T) {
	path := write(t, shop())
	rules := Rules{
		Bindings: flow.Rules{Forbid: []flow.Rule{{To: flow.Point{Operation: "GET /orders/{id}", Place: "/path/1"}}}},
		Places:   []rules.Rule{{Place: "/body/orderId", Kind: mapfile.Pin, Because: "ids are ours", Source: "rules:1"}},
	}
	r, err := Judge(path, Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Bindings) > 0 {
		t.Errorf("a forbidden binding is kept: %+v", r.Bindings)
	}
	if !slices.ContainsFunc(r.Map.Warnings, func(w string) bool { return strings.Contains(w, "rules:1") }) {
		t.Errorf("what the rule hides is not in the warnings %q", r.Map.Warnings)
	}
}

func TestHiddenThingsAreListedUpToABound(t *testing.T) {
	answer := func(run int) string {
		var members []string
		for i := range maxHidden + 5 {
			members = append(members, fmt.Sprintf(`"m%d":%d`, i, 7*run+i))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	path := write(t, []call{{"GET", "/counters", []string{answer(1), answer(2)}}})
	r, err := Judge(path, Options{Rules: Rules{Places: []rules.Rule{{Place: "/body/*", Kind: mapfile.Pin, Source: "rules:1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	hidden := slices.DeleteFunc(slices.Clone(r.Map.Warnings), func(w string) bool { return !strings.Contains(w, "rules") })
	if len(hidden) != maxHidden+1 || hidden[maxHidden] != "and 5 more things that rules hide" {
		t.Errorf("%d warnings of %d: %q", len(hidden), len(r.Map.Warnings), hidden)
	}
}

func TestTraceAndBindAgree(t *testing.T) {
	db, err := store.OpenReadOnly(write(t, shop()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	traced, err := Trace(db, Options{})
	if err != nil {
		t.Fatal(err)
	}
	visited := 0
	bound, err := Bind(db, flow.Rules{}, func(*exchange.Exchange) { visited++ })
	if err != nil {
		t.Fatal(err)
	}
	if visited != 3 || len(traced.Exchanges) != 3 || len(traced.Damage) > 0 || len(bound.Proofs) != len(bound.Found) {
		t.Errorf("visited %d exchanges, outlined %d, found damage %v and %d proofs for %d bindings",
			visited, len(traced.Exchanges), traced.Damage, len(bound.Proofs), len(bound.Found))
	}
	if fmt.Sprint(traced.Bindings) != fmt.Sprint(bound.Kept) || len(bound.Kept) == 0 {
		t.Errorf("Trace keeps %v, Bind %v", traced.Bindings, bound.Kept)
	}
}

func TestGarbageIsBoundedByWhatIsKept(t *testing.T) {
	for _, test := range []struct {
		most Garbage
		n    int
		want Garbage
	}{
		{Bounded, 1, 150}, {Bounded, 40_000, 125}, {Bounded, 100_000, 50}, {Bounded, 1_000_000, 40},
		{Unbounded, 1, 100}, {Unbounded, 100_000, 50}, {Unbounded, 1_000_000, 40},
	} {
		if got := (&GC{most: test.most}).garbage(test.n); got != test.want {
			t.Errorf("at most %d: %d exchanges give %d, want %d", test.most, test.n, got, test.want)
		}
	}
}

func TestGCIsRestored(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	gc := TuneGC(Unbounded)
	for n := range 200_000 {
		gc.Exchanges(n + 1)
	}
	during := debug.SetGCPercent(77)
	gc.Restore()
	if after := debug.SetGCPercent(77); during != 40 && during > 41 || after != 77 {
		t.Errorf("the setting was %d during the work and %d after it", during, after)
	}
}

func TestLoadMapTakesMapsAndRecordings(t *testing.T) {
	recording := write(t, shop())
	pin := Options{Rules: Rules{Places: []rules.Rule{{Place: "/body/orderId", Kind: mapfile.Pin, Source: "rules:1"}}}}
	judged, _, err := LoadMap(recording, Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "map.json")
	if err := os.WriteFile(path, []byte(encoded(t, judged)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{recording, path} {
		m, holder, err := LoadMap(file, pin)
		if err != nil || holder != nil {
			t.Fatalf("%v, held by %v", err, holder)
		}
		if n := m.Summary.Volatile(); n != 0 {
			t.Errorf("%s: %d places are volatile in spite of the rule", filepath.Base(file), n)
		}
	}
	for text, want := range map[string]string{"": "the file is empty", `{"flaketap": "volatile-map",`: "the file is cut short", "no": "not JSON at byte 2"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMap(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
}

// A judgement ends with its context, in the midst of a pass too.
func TestJudgeEndsWithItsContext(t *testing.T) {
	path := write(t, shop())
	over, cancel := context.WithCancel(t.Context())
	if _, err := Judge(path, Options{Context: over}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for name, judge := range map[string]func(string, Options) (*Result, error){"map": Judge, "steps": JudgeWithSteps} {
		if _, err := judge(path, Options{Context: over}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	midway, cancel := context.WithCancel(t.Context())
	n := 0
	numbers := func(yield func(int, error) bool) {
		for yield(n, nil) {
			if n++; n == 3 {
				cancel()
			}
		}
	}
	for v, err := range untilOver(midway, numbers) {
		if (v > 2) != (err != nil) && n < 3 || n >= 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("%d comes with %v", v, err)
		}
	}
	if n != 3 {
		t.Errorf("%d came", n)
	}
}

// TestDescriptionInTheRecording: a description of the API that the client fetched names the operations, unless the user
// names templates, or nobody can read it.
func TestDescriptionInTheRecording(t *testing.T) {
	const description = `{"openapi":"3.0.0","paths":{"/products/{name}":{}}}`
	path := write(t, []call{
		{"GET", "/api-docs", []string{description, description}},
		{"GET", "/products/pen", []string{`{"a":1}`, `{"a":1}`}},
		{"GET", "/products/ink", []string{`{"a":1}`, `{"a":2}`}},
	})
	read := func(body []byte) []string {
		if string(body) != description {
			t.Errorf("read %q", body)
		}
		return []string{"/products/{name}"}
	}
	named := Rules{Bindings: flow.Rules{Paths: flow.NewPaths([]string{"/products/{pen}"})}}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{ReadTemplates: read}, "/products/{name}"},
		{Options{ReadTemplates: read, Rules: named}, "/products/{pen}"},
		{Options{ReadTemplates: func([]byte) []string { return nil }}, "/products/ink"},
		{Options{}, "/products/ink"},
	} {
		r, err := Judge(path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Operations[3].Template; got != c.want {
			t.Errorf("%+v: the template is %s, want %s", c.o, got, c.want)
		}
	}
}
