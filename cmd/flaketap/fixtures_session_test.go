package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestFixtureSessions takes a real fuzzing session for the recording and the re-executions of the suite that came out of
// it for its runs: what the map calls stable never moved, and assertions that failed lean on what the session had left.
func TestFixtureSessions(t *testing.T) {
	t.Parallel()
	dir := fixtures(t)
	for _, api := range []string{"news", "features"} {
		t.Run(api, func(t *testing.T) {
			b := newBench(t)
			home := filepath.Join(dir, api, "python")
			session := importedWithRuns(b, "session.db", home+"/session.har.gz", home+"/runs/0[1-9].har.gz", home+"/runs/10.har.gz")
			suites := importedWithRuns(b, "suite.db", home+"/runs/01.har.gz", home+"/runs/0[2-9].har.gz", home+"/runs/10.har.gz")
			checkStable(t, session)
			checkStable(t, suites)
			checkFailures(t, home, suites, session)
		})
	}
}

// importedWithRuns judges a recording with its runs on fresh instances, and the one more on the instance of the last.
func importedWithRuns(b *bench, db, recording string, runs ...string) *analysis.Result {
	b.t.Helper()
	b.must(fmt.Sprintf("flaketap import --quiet --db %s --condition fresh %s", db, recording))
	b.must(fmt.Sprintf("flaketap import --quiet --db %s --as run --condition fresh %s", db, strings.Join(runs, " ")))
	b.must(fmt.Sprintf("flaketap import --quiet --db %s --as run --condition continued %s", db, filepath.Dir(runs[0])+"/11.har.gz"))
	j, err := analysis.JudgeWithSteps(filepath.Join(b.dir, db), analysis.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

// checkStable holds a map against every observation, by raw values alone.
func checkStable(t *testing.T, j *analysis.Result) {
	t.Helper()
	held := 0
	for _, s := range j.Steps {
		op := j.Map.Operation(j.Operations[s.Exchange.Seq], s.Exchange.Response.Status)
		recorded := rawValues(s.Exchange.Response)
		for _, o := range s.Observations {
			held++
			seen := rawValues(o.Response)
			for place := range seen {
				recorded[place] += "" // what only the observation has is held against nothing
			}
			for place, raw := range recorded {
				if raw != seen[place] && op.Volatile(place, exchange.Exact(s.Exchange)) == nil {
					t.Errorf("exchange %d, %s %s: %s moved in run %d from %q to %q, and is called stable", s.Exchange.Seq, op.Method, op.Template, place, o.Run, raw, seen[place])
				}
			}
		}
	}
	if held < 100 {
		t.Errorf("only %d observations were held against the map", held)
	}
}

// rawValues lists the raw values of an answer by place; of what has parts, what it is.
func rawValues(r *exchange.Response) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	compare.Walk(r, func(place exchange.Place, raw string) {
		if place.Root() == "body" && strings.IndexAny(raw, "{[") == 0 {
			raw = raw[:1]
		}
		out[place] = raw
	})
	return out
}

// checkFailures holds each assertion that failed against the session that it came from. It was true of an answer there;
// and its place in what the alignment takes for its answer there follows what was sent before, by the session's map, or
// it is what the suite says against all of its executions.
func checkFailures(t *testing.T, home string, suites, session *analysis.Result) {
	t.Helper()
	failed := failedAssertions(t, home)
	files, err := filepath.Glob(filepath.Join(home, "*.py"))
	if err != nil {
		t.Fatal(err)
	}
	var answers []*exchange.Exchange
	for _, s := range session.Steps {
		answers = append(answers, s.Exchange)
	}
	found := 0
	for _, file := range files {
		verdicts := heldSuite(t, file, suites, answers).Verdicts()
		for _, v := range verdicts {
			if !failed[fmt.Sprintf("%s/%s: %s", strings.TrimSuffix(v.File, ".py"), v.Test, v.Text)] {
				continue
			}
			found++
			i := slices.IndexFunc(suites.Steps, func(s exchange.Step) bool { return s.Exchange.Seq == v.Seq })
			if i < 0 {
				t.Errorf("%s:%d: the exchange of %s is not known", v.File, v.Line, v.Text)
				continue
			}
			f := fieldInSession(session, suites.Steps[i].Exchange, v.Place)
			onMap := f != nil && f.Category == mapfile.State
			asGenerated := v.Finding == suite.Stale && v.Category == mapfile.State
			if !onMap && !asGenerated || !v.Proven {
				t.Errorf("%s:%d: %s failed: the suite's executions say %s (%s), proven: %v; the session's map says %+v", v.File, v.Line, v.Text, v.Finding, v.Reason, v.Proven, f)
			}
		}
	}
	if found != len(failed) {
		t.Errorf("%d of the %d assertions that failed were found in the suite", found, len(failed))
	}
}

// fieldInSession returns what the map of a session says of a place in the answer that it has as the counterpart of an
// exchange of its first run.
func fieldInSession(session *analysis.Result, e *exchange.Exchange, place exchange.Place) *mapfile.Field {
	for _, s := range session.Steps {
		for _, o := range s.Observations {
			if o.Run == 1 && o.Start.Equal(e.Start) && o.Sent.Target == e.Request.Target && s.Exchange.Response != nil {
				op := session.Map.Operation(session.Operations[s.Exchange.Seq], s.Exchange.Response.Status)
				return op.Volatile(place, exchange.Exact(s.Exchange))
			}
		}
	}
	return nil
}

// failedAssertions lists the assertions that failed in any re-execution, as "file/test: assertion".
func failedAssertions(t *testing.T, home string) map[string]bool {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(home, "runs", "*.xml"))
	if err != nil || len(runs) != 11 {
		t.Fatalf("%d result files, %v", len(runs), err)
	}
	failed := map[string]bool{}
	for _, run := range runs {
		for name, r := range readResults(t, run) {
			if r.failed && r.assertion != "" {
				failed[name+": "+r.assertion] = true
			}
		}
	}
	return failed
}
