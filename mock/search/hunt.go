package search

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/flaketap/flaketap/mock/search/given"
	"github.com/flaketap/flaketap/mock/search/pace"
)

// base is a behavior from which changes are tried.
type base struct {
	setting   setting
	sight     sight
	endpoints []Endpoint // in the order in which they were first asked
	changed   Endpoint   // whose answer was changed to come here; the zero one for the first base
	body      any        // what the API answered, where it is JSON
	score     int        // how far the request got, and as many good answers as there are
	// beside is a group that ran, with these answers, what nothing did before, and did nothing else that is new: which of
	// its places did it nothing tells, so changes of fields are tried with all of them; nil: there is none.
	beside *change
}

// baseOf is the base that an outcome makes, with the answer changed of one endpoint.
func baseOf(set setting, seen sight, body []byte, changed Endpoint) *base {
	b := &base{setting: set, sight: seen, endpoints: seen.endpoints, changed: changed, score: seen.score()}
	if json.Unmarshal(body, &b.body) != nil {
		b.body = nil
	}
	for _, e := range b.endpoints {
		if a, set := set[e]; set && a.plain() {
			b.score++
		}
	}
	return b
}

// answered reports whether a base has a good answer of an endpoint.
func (b *base) answered(e Endpoint) bool {
	a, set := b.setting[e]
	return set && a.plain()
}

// hunt is the search for the behaviors of one request.
type hunt struct {
	request  Request
	given    given.Values
	words    *Words
	late     time.Duration
	known    *knowledge
	bases    []*base
	ventures []*base // behind bases: those with a group beside them
	front    *base   // the one that got furthest
	pending  []*change
	tried    map[string]sight // settings
	seen     map[string]bool  // behaviors, with their logs and without
	told     map[string]bool  // what errors told
	unsteady bool             // with no stubs it ended otherwise each time
	quiet    bool             // logs tell nothing apart: they differ by themselves
	odd      int              // how often it did otherwise when it was watched
	spent    int              // trials
	turns    map[Endpoint]int
	genes    map[gene]*int // how often each was tried
	filled   map[Endpoint]int
	unread   map[Endpoint]bool // whose answers may have any body
	own      map[string]bool   // texts that the API says by itself
	dull     map[gene]int      // how often changes of a field led to nothing new
	history  history
	paces    pace.Log[attempt]
	varied   map[varied][]variant
}

// perCost is after how many trials of a request, for each service that it asks, its changes come as late as one of the
// next turn.
const perCost = 4

// perCost is that of a request: where more is asked, more can be changed.
func (h *hunt) perCost() int {
	if h.front == nil {
		return perCost
	}
	return perCost * max(1, len(h.front.endpoints))
}

// Bounds of what a request is taken further by, before others have their turn: what it learns they need not.
const (
	climbing  = 8  // the cost up to which changes are for that
	mostClimb = 50 // trials
)

// next is the hunt whose next change is to be tried first, and where that stands; those that had fewer trials go
// before.
func (s *searcher) next() (best *hunt, first int) {
	least := 0
	for _, h := range s.hunts {
		at, cost := h.first()
		if at < 0 {
			continue
		}
		if cost <= climbing && h.spent < mostClimb {
			return h, at
		}
		if cost += h.spent / h.perCost(); best == nil || cost < least {
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

// first is where the change stands that is to be tried first, and its cost; -1 where there is none.
func (h *hunt) first() (best, least int) {
	best = -1
	for i, c := range h.pending {
		if best >= 0 && c.least() > least { // most are told by this alone
			continue
		}
		cost := h.cost(c)
		if best < 0 || cost < least || cost == least && h.turns[c.endpoint] < h.turns[h.pending[best].endpoint] {
			best, least = i, cost
		}
	}
	return best, least
}

// onceMore is how much later a change is tried each time that it was tried from another base already.
const onceMore = 12

// forUnread is how much later fields are changed of answers whose body does not seem to matter, and names are guessed
// of those of which it is told what is read. Of the first the one answer with all names is tried at its time: an API
// may swallow what is wrong with an empty one.
const forUnread = 30

// cost is how late a change is tried: what was tried from other bases already comes later each time, so do a failure of
// a service, and names guessed of its answers, that were tried with other requests as well (a value of a field is not:
// requests read it for reasons of their own), and what is changed of a base that did not get so far.
func (h *hunt) cost(c *change) int {
	cost := c.least() + h.behind(c)
	if c.field == "" && (c.rank == failure || c.rank == rare || c.once) || c.group != nil {
		cost += min(5*h.elsewhere(c), 20)
	}
	if (c.field != "" || c.group != nil && c.gene != plausibleNames) && h.unread[c.endpoint] {
		cost += forUnread
	}
	if c.group != nil && h.known.reading([]Endpoint{c.endpoint}) {
		cost += forUnread
	}
	if c.field != "" {
		cost += h.idle(c)
	}
	return cost + h.dulled(c)
}

// least is what a change costs at least, whatever is known of its request.
func (c *change) least() int { return int(c.rank) + c.turn + onceMore**c.tries }

// dulled is how many changes of the field, or of the fields that are supposed to mend an error, led to nothing new.
func (h *hunt) dulled(c *change) (times int) {
	for _, g := range c.dulls() {
		times = max(times, h.dull[g])
	}
	return times
}

// bore counts that a change led to nothing new.
func (h *hunt) bore(c *change) {
	for _, g := range c.dulls() {
		h.dull[g]++
	}
}

// dulls are the genes by which it is counted that a change led to nothing new.
func (c *change) dulls() (out []gene) {
	if c.field != "" {
		out = append(out, gene{c.endpoint, string(c.field)})
	}
	for _, f := range c.supposed {
		out = append(out, gene{c.endpoint, "mended " + string(f.place)})
	}
	return out
}

// settled reports whether it is known that nothing new comes of a change: of an interim answer whatever the request, of
// one that is tried once with this one.
func (h *hunt) settled(c *change) bool {
	tried := c.gene == interim && *c.everywhere > 0 || c.once && *c.tries > 0
	return tried && h.known.news[gene{c.endpoint, c.gene}] == 0
}

// idle is how much later a value of a field is tried that led to nothing new with other requests.
func (h *hunt) idle(c *change) int {
	return min(4*h.elsewhere(c), 12)
}

// elsewhere is how often a change was tried with other requests and led to nothing new.
func (h *hunt) elsewhere(c *change) int {
	return max(*c.everywhere-*c.tries-h.known.news[gene{c.endpoint, c.gene}], 0)
}

// behind is how much later a change is tried for its base: those of the front come first, and those of endpoints that
// only another base leads to, or has a good answer of: the front may have got further for the want of one.
func (h *hunt) behind(c *change) int {
	if c.base == h.front {
		return 0
	}
	gap := min(2*(h.front.score-c.base.score), 24)
	switch {
	case c.rank == good:
		return gap
	case !slices.Contains(h.front.endpoints, c.endpoint),
		c.base.answered(c.endpoint) && !h.front.answered(c.endpoint):
		return 4
	case c.endpoint == c.base.changed:
		return 10
	}
	return 16 + gap/2
}

// maxPending bounds the changes that wait for their trial.
const maxPending = 20_000

// pend has changes wait for their trial.
func (h *hunt) pend(all []change) {
	for _, c := range all {
		if len(h.pending) >= maxPending {
			return
		}
		if c.grouped() == nil {
			if _, tried := h.tried[c.apply(nil).key()]; tried {
				continue
			}
		}
		g := gene{c.endpoint, c.gene}
		c.tries, c.everywhere = counter(h.genes, g), counter(h.known.genes, g)
		h.pending = append(h.pending, &c)
	}
}

// counter is where it is counted how often a gene was tried.
func counter(tries map[gene]*int, g gene) *int {
	if tries[g] == nil {
		tries[g] = new(int)
	}
	return tries[g]
}

// extend makes a base, from which changes are tried.
func (s *searcher) extend(h *hunt, b *base) {
	h.bases = append(h.bases, b)
	s.known.names.AddMembers(b.body)
	if h.front == nil || b.score > h.front.score {
		h.front = b
	}
	for _, e := range s.known.led(h, b) { // which may lead others further, too
		better := s.known.bests[e][s.known.bestOf(e, h)]
		for _, other := range s.hunts {
			other.pending = slices.DeleteFunc(other.pending, func(o *change) bool {
				return o.shared == h && o.endpoint == e
			})
		}
		s.each(e, func(_ *hunt, l *lister) { l.share(better) })
	}
	for _, e := range b.endpoints {
		s.meet(e)
	}
	h.pend(h.repairs(b))
	h.pend(h.supply(b))
	for _, e := range slices.Backward(b.endpoints) {
		changes := h.changes(b, e)
		s.random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		h.pend(append(changes, b.behindInterim(e)...))
	}
}
