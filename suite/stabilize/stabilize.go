package stabilize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// Options say what is stabilized, and by how many runs. All are needed, but those that say otherwise.
type Options struct {
	Suite    string        // a file or a folder
	Files    []mend.File   // its files, those beside tests included
	Links    []mend.Link   // symbolic links in its folder; those to a file of tests are among Files, too; may be none
	DB       string        // the recording that is made of it
	Identity []string      // what beside the files makes this work the same as that which is resumed
	Learn    int           // runs that a failing suite is judged by
	Prove    int           // runs in a row that have to pass
	Orders   int           // other orders of the tests in which one run each has to pass, too; 0: none
	Rounds   int           // of patching, at most
	Timeout  time.Duration // of each run; 0: none
	Secrets  []string      // names of what is secret beside what is always taken for one; may be none
	Fresh    bool          // forget what was done before
	Started  bool          // the API is started for each run; false: it is reset
	Probe    Probing       // when the suite is run with its assertions muted, too
	Faults   verify.Faults // planted where the suite holds, to say which ones it still tells; the zero value: none
	Explain  Explainer     // of assertions that failed and are not followed; nil: these are not listed
}

// Runner runs the suite, and says where it found the recorder. verify.Command is one.
type Runner interface {
	verify.Runner
	Addr() string
}

// Evidence is what a suite is patched by.
type Evidence struct {
	DB string // the recording of its runs
	// InOrder is the recording of a run as the suite is written, in which it holds, where the runs in DB have its tests
	// in another order: what tests depend on is in there. They are given that back, and of the others only those are
	// changed that flake. "" where DB has the suite as it is written.
	InOrder string
	// Failing are the tests that fail in each run of that order, by the names that their runner has for them; empty where
	// InOrder is.
	Failing []results.ID
	// Flaking are those that fail in some of these runs: their order is not why, so they are judged by these runs.
	Flaking []results.ID
	// Ran are the tests that ran, by the names that their runner has for them; empty where it told of none.
	Ran []results.ID
	// Restraint says which set-ups were in the way of others in the suite's own order.
	Restraint mend.Restraint
	// Refused are requests, "POST /users", that are refused for what earlier runs have left: tests are not judged by it.
	Refused []string
}

// Patcher patches the files of a suite. Of the round that it returns, only the patching itself is left to be done.
type Patcher func(ctx context.Context, by Evidence, files []mend.File) (*mend.Round, error)

// Run makes a suite hold, or ends where nothing helps any more. There is at least one runner; as many runs go side by
// side as there are, each runner being asked for one at a time. Where the context ends first, the error says how to go
// on; the next Run with the same Options does.
func Run(ctx context.Context, o Options, runners []Runner, patch Patcher, c *console.Console) (out *Result, err error) {
	w, err := openWork(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.lock.Close()) }()
	s := &session{o: o, runners: runners, patch: patch, console: c, work: w}
	one := &round{number: 1, suite: verify.Suite{Name: o.Suite, Arg: o.Suite}, files: o.Files}
	for {
		if err := s.run(ctx, one); err != nil {
			return nil, err
		}
		s.rounds = append(s.rounds, one)
		s.tellResults(one)
		if one.number == 1 {
			if err := s.tellGrown(one); err != nil {
				return nil, err
			}
		}
		if one.failing() {
			err = s.probe(ctx, one)
		} else {
			err = s.turn(ctx, one)
		}
		if err != nil {
			return nil, err
		}
		if !one.failing() && one.broken() == nil || one.number > o.Rounds {
			break
		}
		if one, err = s.next(ctx, one); err != nil {
			return nil, err
		}
		if one == nil {
			break
		}
	}
	if err := w.compose(s.rounds[0], s.o); err != nil {
		return nil, err
	}
	out, err = s.result()
	if err == nil {
		err = s.notFollowed(ctx, out)
	}
	if err == nil {
		err = s.measureTold(ctx, out)
	}
	return out, err
}

// session is the work under way.
type session struct {
	o       Options
	runners []Runner
	patch   Patcher
	console *console.Console
	work    work
	rounds  []*round // those that were run
	grown   []NotReset
}

// round is one form of the suite, with its runs.
type round struct {
	number int
	suite  verify.Suite
	files  []mend.File
	runs   []execution
	muted  []execution // with their assertions muted
	probed *probed     // what these came to; nil where there was no probe
	turned []turned    // with its tests in other orders, where it holds
	patch  *patching   // what the round's runs led to; nil where it was not patched

	after     *round         // the round whose runs led to this one; nil for the first
	from      *round         // the round whose suite was patched to this one, which may be one before that
	by        *patching      // and the patch
	restraint mend.Restraint // that this patch was made with
}

// execution is one run of the suite.
type execution struct {
	verify.Outcome
	Began    time.Time
	Wall     time.Duration // with the start of the API
	Requests int           // that it sent
	// Distinct is how many of them are no reads that were sent since something was last changed: a loop that waits for
	// something sends another number of those each time.
	Distinct int
}

// failing reports whether a run of the round had a failure.
func (r *round) failing() bool {
	_, rates := verify.Tally(r.outcomes())
	return rates.Failures > 0
}

func (r *round) outcomes() []verify.Outcome {
	var out []verify.Outcome
	for _, x := range r.runs {
		out = append(out, x.Outcome)
	}
	return out
}

// enough is how many runs of a round count, by those that were done first: where one of them has failed, as many as a
// suite is judged by, and no fewer than up to that one.
func (o Options) enough(runs []execution) int {
	for n := range runs {
		if (&round{runs: runs[:n+1]}).failing() {
			return max(o.Learn, n+1)
		}
	}
	return o.Prove
}

// run runs the suite of a round as often as is needed, beside the runs that were done before.
func (s *session) run(ctx context.Context, r *round) (err error) {
	of := series{round: r.number}
	if r.runs, err = s.work.runs(of); err != nil {
		return err
	}
	if n := len(r.runs); n > 0 {
		s.console.Say("round %d: %s done before", r.number, console.Count(n, "run"))
	}
	r.runs, err = s.runAbreast(ctx, abreast{series: of, done: r.runs, enough: s.o.enough,
		do: func(ctx context.Context, by Runner, b begun) (execution, error) {
			return s.once(ctx, by, job{series: of, begun: b, suite: r.suite, timeout: s.o.Timeout})
		}})
	return err
}

// next patches the suite by what a round has shown, and returns the round of the patched suite; nil where the patch
// changes nothing.
func (s *session) next(ctx context.Context, r *round) (*round, error) {
	from, restraint := r.base()
	p, err := s.work.patched(r.number)
	if err != nil {
		return nil, err
	}
	if p == nil {
		if p, err = s.patched(ctx, r, from, restraint); err != nil {
			return nil, err
		}
		if err := s.work.keepPatch(r.number, p, s.o.Links); err != nil {
			return nil, err
		}
	}
	r.patch = p
	s.console.Say("round %d: %s", r.number, p.Summary)
	if !p.Changed {
		return nil, nil
	}
	next := &round{number: r.number + 1, after: r, from: from, by: p, restraint: restraint}
	dir := s.work.suite(next.number)
	read, err := mend.ReadFiles([]string{dir}, mend.FileOptions{Beside: true, Linked: true})
	if err != nil {
		return nil, err
	}
	next.files = OwnFiles(read.All)
	next.suite = verify.Suite{Name: s.o.Suite, Arg: dir}
	if isFile(s.o.Suite) {
		next.suite.Arg = filepath.Join(dir, filepath.Base(s.o.Suite))
	}
	return next, nil
}

// evidence puts together what the suite of a round is patched by.
func (s *session) evidence(r *round, restraint mend.Restraint) (Evidence, error) {
	if broken := r.broken(); broken != nil {
		by := Evidence{DB: s.work.turned(r.number), Restraint: restraint,
			InOrder: s.work.run(series{round: r.number}, 1) + ".db"}
		by.Failing, by.Flaking = broken.failingTests()
		return by, s.work.composeSeries(broken.series, len(broken.runs), by.DB, s.o)
	}
	return Evidence{DB: s.work.db(r.number), Restraint: restraint}, s.work.compose(r, s.o)
}

// patched patches the suite of the round from, by its runs, after those of r, which may be the same.
func (s *session) patched(ctx context.Context, r, from *round, restraint mend.Restraint) (*patching, error) {
	begun := time.Now()
	by, err := s.evidence(from, restraint)
	if err != nil {
		return nil, err
	}
	by.Refused, by.Ran = s.refused(), from.ran()
	made, err := s.patch(ctx, by, from.files)
	if ctx.Err() != nil {
		return nil, s.interrupted(fmt.Sprintf("while round %d was patched", r.number))
	}
	if err != nil {
		return nil, fmt.Errorf("patch in round %d: %w", r.number, err)
	}
	p := &patching{files: made.Patch()}
	var report bytes.Buffer
	if err := made.WriteReport(&report); err != nil {
		return nil, err
	}
	p.Summary, p.Report = made.Summary(), report.Bytes()
	for _, err := range made.Refused() {
		p.Refused = append(p.Refused, console.OneLine(err.Error()))
	}
	for i, f := range p.files {
		p.Changed = p.Changed || !bytes.Equal(f.Data, from.files[i].Data)
	}
	p.Took = time.Since(begun)
	return p, nil
}

// interrupted is the error of a run that was interrupted.
func (s *session) interrupted(when string) error {
	again := "the same command goes on from there"
	if s.o.Fresh {
		again = "the same command without --force goes on from there"
	}
	return fmt.Errorf("interrupted %s; %s", when, again)
}
