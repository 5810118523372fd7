package webdriver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits/folder"
	"github.com/flaketap/flaketap/waits/oracle"
)

// RecordOptions say how often a suite is run to be recorded.
type RecordOptions struct {
	Options
	Runs   int // in all, at least 2
	Window Window
	// Keep is given the session after each run, as it is so far, so that what ends flaketap costs no run that is over.
	// An error ends the recording.
	Keep func(*oracle.Session) error
}

// Window says when what a command has brought about is over.
type Window string

// The windows.
const (
	Rest  Window = "rest"  // once the page has come to rest: no requests, no timers, no changes
	Paper Window = "paper" // as WEFix has it
)

// Record runs a suite as it is, and then with patience, until there are so many runs. A suite that fails as it is
// passes where its reads are given what a page shows once it has come to rest; or, where that is too late for some,
// what these show on the way. With an error come the runs that were recorded before it.
func Record(ctx context.Context, o RecordOptions) (*oracle.Session, error) {
	s := &oracle.Session{}
	rest := quiet{transient: map[oracle.Key]bool{}}
	ways := []way{{asItIs, none{}}, rest.way()}
	if o.Window == Paper {
		ways[1] = way{"the paper's window", window{}}
	}
	for n := range o.Runs {
		w := ways[n%len(ways)]
		run, err := o.run(ctx, w.patience)
		if err != nil {
			return s, err
		}
		if len(run.Commands) == 0 {
			d, err := findDriver(o.Driver)
			return s, errors.Join(err, nothingSeen(d))
		}
		run.Patience = w.name
		s.Runs = append(s.Runs, run)
		s.See(&run, folder.Source)
		if o.Keep != nil {
			if err := o.Keep(s); err != nil {
				return s, err
			}
		}
		o.Console.Say("flaketap: run %d of %d, %s: %s, %s, %s", n+1, o.Runs, w.means(), console.Count(len(run.Commands), "command"),
			console.Count(len(run.Mutations), "change"), ended(&run))
		if run.Dropped > 0 {
			o.Console.Say("flaketap: %s of it too many to be kept", console.Count(run.Dropped, "event"))
		}
		if o.Window != Paper {
			rest = rest.seen(&run)
			ways[1] = rest.way()
		}
	}
	if with := s.Browsers(); len(with) > 0 {
		o.Console.Say("flaketap: recorded with %s", console.OneLine(strings.Join(with, ", ")))
	}
	if !s.Passed() {
		o.Console.Say("flaketap: no run passed, so waits hold and waits patch can learn nothing from the session. %s", o.instead())
	}
	return s, nil
}

// instead is what to do where no run passed.
func (o RecordOptions) instead() string {
	if len(o.Results) == 0 {
		return "Name the results that its test runner leaves (--results FILE), so that the tests that passed count, or record it without those that fail in the runs that wait"
	}
	return "The results tell no test that passed from those that failed: record the suite without the tests that fail in the runs that wait"
}

// ReadSession reads what Record recorded, from a file. It is an error where no test passed: nothing is to be learned
// from it then.
func ReadSession(path string) (*oracle.Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	s, err := oracle.Read(f)
	if err != nil {
		return nil, fmt.Errorf("learn from %s: %w", path, err)
	}
	if !s.Passed() {
		return nil, console.Advise(fmt.Errorf("learn from %s: none of its runs passed", path),
			"run waits record again with --results FILE, the results that the suite's test runner leaves, so that the tests that passed in a run count, or without those that fail")
	}
	return s, nil
}

// Outcome is nil where some run passed, or a test in one, and else the status of the last.
func Outcome(s *oracle.Session) error {
	if len(s.Runs) == 0 || s.Passed() {
		return nil
	}
	return console.ExitStatus(s.Runs[len(s.Runs)-1].Status)
}

// way is how a run is made.
type way struct {
	name string
	patience
}

// asItIs is the name of the way in which nothing waits.
const asItIs = "none"

// seen is how a run waits after another one. What passes on the way a busy machine may miss in one run, and see in the
// next. Of runs that wait and fail, every other one goes by what was given before, until one passes.
func (q quiet) seen(run *oracle.Run) quiet {
	maps.Copy(q.transient, run.Transients())
	switch {
	case run.Passed() || run.Patience == asItIs:
	case q.given == nil:
		q.given = run.Given()
	default:
		q.given = nil
	}
	return q
}

func (q quiet) way() way {
	name := "rest"
	if len(q.transient) > 0 {
		name += ", what passes on the way"
	}
	if q.given != nil {
		name += ", or what was given before"
	}
	return way{name, q}
}

func (w way) means() string {
	if w.name == asItIs {
		return "as it is"
	}
	return "waiting for " + w.name
}

// ended says how a run ended.
func ended(run *oracle.Run) string {
	switch {
	case run.Passed():
		return "passed"
	case run.PassedInPart():
		return fmt.Sprintf("failed with status %d; the tests that passed count", run.Status)
	}
	return fmt.Sprintf("failed with status %d", run.Status)
}

// Hold runs a suite with each command held until it is answered as in passing runs, and says which were. It returns
// the suite's status.
func Hold(ctx context.Context, o Options, m *oracle.Model) (status int, err error) {
	run, err := o.run(ctx, expected{m})
	if err != nil {
		return 0, err
	}
	switch unknown, all := m.Unknown(&run); {
	case all == 0:
		o.Console.Warn("flaketap: no command about a page came from the suite, so none was held")
		return run.Status, nil
	case unknown == all:
		o.Console.Warn("flaketap: no command was held: the session has none of the %s. %s",
			console.Count(all, "command"), anew)
		return run.Status, nil
	case unknown > 0:
		o.Console.Say("flaketap: %d of %s passed as they came, as the session has none of them. %s", unknown,
			console.Count(all, "command"), anew)
	}
	sayHeld(o.Console, m.Held(&run))
	return run.Status, nil
}

// anew is what to do where a session does not have the commands of a suite.
const anew = "Where the suite has changed, or only a part of it runs, record it anew"

// sayHeld says which commands were held, for how long, and what came of it.
func sayHeld(c *console.Console, all []oracle.Held) {
	var saved, others []oracle.Held
	var total time.Duration
	for _, h := range all {
		if h.Ready {
			saved, total = append(saved, h), total+h.Took
		} else {
			others = append(others, h)
		}
	}
	if len(all) == 0 {
		c.Say("flaketap: no command had to be held")
		return
	}
	if len(saved) > 0 {
		c.Say("flaketap: %s answered as in passing runs only because flaketap held them, for %s in all:",
			console.Count(len(saved), "command"), total.Round(time.Millisecond))
		list(c, saved)
	}
	if len(others) > 0 {
		c.Say("flaketap: %s held for as long as may be, and answered otherwise than in passing runs:", console.Count(len(others), "command"))
		list(c, others)
	}
}

// maxListed bounds the lines about what was held.
const maxListed = 20

func list(c *console.Console, all []oracle.Held) {
	for i, h := range all {
		if i == maxListed {
			c.Say("flaketap:   and %s", console.Count(len(all)-i, "other"))
			return
		}
		c.Say("flaketap:   %s: %s: %s", console.OneLine(h.Where()), console.OneLine(h.Command.Does), h.Took.Round(time.Millisecond))
	}
}

func urlOf(host string) *url.URL { return &url.URL{Scheme: "http", Host: host} }
