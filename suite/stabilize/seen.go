package stabilize

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/probe"
	"github.com/flaketap/flaketap/suite/results"
)

// What assertions of a round's suite have failed, by what its runs say: muted ones tell of each, others of the first of
// each test.

// maxSeen bounds the assertions that are looked at in a round, and maxSaw the values of one in a run.
const (
	maxSeen = 1000
	maxSaw  = 20
)

// sighting is an assertion of a test in the form of the suite that ran.
type sighting struct {
	results.Asserted
	at       []probe.Line // where it stands, and the lines that called it, outwards
	saw      []string     // the different values that it saw, and those that it expected, as they are told
	expected []string
}

// sightings are the assertions that failed in the runs which a round is judged by.
func (s *session) sightings(r *round) ([]*sighting, error) {
	of, runs := r.judged()
	all := &seen{known: map[seenKey]*sighting{}, folder: r.suite.Arg}
	if isFile(r.suite.Arg) {
		all.folder = filepath.Dir(r.suite.Arg)
	}
	for i, x := range runs {
		var log probe.Log
		var err error
		if of.muted {
			if log, err = probe.Read(s.work.run(of, i+1) + ".log"); err != nil {
				return nil, err
			}
		}
		if len(log.Failed) > 0 {
			all.logged(i, log)
		} else {
			all.left(i, s.work.detailed(of, i+1, x))
		}
	}
	all.complete()
	return all.sightings, nil
}

// seen gathers sightings.
type seen struct {
	folder    string // of the suite, in which its files have other paths than runners may give
	sightings []*sighting
	known     map[seenKey]*sighting
	through   []map[string]results.AssertedIn // by run, the tests that nothing ended before their end
}

// seenKey is one assertion of one test.
type seenKey struct {
	test string
	at   probe.Line
}

// of is the sighting of an assertion; nil where there are too many.
func (s *seen) of(test string, at []probe.Line) *sighting {
	key := seenKey{test, at[0]}
	one := s.known[key]
	if one == nil && len(s.sightings) < maxSeen {
		one = &sighting{at: at, Asserted: results.Asserted{Test: test, Where: results.Where(at[0])}}
		s.known[key], s.sightings = one, append(s.sightings, one)
	}
	return one
}

// failedIn is what is to be said of an assertion that failed in a run.
func (s *sighting) failedIn(run int) *results.AssertedIn {
	if n := len(s.Runs); n == 0 || s.Runs[n-1].Run != run {
		s.Runs = append(s.Runs, results.AssertedIn{Run: run,
			Detailed: results.Detailed{Result: results.Result{Name: s.Test, Outcome: results.Fail}}})
	}
	return &s.Runs[len(s.Runs)-1]
}

// logged takes in the log of a muted run, which tells of each assertion that failed.
func (s *seen) logged(run int, log probe.Log) {
	through := map[string]results.AssertedIn{}
	for _, b := range log.Begun {
		through[b.Test] = results.AssertedIn{Run: run,
			Detailed: results.Detailed{Result: results.Result{Name: b.Test, Outcome: results.Pass}, Start: b.Time}}
	}
	for _, f := range log.Failed {
		if one := s.of(f.Test, f.At); one != nil {
			one.From = results.Where(f.At[len(f.At)-1])
			x := one.failedIn(run)
			x.Start, x.End = through[f.Test].Start, f.Time
			x.Message = cmp.Or(x.Message, f.Message)
			if len(x.Trace) < results.MaxMessage {
				x.Trace += strings.Join([]string{scalar(f.Saw), scalar(f.Expected), f.Message}, "\n") + "\n"
			}
			x.Saw = more(x.Saw, f.Saw, f.Expected)
			one.saw, one.expected = more(one.saw, f.Saw), more(one.expected, f.Expected)
		}
	}
	for _, e := range log.Ended {
		delete(through, e.Test)
	}
	s.through = append(s.through, through)
}

// scalar is a value but for objects and lists, which have more in them than the assertion looks at.
func scalar(value string) string {
	if strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") {
		return ""
	}
	return value
}

// more adds values to those that are known, if they are others.
func more(known []string, values ...string) []string {
	for _, v := range values {
		if v != "" && len(known) < maxSaw && !slices.Contains(known, v) {
			known = append(known, v)
		}
	}
	return known
}

// left takes in the results of a run, which name the line by which a test failed.
func (s *seen) left(run int, all []results.Detailed) {
	through := map[string]results.AssertedIn{}
	for _, r := range all {
		name := r.ID().String()
		switch {
		case !r.Failed() && r.Outcome != results.Skip:
			through[name] = results.AssertedIn{Run: run, Detailed: r}
		case r.Where.Line > 0:
			at := probe.Line(r.Where)
			if rel, err := filepath.Rel(s.folder, at.File); err == nil && filepath.IsLocal(rel) {
				at.File = rel
			}
			at.File = filepath.ToSlash(at.File)
			if one := s.of(name, []probe.Line{at}); one != nil {
				one.failedIn(run).Detailed = r
			}
		}
	}
	s.through = append(s.through, through)
}

// complete adds to each sighting the runs in which its test went on to its end, and it did not fail.
func (s *seen) complete() {
	for _, one := range s.sightings {
		failed := one.Runs
		for run, through := range s.through {
			passed, ran := through[one.Test]
			if ran && !slices.ContainsFunc(failed, func(x results.AssertedIn) bool { return x.Run == run }) {
				one.Runs = append(one.Runs, passed)
			}
		}
		slices.SortStableFunc(one.Runs, func(a, b results.AssertedIn) int { return cmp.Compare(a.Run, b.Run) })
	}
}
