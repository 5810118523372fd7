package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/verify"
)

// mended are changes of testdata/external/trips.py that mend its planted bugs, by the label that the bug leaves.
var mended = map[string][2]string{
	"bug: missing rate leaks a trace": {`        label("bug: missing rate leaks a trace")
`, `        return 502, {"error": "no rate"}
`},
	"bug: waits without a bound":  {`quote(city)}", timeout=None)`, `quote(city)}", timeout=0.5)`},
	"bug: retries without an end": {"            if attempts == 20:\n", "            if attempts == 5:\n                return status, data\n            if attempts == 20:\n"},
	"bug: booked though seats failed": {`        return 200, {"booked": True}
`, `        return 502, {"error": "seats failed"}
`},
}

// A suite of what a search finds passes as often as the promise is made, in each form; each planted bug that is mended makes
// a test fail that leads to it; mutants of answers are told; and what is written is near to a good answer.
func TestEvalMockSuites(t *testing.T) {
	b, runs := newBench(t), evalRuns(t, 20)
	trips := findTrips(b, 600)
	found := b.found("found")
	changes := b.changes(found)
	t.Logf("%d behaviors; changes from a good answer: median %d of %v", len(found), changes[len(changes)/2], changes)
	if changes[len(changes)/2] > 2 {
		t.Error("what is written is far from a good answer")
	}
	for _, form := range []string{"pytest", "jest", "go", "junit5", "kotlin"} {
		t.Run(form, func(t *testing.T) {
			s := trips.suite(t, form)
			s.passesEach(runs, len(found))
			s.bites(found)
			if form == "pytest" {
				s.alone()
				s.tellsMutants()
			}
		})
	}
}

// passesEach wants all tests of a suite to pass in each of so many runs.
func (s *mockSuite) passesEach(runs, tests int) {
	s.t.Helper()
	passing := 0
	for range runs {
		passed, failed, out := s.served()
		if len(failed) == 0 && len(passed) == tests {
			passing++
			continue
		}
		s.t.Errorf("%s: %d pass, %q fail:\n%s", s.form, len(passed), failed, tail(out))
	}
	s.t.Logf("%s: %d of %d runs pass, of %d tests", s.form, passing, runs, tests)
}

// bites wants each mended bug to make a test fail, and none but such as lead to it.
func (s *mockSuite) bites(found []foundBehavior) {
	s.t.Helper()
	for bug, change := range mended {
		leading := s.leading(bug, found)
		back := s.mend(change[0], change[1])
		_, failed, out := s.served()
		back()
		var numbers []string
		for _, name := range failed {
			numbers = append(numbers, behaviorOf(name))
		}
		s.t.Logf("%s: with %q mended %q fail; %q lead there", s.form, bug, failed, leading)
		others := slices.ContainsFunc(numbers, func(n string) bool { return !slices.Contains(leading, n) })
		if len(numbers) == 0 || others { // one of them may lead to another bug, too, and hang as before
			s.t.Errorf("%s: %q is mended, and %q fail, want some of %q:\n%s", s.form, bug, numbers, leading, tail(out))
		}
	}
}

// leading are the numbers of the behaviors that lead to a label. Those that hang have long to get there: a busy machine
// calls slowly.
func (s *mockSuite) leading(label string, found []foundBehavior) (out []string) {
	s.t.Helper()
	file := filepath.Join(s.dir, "leading", label)
	if data, err := os.ReadFile(file); err == nil { // found before
		return strings.Fields(string(data))
	}
	for _, f := range found {
		path := strings.TrimPrefix(f.Request, "GET ")
		s.must(fmt.Sprintf(`rm -f labels; touch labels; flaketap mock serve -q found/%s --start '%s' --ready %s -- sh -c 'curl -s -m 15 "$FLAKETAP_URL%s" || true'`,
			f.Stubs, s.start, s.ready, path))
		for l := range strings.Lines(string(read(s.t, filepath.Join(s.dir, "labels")))) {
			s.must(fmt.Sprintf(`mkdir -p leading && grep -qx %s 'leading/%s' 2>/dev/null || echo %[1]s >>'leading/%[2]s'`, f.Stubs, strings.TrimSpace(l)))
		}
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // where none leads there, none is left
		s.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// tellsMutants wants most faults in the answers of the API told.
func (s *mockSuite) tellsMutants() {
	s.t.Helper()
	if told, planted := s.mutants(60); planted < 20 || told*100 < 95*planted {
		s.t.Error("mutants are missed")
	}
}

// mutants plants so many faults in the answers of the API, and counts those that an assertion can tell, and that are told.
func (s *mockSuite) mutants(most int) (told, planted int) {
	s.t.Helper()
	s.write("run.sh", []byte(s.line+" -k 'not hangs'\n"))
	s.write("verify.sh", fmt.Appendf(nil, "flaketap verify --target $FLAKETAP_URL --listen 127.0.0.1:0 --runs 1 --mutate all --mutants %d --results "+
		"%s --format json --out verify.json -- sh run.sh\n", most, s.results))
	s.patience = 2 * time.Hour // on a busy machine
	s.must(s.serve("sh verify.sh"))
	var report struct {
		Mutants verify.KillReport
	}
	if err := json.Unmarshal(read(s.t, filepath.Join(s.dir, "verify.json")), &report); err != nil {
		s.t.Fatal(err)
	}
	for _, m := range report.Mutants.List {
		if m.Assertion == "" || m.Suites[0].Answers == 0 {
			continue
		}
		if planted++; m.Suites[0].Killed {
			told++
			continue
		}
		s.t.Logf("missed: %s %d %s %s %s", m.Operation, m.Status, m.Kind, m.Place, m.Way)
	}
	s.t.Logf("mutants: %d of %d that an assertion can tell are told", told, planted)
	return told, planted
}

// changes are, for each behavior, how many answers and fields are other than those of the nearest other good behavior of
// its request; of the only good one none, and where none is good all answers are.
func (b *bench) changes(found []foundBehavior) (out []int) {
	b.t.Helper()
	good := map[string][]foundBehavior{}
	for _, f := range found {
		if f.Status/100 == 2 && len(f.Findings) == 0 {
			good[f.Request] = append(good[f.Request], f)
		}
	}
	for _, f := range found {
		own, nearest := b.stubsOf(f.Stubs), -1
		for _, g := range good[f.Request] {
			if alone := len(good[f.Request]) == 1; alone || g.Stubs != f.Stubs {
				if n := changed(b.stubsOf(g.Stubs), own); nearest < 0 || n < nearest {
					nearest = n
				}
			}
		}
		if nearest < 0 {
			nearest = len(own)
		}
		out = append(out, nearest)
	}
	slices.Sort(out)
	return out
}

// changed counts what is other than in good answers: a field, an answer that differs beside its fields, and the first
// that is missing.
func changed(good, answers map[string]map[string]any) (n int) {
	for name, a := range answers {
		head, goodHead := maps.Clone(a), maps.Clone(good[name])
		delete(head, "jsonBody")
		delete(goodHead, "jsonBody")
		if !reflect.DeepEqual(head, goodHead) {
			n++
			continue
		}
		n += differences(good[name]["jsonBody"], a["jsonBody"])
	}
	if len(answers) < len(good) {
		n++
	}
	return n
}

// differences counts the fields in which two values of JSON differ.
func differences(a, b any) (n int) {
	objectA, isA := a.(map[string]any)
	objectB, isB := b.(map[string]any)
	if isA && isB {
		for name, v := range objectA {
			if other, there := objectB[name]; there {
				n += differences(v, other)
			} else {
				n++
			}
		}
		for name := range objectB {
			if _, there := objectA[name]; !there {
				n++
			}
		}
		return n
	}
	listA, isA := a.([]any)
	listB, isB := b.([]any)
	if isA && isB && len(listA) == len(listB) {
		for i := range listA {
			n += differences(listA[i], listB[i])
		}
		return n
	}
	if reflect.DeepEqual(a, b) {
		return 0
	}
	return 1
}

// stubsOf are the responses of a behavior as suites have them, by the names of their stubs.
func (b *bench) stubsOf(number string) map[string]map[string]any {
	b.t.Helper()
	var file struct {
		Mappings []struct {
			Name     string
			Response map[string]any
		}
	}
	dir := filepath.Join(b.dir, "found", number)
	if whole := filepath.Join(dir, "whole"); exists(whole) {
		dir = whole
	}
	if err := json.Unmarshal(read(b.t, filepath.Join(dir, "stubs.json")), &file); err != nil {
		b.t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for _, m := range file.Mappings {
		out[m.Name] = m.Response
	}
	return out
}
