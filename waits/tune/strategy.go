package tune

import (
	"context"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/search"
	"github.com/flaketap/flaketap/waits/settle"
)

// strategy is a way to have a test wait as long as it has to.
type strategy struct {
	name string
	of   read.Kind // what it is for
	// usable says why it cannot be used; "" where it can
	usable func(t *tuning) string
	// find looks for what holds. What was found is in the result where an error comes with it.
	find func(ctx context.Context, t *tuning, r *Result) error
}

// The names of the strategies.
const (
	Poll       = "poll"
	Settle     = "settle"
	ToTheEnd   = "to-the-end"
	FirstMatch = "first-match"
	Suggested  = "suggested"
)

// Strategies are the names of those for sleeps, the best first.
func Strategies() (out []string) {
	for _, s := range strategies() {
		if s.of == read.Sleep {
			out = append(out, s.name)
		}
	}
	return out
}

// strategies lists all, the best first. A capability is one line here.
func strategies() []strategy {
	return []strategy{
		{Poll, read.Sleep, (*tuning).cannotPoll, tryPolling},
		{Settle, read.Sleep, (*tuning).cannotSettle, trySettleTimes},
		{FirstMatch, read.Sleep, (*tuning).cannotSearch, tryFirstMatch},
		{ToTheEnd, read.Sleep, (*tuning).cannotSearch, tryToTheEnd},
		{Suggested, read.Cap, (*tuning).cannotSearch, trySuggested},
	}
}

func (t *tuning) cannotSearch() string {
	if t.search.High == 0 {
		return "no longer time is known for the wait: --from MS names one"
	}
	return ""
}

func tryToTheEnd(ctx context.Context, t *tuning, r *Result) error {
	value, err := t.search.ToTheEnd(ctx, t.ledger)
	t.found(r, value)
	return err
}

func tryFirstMatch(ctx context.Context, t *tuning, r *Result) error {
	value, err := t.search.FirstMatch(ctx, t.ledger)
	t.found(r, value)
	return err
}

// trySuggested tries the time that was suggested, and no shorter one.
func trySuggested(ctx context.Context, t *tuning, r *Result) error {
	return t.hold(ctx, r, t.search.High)
}

func (t *tuning) cannotSettle() string {
	switch {
	case t.sleep == nil:
		return "there is no recording of the suite: --db names one"
	case t.sleep.Untold != "":
		return t.sleep.Untold
	case t.sleep.Times.Upper(settle.In999) == 0:
		return fmt.Sprintf("the recording has %d settle times of %s, and %d are needed: flaketap replay --runs 100 --settle 5s",
			t.sleep.Times.N, t.sleep.Operation, settle.EnoughReads)
	}
	return ""
}

// trySettleTimes takes the time within which 99.9 % of the reads are ready.
func trySettleTimes(ctx context.Context, t *tuning, r *Result) error {
	times := t.sleep.Times
	r.Evidence = fmt.Sprintf("99.9 %% of the reads of %s are ready by then, with 95 %% confidence, as far as their times are spread "+
		"as lognormal ones; %d were seen, of which the slowest took %s", t.sleep.Operation, times.N, shown(times.Longest))
	return t.hold(ctx, r, t.place.Round(times.Upper(settle.In999)))
}

func (t *tuning) cannotPoll() string {
	switch {
	case t.sleep == nil:
		return "there is no recording of the suite: --db names one"
	case t.sleep.Untold != "":
		return t.sleep.Untold
	case t.sleep.Polling == nil:
		return "polling cannot be written here: " + t.sleep.Unpolled
	}
	return ""
}

// tryPolling has the test ask again in the place of the sleep.
func tryPolling(ctx context.Context, t *tuning, r *Result) error {
	times := t.sleep.Times
	r.Evidence = fmt.Sprintf("the test asks %s again until it is ready: after %s in the middle, %s at most, in %d reads",
		t.sleep.Operation, shown(times.Median), shown(times.Longest), times.N)
	r.text, r.Written = t.sleep.Polling, "poll(…)"
	trial, err := t.run(ctx, Poll, r.text, t.Validations)
	r.Passed, r.Failed, r.Words, r.Took = trial.Passed, trial.Failed, trial.Words, trial.Median()
	r.Runs = search.Tally{Passed: r.Passed, Failed: r.Failed}.Runs()
	return err
}

// shown is a time for people.
func shown(d time.Duration) string { return d.Round(time.Millisecond).String() }
