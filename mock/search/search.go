package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/bisect"
)

// Options say what is searched.
type Options struct {
	Requests []Request
	// Names may be the names of fields that services answer, and Constants values that the API compares with.
	Names, Constants []string
	// Trials is how many there are at most.
	Trials int
	Seed   uint64
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
	sign    string
}

// base is a behavior from which changes are tried.
type base struct {
	setting   setting
	endpoints []Endpoint
	class     int // of the API's status: the lower, the further its request got
}

// hunt is the search for the behaviors of one request.
type hunt struct {
	request   Request
	given     []string
	names     []string
	constants []string
	late      time.Duration
	known     map[Endpoint][]string
	bases     []*base
	pending   []change
	tried     map[string]bool // settings
	seen      map[string]bool // behaviors
	turns     map[Endpoint]int
}

// searcher is one search.
type searcher struct {
	api    API
	o      Options
	done   int
	reach  int // trials until the rest is for making stubs smaller
	random *rand.Rand
	found  []*Behavior
}

// errSpent ends a search whose trials are used up.
var errSpent = errors.New("the trials are used up")

// Run searches. When the context ends, or the API fails, what was found until then is returned with the error.
func Run(ctx context.Context, api API, o Options) ([]*Behavior, error) {
	s := &searcher{api: api, o: o, reach: o.Trials - o.Trials/5, random: rand.New(rand.NewPCG(o.Seed, 0))}
	hunts := make([]*hunt, 0, len(o.Requests))
	for _, r := range o.Requests {
		h := &hunt{request: r, given: valuesOf(r), names: o.Names, constants: o.Constants, late: lateBy(o.Patience),
			known: map[Endpoint][]string{}, tried: map[string]bool{}, seen: map[string]bool{}, turns: map[Endpoint]int{}}
		hunts = append(hunts, h)
	}
	err := s.search(ctx, hunts)
	if err == nil {
		err = s.shrink(ctx)
	}
	if errors.Is(err, errSpent) {
		err = nil
	}
	for _, b := range s.found {
		b.Stubs = b.setting.stubs()
	}
	return s.found, err
}

// search tries changes until the budget, or what there is to try, is used up.
func (s *searcher) search(ctx context.Context, hunts []*hunt) error {
	for _, h := range hunts {
		if _, err := s.look(ctx, h, setting{}); err != nil {
			return err
		}
	}
	for busy := true; busy; {
		busy = false
		for _, h := range hunts {
			if s.done >= s.reach {
				return nil
			}
			c, ok := h.next()
			if !ok {
				continue
			}
			busy = true
			if err := s.tryChange(ctx, h, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// next takes the change that is to be tried first.
func (h *hunt) next() (c change, ok bool) {
	if len(h.pending) == 0 {
		return c, false
	}
	best := 0
	for i := range h.pending {
		if h.before(h.pending[i], h.pending[best]) {
			best = i
		}
	}
	c = h.pending[best]
	h.pending = slices.Delete(h.pending, best, best+1)
	return c, true
}

// before reports whether a change is to be tried before another that stands before or after it in the list.
func (h *hunt) before(c, d change) bool {
	if c.rank != d.rank {
		return c.rank < d.rank
	}
	if x, y := h.turns[c.endpoint], h.turns[d.endpoint]; x != y {
		return x < y
	}
	if x, y := len(c.base.endpoints), len(d.base.endpoints); x != y {
		return x > y
	}
	return c.base.class < d.base.class
}

// tryChange tries a change, and finds out which names of a group mattered where it led to something new.
func (s *searcher) tryChange(ctx context.Context, h *hunt, c change) error {
	var names []string
	if c.group {
		for _, name := range h.names {
			if !slices.Contains(h.known[c.endpoint], name) {
				names = append(names, name)
			}
		}
	}
	set := c.apply(names)
	if h.tried[set.key()] {
		return nil
	}
	h.turns[c.endpoint]++
	if !c.group {
		_, err := s.look(ctx, h, set)
		return err
	}
	h.tried[set.key()] = true
	sign, _, err := s.try(ctx, h, set)
	if err != nil || h.seen[sign] {
		return err
	}
	matter, err := s.few(names, func(some []string) (bool, error) {
		got, _, err := s.try(ctx, h, c.apply(some))
		return got == sign, err
	})
	if err != nil || len(matter) > 3 { // where it takes many words to bring it about, it is the number of them
		return err
	}
	h.learn(c.endpoint, matter)
	h.pending = append(h.pending, c) // without those that are known now, which may have hidden others
	_, err = s.look(ctx, h, c.apply(matter))
	return err
}

// few finds the few of several things that bring a result about, which all of them do.
func (s *searcher) few(all []string, hit func([]string) (bool, error)) (few []string, err error) {
	for len(few) <= 3 {
		if yes, err := hit(few); err != nil || yes {
			return few, err
		}
		n, err := bisect.Shortest(len(all), func(n int) (bool, error) { return hit(slices.Concat(few, all[:n])) })
		if err != nil {
			return nil, err
		}
		few = append(few, all[n-1])
		all = all[:n-1]
	}
	return few, nil
}

// learn makes names known as fields of what an endpoint answers.
func (h *hunt) learn(e Endpoint, names []string) {
	before := len(h.known[e])
	for _, name := range names {
		if !slices.Contains(h.known[e], name) {
			h.known[e] = append(h.known[e], name)
		}
	}
	if len(h.known[e]) == before {
		return
	}
	for _, b := range h.bases {
		if slices.Contains(b.endpoints, e) {
			h.pend(h.changes(b, e))
		}
	}
}

// maxPending bounds the changes that wait for their trial.
const maxPending = 20_000

// pend has changes wait for their trial.
func (h *hunt) pend(all []change) {
	for _, c := range all {
		if len(h.pending) < maxPending && (c.group || !h.tried[c.apply(nil).key()]) {
			h.pending = append(h.pending, c)
		}
	}
}

// look tries a setting, and keeps its behavior if it is new.
func (s *searcher) look(ctx context.Context, h *hunt, set setting) (sign string, err error) {
	h.tried[set.key()] = true
	sign, out, err := s.try(ctx, h, set)
	if err != nil || h.seen[sign] {
		return sign, err
	}
	at, records := s.done, [][]*exchange.Exchange{out.Record}
	for len(records) < proofs {
		again, more, err := s.try(ctx, h, set)
		if err != nil || again != sign {
			return again, err
		}
		records = append(records, more.Record)
	}
	h.seen[sign] = true
	given := h.echoed(set)
	b := &base{setting: set, class: out.Status / 100, endpoints: asked(out.Calls, given)}
	s.found = append(s.found, &Behavior{Request: h.request, Status: out.Status, End: out.End,
		Shape: Shape(out.Body, given), Calls: out.Calls, Findings: findings(out), Trial: at,
		Asked: b.endpoints, Proofs: records, setting: set, hunt: h, sign: sign})
	if out.End != Answered {
		return sign, nil // what ends there leads no further
	}
	h.bases = append(h.bases, b)
	for _, e := range b.endpoints {
		changes := h.changes(b, e)
		s.random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		h.pend(changes)
		if _, set := set[e]; set {
			h.learn(e, NamesInErrors(out.Body))
		}
	}
	return sign, nil
}

// try runs one trial and says by what its behavior is told.
func (s *searcher) try(ctx context.Context, h *hunt, set setting) (sign string, out Outcome, err error) {
	if err := ctx.Err(); err != nil {
		return "", out, err
	}
	if s.done >= s.o.Trials {
		return "", out, errSpent
	}
	if out, err = s.api.Try(ctx, Trial{Request: h.request, Stubs: set.stubs()}); err != nil {
		return "", out, fmt.Errorf("run trial: %w", err)
	}
	s.done++
	if s.o.Progress != nil {
		s.o.Progress(s.done, s.o.Trials)
	}
	return signature(out, h.echoed(set)), out, nil
}

// signature tells behaviors apart: by the end, the status, the shape of the answer, and the outgoing calls, of which
// several are as good as many. given are the values that come from elsewhere.
func signature(o Outcome, given map[string]bool) string {
	parts := []string{string(o.End), fmt.Sprint(o.Status), Shape(o.Body, given)}
	times := map[Endpoint]int{}
	for _, c := range o.Calls {
		times[c.endpoint(given)] += c.Times
	}
	for _, e := range asked(o.Calls, given) {
		parts = append(parts, fmt.Sprint(e, min(times[e], 3)))
	}
	return strings.Join(parts, "\n")
}

func (c Call) endpoint(given map[string]bool) Endpoint {
	return Endpoint{c.Service, c.Method, path(c.Target, given)}
}

// asked are the endpoints of calls.
func asked(calls []Call, given map[string]bool) (out []Endpoint) {
	for _, c := range calls {
		if e := c.endpoint(given); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// echoed are the values that the API may give back: those of its request, and of the answers that it is given.
func (h *hunt) echoed(set setting) map[string]bool {
	out := map[string]bool{}
	for _, v := range h.given {
		out[v] = true
	}
	for _, a := range set {
		for _, v := range a.Fields {
			if text, is := v.(string); is {
				out[text] = true
			}
		}
	}
	return out
}
