package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
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
	v, err := Run(context.Background(), options("strict", "lax"), r, &console.Console{Err: &talk})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(r.ran[:6], " "), "1-run-01 2-run-01 1-run-02 2-run-02 1-mutant-001 2-mutant-001"; got != want {
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
		v, err := Run(ctx, options("strict"), r, nil)
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
		if _, err := Run(context.Background(), options("strict"), silent{o}, nil); err == nil || err.Error() != want {
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
