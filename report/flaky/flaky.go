package flaky

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Input is what is known of a suite and its executions. Only Judged and Source are needed.
type Input struct {
	Judged  *analysis.Result     // a recording of the suite, with its steps
	Source  suite.Source         // the same
	Session []*exchange.Exchange // of the fuzzing session that the suite came from; nil: not known
	Files   []*script.Script     // of the suite, those that package suite reads
	Sources []SourceFile         // of the suite, in any language
	Results []Execution          // what runners left
	// Added are exchanges of a run that the recording has no counterpart of: their marks name tests, too.
	Added []*exchange.Exchange
	// the files of the recording and of the session, for the commands that are suggested; "" where there is no session
	DB, SessionDB string
	// stabilize has patched the suite, and this is what is left: a further patch changes nothing
	Stabilized bool

	names []string // of all members and headers that answers had; nil until they are asked for
}

// Execution is what a runner left of one execution, or of a part of it.
type Execution struct {
	Run     int // the run of the recording that it was, 0 being the recording itself; [NotKnown]
	Results []results.Detailed
}

// NotKnown is the run of an execution that may be any, or none.
const NotKnown = -1

// boundFile is a file of the suite, bound to the recording.
type boundFile struct {
	path     string
	script   *script.Script
	bound    *suite.BoundScript
	verdicts map[string][]suite.Verdict // by test; nil until they are asked for
}

// Find explains the test that a name means: the one that has it, else the only one whose name it is a part of.
func (in *Input) Find(name string) (*report.Flake, error) {
	t, err := find(in.tests(in.bind()), name)
	if err != nil {
		return nil, err
	}
	return in.explain(t, in.tie(t), in.failedLine(t)), nil
}

// Failing are the explanations of [Input.Failed], alone.
func (in *Input) Failing() []*report.Flake {
	failed := in.Failed()
	out := make([]*report.Flake, len(failed))
	for i, f := range failed {
		out[i] = f.Flake
	}
	return out
}

// bind holds the files of the suite against the recording.
func (in *Input) bind() []*boundFile {
	var out []*boundFile
	for _, s := range in.Files {
		out = append(out, &boundFile{path: s.File, script: s, bound: suite.Bind(s, in.Source, in.Session)})
	}
	return out
}

// explain explains why a test flaked, which has these exchanges and failed in that line.
func (in *Input) explain(t *Test, tied tie, line failedLine) *report.Flake {
	f := &report.Flake{Test: in.text(t.ID.Name), Suite: in.text(t.ID.Suite), TiedBy: tied.by, Tie: tied.says,
		Exchanges: in.exchanges(tied.steps), Causes: []report.FlakeCause{}, Others: []report.FlakePlace{}, Next: []string{}}
	if len(t.read) > 0 {
		f.File, f.Line = t.read[0].file.path, t.read[0].Line
	}
	f.Failed, f.Of = t.failed()
	f.FailedIn = in.failedIn(t)
	message, where := t.failure()
	f.Failure, f.Where = in.text(message), where.String()
	f.Causes = append(in.misspelt(t, line, f.Where), in.contradicted(t)...)
	f.Causes, f.Others = in.moving(t, f, tied.steps, line)
	slices.SortStableFunc(f.Causes, func(a, b report.FlakeCause) int {
		return cmp.Compare(sureness(a.Known), sureness(b.Known))
	})
	for i := range f.Causes {
		f.Causes[i].Next = in.next(t, &f.Causes[i])
	}
	f.Next = in.nextOf(t, f)
	return f
}

// sureness orders the ways in which causes are known, the surest first.
func sureness(known string) int {
	return slices.Index([]string{report.KnownByAssertion, report.KnownByValue, report.KnownByMessage,
		report.KnownByOutcome, report.KnownByLine, report.KnownByStop,
		report.KnownBySource, report.KnownByPlace},
		known)
}

// text is a text as it may be shown.
func (in *Input) text(s string) string { return in.Judged.Redactor.Show("", s) }

// target is the target of a request as it may be shown.
func (in *Input) target(s string) string { return redact.Target(in.Judged.Redactor, s) }

// at names a line of a file.
func at(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }
