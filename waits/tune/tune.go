package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/git"
	"github.com/flaketap/flaketap/waits/learned"
	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/rewrite"
	"github.com/flaketap/flaketap/waits/search"
	"github.com/flaketap/flaketap/waits/suggest"
	"github.com/flaketap/flaketap/waits/trial"
)

// Answer is what was found.
type Answer struct {
	Wait suggest.Wait
	// High is the time that the strategies are held against; 0: none is known. Suggestion is where it comes from; nil
	// where a developer chose it.
	High        time.Duration
	Suggestion  *waits.Suggestion
	Validations int
	Screen      int
	Workers     int
	Results     []Result // the best strategy first
	Runs        int      // of the test, in all
	Interrupted bool

	file file
}

// Result is what came of one strategy.
type Result struct {
	Strategy string
	Unusable string        // why it cannot be used; "" where it can
	Time     time.Duration // that was chosen; 0: polling, or none
	Written  string        // how it is written; "" where none holds
	Passed   int           // runs with it, and whether one failed
	Failed   bool
	Words    string         // the last that the run printed that failed
	Runs     int            // of the strategy, those that it shares with others among them
	Tried    []search.Tally // the times, in the order in which they were tried
	Evidence string         // what else speaks for it
	Saves    time.Duration  // of each run against High; 0 where that is not known
	Took     time.Duration  // runs that passed with it, in the middle

	text []byte // of the file
}

// Holds reports whether so many runs have passed with what was chosen, and none failed.
func (r *Result) Holds(validations int) bool {
	return r.text != nil && !r.Failed && r.Passed >= validations
}

// tuning is a tuning under way.
type tuning struct {
	Options
	talk   *console.Console
	named  time.Duration // by a developer; 0: none is
	wait   suggest.Wait
	file   file
	place  rewrite.Place
	sleep  *learned.Sleep // what a recording knows; nil where there is none
	bench  *trial.Bench
	search search.Search
	ledger *search.Ledger                // of the strategy under way
	made   int                           // runs
	took   map[time.Duration]trial.Trial // the last trial of each time
	doing  string                        // the strategy under way
	show   func(string) string           // takes the secrets out of a text that the recording has
}

// errUnslept is the error of a test that passed sooner than its sleep ends.
var errUnslept = errors.New("it does not come by the wait, or its runner takes what it has kept of an earlier run")

// Run tunes a wait, and writes what came of it. The error is also that there is nothing that could be relied on.
func Run(ctx context.Context, o Options) error {
	a, err := find(ctx, o)
	if err != nil {
		return fmt.Errorf("tune wait: %w", err)
	}
	return a.write(o.Output)
}

// find tunes a wait. Interrupted, it returns the best that is known by then.
func find(ctx context.Context, o Options) (*Answer, error) {
	t := &tuning{Options: o, talk: o.Output.Talk, took: map[time.Duration]trial.Trial{},
		show: func(text string) string { return text }}
	a := &Answer{Validations: o.Validations, Screen: min(o.Screen, o.Validations), Workers: o.Trial.Workers}
	candidates, err := t.read(ctx, a)
	if err != nil {
		return nil, err
	}
	if t.bench, err = trial.New(t.Trial); err != nil {
		return nil, err
	}
	err = t.all(ctx, a, candidates)
	if cerr := t.bench.Close(); cerr != nil {
		t.talk.Say("flaketap: remove copies of the suite: %s", console.OneLine(cerr.Error()))
	}
	if a.Runs = t.made; ctx.Err() != nil {
		a.Interrupted, err = true, nil
	}
	return a, err
}

// read reads the wait, its file, and what is known of it, and returns the times that may be enough for it.
func (t *tuning) read(ctx context.Context, a *Answer) ([]waits.Suggestion, error) {
	place, err := suggest.PlaceOf(t.Args[0])
	switch {
	case err != nil:
		return nil, err
	case place.Line == 0:
		return nil, console.Usage(fmt.Errorf("%s has no line: want FILE:LINE", t.Args[0]))
	}
	if t.named, err = parseFrom(t.From); err != nil {
		return nil, err
	}
	o := suggest.Options{Places: []suggest.Place{place}, Suite: t.Suite, Most: maxCandidates,
		Commits: git.DefaultCommits, Cache: t.Cache}
	found, err := suggest.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	if t.wait, err = one(found.Waits, place); err != nil {
		return nil, err
	}
	root, err := o.Folder(ctx, place)
	if err != nil {
		return nil, err
	}
	if t.file, err = open(place.Path, root); err != nil {
		return nil, err
	}
	t.Trial.Root, t.Trial.File = root, t.file.name
	t.place = rewrite.At(t.file.path, t.file.text, t.wait.Wait)
	a.Wait, a.file = t.wait, t.file
	if t.Recording != nil && t.wait.Kind == read.Sleep {
		source, err := t.Recording()
		if err != nil {
			return nil, err
		}
		s := learned.Of(t.file.path, t.file.text, t.wait.Wait, source, mend.OnDisk)
		t.sleep, t.show = &s, func(text string) string { return source.Redactor.Show("", text) }
	}
	if t.wait.Kind == read.Cap && t.named > 0 && t.named <= t.wait.Time {
		return nil, fmt.Errorf("%s is a cap of %s, which costs nothing where the test passes: no shorter one is written", place, t.wait.Time)
	}
	if t.named > 0 {
		return []waits.Suggestion{{Time: t.named}}, nil
	}
	return t.wait.Suggestions, nil
}

// maxCandidates is how many of the times that are suggested are tried until the test passes with one.
const maxCandidates = 5

// one is the wait of a line: where there are several, the only one that is no interval.
func one(all []suggest.Wait, p suggest.Place) (suggest.Wait, error) {
	timed := slices.DeleteFunc(slices.Clone(all), func(w suggest.Wait) bool { return w.Kind == read.Interval })
	switch len(timed) {
	case 0:
		return suggest.Wait{}, fmt.Errorf("%s is an interval: it says how often is looked, and looking less often mends nothing", p)
	case 1:
		return timed[0], nil
	}
	return suggest.Wait{}, fmt.Errorf("%s has several waits; put each in a line of its own", p)
}

// all tries the strategies.
func (t *tuning) all(ctx context.Context, a *Answer, candidates []waits.Suggestion) error {
	t.ledger = search.NewLedger(t.time)
	t.search = search.Search{Step: t.place.Step(), Validations: t.Validations, Screen: min(t.Screen, t.Validations)}
	if err := t.enough(ctx, a, candidates); err != nil {
		return err
	}
	used := 0
	for _, s := range strategies() {
		wanted := slices.Contains(t.Strategies, s.name) || s.of != read.Sleep
		if len(t.Strategies) == 0 {
			wanted = used < best || a.Best() == nil
		}
		if s.of != t.wait.Kind || !wanted {
			continue
		}
		r := Result{Strategy: s.name, Unusable: s.usable(t)}
		if r.Unusable != "" {
			a.Results = append(a.Results, r)
			continue
		}
		used++
		t.doing, t.ledger = s.name, t.ledger.Share()
		err := s.find(ctx, t, &r)
		t.judge(a, &r)
		if a.Results = append(a.Results, r); err != nil {
			return err
		}
	}
	return nil
}

// best is how many strategies are used where none are named: more where nothing holds so far.
const best = 2

// enough finds the time that the strategies are held against: the first with which the test passes once. Where it
// passes with none, what a recording knows may still do.
func (t *tuning) enough(ctx context.Context, a *Answer, candidates []waits.Suggestion) error {
	for i, s := range candidates {
		high := t.place.Round(s.Time)
		t.doing = "is " + shown(high) + " enough"
		holds, err := t.ledger.Holds(ctx, high, 1)
		switch {
		case err != nil:
			return err
		case !holds:
			t.talk.Say("flaketap: the test fails with %s too: %s", shown(high), console.OneLine(t.took[high].Words))
			continue
		}
		a.High = high
		if t.named == 0 {
			a.Suggestion = &candidates[i]
		}
		t.search.High = high
		if t.wait.Time < high {
			t.search.Low = t.wait.Time
		}
		return nil
	}
	if n := len(candidates); n > 0 && t.cannotSettle() != "" && t.cannotPoll() != "" {
		last := t.took[t.place.Round(candidates[n-1].Time)].Words
		return fmt.Errorf("the test fails with each time that was tried, up to %s: %s; run the command by itself, or name a longer time by --from",
			shown(longest(candidates)), console.OneLine(last))
	}
	return nil
}

func longest(candidates []waits.Suggestion) (d time.Duration) {
	for _, s := range candidates {
		d = max(d, s.Time)
	}
	return d
}

// time is the [search.Runner] of the ledger.
func (t *tuning) time(ctx context.Context, value time.Duration, runs int) (passed int, failed bool, err error) {
	text, _, err := t.place.Write(value)
	if err != nil {
		return 0, false, err
	}
	done, err := t.run(ctx, fmt.Sprintf("%s: %s", t.doing, shown(value)), text, runs)
	t.took[value] = done
	if err == nil && t.wait.Kind == read.Sleep && len(done.Took) > 0 && done.Took[0] < value {
		err = fmt.Errorf("a run passed in %s with a sleep of %s: %w", shown(done.Took[0]), shown(value), errUnslept)
	}
	return done.Passed, done.Failed, err
}

// run makes a trial, and tells how it goes.
func (t *tuning) run(ctx context.Context, what string, text []byte, runs int) (trial.Trial, error) {
	p := t.talk.Progress(what)
	p.Update(0, runs)
	done, err := t.bench.Run(ctx, text, runs, func(passed int) { p.Update(passed, runs) })
	p.Clear()
	done.Words = t.show(done.Words)
	t.made += search.Tally{Passed: done.Passed, Failed: done.Failed}.Runs()
	switch {
	case err != nil:
	case done.Failed:
		t.talk.Say("flaketap: %s fails in run %d", what, done.Passed+1)
	default:
		t.talk.Say("flaketap: %s holds in %s", what, console.Count(runs, "run"))
	}
	return done, err
}

// hold tries one time.
func (t *tuning) hold(ctx context.Context, r *Result, value time.Duration) error {
	_, err := t.ledger.Holds(ctx, value, t.Validations)
	t.found(r, value)
	return err
}

// found takes a time into a result; 0 is none.
func (t *tuning) found(r *Result, value time.Duration) {
	r.Tried, r.Runs = t.ledger.Tallies(), t.ledger.Runs()
	if value == 0 {
		return
	}
	of, last := t.ledger.Of(value), t.took[value]
	r.Time, r.Passed, r.Failed, r.Words, r.Took = value, of.Passed, of.Failed, last.Words, last.Median()
	if text, written, err := t.place.Write(value); err == nil && !of.Failed {
		r.text, r.Written = text, written
	}
}

// judge says what a strategy saves.
func (t *tuning) judge(a *Answer, r *Result) {
	switch {
	case a.High == 0 || r.text == nil || r.Failed || t.wait.Kind != read.Sleep:
	case r.Time > 0:
		r.Saves = a.High - r.Time
	default:
		// what runs took would say more of what else the machine does
		r.Saves = (a.High - t.sleep.Times.Median).Round(time.Millisecond)
	}
}
