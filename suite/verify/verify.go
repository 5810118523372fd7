package verify

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// Options say which suites are run, how often, and which faults are planted. At least one suite and one run are needed;
// the zero value of all else plants no faults.
type Options struct {
	Suites  []Suite       // the original first, then what was made of it
	Runs    int           // of each suite, without faults
	Timeout time.Duration // of each run; 0: none, and with a fault four times the slowest run without, and 30 s
	Faults  Faults
	// other builds of the API, each tried once with each suite; none: no other build
	Variants []Variant
	// names of members and headers, and places, that are secret beside those that are by their names
	Secrets    []string
	Assertions *Assertions // what a patch did to the suite's assertions, for the report; nil where that is not known
}

// Faults say which faults are planted. The zero value asks for none.
type Faults struct {
	Kinds []mutant.Kind // none: no faults
	Most  int           // faults that are planted at most; 0: all that there are
	Seed  uint64        // chooses them: the same seed over the same answers, the same faults
	Known *mapfile.Map  // what is volatile; nil: only what moves in the runs
	Rules []rules.Rule  // the user's, for answers that Known does not have
}

// Runner runs a suite once. [Command] is the one that starts its command behind a proxy.
type Runner interface {
	Run(ctx context.Context, x Execution) (Outcome, error)
}

// Execution is one run of a suite, as it is asked for.
type Execution struct {
	Suite    Suite
	Name     string           // for the files that are kept of it: "1-run-01"
	Title    string           // for people: "run 1 of 3"
	Timeout  time.Duration    // 0: none
	Recorder proxy.Recorder   // is given each exchange; nil where nobody looks
	MaxBody  int64            // bytes of each body that the recorder is given; 0: 4 MiB
	Rewriter proxy.Rewriter   // changes answers on their way to the suite; nil where none is changed
	API      *service.Service // is started in the place of the Runner's own API; nil: that one
	// Asked takes what the API asks of external services, where that comes to light; nil discards it
	Asked func(*exchange.External)
	Show  func(string) string // takes the secrets that are known so far out of a text
	// Env adds to the environment of the suite's command; nil adds nothing
	Env func(env []string) []string
}

// Outcome is how an execution ended.
type Outcome struct {
	Results   []results.Result // of its tests; of one that left none, its exit status as one
	Silent    bool             // it left none
	LastWords string           // of one that left none: the last line that it printed
	Status    int              // the exit status of the command
	Took      time.Duration    // the command alone
	TimedOut  bool             // it was cut off by its time limit
	Addr      string           // where the suite found the proxy
	API       string           // host and port of the API that was started for it; "" where it was not, or has its own
}

// session is a verification under way.
type session struct {
	Options
	runners  []Runner
	console  *console.Console
	pace     pace
	slowest  time.Duration    // of the runs without faults
	secrets  exchange.Secrets // that the suites sent and were given
	redactor exchange.Redactor
	suites   []*suiteRuns
}

// Run verifies suites: each is run again and again as it is, all of them in turn; then, where faults are asked for,
// with each fault, and where there are variants of the API, against each; where tests failed of that by chance, as they
// are then, without a fault once more ([session.confirm]). The original is asked for what
// there is to be faulty. There is at least one runner; as many executions go side by side as there are, each runner
// being asked for one at a time, and what comes of them is taken in their order. Interrupted among the faults or the
// variants, it returns what is known by then ([Verification.Interrupted]); before, there is nothing that could be
// relied on, and it returns an error.
func Run(ctx context.Context, o Options, r []Runner, c *console.Console) (*Verification, error) {
	s := &session{Options: o, runners: r, console: c, pace: pace{begun: time.Now(), planned: o.Runs * len(o.Suites)}}
	s.secrets.Named = o.Secrets
	s.redactor.Key = make([]byte, 32)
	_, _ = rand.Read(s.redactor.Key) // it never fails
	for i, one := range o.Suites {
		s.suites = append(s.suites, &suiteRuns{Suite: one, number: i + 1})
	}
	if err := s.runAll(ctx); err != nil {
		return nil, err
	}
	v := &Verification{suites: s.suites, faults: o.Faults, asked: len(o.Variants), assertions: o.Assertions, show: s.show}
	var err error
	if len(o.Faults.Kinds) > 0 {
		err = s.plantAll(ctx, v)
	}
	if err == nil {
		err = s.tryAll(ctx, v)
	}
	if err == nil {
		err = s.confirm(ctx, v)
	}
	if ctx.Err() != nil {
		v.interrupted, err = true, nil
	}
	return v, err
}

// runAll runs each suite as often as is asked for, with no fault planted, and counts what that says.
func (s *session) runAll(ctx context.Context) error {
	// in turn, so that what moves with the time does not look like what differs between them
	of := func(i int) (*suiteRuns, int) { return s.suites[i%len(s.suites)], i/len(s.suites) + 1 }
	err := beside(s.runners, s.Runs*len(s.suites), func(by Runner, i int) (ran, error) {
		one, n := of(i)
		return s.runOnce(ctx, by, one, fmt.Sprintf("run-%02d", n), s.runName(n))
	}, func(i int, r ran) error {
		one, n := of(i)
		return s.take(one, n, r)
	})
	if err != nil {
		return err
	}
	for _, one := range s.suites {
		one.count()
		if one.rates.Tests == 0 {
			return fmt.Errorf("verify %s: no tests ran", console.OneLine(one.Name))
		}
		for _, e := range one.seen.exchanges {
			s.secrets.Exchange(e)
		}
	}
	s.redactor.Known = s.secrets.Known()
	return nil
}

// show takes secrets out of a text.
func (s *session) show(text string) string { return s.redactor.Show("", text) }

// ran is a run without a fault.
type ran struct {
	Outcome
	seen *transcript
}

// runName is what the ith run is called.
func (s *session) runName(i int) string { return fmt.Sprintf("run %d of %d", i, s.Runs) }

// runOnce runs a suite with no fault planted, by a name for its files and by one for people.
func (s *session) runOnce(ctx context.Context, by Runner, one *suiteRuns, name, title string) (r ran, err error) {
	r.Outcome, err = execute(ctx, by, func() Execution {
		r.seen = &transcript{}
		return Execution{Suite: one.Suite, Name: fmt.Sprintf("%d-%s", one.number, name), Title: title,
			Timeout: s.Timeout, Recorder: r.seen, Show: s.show}
	})
	if errors.Is(err, service.ErrNotLent) {
		return r, fmt.Errorf("interrupted before %s began: %w; start a worker, and then this again", title,
			service.ErrNotLent)
	}
	if ctx.Err() != nil {
		return r, fmt.Errorf("interrupted during %s; partial runs write no report", title)
	}
	if err != nil {
		return r, fmt.Errorf("%s of %s: %w", title, console.OneLine(one.Name), err)
	}
	return r, nil
}

// take takes in the ith run of a suite.
func (s *session) take(one *suiteRuns, i int, r ran) error {
	one.add(r.Outcome, r.seen)
	s.slowest = max(s.slowest, r.Took)
	s.pace.done++
	s.sayRun(s.runName(i), one, r.Outcome)
	if err := untested(r.Outcome, r.seen); err != nil {
		return fmt.Errorf("%s of %s: %w", s.runName(i), console.OneLine(one.Name), err)
	}
	if len(r.seen.exchanges) == 0 {
		s.console.Say("flaketap: no requests arrived; the suite must use the API's address in FLAKETAP_URL: %s", r.Addr)
	}
	return nil
}

// sayRun says how a run ended.
func (s *session) sayRun(name string, one *suiteRuns, o Outcome) {
	failed := 0
	for _, r := range o.Results {
		if r.Failed() {
			failed++
		}
	}
	ended := ""
	if reason := brokenOff(o); reason != "" {
		ended = "; " + reason
	}
	s.console.Say("%s, %s: %s, %d failed%s (%s%s)", name, console.OneLine(one.Name), console.Count(len(o.Results), "test"),
		failed, ended,
		o.Took.Round(10*time.Millisecond), s.pace.left())
}

// untested is why a run tested nothing, whatever its exit status says; nil where it tested something.
func untested(o Outcome, seen *transcript) error {
	if len(seen.exchanges) > 0 {
		if fault := seen.unanswered(); fault != "" {
			return fmt.Errorf("none of its %d requests was answered: %s; is the API running?", len(seen.exchanges), fault)
		}
		return nil
	}
	if !o.Silent {
		return nil
	}
	how := fmt.Sprintf("ended with status %d", o.Status)
	if o.TimedOut {
		how = "was stopped by --timeout"
	}
	err := fmt.Errorf("the command %s, left no results and sent no request to the API", how)
	if o.LastWords != "" {
		err = fmt.Errorf("%w; its last output: %s", err, console.OneLine(o.LastWords))
	}
	return console.Advise(err, "it must run the suite, which finds the API by FLAKETAP_URL; --results names what it leaves")
}

// pace tells how long the runs that are left will take.
type pace struct {
	begun         time.Time
	done, planned int // runs
}

// faulted takes in the runs with a fault, of which the first of each was planned.
func (p *pace) faulted(verdicts []verdict) {
	for _, v := range verdicts {
		p.done += v.runs
		p.planned += v.runs - 1
	}
}

// left says it, to stand behind other words; "" where that cannot be told, or nothing is left.
func (p *pace) left() string {
	if p.done == 0 || p.done >= p.planned {
		return ""
	}
	rest := time.Since(p.begun) / time.Duration(p.done) * time.Duration(p.planned-p.done)
	return ", " + console.About(rest) + " left"
}
