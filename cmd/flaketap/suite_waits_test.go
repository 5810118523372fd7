package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
)

func TestSuitesWait(t *testing.T)        { suitesWait(t, "pytest", "go", "jest") }
func TestRealJVMSuitesWait(t *testing.T) { suitesWait(t, realForms["jvm"]...) }

// suitesWait runs a test of a job that is done when it is asked for the third time, one of a job that never is, and one of
// a job that fails: the first passes, after as many requests as that takes, the others fail, the last one at once, but
// in Hurl, which has no words for that.
func suitesWait(t *testing.T, forms ...string) {
	t.Helper()
	t.Parallel()
	step := plan.Step{Role: plan.Tested, Seq: 1, Title: "GET /jobs/7", Method: "GET", Target: words("/jobs/7"),
		Wait: &plan.Wait{Status: 200, Patience: 5 * time.Second, Every: 20 * time.Millisecond,
			InVain: []plan.Awaited{{Place: "/body/state", JSON: json.RawMessage(`"failed"`)}}, Values: []plan.Awaited{
				{Place: "/body/state", JSON: json.RawMessage(`"done"`)}, {Place: "/body/steps", JSON: json.RawMessage(`3`)}}},
		Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}, {Kind: plan.CheckEqual, Place: "/body/state", Text: words("done")}}}
	made := plan.Step{Role: plan.SetUp, Title: "POST /jobs", Method: "POST", Target: words("/jobs"), // what is sent first takes a JVM long
		Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{202}}}}
	p := plan.Plan{Target: "http://127.0.0.1:1", Tests: []plan.Test{{Name: "job_is_done", Group: "jobs", Steps: []plan.Step{made, step}}}}
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			b := newFuzzBench(t)
			run := realRunners()[form](b)
			files, err := write.Write(form, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := outfile.WriteAll(filepath.Join(b.dir, form), files, nil); err != nil {
				t.Fatal(err)
			}
			line := run(form)
			for _, doneAt := range []int64{1, 3, 1 << 40} {
				asked, url := job(t, doneAt, "done")
				out, status := b.sh(line, "FLAKETAP_URL="+url)
				if done := asked.Load() >= doneAt; (status == 0) != done || done && asked.Load() > doneAt || asked.Load() < 3 && !done {
					t.Errorf("done at request %d: exit status %d after %d requests\n%s", doneAt, status, asked.Load(), tail(out))
				}
				if jvm := form == "junit5" || form == "kotlin"; jvm && status != 0 && !strings.Contains(out, `but it was 200 {"state":"working","steps":3} within 5 seconds.`) {
					t.Errorf("what was answered last is not told:\n%s", out)
				}
			}
			asked, url := job(t, 3, "failed")
			out, status := b.sh(line, "FLAKETAP_URL="+url)
			if n := asked.Load(); status == 0 || n < 3 || n > 3 && form != "hurl" {
				t.Errorf("failed at request 3: exit status %d after %d requests\n%s", status, n, tail(out))
			}
		})
	}
}

// job serves a job that ends so from a request on, and counts the requests.
func job(t *testing.T, doneAt int64, end string) (asked *atomic.Int64, url string) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		n, state := asked.Add(1), "working"
		if n >= doneAt {
			n, state = 3, end
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"state":%q,"steps":%d}`, state, min(n, 3))
	}))
	t.Cleanup(s.Close)
	return asked, s.URL
}
