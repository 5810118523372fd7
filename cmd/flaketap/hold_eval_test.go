package main

import (
	"fmt"
	"testing"
	"time"
)

// TestEvalSuitesHold runs written suites of each form on the sound labelled APIs, which begin anew for every run: as
// they are, on other days and at other hours, in random orders, and in parallel. FLAKETAP_EVAL_RUNS says how often each.
// Not one test may fail.
func TestEvalSuitesHold(t *testing.T) {
	runs := evalRuns(t, 20)
	for _, set := range evalSets() {
		t.Run(set.name, func(t *testing.T) {
			forms := evalForms(t)
			b := newEvalBench(t)
			set.record(b)
			for _, f := range forms {
				t.Run(f.name, func(t *testing.T) {
					own := *b
					own.t = t
					set.write(&own, f)
					for _, way := range f.ways() {
						way.holds(&own, set, f, runs)
					}
				})
			}
		})
	}
}

// evalWay is a way to run suites of a form again and again.
type evalWay struct {
	name, run string
	times     func(i int) time.Duration // the offset of the API's clock in run i; nil where none is moved
}

// ways returns those that a form has.
func (f evalForm) ways() []evalWay {
	out := []evalWay{{name: "as it is", run: f.run}, {name: "at other times", run: f.run, times: elsewhen},
		{name: "in random order", run: f.random}}
	if f.parallel != "" {
		out = append(out, evalWay{name: "in parallel", run: f.parallel})
	}
	return out
}

// elsewhen is another day and another hour for each i: in a hundred of them, every hour of the day and every day of the
// week come up, before the recording and after it.
func elsewhen(i int) time.Duration {
	d := time.Duration(i+1) * (25*time.Hour + 17*time.Minute)
	if i%2 > 0 {
		d = -d
	}
	return d
}

// holds wants so many runs of a suite without one test that fails. They come in batches that begin at the same time of
// the API's clock.
func (w evalWay) holds(b *bench, set evalSet, f evalForm, runs int) {
	b.t.Helper()
	batch, offset := runs, time.Duration(0)
	if w.times != nil {
		batch = 1
	}
	failures, testRuns := 0, 0
	for i := 0; i < runs; i += batch {
		if w.times != nil {
			offset = w.times(i)
		}
		suite := f.verify(b, fmt.Sprintf("--runs %d", batch)+set.start(offset.String()), f.name, w.run, offset).Suites[0]
		failures += suite.Failures
		testRuns += suite.TestRuns
		for _, test := range suite.Failing {
			b.t.Errorf("%s %s, %s (clock %s): %s %s fails in %d of %d runs: %s", set.name, f.name, w.name, offset, test.Suite, test.Name,
				test.Failed, test.Ran, test.Message)
		}
	}
	b.t.Logf("%s %s, %s: %d of %d test runs fail in %d runs", set.name, f.name, w.name, failures, testRuns, runs)
}
