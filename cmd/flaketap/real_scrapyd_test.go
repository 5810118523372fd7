package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/tidwall/gjson"
)

// TestRealPythonScrapyd drives scrapyd, whose jobs are pending, running and finished as time goes by. It answers 200 to all that
// it understands, and says in the body whether it went well, and whether it knows the job: that is the outcome here.
// flaketap runs it itself, with the processes of its jobs.
func TestRealPythonScrapyd(t *testing.T) {
	t.Parallel()
	bin := python(t)
	_, err := os.Stat(filepath.Join(bin, "scrapyd"))
	needs.That(t, "scrapyd (make tools installs it)", err == nil)
	b := newFuzzBench(t)
	b.testdata("scrapyd.py")
	a := b.started("scrapyd", "mkdir data && cd data && printf '[scrapyd]\\nhttp_port=PORT\\npoll_interval=0.2\\nmax_proc=2\\n' >scrapyd.conf", "/daemonstatus.json")
	a.record("flaketap.db", "", "python scrapyd.py $FLAKETAP_URL 2100")
	a.outcome = func(r *exchange.Response) string {
		body, err := r.Payload()
		if err != nil {
			return err.Error()
		}
		out := gjson.GetBytes(body, "status").String()
		if state := gjson.GetBytes(body, "currstate"); state.Exists() {
			out += fmt.Sprintf(", job known: %t", state.Type != gjson.Null)
		}
		return out
	}
	a.replay(2, a.unhurried())
}

// TestRealPythonScrapydMidnight has midnight pass while scrapyd, whose clock is moved, is replayed: it begins on one day and logs
// what it is asked last on the next.
func TestRealPythonScrapydMidnight(t *testing.T) {
	t.Parallel()
	bin := python(t)
	_, err := os.Stat(filepath.Join(bin, "scrapyd"))
	needs.That(t, "scrapyd (make tools installs it)", err == nil)
	_, err = exec.LookPath("curl")
	needs.That(t, "curl", err == nil)
	lib := os.Getenv("FLAKETAP_LIBFAKETIME")
	needs.Optional(t, "libfaketime (make tools fetches it, FLAKETAP_LIBFAKETIME names it)", lib != "")
	b := newFuzzBench(t)
	a := b.started("scrapyd", "mkdir data && cd data && printf '[scrapyd]\\nhttp_port=PORT\\n' >scrapyd.conf", "/daemonstatus.json")
	a.record("flaketap.db", "", "curl -s $FLAKETAP_URL/a; sleep 5; curl -s $FLAKETAP_URL/b")
	b.must("flaketap replay " + a.known + " --pace x0.5 --perturb clock=midnight-9s --libfaketime " + lib)
	log, err := os.ReadFile(filepath.Join(b.dir, "flaketap.db.logs", "run-2.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`(?m)^\S+T23:59:\S+ \[`, `(?m)^\S+T00:00:\S+ \[.*GET /b `} {
		if !regexp.MustCompile(line).Match(log) {
			t.Errorf("scrapyd never logged %s:\n%s", line, log)
		}
	}
}

// unhurried returns the steps of flaketap.db whose outcome does not hang on how far a job is: reading its log does, and so
// does all that is asked of it once it has been cancelled, which takes a pending job away and lets a running one finish.
func (a *realAPI) unhurried() map[uint64]bool {
	_, recorded := a.bench.steps("flaketap.db")
	stable, cancelled := map[uint64]bool{}, map[string]bool{}
	for _, e := range recorded {
		path, query := exchange.SplitTarget(e.Request.Target)
		asked, err := url.ParseQuery(query)
		if err != nil {
			a.bench.t.Fatal(err)
		}
		stable[e.Seq] = !strings.HasPrefix(path, "/logs/") && !cancelled[asked.Get("job")]
		if form, err := url.ParseQuery(string(e.Request.Body)); err == nil && path == "/cancel.json" {
			cancelled[form.Get("job")] = true
		}
	}
	return stable
}
