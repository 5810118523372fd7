package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"

	"github.com/flaketap/flaketap/internal/bisect"
)

// Trier tries exchanges on an API: it puts the API back to its start, sends the requests in order with the values that
// bindings say carried over, and returns what each was answered, nil where there was no answer. An error ends a search.
type Trier interface {
	Try(ctx context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding) ([]*exchange.Response, error)
}

// Search finds the set-up of a test by trying: what the recording's data flow proposes first, then, by delta debugging,
// the fewest of the earlier requests that have to do with the test.
type Search struct {
	Finder *Finder
	Trier  Trier
	// Limit is how many trials one test may take; 0 means 40.
	Limit int
	// MaxSteps is how many requests a set-up may have; 0 means 5. What takes more is refused.
	MaxSteps int
	// Progress, if not nil, is told of each trial before it is made: its number, from 1, and how many requests it
	// sends.
	Progress func(trial, requests int)
	// Draw, if not nil, returns a number below another by chance: values are drawn by it that an API may have taken.
	// Without it all are sent as they were recorded.
	Draw func(below int) int
	// Leans, if not nil, names a test of the suite that sends a value and leans on another to have made what has it, by
	// such a request; "" where none does.
	Leans func(made *exchange.Request, value string) string
	// IfMissing, if not nil, reports whether a graft is only sent where what it makes is missing: its names are drawn
	// then, rather than that it bears what has them, which may be another thing.
	IfMissing func(g Graft) bool
	// LookFirst has a set-up that makes something each time look first whether it is there, where something shows it:
	// it was in the way of other tests.
	LookFirst bool
	// Able, if not nil, reports whether the test can be given a graft: what cannot be written need not be tried.
	Able func(g Graft) bool
}

// Found is what a search found for one test.
type Found struct {
	Graft
	// Trials are the trials of the graft in which what is wanted came true; at least two where it is proven.
	Trials []Trial
	Missed []Missed // what does not come true even so: by itself it moves, or is another at each start
	Tried  int      // how many trials were made in all
}

// Trial is one trial of a test with its graft.
type Trial struct {
	Values  []string             // of the graft's binds, in their order
	Answers []*exchange.Response // to the test's own calls; nil where there was none
}

// errNoTrials ends a search that has no more trials to make.
var errNoTrials = errors.New("all trials are used")

const (
	// maxSuspects is how many earlier requests delta debugging begins with.
	maxSuspects = 96
	// defaultTrials is how many trials one test may take.
	defaultTrials = 40
	// confirmed is how often the wanted has to come true, and how often it must not without the set-up.
	confirmed = 2
)

// Find searches for the set-up of a test; its calls are located in the session first where they are not. before are the
// calls that the suite sent before the test, in order, of which some may pollute it; none where that is not known.
//
// Without any of its steps the wanted does not come true, with all of them it does, each time it is tried: that is what
// Proven says. Where the trials did not bring it about, or it holds on a fresh start by itself, Refused says so. What
// may touch things that the test did not make is never tried.
func (s *Search) Find(ctx context.Context, test []Wanted, before ...Ran) (Found, error) {
	offline, ok := s.Finder.For(test, before...)
	q := &inquiry{Search: s, test: s.Finder.WithoutCounters(test)}
	if err := q.freshen(ctx, nil); err != nil {
		return Found{}, fmt.Errorf("search for fresh values: %w", err)
	}
	if !ok && !s.Finder.Locate(test) {
		return q.named(Found{Graft: offline}), nil
	}
	q.test = s.Finder.WithoutCounters(test)
	found, err := q.find(ctx, offline)
	if errors.Is(err, errNoTrials) {
		offline.Steps, offline.CleanUp, offline.Binds = nil, nil, nil
		offline.Refused = cmp.Or(offline.Refused, fmt.Sprintf("%d trials did not determine what it depends on", q.tried))
		found, err = Found{Graft: offline}, nil
	}
	if err != nil {
		return Found{}, fmt.Errorf("search for a set-up: %w", err)
	}
	if err := q.pollution(ctx, &found, before); err != nil && !errors.Is(err, errNoTrials) {
		return Found{}, fmt.Errorf("search for a polluter: %w", err)
	}
	if sent := named(found.Polluters, before); sent != nil {
		if err := q.freshen(ctx, sent); err != nil {
			return Found{}, fmt.Errorf("search for fresh values: %w", err)
		}
		if len(q.fresh) > 0 {
			found.Polluters = nil
		}
	}
	found = q.named(found)
	if found.Refused == HoldsAlone && len(found.Polluters) == 0 && offline.Refused == CountsUp {
		found.Refused = CountsUp
	}
	return found, nil
}

// inquiry is the search for one test.
type inquiry struct {
	*Search
	test  []Wanted
	tried int
	kept  int      // trials that are not to be used up now
	alone []Missed // what is missed without any set-up
	never []Missed // what is missed whatever is tried
	whole bool     // what is proposed cannot be sent as a whole: a part of it is of use where it brings all about
	login uint64   // by whose credential the steps are sent; 0 where each is by that with which it was
	early bool     // the steps are sent before the hooks that could be reached
	fresh []Bind   // the values that are drawn anew for each trial
	// the trials that proved these, and what is known of values that are taken where none could be proven
	renewed []Trial
	taken   string
}

// attempt is what came of one.
type attempt struct {
	missed  []Missed
	useless []int
	Trial
}

// try makes a trial of a graft, while there are some left.
func (q *inquiry) try(ctx context.Context, g Graft, before []*exchange.Exchange) (attempt, error) {
	r, answers, err := q.rehearse(ctx, g, before)
	if err != nil {
		return attempt{}, err
	}
	return attempt{r.Missed(answers), r.Useless(answers), Trial{r.Values(answers), r.Answers(answers)}}, nil
}

// rehearse makes a trial, and returns what was sent and what that was answered.
func (q *inquiry) rehearse(ctx context.Context, g Graft, before []*exchange.Exchange) (*Rehearsal,
	[]*exchange.Response, error) {
	g = q.renewedGraft(g)
	values := make([]string, len(g.Binds))
	for i, b := range g.Binds {
		if b.Fresh != nil {
			values[i] = q.drawn(b)
		}
	}
	return q.send(ctx, g, before, values)
}

// send makes a trial with fresh values, while there are some trials left.
func (q *inquiry) send(ctx context.Context, g Graft, before []*exchange.Exchange, values []string) (*Rehearsal,
	[]*exchange.Response, error) {
	if q.tried >= cmp.Or(q.Limit, defaultTrials)-q.kept {
		return nil, nil, errNoTrials
	}
	q.tried++
	r := q.Finder.Rehearse(q.test, g, before)
	r.Renew(values)
	if q.Progress != nil {
		q.Progress(q.tried, len(r.Exchanges))
	}
	answers, err := q.Trier.Try(ctx, r.Exchanges, r.Bindings)
	return r, answers, err
}

// steps makes a trial of some exchanges of the session as the set-up.
func (q *inquiry) steps(ctx context.Context, steps []uint64) (attempt, error) {
	g := q.graft(steps)
	g.CleanUp = nil
	return q.try(ctx, loose(g), nil)
}

// graft is that of some exchanges of the session.
func (q *inquiry) graft(steps []uint64) Graft {
	g := q.Finder.graftBy(q.test, steps, q.login)
	g.Early = q.early
	return g
}

// loose asks nothing of the answers to the steps: while it is not known which are needed, what they are answered tells
// nothing.
func loose(g Graft) Graft {
	g.Steps = slices.Clone(g.Steps)
	for i := range g.Steps {
		g.Steps[i].Status = 0
	}
	return g
}

// hit reports whether a trial missed nothing but what is missed whatever is tried.
func (q *inquiry) hit(t attempt) bool {
	return !slices.ContainsFunc(t.missed, func(m Missed) bool { return !slices.Contains(q.never, m) })
}

// find searches for the steps, and proves them.
func (q *inquiry) find(ctx context.Context, offline Graft) (Found, error) {
	alone, err := q.steps(ctx, nil)
	if err != nil {
		return Found{}, err
	}
	if q.alone = alone.missed; len(q.alone) == 0 {
		offline.Steps, offline.CleanUp, offline.Binds = nil, nil, nil
		offline.Refused = HoldsAlone
		return Found{Graft: offline}, nil
	}
	if test, ok := q.Finder.early(q.test, alone.Answers); ok {
		q.test, q.early = test, true
		before := offline
		offline, _ = q.Finder.For(q.test)
		offline.Polluters = before.Polluters
	}
	if test, ok := reached(q.test, alone.Answers); ok {
		q.test = test
		before := offline
		offline, _ = q.Finder.For(q.test)
		offline.Polluters = before.Polluters
	}
	q.whole = q.Finder.proposal(q.test).foreign > 0
	steps, err := q.enough(ctx)
	if err != nil {
		return Found{}, err
	}
	if steps == nil {
		offline.Steps, offline.CleanUp, offline.Binds = nil, nil, nil
		offline.Refused = cmp.Or(offline.Refused, "no earlier requests of the session that were tried lead to it")
		if why, takes := q.Finder.tooLate(q.test, alone.Answers); why != "" {
			offline.Refused, offline.Takes = why, takes
		}
		return Found{Graft: offline}, nil
	}
	return q.prove(ctx, steps, offline)
}

// enough returns steps that bring the wanted about, none of them needless; nil where none were found. What is proposed
// may bring about a part of it: then all that may have to do with the test is tried too.
func (q *inquiry) enough(ctx context.Context) ([]uint64, error) {
	best, err := q.proposed(ctx)
	if err != nil {
		return nil, err
	}
	missed := q.never
	if best == nil || len(missed) > 0 {
		few, err := q.chase(ctx, best, missed)
		if few != nil || err != nil {
			return q.followed(ctx, few, err)
		}
		q.never = missed
	}
	if best == nil {
		return nil, nil
	}
	few, err := q.fewest(ctx, best)
	return q.followed(ctx, few, err)
}

// followed are steps as they are, or by one login for all where they are more than a reader follows.
func (q *inquiry) followed(ctx context.Context, few []uint64, err error) ([]uint64, error) {
	if err != nil || len(few) <= cmp.Or(q.MaxSteps, defaultSteps) {
		return few, err
	}
	return q.byOne(ctx, few)
}

// chase tries all that may have to do with the test, for what best missed. It returns nil where that brings no more
// about, or not with few enough steps; with trials kept for best, where there is one.
func (q *inquiry) chase(ctx context.Context, best []uint64, missed []Missed) ([]uint64, error) {
	if best != nil {
		// to find out which of it is needed, and to prove that
		q.kept = min(2*len(best)+4, cmp.Or(q.Limit, defaultTrials)/2)
		defer func() { q.kept = 0 }()
	}
	candidates := q.Finder.Candidates(q.test, maxSuspects)
	few, err := q.chased(ctx, best, missed, candidates)
	if writes := q.Finder.writesBefore(q.test, maxSuspects); err == nil && few == nil && len(writes) > len(candidates) {
		q.never = missed // and nothing says what has to do with the test
		few, err = q.chased(ctx, best, missed, writes)
	}
	if best != nil && errors.Is(err, errNoTrials) {
		return nil, nil
	}
	return few, err
}

func (q *inquiry) chased(ctx context.Context, best []uint64, missed []Missed, candidates []uint64) ([]uint64, error) {
	all, err := q.gains(ctx, candidates)
	if err != nil || all == nil || best != nil && len(q.never) >= len(missed) {
		return nil, err
	}
	if best != nil { // it may have been chance
		never := q.never
		if all, err = q.gains(ctx, candidates); err != nil || all == nil {
			return nil, err
		}
		for _, m := range never {
			if !slices.Contains(q.never, m) {
				q.never = append(q.never, m)
			}
		}
		if len(q.never) >= len(missed) {
			return nil, nil
		}
	}
	few, err := q.fewest(ctx, all)
	if err == nil && best != nil && len(few) > cmp.Or(q.MaxSteps, defaultSteps) {
		return nil, nil
	}
	return few, err
}

// gains tries steps, and returns them where they bring about what without any is missed, or some of it. What they do
// not is never asked for then.
func (q *inquiry) gains(ctx context.Context, steps []uint64) ([]uint64, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	t, err := q.steps(ctx, steps)
	if err != nil || !q.gained(t) {
		return nil, err
	}
	q.never = t.missed
	return steps, nil
}

// gained reports whether a trial missed less than one without a set-up, and no status.
func (q *inquiry) gained(t attempt) bool {
	if q.whole && len(t.missed) > 0 {
		return false
	}
	for _, m := range t.missed {
		if m.Claim.Place == exchange.PlaceStatus || !slices.Contains(q.alone, m) {
			return false
		}
	}
	return len(t.missed) < len(q.alone)
}

// fewest leaves out what is not needed: by halves where there is much of it, then one by one.
func (q *inquiry) fewest(ctx context.Context, steps []uint64) ([]uint64, error) {
	most := cmp.Or(q.MaxSteps, defaultSteps)
	if len(steps) > 2*most {
		few, err := q.halves(ctx, steps)
		if err != nil || len(few) > 2*most {
			return few, err
		}
		steps = few
	}
	return q.without(ctx, steps)
}

// halves finds steps that bring the wanted about together: the one without which the shortest list of them would not,
// then, with that one kept, the next, as inquiry.several does. It gives up on what takes too many, and returns all
// then.
func (q *inquiry) halves(ctx context.Context, steps []uint64) ([]uint64, error) {
	var kept []uint64
	for left := steps; len(left) > 0; {
		if len(kept) > 0 {
			if hit, err := q.brings(ctx, kept, steps); err != nil || hit {
				return q.closed(kept, steps), err
			}
		}
		if len(kept) > cmp.Or(q.MaxSteps, defaultSteps) {
			return steps, nil
		}
		enough, err := bisect.Shortest(len(left),
			func(n int) (bool, error) { return q.brings(ctx, slices.Concat(left[:n], kept), steps) })
		if err != nil {
			return nil, err
		}
		kept = slices.Concat(left[enough-1:enough], kept)
		left = left[:enough-1]
	}
	return q.closed(kept, steps), nil
}

// brings reports whether some of the steps, with what they take values from, bring the wanted about.
func (q *inquiry) brings(ctx context.Context, some, all []uint64) (bool, error) {
	t, err := q.steps(ctx, q.closed(some, all))
	return err == nil && q.hit(t), err
}

// without leaves out one step after the other, the last first, until of what is left each is needed. What a step that
// stays takes values from stays too.
func (q *inquiry) without(ctx context.Context, steps []uint64) ([]uint64, error) {
	for before := 0; before != len(steps); {
		before = len(steps)
		var err error
		if steps, err = q.pass(ctx, steps); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

// pass tries to leave out each step once: where one made good for another, that may be needless after it too.
func (q *inquiry) pass(ctx context.Context, steps []uint64) ([]uint64, error) {
	for i := len(steps) - 1; i >= 0 && len(steps) > 1; i-- {
		rest := q.closed(slices.Concat(steps[:i], steps[i+1:]), steps)
		if len(rest) == len(steps) {
			continue
		}
		t, err := q.steps(ctx, rest)
		if err != nil {
			return nil, err
		}
		if q.hit(t) {
			steps = rest
		}
	}
	return steps, nil
}

// closed adds to some steps those of all that they take values from.
func (q *inquiry) closed(some, all []uint64) []uint64 {
	out := slices.Clone(some)
	for i := 0; i < len(out); i++ {
		for _, need := range q.Finder.Needs(out[i]) {
			if slices.Contains(all, need) && !slices.Contains(out, need) {
				out = append(out, need)
			}
		}
	}
	slices.Sort(out)
	return out
}

// prove tries steps as often as it takes, with the clean-up, and once more none.
func (q *inquiry) prove(ctx context.Context, steps []uint64, offline Graft) (Found, error) {
	refused := func(why string) (Found, error) {
		offline.Steps, offline.CleanUp, offline.Binds, offline.Refused = nil, nil, nil, why
		return Found{Graft: offline}, nil
	}
	if len(steps) == 0 {
		return refused("it holds on a fresh start, but not every time")
	}
	offline.Takes = q.Finder.names(steps)
	if most := cmp.Or(q.MaxSteps, defaultSteps); len(steps) > most {
		return refused(fmt.Sprintf("it takes %d earlier requests, more than %d", len(steps), most))
	}
	found := Found{Graft: q.graft(steps)}
	found.Why, found.Polluters = q.Finder.Why(q.test, steps), offline.Polluters
	var useless []int
	for len(found.Trials) < confirmed {
		t, err := q.try(ctx, found.Graft, nil)
		if err != nil {
			return Found{}, err
		}
		if !q.hit(t) && (!q.gained(t) || len(q.never) >= len(q.alone)) {
			return refused("the same earlier requests led to it only some of the time")
		}
		for _, m := range t.missed { // what comes true now and then moves by itself
			if !slices.Contains(q.never, m) {
				q.never = append(q.never, m)
			}
		}
		useless = t.useless
		found.Trials = append(found.Trials, t.Trial)
	}
	again, err := q.steps(ctx, nil)
	if err != nil {
		return Found{}, err
	}
	if q.hit(again) {
		return refused("it holds on a fresh start, but not every time")
	}
	if step, err := q.overwrites(ctx, found.Graft); err != nil || step != "" {
		if err != nil {
			return Found{}, err
		}
		return refused("it takes " + step + ", which may touch what the test did not make")
	}
	if path := q.Finder.stays(&found.Graft, q.test, useless); path != "" {
		return refused("it adds " + path + " to what the test did not make, and cannot take it away again")
	}
	found.Proven, found.Missed = true, q.never
	found.Graft = found.WithoutCleanUp(useless)
	if q.LookFirst {
		if looking, ok, err := q.looking(ctx, found); ok || unlessUsedUp(err) != nil {
			return looking, err
		}
	}
	return q.again(ctx, found)
}
