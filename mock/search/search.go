package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/given"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/records"
	"github.com/flaketap/flaketap/mock/search/shape"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Options say what is searched.
type Options struct {
	Requests []Request
	// Words are of the API's own files: names of fields that services answer, and values that the API compares with.
	Words *Words
	// Samples are good answers of the services, from which the search begins.
	Samples []Sample
	// Trials is how many there are at most, but for those that are [Trial.Extra].
	Trials int
	// Used tells how much of another budget is used, from 0 to 1; nil: there is none. Where it is all used, no trial
	// begins but those that prove what was found.
	Used func() float64
	Seed uint64
	// Patience is the time within which the API has to answer; an external answer that is late comes after twice of that.
	// Few that do not are waited for longer at the end, by [bound.Long].
	Patience time.Duration
	// More has requests that come while the search goes on; nil: none come.
	More Incoming
	// Progress is told how many trials are done; nil tells nobody.
	Progress func(done, total int)
}

// searcher is one search.
type searcher struct {
	api     API
	o       Options
	done    int
	known   *knowledge
	hunts   []*hunt
	random  *rand.Rand
	found   []*Behavior
	covered map[string]bool
	likely  func(most int) []Trial // see [Trial.Likely]; nil where nobody can tell
	kept    float64                // the share of the budget that is for what comes later
	came    []Request              // that are not searched yet
	purpose Purpose                // of the next trials
	over    bool                   // nothing is looked for any more
	beside  []glimpse              // what was seen and not looked at
}

// errSpent ends a search whose budget is used up.
var errSpent = errors.New("the budget is used up")

// The shares of the budget after which behaviors are looked for no more, stubs made smaller no more, and types of
// fields tried no more, and those that traces leave.
const (
	reach       = 0.80
	shrunk      = 0.84
	kinded      = 0.86
	forGlimpses = 0.04
	forPaces    = 0.02
)

// add adds a hunt for each request.
func (s *searcher) add(requests []Request) {
	for _, r := range requests {
		values := given.Of(r.Target, r.Body)
		s.known.names.Add(slices.Sorted(maps.Keys(values.Named))...)
		s.hunts = append(s.hunts, &hunt{request: r, given: values, words: s.o.Words,
			late: lateBy(s.o.Patience), known: s.known, tried: map[string]sight{}, seen: map[string]bool{},
			told: map[string]bool{}, history: newHistory(), dull: map[gene]int{}, own: map[string]bool{},
			unread: map[Endpoint]bool{}, turns: map[Endpoint]int{}, varied: map[varied][]variant{},
			genes: map[gene]*int{}, filled: map[Endpoint]int{}})
	}
}

// Run searches. When the context ends, or the API fails, what was found until then is returned with the error.
func Run(ctx context.Context, api API, o Options) (Result, error) {
	s := &searcher{api: api, o: o, known: newKnowledge(), random: rand.New(rand.NewPCG(o.Seed, 0)),
		covered: map[string]bool{}, purpose: toBegin}
	s.add(o.Requests)
	err := s.search(ctx)
	s.endMore()
	s.over = true
	if err == nil {
		err = s.shrink(ctx)
	}
	if err == nil {
		err = s.probeKinds(ctx)
	}
	if s.kept = forPaces + forGlimpses; err == nil {
		err = s.trace(ctx)
	}
	if s.kept = forPaces; err == nil || errors.Is(err, errSpent) {
		err = s.keepGlimpses(ctx)
	}
	if s.kept = 0; err == nil || errors.Is(err, errSpent) {
		err = s.paced(ctx)
	}
	if errors.Is(err, errSpent) {
		err = nil
	}
	if err == nil {
		err = s.proveAll(ctx)
	}
	if err == nil {
		err = s.proveBounds(ctx)
	}
	for _, b := range s.found {
		b.Stubs = b.setting.stubs()
		if b.End == Hung && b.Wait.Waited == 0 {
			b.Wait.Waited = s.o.Patience
		}
	}
	unsteady, unbegun := s.unsearched()
	return Result{Behaviors: s.found, Fields: s.fields(), Surfacings: s.surfacings(), Unsteady: unsteady,
		Unbegun: unbegun}, err
}

// used is the share of the budget that is used up.
func (s *searcher) used() float64 {
	used := float64(s.done) / float64(s.o.Trials)
	if s.o.Used != nil {
		used = max(used, s.o.Used())
	}
	return used
}

// first tries requests with no stubs at all.
func (s *searcher) first(ctx context.Context, hunts []*hunt) error {
	for i, h := range hunts {
		s.likely = func(most int) []Trial { return firsts(hunts[i+1:], most) }
		// An API that has just started may do otherwise than ever after: its first calls take long, and fail for it.
		for tries := 0; len(h.seen) == 0 && tries < proofs; tries++ {
			s.purpose = toBegin
			if _, err := s.look(ctx, h, setting{}, change{}); err != nil {
				return err
			}
		}
		h.unsteady = len(h.seen) == 0
	}
	s.likely = s.coming
	return nil
}

// search tries changes until the budget, or what there is to try, is used up.
func (s *searcher) search(ctx context.Context) error {
	if err := s.first(ctx, s.hunts); err != nil {
		return err
	}
	for s.used() < reach {
		if err := s.welcome(ctx); err != nil {
			return err
		}
		h, at := s.next()
		if h == nil && s.await(ctx) {
			continue
		}
		if h == nil {
			return nil
		}
		if err := s.tryChange(ctx, h, h.take(at)); err != nil {
			return err
		}
	}
	return nil
}

// tryChange tries a change, and learns from its outcome.
func (s *searcher) tryChange(ctx context.Context, h *hunt, c change) error {
	set, places, news := s.begin(h, &c)
	if !news {
		return nil
	}
	s.purpose = c.purpose()
	if c.grouped() != nil {
		return s.tryGroup(ctx, h, c, places)
	}
	seen, err := s.look(ctx, h, set, c)
	if err != nil {
		return err
	}
	if c.gene == noJSON && c.base.current(c.endpoint).plain() && h.same(seen, c.base.sight) {
		h.unread[c.endpoint] = true
	}
	if seen.first {
		s.known.news[gene{c.endpoint, c.gene}]++
	} else {
		h.bore(&c)
	}
	s.known.open(c, seen)
	h.stuck(c, seen)
	s.absorb(h, c, seen)
	return nil
}

// begin counts that a change is tried, and says what it sets; a group sets places. What is known already is no news.
func (s *searcher) begin(h *hunt, c *change) (set setting, places []exchange.Place, news bool) {
	group := c.grouped()
	if group != nil {
		places = slices.DeleteFunc(slices.Clone(group.group), func(p exchange.Place) bool {
			return s.known.field(group.endpoint, p) != nil || group.borrowed && s.known.names.Tried(group.endpoint.String(), p)
		})
	}
	set = c.apply(places)
	_, tried := h.tried[set.key()]
	if tried || s.known.opened[gene{c.endpoint, c.gene}] || h.settled(c) || group != nil && len(places) == 0 {
		return nil, nil, false
	}
	h.turns[c.endpoint]++
	*c.tries++
	*c.everywhere++
	return set, places, true
}

// absorb learns from the outcome of a change.
func (s *searcher) absorb(h *hunt, c change, seen sight) {
	further := seen.score() - c.before.score()
	parsed := c.supposed != nil && c.mends(seen)
	s.known.parsed[c.endpoint] = s.known.parsed[c.endpoint] || parsed
	mended := further > 0 || seen.first || parsed
	if c.supposed != nil && !h.same(seen, c.before) && mended && !h.needless(c, seen) {
		better := further >= 0
		for i, f := range c.supposed {
			if c.supposed[i].works = nil; better {
				c.supposed[i].works, _ = tree.Get(c.answer.JSON, tree.Within(f.place))
			}
		}
		s.learn(c.endpoint, c.supposed)
		h.pending = slices.DeleteFunc(h.pending, func(o *change) bool { // what else would have mended it
			return better && o.supposed != nil && o.base == c.base && h.same(o.before, c.before)
		})
	}
	s.relate(h, c, seen)
	told := seen.told
	if seen.toldKey == c.base.sight.toldKey || c.supposed != nil && h.same(seen, c.before) {
		told = nil // it is not told of this answer, or was before
	}
	s.known.lack(c.endpoint, told)
	if c.group != nil {
		h.pend(h.fills(c.base, c.endpoint, c.answer, told, seen, 0))
		return
	}
	set := c.base.setting.with(c.endpoint, c.answer)
	for _, e := range seen.endpoints {
		if a, set := set[e]; set && seen.times[e] > 1 && a.Then == nil && s.known.askedAgain(e, a) {
			s.each(e, func(h *hunt, l *lister) { h.sequences(l, l.base.current(e)) })
		}
	}
}

// needless reports whether it is known that the same happens without the fields that are supposed to have mended an
// error: then it was the answer as a whole that did.
func (h *hunt) needless(c change, seen sight) bool {
	a := c.answer
	for _, f := range c.supposed {
		a = a.without(f.place)
	}
	without, tried := h.tried[c.base.setting.with(c.endpoint, a).key()]
	return tried && h.same(seen, without)
}

// each has changes of an endpoint listed for all bases that ask it.
func (s *searcher) each(e Endpoint, list func(*hunt, *lister)) {
	for _, h := range s.hunts {
		for _, b := range slices.Concat(h.bases, h.ventures) {
			if slices.Contains(b.endpoints, e) {
				l := &lister{base: b, endpoint: e}
				list(h, l)
				h.pend(l.out)
			}
		}
	}
}

// learn makes fields of what an endpoint answers known to all hunts.
func (s *searcher) learn(e Endpoint, fields []field) {
	all := s.o.Words.recordsOf(e)
	for i, f := range fields {
		if f.kind == kind.Unknown && f.source != FromReads {
			fields[i].kind = kind.Kind(records.Kind(all, f.place))
		}
	}
	news := s.known.learn(e, fields)
	if len(news) == 0 {
		return
	}
	s.each(e, func(h *hunt, l *lister) {
		current := l.base.current(e)
		h.fieldChanges(l, current, news)
		if s.known.reading([]Endpoint{e}) { // then it is told what is read within
			return
		}
		for _, f := range news {
			for _, t := range s.known.missing[e] { // which may be a member of this one
				inner := field{place: f.place + t.Place[len(exchange.PlaceBody):], kind: t.Kind, source: FromError}
				l.add(good, 3, "mended "+string(inner.place), current.with(inner.place, h.filler(inner)))
			}
		}
	})
}

// look tries a setting, in which the answer of one endpoint was changed, and keeps its behavior if it is new.
func (s *searcher) look(ctx context.Context, h *hunt, set setting, c change) (seen sight, err error) {
	seen, out, err := s.watch(ctx, h, set)
	if err != nil {
		return seen, err
	}
	read := s.read(seen)
	b := baseOf(set, seen, out.Body, c.endpoint)
	// It runs, or tells, what nothing did before.
	fresh := s.covers(out.Covered) || c.covers || read || len(seen.told) > 0 && !h.told[seen.toldKey]
	h.told[seen.toldKey] = true
	if h.isKnown(seen) {
		if fresh && out.End == Answered {
			s.extend(h, b)
		}
		return seen, nil
	}
	if c.base != nil && h.echo(c, seen, out.Body) {
		h.know(seen)
		return seen, nil
	}
	at, records := s.done, withRecord(nil, out)
	s.purpose = h.confirming(seen)
	for n := range proofs - 1 {
		again, more, err := s.repeat(ctx, h, set, proofs-2-n)
		switch {
		case err != nil:
			return again, err
		case again.equal(seen):
		case again.alike(seen):
			if h.quiet = true; h.isKnown(seen) {
				return seen, nil
			}
		case len(out.Reads) > 0:
			h.odd++
			return s.look(ctx, h, set, c)
		default:
			return again, nil
		}
		records = withRecord(records, more)
	}
	h.know(seen)
	s.found = append(s.found, h.behavior(set, seen, out, at, records))
	if out.End == Answered { // what ends there leads no further
		s.extend(h, b)
	}
	seen.first = true
	return seen, nil
}

// behavior is the one that an outcome of a setting shows.
func (h *hunt) behavior(set setting, seen sight, out Outcome, trial int, proofs [][]*exchange.Exchange) *Behavior {
	return &Behavior{Request: h.request, Status: out.Status, End: out.End, Shape: shape.Of(out.Body, h.echoed(set)),
		Calls: out.Calls, Findings: findings(out, set), Trial: trial, Asked: seen.endpoints, Proofs: proofs,
		setting: set, hunt: h, sight: seen, body: out.Body}
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
	return s.run(ctx, h, set, h.trial(set))
}

// trial is one of a setting, watched one of which the reads are told, and anew one that has to run in any case.
func (h *hunt) trial(set setting) Trial { return Trial{Request: h.request, Stubs: set.stubs()} }

func (h *hunt) anew(set setting) Trial {
	t := h.trial(set)
	t.Anew = true
	return t
}

func (h *hunt) watched(set setting) Trial {
	t := h.trial(set)
	t.Watched = h.odd < maxOdd
	return t
}

// maxOdd is how often an API that is watched may do otherwise than unwatched, until it is watched no more.
const maxOdd = 2

// watch is try for a trial of which the reads are told.
func (s *searcher) watch(ctx context.Context, h *hunt, set setting) (seen sight, out Outcome, err error) {
	return s.run(ctx, h, set, h.watched(set))
}

// tryAnew is try for a trial that has to run in any case.
func (s *searcher) tryAnew(ctx context.Context, h *hunt, set setting) (seen sight, out Outcome, err error) {
	return s.run(ctx, h, set, h.anew(set))
}

func (s *searcher) run(ctx context.Context, h *hunt, set setting, t Trial) (seen sight, out Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return seen, out, err
	}
	if t.Extra = s.used() >= 1; s.used() >= 1-s.kept && !t.Anew {
		return seen, out, errSpent
	}
	if t.Likely = s.likely; s.likely != nil {
		t.Likely = func(most int) []Trial { return s.likely(max(0, min(most, s.o.Trials-s.done-1))) }
	}
	t.Purpose = s.purpose
	if out, err = s.api.Try(ctx, t); err != nil {
		return seen, out, fmt.Errorf("run trial: %w", err)
	}
	if !t.Extra {
		s.done++
	}
	h.spent++
	if s.o.Progress != nil {
		s.o.Progress(s.done, s.o.Trials)
	}
	if err := s.hear(ctx); err != nil {
		return seen, out, err
	}
	given := h.echoed(set)
	h.note(out, given)
	s.known.secures(out.Calls)
	seen = sightOf(out, set, given)
	s.known.typed(set, seen.told)
	if seen.took, seen.late = out.Took, set.late(seen.endpoints); out.End == Answered {
		h.paces.Add(seen.pace(set))
	}
	key := set.key()
	noted := seen
	if before := h.tried[key]; !t.Watched { // what is read of the answers was told when it was watched
		noted.reads = before.reads
	}
	h.tried[key] = noted
	h.history.add(key, set, out, seen.told, given)
	s.glimpse(h, set, seen, findings(out, set))
	return seen, out, nil
}
