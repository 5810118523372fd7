package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/google/go-cmp/cmp"
)

// asserting is a Runner of suites of one test, which asks for one answer: the suite "strict" fails where it is not what the
// API answers, "lax" never.
type asserting struct {
	ran  []string
	stop func(name string) // is called before each run
	o    Outcome           // what else is to be of each outcome
}

func (a *asserting) Run(ctx context.Context, x Execution) (Outcome, error) {
	a.ran = append(a.ran, x.Name)
	if a.stop != nil {
		a.stop(x.Name)
	}
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	e := said("/a/1", `{"n":1,"token":"hush-hush"}`)
	if x.Recorder != nil {
		if err := x.Recorder.Record(e); err != nil {
			return Outcome{}, err
		}
	}
	r := results.Result{Name: "n is 1", Outcome: results.Pass}
	if x.Rewriter != nil && x.Rewriter.Response(e) != nil && x.Suite.Arg == "strict" {
		r.Outcome, r.Message = results.Fail, "want 1"
	}
	o := a.o
	o.Results = []results.Result{r}
	return o, nil
}

func options(names ...string) Options {
	o := Options{Runs: 2, Faults: Faults{Kinds: []mutant.Kind{mutant.Change}, Seed: 1}}
	for _, name := range names {
		o.Suites = append(o.Suites, Suite{Name: name, Arg: name})
	}
	return o
}

// Suites run in turn, then each with every fault; what one of them notices and the other does not is told.
func TestRun(t *testing.T) {
	r := &asserting{}
	var talk bytes.Buffer
	v, err := Run(context.Background(), options("strict", "lax"), []Runner{r}, &console.Console{Err: &talk})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(r.ran[:7], " "), "1-run-01 2-run-01 1-run-02 2-run-02 1-mutant-001 1-mutant-001-again 2-mutant-001"; got != want {
		t.Errorf("ran %s, want %s", got, want)
	}
	if v.Flaky() || !v.Survived() || v.Interrupted() != nil {
		t.Errorf("flaky %v, survived %v, interrupted %v", v.Flaky(), v.Survived(), v.Interrupted())
	}
	var doc bytes.Buffer
	if err := v.JSON(&doc); err != nil {
		t.Fatal(err)
	}
	var report Report
	if err := json.Unmarshal(doc.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	all := report.Mutants.All
	if report.Runs != 2 || all.Planted == 0 || all.Killed[0] != all.Planted || all.Killed[1] != 0 || len(report.Mutants.List) != all.Planted {
		t.Errorf("%s", doc.String())
	}
	for _, want := range []string{"run 1 of 2, strict: 1 test, 0 failed (", "planting ", "mutant 1 of ", "strict killed by 1 test, lax survived"} {
		if !strings.Contains(talk.String(), want) {
			t.Errorf("%q is not said:\n%s", want, talk.String())
		}
	}
}

// Interrupted among the faults, what is known is returned; before, nothing.
func TestRunInterrupted(t *testing.T) {
	for at, want := range map[string]string{"1-run-02": "interrupted during run 2 of 2; partial runs write no report", "1-mutant-002": ""} {
		ctx, cancel := context.WithCancel(context.Background())
		r := &asserting{stop: func(name string) {
			if name == at {
				cancel()
			}
		}}
		v, err := Run(ctx, options("strict"), []Runner{r}, nil)
		cancel()
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Interrupted(); err == nil || !strings.HasPrefix(err.Error(), "interrupted: 1 of ") {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// silent leaves no results and asks nothing.
type silent struct{ o Outcome }

func (s silent) Run(context.Context, Execution) (Outcome, error) { return s.o, nil }

func TestUntested(t *testing.T) {
	status := []results.Result{results.FromStatus("sh", 1, 0)}
	for want, o := range map[string]Outcome{
		"run 1 of 2 of strict: the command ended with status 1, left no results and sent no request to the API; its last output: not found": {Silent: true, Status: 1, LastWords: "not\nfound", Results: status},
		"run 1 of 2 of strict: the command was stopped by --timeout, left no results and sent no request to the API":                        {Silent: true, TimedOut: true, Results: status},
		"verify strict: no tests ran": {},
	} {
		want = strings.ReplaceAll(want, "not found", "not; found")
		if _, err := Run(context.Background(), options("strict"), []Runner{silent{o}}, nil); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestPace(t *testing.T) {
	p := pace{begun: time.Now().Add(-time.Minute), done: 1, planned: 3}
	if got := p.left(); got != ", about 2m0s left" {
		t.Errorf("left: %q", got)
	}
	p.done = 3
	if got := p.left(); got != "" {
		t.Errorf("left: %q", got)
	}
}

func TestReadAssertions(t *testing.T) {
	a, err := ReadAssertions(strings.NewReader(`{"flaketap":"patch-report","version":1,"files":[
		{"tests":2,"assertions":7,"kept":3,"weakened":2,"unknown":[{},{}]},{"tests":1,"assertions":4,"rebound":4,"grafted":1,"unknown":[]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Assertions{Tests: 3, Assertions: 11, Kept: 3, Weakened: 2, Rebound: 4, Unknown: 2, Grafted: 1}); *a != want {
		t.Errorf("got %+v, want %+v", *a, want)
	}
	for _, bad := range []string{"", "[]", `{"flaketap":"map","version":1}`, `{"flaketap":"patch-report","version":2}`} {
		if _, err := ReadAssertions(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken for a patch report", bad)
		}
	}
}

// exact is a Runner of suites of one test, which asks for orders, changes one and asks again. The suite "exact" asserts
// statuses and bodies as they are, "lax" the class of the statuses. Once a fault is planted, the API may answer otherwise.
type exact struct {
	runs int
	now  string // in the place of the list of orders in runs with a fault; "" where it is the same
}

// conversation is what exact asks, and is answered.
func conversation(list string) []*exchange.Exchange {
	ask := func(method, target, body, head, answer string) *exchange.Exchange {
		e := &exchange.Exchange{Scheme: "http", Addr: "api:80", Request: exchange.ParseRequest(exchange.Message{
			Head: []byte(method + " " + target + " HTTP/1.1\r\nHost: api\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body)})}
		e.Response = exchange.ParseResponse(exchange.Message{Body: []byte(answer),
			Head: []byte("HTTP/1.1 " + head + "\r\nContent-Type: application/json\r\n\r\n")})
		return e
	}
	return []*exchange.Exchange{
		ask("GET", "/orders", "", "200 OK", list),
		ask("POST", "/orders", `{"of":"ada"}`, "201 Created", `{"id":11,"of":"ada","v":1,"at":"2026-01-01T00:00:00Z","key":"6ba7b810-9dad-41d1-80b4-00c04fd430c8"}`),
		ask("GET", "/orders/11", "", "200 OK", `{"id":11,"of":"ada","v":1}`),
		ask("GET", "/orders/12", "", "404 Not Found", `{"error":"unknown"}`),
		ask("POST", "/orders", `{"of":"bob"}`, "201 Created", `{"id":13,"of":"bob","v":1,"at":"2026-01-01T00:00:01Z","key":"7ca7b810-9dad-41d1-80b4-00c04fd430c8"}`),
		ask("GET", "/orders/13", "", "200 OK", `{"id":13,"of":"bob","v":1}`),
		ask("DELETE", "/orders/13", "", "204 No Content", ""),
		ask("GET", "/orders/13", "", "404 Not Found", `{"error":"unknown"}`),
	}
}

const someOrders = `[{"id":1,"price":12.50},{"id":2,"price":9},{"id":3,"price":20000}]`

func (x *exact) Run(_ context.Context, e Execution) (Outcome, error) {
	x.runs++
	list := someOrders
	if e.Rewriter != nil && x.now != "" {
		list = x.now
	}
	r := results.Result{Name: "orders", Outcome: results.Pass}
	for _, one := range conversation(list) {
		if e.Recorder != nil {
			if err := e.Recorder.Record(one); err != nil {
				return Outcome{}, err
			}
		}
		got := one.Response
		if e.Rewriter == nil {
			continue
		}
		if raw := e.Rewriter.Response(one); raw != nil {
			head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
			got = exchange.ParseResponse(exchange.Message{Head: append(head, "\r\n\r\n"...), Body: body})
		}
		same := got.Status/100 == one.Response.Status/100
		if e.Suite.Arg == "exact" {
			same = got.Status == one.Response.Status && bytes.Equal(got.Body, one.Response.Body) && got.MediaType() == one.Response.MediaType()
		}
		if !same {
			r.Outcome = results.Fail
		}
	}
	return Outcome{Results: []results.Result{r}}, nil
}

// killed verifies one suite with faults of some kinds planted, and returns what the report says of them.
func killed(t *testing.T, x *exact, suite string, kinds ...mutant.Kind) *KillReport {
	t.Helper()
	o := options(suite)
	o.Faults.Kinds = kinds
	v, err := Run(context.Background(), o, []Runner{x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.killReport()
}

// Every fault that is planted where an answer stays as it is, is told by a suite that asserts all of every answer; most
// are lost on one that asserts next to nothing, and it is told of each which assertion was missing.
func TestExactSuiteTellsAll(t *testing.T) {
	for _, kind := range mutant.Kinds() {
		if kind == mutant.Relation {
			continue // is about places that move: see the package of mutants
		}
		all := killed(t, &exact{}, "exact", kind).All
		if all.Planted == 0 || all.Killed[0] != all.Planted {
			t.Errorf("%s: the exact suite tells %d of %d", kind, all.Killed[0], all.Planted)
		}
	}
	lax := killed(t, &exact{}, "lax", mutant.Kinds()...)
	if 3*lax.All.Killed[0] > lax.All.Planted || lax.Tellable.Planted != lax.All.Planted {
		t.Errorf("the lax suite tells %d of %d, of which an assertion can tell %d", lax.All.Killed[0], lax.All.Planted, lax.Tellable.Planted)
	}
	for _, m := range lax.List {
		if m.Assertion == "" {
			t.Errorf("%s %s %s: nothing is said to tell it", m.Kind, m.Way, m.Place)
		}
	}
}

// A status that the operation has for something else is planted, and so is a thing that is still read once it is gone.
func TestPlausibleMutants(t *testing.T) {
	var got []string
	report := killed(t, &exact{}, "exact", mutant.Status, mutant.Stale)
	for _, m := range report.List {
		if m.Plausible && m.Operation == "GET /orders/{id}" {
			got = append(got, strings.TrimSpace(string(m.Kind)+" "+strconv.Itoa(m.Status)+" "+strconv.Itoa(m.To)+" "+m.Assertion))
		}
	}
	slices.Sort(got)
	want := []string{"stale 404 0 that it equals 404, other than in the answer before", "status 200 404 that the status is 200",
		"status 404 200 that the status is 404"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A mutant that changes no answer, as the API answers otherwise by then, is not counted.
func TestUnchangedIsNotCounted(t *testing.T) {
	r := killed(t, &exact{now: "[]"}, "exact", mutant.Empty, mutant.Element, mutant.Transpose)
	if len(r.List) == 0 || r.All.Planted != 0 {
		t.Errorf("%d of %d mutants are counted, and the list was empty", r.All.Planted, len(r.List))
	}
}

// Where no mutant can be planted, that is said, and not a table of nothing.
func TestNothingToPlant(t *testing.T) {
	o := options("strict")
	o.Faults.Kinds = []mutant.Kind{mutant.Transpose}
	v, err := Run(context.Background(), o, []Runner{&asserting{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := v.Text(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "no mutant was planted: the answers to ") || strings.Contains(b.String(), "planted, of") {
		t.Errorf("got\n%s", b.String())
	}
}

// With a bound on their number every kind has its share, and the choice is the same for the same seed.
func TestMutantsAreBounded(t *testing.T) {
	var lists [2][]MutantReport
	for i := range lists {
		o := options("exact")
		o.Faults.Kinds, o.Faults.Most, o.Faults.Seed = mutant.Kinds(), 28, 5
		x := &exact{}
		v, err := Run(context.Background(), o, []Runner{x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		report := v.killReport()
		lists[i] = report.List
		if x.runs != o.Runs+o.Faults.Most+report.All.Killed[0] {
			t.Errorf("%d runs for %d mutants, of which %d are killed", x.runs, o.Faults.Most, report.All.Killed[0])
		}
	}
	kinds := map[mutant.Kind]bool{}
	for _, m := range lists[0] {
		kinds[m.Kind] = true
	}
	if d := cmp.Diff(lists[0], lists[1]); d != "" || len(kinds) != len(mutant.Kinds())-1 {
		t.Errorf("%d kinds; %s", len(kinds), d)
	}
}

// unlent waits for an API that no worker lends.
type unlent struct{ interrupt func() }

func (u unlent) Run(ctx context.Context, x Execution) (Outcome, error) {
	u.interrupt()
	<-ctx.Done()
	if x.Title != "run 1 of 2" {
		return Outcome{}, fmt.Errorf("its title is %q", x.Title)
	}
	return Outcome{}, fmt.Errorf("%w: %w", service.ErrNotLent, ctx.Err())
}

// Interrupted while no worker has lent its API, it says so: no run has begun.
func TestRunInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := Run(ctx, options("strict"), []Runner{unlent{cancel}}, nil)
	if err == nil || err.Error() != "interrupted before run 1 of 2 began: no worker lent its API; start a worker, and then this again" {
		t.Error(err)
	}
}
