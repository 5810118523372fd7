package mend

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// Options say by what a suite is patched.
type Options struct {
	Source suite.Source // the recording of the suite's own execution, or of the session that it came from
	// of the fuzzing session that the suite came from; nil: Source may be one of it, or of the suite
	Session []*exchange.Exchange
	Mode    suite.Mode // what becomes of volatile assertions
	// assertions are added that all observations bear
	Strengthen bool
	Restore    bool // only tests that are given something back are changed: see suite.PatchOptions
	// Failing are the tests that fail in the order of the recording, by the names that their runner has for them, where
	// only tests that are given something back are changed: what these depend on is looked for, and no other's.
	Failing []results.ID
	// Flaking are those that fail in some of the recording's runs and not in all, where only tests that are given
	// something back are changed: they are judged by these runs, see [suite.PatchOptions].
	Flaking []results.ID
	// Ran are the tests that ran as the recording was made, by the names that their runner has for them: a file of which
	// none did is left alone. None: they are not known.
	Ran     []results.ID
	Refused []string // requests that are refused for what earlier runs have left: see suite.PatchOptions
	// Restraint is about set-ups that were given before.
	Restraint Restraint
}

// Round is one round of patching the files of a suite.
type Round struct {
	o         Options
	files     []File
	tests     []boundFile
	grafts    map[string]map[string]suite.Grafting // by file and test
	elsewhere map[string]map[string][]setup.Trial  // by file and test, what it was answered with other tests before it
	played    int                                  // tests that were played so
	patched   []patchedFile
	unhelped  []unhelped
	left      int     // files of which no test ran
	refused   []error // files that are damaged, or of a form that is not known
}

// boundFile is a file of tests, bound to the recording.
type boundFile struct {
	file int // which of the suite's
	path string
	*suite.BoundScript
}

// patchedFile is a file of tests, and what became of it.
type patchedFile struct {
	name string
	path string
	suite.Patched
	unreached []UnreachedReport
}

// New reads the files of tests and binds them to the recording.
func New(files []File, o Options) *Round {
	r := &Round{o: o, files: files}
	var all []*script.Script
	at := map[*script.Script]int{}
	for i, f := range files {
		if !f.isTest() {
			continue
		}
		s, err := suite.ReadAmong(f.Path, f.Data, OnDisk)
		if err != nil {
			r.refused = append(r.refused, err) // left alone, byte for byte
			continue
		}
		all, at[s] = append(all, s), i
	}
	unrun := r.unrun(all)
	r.left = len(unrun)
	scripts := slices.DeleteFunc(all, func(s *script.Script) bool { return unrun[s] })
	for _, s := range scripts {
		r.tests = append(r.tests, boundFile{file: at[s], path: files[at[s]].Path})
	}
	r.o.Source.Session = o.Session == nil && ofSession(len(o.Source.Steps), scripts)
	for i, s := range scripts {
		r.tests[i].BoundScript = suite.Bind(s, r.o.Source, o.Session)
	}
	r.forgetTestless()
	return r
}

// manyTimes is how many times the calls of a suite a recording holds before it is taken for one of the session that the
// suite came from: a fuzzer sends far more than it keeps, and a suite is recorded a few times in a row at most.
const manyTimes = 10

// ofSession reports whether a recording of so many exchanges is one of the session, and not of the suite.
func ofSession(exchanges int, scripts []*script.Script) bool {
	calls := 0
	for _, s := range scripts {
		calls += s.Calls()
	}
	return exchanges > manyTimes*calls
}

// forgetTestless forgets the files that were refused as they hold no tests at all, which what lies beside tests does;
// unless nothing else is there.
func (r *Round) forgetTestless() {
	var damaged []error
	for _, err := range r.refused {
		var syntax *script.SyntaxError
		if !errors.As(err, &syntax) || !syntax.NoTests {
			damaged = append(damaged, err)
		}
	}
	if len(r.tests)+len(damaged) > 0 {
		r.refused = damaged
	}
}

// Find finds the waits and the set-ups that tests need, and what the API answers them elsewhere, and says what was
// tried, and which tests were not helped. The redactor is that of the recording.
func (r *Round) Find(ctx context.Context, s *SetUps, redactor exchange.Redactor, talk *console.Console) error {
	for _, find := range []func(context.Context, *SetUps) error{r.findWaits, r.findSetUps, r.playElsewhere} {
		if err := find(ctx, s); err != nil {
			return err
		}
	}
	if tried := s.Summary(); tried != "" {
		talk.Say("flaketap: %s", tried)
	}
	for _, line := range s.Unhelped() {
		talk.Say("flaketap: %s", redactor.Show("", line))
	}
	return nil
}

// Session returns the exchanges that set-ups are taken from: those of the session where it is known, else the recording
// itself, which is taken for the session by whoever finds no execution of the suite in it.
func (r *Round) Session() []*exchange.Exchange {
	if r.o.Session != nil {
		return r.o.Session
	}
	var out []*exchange.Exchange
	for _, s := range r.o.Source.Steps {
		out = append(out, s.Exchange)
	}
	return out
}

// findSetUps finds what the tests depend on in the session that they came from.
func (r *Round) findSetUps(ctx context.Context, s *SetUps) error {
	r.grafts = map[string]map[string]suite.Grafting{}
	s.restraint = r.o.Restraint
	s.ranBy(r.tests)
	var all []suite.Dependency
	var paths []string
	for _, f := range r.tests {
		r.grafts[f.path] = map[string]suite.Grafting{}
		for _, l := range r.dependencies(f) {
			all, paths = append(all, l), append(paths, f.path)
		}
	}
	found, err := s.find(ctx, all)
	if err != nil {
		return err
	}
	for i, l := range all {
		r.grafts[paths[i]][l.Test] = found[i]
	}
	r.unhelped = s.unhelped
	return nil
}

// dependencies are the tests of a file whose dependencies are looked for.
func (r *Round) dependencies(f boundFile) []suite.Dependency {
	if !r.o.Restore {
		all := f.Dependencies()
		return slices.DeleteFunc(all, func(d suite.Dependency) bool { return f.Waits(d.Test) }) // judged once they wait
	}
	return f.DependenciesOf(func(test string) bool { return results.Among(r.o.Failing, test) })
}

// Patch patches each file of tests, and returns all files: the others stay as they are.
func (r *Round) Patch() []suite.File {
	out := make([]suite.File, len(r.files))
	for i, f := range r.files {
		out[i] = suite.File{Name: f.Name, Data: f.Data, Perm: f.Perm}
	}
	for _, f := range r.tests {
		unreached := r.unreached(f)
		patched := f.BoundScript.Patch(suite.PatchOptions{Mode: r.o.Mode, Grafts: r.grafts[f.path],
			Strengthen: r.o.Strengthen, Restore: r.o.Restore, Refused: r.o.Refused,
			Flaking:   func(test string) bool { return results.Among(r.o.Flaking, test) },
			Elsewhere: r.elsewhere[f.path]})
		out[f.file].Data = patched.Data
		for _, beside := range patched.Beside {
			r.put(out, beside)
		}
		r.patched = append(r.patched, patchedFile{out[f.file].Name, f.path, patched, unreached})
	}
	return out
}

// put gives a file beside one of tests its new text.
func (r *Round) put(out []suite.File, beside script.BesideFile) {
	path := filepath.FromSlash(beside.Path)
	if i := slices.IndexFunc(r.files, func(f File) bool { return filepath.Clean(f.Path) == path }); i >= 0 {
		out[i].Data = []byte(beside.Text)
	}
}

// Refused returns why files were left alone: they are damaged, or of a form that is not known.
func (r *Round) Refused() []error { return r.refused }

// Summary counts what [Round.Patch] did.
func (r *Round) Summary() string {
	var assertions, kept, unknown, unread, seldom, unwaited, unreached int
	kinds := map[suite.ChangeKind]int{}
	for _, f := range r.patched {
		assertions, kept, unknown = assertions+f.Assertions, kept+f.Kept, unknown+len(f.Unknown)
		unread, seldom, unwaited = unread+len(f.Unread), seldom+f.Seldom, unwaited+len(f.Unwaited)
		unreached += len(f.unreached)
		for _, c := range f.Changes {
			kinds[c.Kind]++
		}
	}
	parts := []string{console.Count(len(r.patched), "file"), console.Count(assertions, "assertion"),
		fmt.Sprintf("%d of them kept unchanged", kept)}
	for _, k := range []suite.ChangeKind{suite.Weakened, suite.Rebound, suite.Disabled, suite.Mended, suite.Skipped,
		suite.Added} {
		if kinds[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", kinds[k], k))
		}
	}
	if n := kinds[suite.Grafted]; n > 0 {
		parts = append(parts, console.Count(n, "test")+" given a set-up")
	}
	if n := kinds[suite.Awaited]; n > 0 {
		parts = append(parts, console.Count(n, "wait")+" written")
	}
	if unwaited > 0 {
		parts = append(parts, console.Count(unwaited, "read")+" too early, without a wait (--report says why)")
	}
	if n := kinds[suite.Renewed]; n > 0 {
		parts = append(parts, console.Count(n, "value")+" drawn anew in each run")
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d not understood (--report lists them)", unknown))
	}
	if r.left > 0 {
		parts = append(parts, console.Count(r.left, "file")+" of which no test ran left alone")
	}
	if unread > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged (their answers cannot be read)", unread))
	}
	if unreached > 0 {
		parts = append(parts, console.Count(unreached, "test")+" not seen to the end (--report says why)")
	}
	if played := r.playedElsewhere(); played != "" {
		parts = append(parts, played)
	}
	if seldom > 0 {
		parts = append(parts, fmt.Sprintf("nothing added to %s with fewer than %d answers (rerun gets more)",
			console.Count(seldom, "call"), suite.EnoughAnswers))
	}
	return strings.Join(parts, ", ")
}
