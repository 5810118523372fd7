package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/bisect"
)

// Options say what is searched.
type Options struct {
	Requests []Request
	// Words are of the API's own files: names of fields that services answer, and values that the API compares with.
	Words *Words
	// Samples are good answers of the services, from which the search begins.
	Samples []Sample
	// Trials is how many there are at most.
	Trials int
	// Used tells how much of another budget is used, from 0 to 1; nil: there is none.
	Used func() float64
	Seed uint64
	// Patience is the time within which the API has to answer; an external answer that is late comes after twice of that.
	Patience time.Duration
	// Progress is told how many trials are done; nil tells nobody.
	Progress func(done, total int)
}

// Behavior is one that was found, and confirmed.
type Behavior struct {
	Request  Request
	Status   int
	End      End
	Shape    string
	Calls    []Call // as the smallest stubs lead to them
	Findings []Finding
	Stubs    []byte // the smallest that reach it, as WireMock's mappings
	Trial    int    // in which it was first seen
	Asked    []Endpoint
	Proofs   [][]*exchange.Exchange // the trials with these stubs, as they were recorded

	setting setting
	hunt    *hunt
	sight   sight
	body    []byte
}

// Result is what a search found.
type Result struct {
	Behaviors  []*Behavior
	Fields     []Field
	Surfacings []Surfacing
}

// base is a behavior from which changes are tried.
type base struct {
	setting   setting
	endpoints []Endpoint
	class     int    // of the API's status: the lower, the further its request got
	told      string // by errors
}

// hunt is the search for the behaviors of one request.
type hunt struct {
	request Request
	given   given
	words   *Words
	late    time.Duration
	known   *knowledge
	bases   []*base
	pending []*change
	tried   map[string]sight // settings
	seen    map[string]bool  // behaviors, with their logs and without
	quiet   bool             // logs tell nothing apart: they differ by themselves
	spent   int              // trials
	turns   map[Endpoint]int
	genes   map[gene]*int // how often each was tried
	filled  map[Endpoint]int
}

// searcher is one search.
type searcher struct {
	api      API
	o        Options
	done     int
	known    *knowledge
	hunts    []*hunt
	random   *rand.Rand
	found    []*Behavior
	surfaced []Surfacing
	covered  map[string]bool
}

// errSpent ends a search whose budget is used up.
var errSpent = errors.New("the budget is used up")

// The shares of the budget after which behaviors are looked for no more, and stubs made smaller no more.
const (
	reach  = 0.8
	shrunk = 0.95
)

// Run searches. When the context ends, or the API fails, what was found until then is returned with the error.
func Run(ctx context.Context, api API, o Options) (Result, error) {
	s := &searcher{api: api, o: o, known: newKnowledge(), random: rand.New(rand.NewPCG(o.Seed, 0)),
		covered: map[string]bool{}}
	for _, r := range o.Requests {
		s.hunts = append(s.hunts, &hunt{request: r, given: valuesOf(r), words: o.Words,
			late: lateBy(o.Patience), known: s.known, tried: map[string]sight{}, seen: map[string]bool{},
			turns: map[Endpoint]int{}, genes: map[gene]*int{}, filled: map[Endpoint]int{}})
	}
	err := s.search(ctx)
	if err == nil {
		err = s.shrink(ctx)
	}
	if err == nil {
		err = s.trace(ctx)
	}
	if errors.Is(err, errSpent) {
		err = nil
	}
	if err == nil {
		err = s.proveAll(ctx)
	}
	for _, b := range s.found {
		b.Stubs = b.setting.stubs()
	}
	return Result{Behaviors: s.found, Fields: s.fields(), Surfacings: s.surfaced}, err
}

// used is the share of the budget that is used up.
func (s *searcher) used() float64 {
	used := float64(s.done) / float64(s.o.Trials)
	if s.o.Used != nil {
		used = max(used, s.o.Used())
	}
	return used
}

// search tries changes until the budget, or what there is to try, is used up.
func (s *searcher) search(ctx context.Context) error {
	for _, h := range s.hunts {
		if _, err := s.look(ctx, h, setting{}); err != nil {
			return err
		}
	}
	for s.used() < reach {
		h, at := s.next()
		if h == nil {
			return nil
		}
		if err := s.tryChange(ctx, h, h.take(at)); err != nil {
			return err
		}
	}
	return nil
}

// perCost is after how many trials of a request its changes come as late as one of the next turn.
const perCost = 4

// next is the hunt whose next change is to be tried first, and where that stands; those that had fewer trials go before.
func (s *searcher) next() (best *hunt, first int) {
	least := 0
	for _, h := range s.hunts {
		at := h.first()
		if at < 0 {
			continue
		}
		if cost := h.pending[at].cost() + h.spent/perCost; best == nil || cost < least {
			best, first, least = h, at, cost
		}
	}
	return best, first
}

// take takes a change out of the list.
func (h *hunt) take(at int) change {
	c := *h.pending[at]
	h.pending = slices.Delete(h.pending, at, at+1)
	return c
}

// first is where the change stands that is to be tried first; -1 where there is none.
func (h *hunt) first() int {
	best := min(0, len(h.pending)-1)
	for i, c := range h.pending {
		if h.before(c, h.pending[best]) {
			best = i
		}
	}
	return best
}

// cost is how late a change is tried: what was tried from other bases already comes a rank later each time, and so does
// a failure of a service that other requests were sent to as well.
func (c *change) cost() int {
	cost := int(c.rank) + c.turn + 8**c.tries
	if c.rank == failure || c.rank == rare {
		cost += min(5*(*c.everywhere-*c.tries), 20)
	}
	return cost
}

// before reports whether a change is to be tried before another that stands before or after it in the list.
func (h *hunt) before(c, d *change) bool {
	if x, y := c.cost(), d.cost(); x != y {
		return x < y
	}
	if x, y := h.turns[c.endpoint], h.turns[d.endpoint]; x != y {
		return x < y
	}
	if x, y := len(c.base.endpoints), len(d.base.endpoints); x != y {
		return x > y
	}
	return c.base.class < d.base.class
}

// tryChange tries a change, and learns from its outcome.
func (s *searcher) tryChange(ctx context.Context, h *hunt, c change) error {
	var places []exchange.Place
	for _, p := range c.group {
		if !slices.ContainsFunc(s.known.fields[c.endpoint], func(f field) bool { return f.place == p }) {
			places = append(places, p)
		}
	}
	set := c.apply(places)
	if _, tried := h.tried[set.key()]; tried || c.group != nil && len(places) == 0 {
		return nil
	}
	h.turns[c.endpoint]++
	*c.tries++
	*c.everywhere++
	if c.group != nil {
		return s.tryGroup(ctx, h, c, places)
	}
	seen, err := s.look(ctx, h, set)
	if err != nil {
		return err
	}
	s.absorb(h, c, seen)
	return nil
}

// absorb learns from the outcome of a change.
func (s *searcher) absorb(h *hunt, c change, seen sight) {
	if c.supposed != nil && !h.same(seen, c.before) {
		for i, f := range c.supposed {
			c.supposed[i].works, _ = get(c.answer.JSON, within(f.place))
		}
		s.learn(c.endpoint, c.supposed)
		h.pending = slices.DeleteFunc(h.pending, func(o *change) bool { // what else would have mended it
			return o.supposed != nil && o.base == c.base && o.endpoint == c.endpoint && h.same(o.before, c.before)
		})
	}
	told := seen.told
	if seen.toldKey == c.base.told || c.supposed != nil && h.same(seen, c.before) {
		told = nil // it is not told of this answer, or was before
	}
	h.pend(h.fills(c, c.answer, told, seen))
	s.known.lack(c.endpoint, told)
	if c.group != nil {
		return
	}
	set := c.base.setting.with(c.endpoint, c.answer)
	for _, e := range seen.endpoints {
		if a, set := set[e]; set && seen.times[e] > 1 && a.Then == nil && s.known.askedAgain(e, a) {
			s.each(e, func(h *hunt, l *lister) { h.sequences(l, l.base.current(e)) })
		}
	}
}

// each has changes of an endpoint listed for all bases that ask it.
func (s *searcher) each(e Endpoint, list func(*hunt, *lister)) {
	for _, h := range s.hunts {
		for _, b := range h.bases {
			if slices.Contains(b.endpoints, e) {
				l := &lister{base: b, endpoint: e}
				list(h, l)
				h.pend(l.out)
			}
		}
	}
}

// tryGroup tries values of many names at once, and finds out which of them matter where they lead to something new.
func (s *searcher) tryGroup(ctx context.Context, h *hunt, c change, places []exchange.Place) error {
	seen, out, err := s.try(ctx, h, c.apply(places))
	if err != nil {
		return err
	}
	s.absorb(h, c, seen)
	if h.isKnown(seen) {
		return nil
	}
	few := 1
	if out.End == Answered && (out.Status/100 < c.base.class || len(seen.endpoints) > len(c.base.endpoints)) {
		few = 8 // it gets further
	}
	matter, err := s.few(places, few, func(some []exchange.Place) (bool, error) {
		got, _, err := s.try(ctx, h, c.apply(some))
		return h.same(got, seen), err
	})
	if err != nil || len(matter) > few { // where it takes many words to bring it about, it is the number of them
		return err
	}
	fields := make([]field, 0, len(matter))
	for _, p := range matter {
		fields = append(fields, field{place: p, source: FromWords})
	}
	s.learn(c.endpoint, fields)
	h.pend([]change{c}) // without those that are known now, which may have hidden others
	got, err := s.look(ctx, h, c.apply(matter))
	if err == nil {
		c.answer, c.group = c.apply(matter)[c.endpoint], nil
		s.absorb(h, c, got)
	}
	return err
}

// few finds the few of several things that bring a result about, which all of them do.
func (s *searcher) few(all []exchange.Place, most int, hit func([]exchange.Place) (bool, error)) (
	few []exchange.Place, err error,
) {
	for len(few) <= most {
		if yes, err := hit(few); err != nil || yes {
			return few, err
		}
		n, err := bisect.Shortest(len(all), func(n int) (bool, error) { return hit(slices.Concat(few, all[:n])) })
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, nil
		}
		few = append(few, all[n-1])
		all = all[:n-1]
	}
	return few, nil
}

// learn makes fields of what an endpoint answers known to all hunts.
func (s *searcher) learn(e Endpoint, fields []field) {
	news := s.known.learn(e, fields)
	if len(news) == 0 {
		return
	}
	s.each(e, func(h *hunt, l *lister) {
		current := l.base.current(e)
		h.fieldChanges(l, current, news)
		for _, f := range news {
			for _, t := range s.known.missing[e] { // which may be a member of this one
				inner := field{place: f.place + t.Place[len(exchange.PlaceBody):], kind: t.Kind, source: FromError}
				l.add(good, 3, "mended "+string(inner.place), current.with(inner.place, h.filler(inner)))
			}
		}
	})
}

// maxPending bounds the changes that wait for their trial.
const maxPending = 20_000

// pend has changes wait for their trial.
func (h *hunt) pend(all []change) {
	for _, c := range all {
		if len(h.pending) >= maxPending {
			return
		}
		if c.group == nil {
			if _, tried := h.tried[c.apply(nil).key()]; tried {
				continue
			}
		}
		g := gene{c.endpoint, c.gene}
		if h.genes[g] == nil {
			h.genes[g] = new(int)
		}
		if h.known.genes[g] == nil {
			h.known.genes[g] = new(int)
		}
		c.tries, c.everywhere = h.genes[g], h.known.genes[g]
		h.pending = append(h.pending, &c)
	}
}

// look tries a setting, and keeps its behavior if it is new.
func (s *searcher) look(ctx context.Context, h *hunt, set setting) (seen sight, err error) {
	seen, out, err := s.try(ctx, h, set)
	if err != nil {
		return seen, err
	}
	fresh := s.covers(out.Covered)
	if h.isKnown(seen) {
		if fresh && out.End == Answered { // it runs what nothing ran before
			s.extend(h, &base{setting: set, class: out.Status / 100, endpoints: seen.endpoints, told: seen.toldKey})
		}
		return seen, nil
	}
	at, records := s.done, withRecord(nil, out)
	for range proofs - 1 {
		again, more, err := s.try(ctx, h, set)
		switch {
		case err != nil:
			return again, err
		case again.equal(seen):
		case again.alike(seen):
			if h.quiet = true; h.isKnown(seen) {
				return seen, nil
			}
		default:
			return again, nil
		}
		records = withRecord(records, more)
	}
	h.know(seen)
	s.found = append(s.found, &Behavior{Request: h.request, Status: out.Status, End: out.End,
		Shape: Shape(out.Body, h.echoed(set)), Calls: out.Calls, Findings: findings(out), Trial: at,
		Asked: seen.endpoints, Proofs: records, setting: set, hunt: h, sight: seen, body: out.Body})
	if out.End == Answered { // what ends there leads no further
		s.extend(h, &base{setting: set, class: out.Status / 100, endpoints: seen.endpoints, told: seen.toldKey})
	}
	return seen, nil
}

// extend makes a base, from which changes are tried.
func (s *searcher) extend(h *hunt, b *base) {
	h.bases = append(h.bases, b)
	for _, e := range s.known.led(b) { // which may lead others further, too
		better := s.known.bests[e].answer
		s.each(e, func(_ *hunt, l *lister) { l.add(good, 1, geneOf(better.JSON), better) })
	}
	for _, e := range b.endpoints {
		s.meet(e)
		changes := h.changes(b, e)
		s.random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		h.pend(changes)
	}
}

// covers reports whether items are covered that none before covered.
func (s *searcher) covers(items []string) (fresh bool) {
	for _, item := range items {
		if !s.covered[item] {
			s.covered[item], fresh = true, true
		}
	}
	return fresh
}

// try runs one trial and says by what its behavior is told.
func (s *searcher) try(ctx context.Context, h *hunt, set setting) (seen sight, out Outcome, err error) {
	return s.run(ctx, h, set, Trial{Request: h.request, Stubs: set.stubs()})
}

// tryAnew is try for a trial that has to run in any case.
func (s *searcher) tryAnew(ctx context.Context, h *hunt, set setting) (seen sight, out Outcome, err error) {
	return s.run(ctx, h, set, Trial{Request: h.request, Stubs: set.stubs(), Anew: true})
}

func (s *searcher) run(ctx context.Context, h *hunt, set setting, t Trial) (seen sight, out Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return seen, out, err
	}
	if s.used() >= 1 && !t.Anew {
		return seen, out, errSpent
	}
	if out, err = s.api.Try(ctx, t); err != nil {
		return seen, out, fmt.Errorf("run trial: %w", err)
	}
	s.done++
	h.spent++
	if s.o.Progress != nil {
		s.o.Progress(s.done, s.o.Trials)
	}
	seen = sightOf(out, h.echoed(set))
	h.tried[set.key()] = seen
	return seen, out, nil
}
