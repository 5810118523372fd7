package stabilize

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// tests asserts two values that move, one behind the other: what comes behind the first is sent in the second round.
const tests = `import unittest
import requests
class T(unittest.TestCase):
    def test_0(self):
        headers = {}
        res_0 = requests.get(self.baseUrlOfSut + "/a", headers=headers)
        assert res_0.status_code == 200
        assert res_0.json()["next"] == 37.0
        res_1 = requests.get(self.baseUrlOfSut + "/b", headers=headers)
        assert res_1.json()["next"] == 37.0
`

// fakeRunner plays the tests as a runner would, and breaks off when the moment has come.
type fakeRunner struct {
	broken string // a test that fails whatever is patched
	stop   func() // ends the context in the run that stopAt counts to
	stopAt int
	ran    int
	muted  []string // arguments of muted runs
	deaf   bool     // it does not load what mutes
}

// mutes reports whether a run is muted, and says in its log what the runner would.
func (f *fakeRunner) mutes(x verify.Execution) (bool, error) {
	if x.Env == nil || f.deaf {
		return false, nil
	}
	f.muted = append(f.muted, x.Suite.Arg)
	for _, kv := range x.Env(nil) {
		if path, ok := strings.CutPrefix(kv, "FLAKETAP_PROBE_LOG="); ok {
			return true, os.WriteFile(path, []byte(`{"test":"test_0"}`+"\n"+`{"ended":"test_0","file":"a_test.py","line":9}`+"\n"), 0o600)
		}
	}
	return true, nil
}

func (*fakeRunner) Addr() string { return "127.0.0.1:9" }

func (f *fakeRunner) Run(_ context.Context, x verify.Execution) (o verify.Outcome, err error) {
	data, err := os.ReadFile(filepath.Join(x.Suite.Arg, "a_test.py"))
	if err != nil {
		return o, err
	}
	f.ran++
	if f.ran == f.stopAt {
		f.stop()
	}
	muted, err := f.mutes(x)
	if err != nil {
		return o, err
	}
	_, second, _ := strings.Cut(string(data), "/b")
	o.Results = []results.Result{{Name: "test_0", Outcome: results.Pass}}
	var round, run int
	if _, err := fmt.Sscanf(strings.Replace(x.Name, "muted", "run", 1), "round-%d-run-%d", &round, &run); err != nil {
		return o, err
	}
	if x.Env != nil {
		run += 10
	}
	for i, path := range []string{"/a", "/b"} {
		if err := x.Recorder.Record(answered(path, 100*round+2*run+i)); err != nil {
			return o, err
		}
		rest := second
		if path == "/a" {
			rest, _, _ = strings.Cut(string(data), "/b")
		}
		if strings.Contains(rest, `["next"] == 37.0`) {
			o.Results[0], o.Status = results.Result{Name: "test_0", Outcome: results.Fail, Message: "next is not 37"}, 1
			if !muted {
				break
			}
		}
	}
	if f.broken != "" {
		o.Results = append(o.Results, results.Result{Name: f.broken, Outcome: results.Fail, Message: "never"})
	}
	return o, nil
}

func answered(path string, n int) *exchange.Exchange {
	now := time.Unix(1_700_000_000+int64(n), 0)
	return &exchange.Exchange{Scheme: "http", Addr: "127.0.0.1:80", Start: now, Latency: time.Millisecond,
		Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"), Plain: true}),
		Response: exchange.ParseResponse(exchange.Message{Plain: true, Body: fmt.Appendf(nil, `{"next":%d}`, n),
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")})}
}

func patch(ctx context.Context, by Evidence, files []mend.File) (*mend.Round, error) {
	j, err := analysis.JudgeWithSteps(by.DB, analysis.Options{Context: ctx})
	if err != nil {
		return nil, err
	}
	r := mend.New(files, mend.Options{Mode: suite.Relax, Source: suite.Source{Steps: j.Steps, Operations: j.Operations,
		Bindings: j.Bindings, Map: j.Map, Redactor: j.Redactor}, Restore: by.InOrder != "", Failing: by.Failing, Flaking: by.Flaking})
	return r, r.Find(ctx, mend.InferSetUps(r.Session(), flow.Rules{}), exchange.Redactor{}, &console.Console{Quiet: true})
}

func newOptions(t *testing.T) Options {
	t.Helper()
	return optionsIn(t, t.TempDir())
}

// optionsIn writes the suite into a folder, where its work goes, too.
func optionsIn(t *testing.T, dir string) Options {
	t.Helper()
	dir = filepath.Join(dir, "suite")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a_test.py"), []byte(tests), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := mend.ReadFiles([]string{dir}, mend.FileOptions{Beside: true})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Suite: dir, Files: files.All, DB: filepath.Join(filepath.Dir(dir), "x.db"), Learn: 3, Prove: 4, Rounds: 5}
}

// outcome is what is the same however often the work was interrupted.
func outcome(r *Result) string {
	out := r.Report
	out.Seconds, out.Suite = Seconds{}, ""
	return fmt.Sprintf("%+v\n%s", out, r.files[0].Data)
}

// What comes behind a failing assertion is learned in a further round, and then the suite holds.
func TestRounds(t *testing.T) {
	o, runner := newOptions(t), &fakeRunner{}
	r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Report{Holds: true, Rounds: 2, Before: Measured{3, 1, 1, 1, 0}, After: Measured{4, 1, 0, 0, 0},
		Assertions: Assertions{All: 3, Kept: 1, Weakened: 2}}
	if !r.Holds || r.Rounds != 2 || r.Before != want.Before || r.After != want.After || r.Assertions != want.Assertions || runner.ran != 10 {
		t.Errorf("%+v after %d runs, want %+v", r.Report, runner.ran, want)
	}
	if s, err := analysis.Session(o.DB); err != nil || len(s) != 1 {
		t.Errorf("the recording of the suite as it is holds %d exchanges, %v", len(s), err)
	}
	if data, _ := os.ReadFile(filepath.Join(o.Suite, "a_test.py")); string(data) != tests {
		t.Errorf("the suite itself was changed:\n%s", data)
	}
}

// Interrupted in any run, or while a round is patched, and resumed, it comes to the same end with no run more.
func TestInterrupted(t *testing.T) {
	o := newOptions(t)
	whole, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	for at := range 11 {
		o, runner := newOptions(t), &fakeRunner{stopAt: at}
		ctx, cancel := context.WithCancel(t.Context())
		runner.stop = cancel
		stopping := func(ctx context.Context, by Evidence, files []mend.File) (*mend.Round, error) {
			if at == 0 {
				cancel()
			}
			return patch(ctx, by, files)
		}
		if _, err := Run(ctx, o, []Runner{runner}, stopping, nil); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Fatalf("stopped at %d: %v", at, err)
		}
		lost := min(at, 1) // the run that it was in
		r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
		if err != nil {
			t.Fatalf("stopped at %d: %v", at, err)
		}
		if got := outcome(r); got != outcome(whole) || runner.ran != 10+lost {
			t.Errorf("stopped at %d: %d runs\n%s\nwant\n%s", at, runner.ran, got, outcome(whole))
		}
		cancel()
	}
}

// What no patch helps is said, with its cause, and what else was patched stays.
func TestUnhelped(t *testing.T) {
	r, err := Run(t.Context(), newOptions(t), []Runner{&fakeRunner{broken: "test_1"}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Holds || r.After.Failing != 1 || len(r.Unhelped) != 1 || r.Unhelped[0].Test != "test_1" || r.Unhelped[0].Why != "never" || r.Assertions.Weakened != 2 {
		t.Errorf("%+v", r.Report)
	}
	var out strings.Builder
	if err := r.Text(&out); err != nil || !strings.Contains(out.String(), "not helped: test_1 fails in 3 of 3 runs: never\nwhy one of them fails: flaketap why TEST --db ") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Work on another suite is refused, and so is a database that was made otherwise; --force forgets both.
func TestOtherWork(t *testing.T) {
	o := newOptions(t)
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err != nil {
		t.Fatal(err)
	}
	o.Identity = []string{"another"}
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err == nil || console.Advice(err) == "" {
		t.Errorf("other work is gone on with: %v", err)
	}
	if err := ChangedInPlace(o.DB); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err == nil || !strings.Contains(err.Error(), "changed it in place") {
		t.Errorf("a suite that was changed in place is %v", err)
	}
	o.Fresh = true
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err != nil {
		t.Error(err)
	}
	o = newOptions(t)
	if err := os.WriteFile(o.DB, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err == nil {
		t.Error("a file of the user's is written over")
	}
}

// silentRunner runs no test.
type silentRunner struct{ fakeRunner }

func (*silentRunner) Run(context.Context, verify.Execution) (verify.Outcome, error) {
	return verify.Outcome{Silent: true, Status: 5, LastWords: "no tests ran"}, nil
}

func TestNoTest(t *testing.T) {
	o := newOptions(t)
	_, err := Run(t.Context(), o, []Runner{&silentRunner{}}, patch, nil)
	if err == nil || !strings.Contains(err.Error(), "the command ran no test: it ended with status 5") || !strings.Contains(err.Error(), "no tests ran") {
		t.Errorf("%v", err)
	}
	o.Identity = []string{"the command, put right"}
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err != nil {
		t.Errorf("the command put right goes on from nothing, and is refused: %v", err)
	}
}

// strayRunner starts an API that its suite, which has another address written in, asks nothing of. The suite's runner
// asks something of the world, too.
type strayRunner struct {
	fakeRunner
	api string
}

func (f *strayRunner) Run(ctx context.Context, x verify.Execution) (verify.Outcome, error) {
	world := answered("/", 1)
	world.Addr = "192.0.2.1:443"
	if err := x.Recorder.Record(world); err != nil {
		return verify.Outcome{}, err
	}
	o, err := f.fakeRunner.Run(ctx, x)
	o.API = f.api
	return o, err
}

// A suite that passes the API by, and asks one that nobody begins anew, proves nothing by it.
func TestAnotherAPI(t *testing.T) {
	_, err := Run(t.Context(), newOptions(t), []Runner{&strayRunner{api: "127.0.0.1:4000"}}, patch, nil)
	if err == nil || !strings.Contains(err.Error(), "the suite sent its requests to 127.0.0.1:80, and none to the API that was started at 127.0.0.1:4000") ||
		!strings.Contains(console.Advice(err), "--listen") {
		t.Errorf("%v", err)
	}
	for _, itself := range []string{"127.0.0.1:80", "localhost:80", "[::1]:80"} {
		if _, err := Run(t.Context(), newOptions(t), []Runner{&strayRunner{api: itself}}, patch, nil); err != nil {
			t.Errorf("of the API itself, as %s: %v", itself, err)
		}
	}
}

// quietRunner ends its process before results are left, as process.exit(0) in a test does.
type quietRunner struct{ fakeRunner }

func (f *quietRunner) Run(ctx context.Context, x verify.Execution) (verify.Outcome, error) {
	o, err := f.fakeRunner.Run(ctx, x)
	o.Results, o.Silent, o.Status = []results.Result{{Name: "exit status", Outcome: results.Pass}}, true, 0
	return o, err
}

func TestRunsWithoutResultsAreTold(t *testing.T) {
	r, err := Run(t.Context(), newOptions(t), []Runner{&quietRunner{}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Text(&b); err != nil || r.After.Silent != r.After.Runs || !strings.Contains(b.String(), "nothing is proven test by test") {
		t.Errorf("%v: %d of %d runs left no results\n%s", err, r.After.Silent, r.After.Runs, b.String())
	}
}

// A base URL that is written into a suite is where the recorder listens, unless the API is there.
func TestListen(t *testing.T) {
	for _, c := range []struct{ text, target, want, fails string }{
		{`url = "http://localhost:8080"`, "", "127.0.0.1:8080", ""},
		{`url = "http://localhost:8080"`, "http://127.0.0.1:9090", "127.0.0.1:8080", ""},
		{`url = "http://localhost:8080"`, "http://127.0.0.1:8080", "", "--start with {port}"},
		{`url = "http://localhost:8080"`, "http://other.example:8080", "127.0.0.1:8080", ""},
		{`url = os.environ.get("FLAKETAP_URL", "http://localhost:8080")`, "http://127.0.0.1:8080", "", ""},
		{`url = "http://localhost:8080"; x = "http://127.0.0.1:1"`, "", "", "ports 8080, 1"},
		{`url = "https://api.example"`, "", "", ""},
	} {
		var target *url.URL
		if c.target != "" {
			target, _ = url.Parse(c.target)
		}
		got, err := Listen([]mend.File{{Name: "a_test.py", Data: []byte(c.text)}}, target)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !(console.IsUsage(err) && strings.Contains(err.Error(), c.fails)) {
			t.Errorf("%s at %s: %q, %v", c.text, c.target, got, err)
		}
	}
}

// losingRunner loses the API once in each run, after the suite has asked something of it.
type losingRunner struct {
	fakeRunner
	lost map[string]bool
}

func (f *losingRunner) Run(ctx context.Context, x verify.Execution) (verify.Outcome, error) {
	if !f.lost[x.Name] {
		f.lost[x.Name] = true
		if err := x.Recorder.Record(answered("/c", 1)); err != nil {
			return verify.Outcome{}, err
		}
		return verify.Outcome{}, fmt.Errorf("%w: its worker was killed", service.ErrLost)
	}
	return f.fakeRunner.Run(ctx, x)
}

// A run whose API was lost is done again, and nothing of it is known afterwards.
func TestLostRunsAreDoneAgain(t *testing.T) {
	told := func(r Runner) string {
		t.Helper()
		o := newOptions(t)
		done, err := Run(t.Context(), o, []Runner{r}, patch, nil)
		if err != nil {
			t.Fatal(err)
		}
		recording, err := store.ReadRecording(o.DB)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(done.Holds, done.Rounds, done.Before.Runs, done.After.Runs, recording.Count)
	}
	lost := &losingRunner{lost: map[string]bool{}}
	if want, got := told(&fakeRunner{}), told(lost); got != want || len(lost.lost) < 2 {
		t.Errorf("with %d losses %s, without %s", len(lost.lost), got, want)
	}
}
