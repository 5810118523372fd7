package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/suite/setup/listing"
)

// defaultSteps is how many requests a set-up may have.
const defaultSteps = 5

// Finder says which part of a session a test depends on. What it finds it finds in the recording: that a set-up brings
// about what is wanted follows from what the session's own exchanges did, and is proven by trials alone.
type Finder struct {
	// MaxSteps is how many requests a set-up may have; 0 means 5. What takes more is refused.
	MaxSteps int

	*Session
	index    match.Index
	held     map[int]map[string]bool
	kinds    map[string][]string // by the kind of an id: the paths of the collections whose elements have such, sorted
	repeated map[int][]int       // by position: the earlier writes whose values the request repeats, the nearest first
}

// NewFinder looks through a session: its exchanges in recorded order, of one API that was new or reset before it. It
// keeps them.
func NewFinder(session []*exchange.Exchange, rules flow.Rules) *Finder {
	b := flow.NewBinderWith(rules)
	for _, e := range session {
		b.Add(e)
	}
	bindings := b.Bindings()
	s := NewSession(session, bindings, flow.Operations(session, bindings), exchange.Redactor{})
	f := &Finder{Session: s, held: map[int]map[string]bool{}, kinds: map[string][]string{},
		repeated: repeatedOf(s)}
	for _, e := range session {
		f.index.Add(&e.Request)
	}
	for coll := range f.history.below {
		kind := words.Singular(message.LastSegment(coll))
		f.kinds[kind] = append(f.kinds[kind], coll)
		slices.Sort(f.kinds[kind])
	}
	return f
}

// For finds the set-up of a test, whose calls are located first where they are not. The graft is of use where ok is
// true; else its Refused says why there is none. before are the calls that the suite had sent before the test in the
// execution that the first of the answers seen come from, in order: some of them may be the test's polluters. There are
// none where that is not known.
func (f *Finder) For(test []Wanted, before ...Ran) (g Graft, ok bool) {
	if !f.Locate(test) {
		return Graft{Refused: "the session has no exchanges like those of the test"}, false
	}
	p := f.plan(test)
	claims, told := contradicted(test)
	p.told = told
	asked := false
	for i := range test {
		if len(claims[i]) == 0 {
			continue
		}
		asked = true
		p.call(i, claims[i], before)
	}
	g = Graft{Why: strings.Join(p.why, "; "), Polluters: p.polluters}
	steps := p.steps()
	g.Takes = f.names(steps)
	if _, refused := f.Permitted(steps); len(refused) > 0 {
		g.Foreign = refused[0]
	} else if named := f.named(steps); len(named) > 0 { // which takes a trial
		g.Foreign = steps[named[0]]
	}
	switch most := cmp.Or(f.MaxSteps, defaultSteps); {
	case !asked:
		g.Refused = Uncontradicted
	case g.Foreign > 0:
		g.Refused = fmt.Sprintf("it takes %s, which may touch what the test did not make", p.name(f.position[g.Foreign]))
	case len(steps) > most:
		g.Refused = fmt.Sprintf("it takes %d earlier requests, more than %d", len(steps), most)
	case p.failed != "":
		g.Refused = p.failed
	case len(steps) == 0 && len(p.polluters) > 0:
		g.Refused = HoldsAlone
	case len(steps) == 0 && !told:
		g.Refused = DependsOnNothing
	case len(steps) == 0:
		g.Refused = "nothing in the session shows what it depends on"
	default:
		woven := f.Graft(test, steps)
		woven.Why, woven.Polluters = g.Why, g.Polluters
		return woven, true
	}
	return g, false
}

// plan is the search for the set-up of one test.
type plan struct {
	*Finder
	test   []Wanted
	own    []int        // the positions of its calls, -1 for one that was not found
	first  int          // the position of the first, those aside that are sent ahead of any set-up
	chosen map[int]bool // the positions of the set-up
	why    []string
	failed string // why there can be none
	told   bool   // executions of the suite say what is wanting

	polluters []Polluter
}

func (f *Finder) plan(test []Wanted) *plan {
	p := &plan{Finder: f, test: test, chosen: map[int]bool{}, first: len(f.history.session)}
	ahead := p.first
	for _, w := range test {
		pos, ok := f.position[w.Seq]
		switch {
		case !ok:
			pos = -1
		case w.Ahead:
			ahead = min(ahead, pos)
		default:
			p.first = min(p.first, pos)
		}
		p.own = append(p.own, pos)
	}
	if p.first == len(f.history.session) {
		p.first = ahead
	}
	return p
}

// steps returns the exchanges that were chosen, in order.
func (p *plan) steps() []uint64 {
	var out []uint64
	for pos := range p.chosen {
		out = append(out, p.history.session[pos].Seq)
	}
	slices.Sort(out)
	return out
}

// enough bounds a search that would choose ever more: what takes so many steps is refused anyway.
func (p *plan) enough() bool { return len(p.chosen) > 4*cmp.Or(p.MaxSteps, defaultSteps)+16 }

// note adds a reason, once.
func (p *plan) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(p.why, s) && len(p.why) < 8 {
		p.why = append(p.why, s)
	}
}

// names names exchanges for people.
func (f *Finder) names(steps []uint64) []string {
	var out []string
	for _, seq := range steps {
		if pos, ok := f.position[seq]; ok {
			out = append(out, f.name(pos))
		}
	}
	return out
}

// name names an exchange for people.
func (f *Finder) name(pos int) string {
	r := &f.history.session[pos].Request
	path, _ := exchange.SplitTarget(r.Target)
	return r.Method + " " + path
}

// call finds what one call depends on.
func (p *plan) call(i int, claims []exchange.Claim, before []Ran) {
	pos := p.own[i]
	if pos < 0 {
		return
	}
	e := p.history.session[pos]
	claims = p.withoutCounters(e, claims)
	if len(claims) == 0 {
		return
	}
	count := len(p.chosen)
	p.given(pos)
	for _, path := range prefixes(p.history.paths[pos]) {
		p.need(path, pos)
	}
	for _, path := range p.referred(pos) {
		p.need(path, pos)
	}
	if e.Request.Method == "GET" && e.Response.Status/100 == 2 {
		if l, ok := listing.Of(e); ok {
			p.list(pos, l)
		}
		p.content(pos, claims)
	}
	alone := len(p.chosen) == count && p.failed == ""
	p.pollute(i, before, alone)
	switch {
	case !p.told || len(p.polluters) > 0 || p.failed != "":
	case alone:
		p.fallback(pos, claims, together)
	case p.refusedByState(pos):
		p.fallback(pos, claims, closely)
	}
}

// refusedByState reports whether a call was refused though what it asks for was there: 409, as something hangs on it,
// or 423.
func (p *plan) refusedByState(pos int) bool {
	r, status := p.history.resources[p.history.paths[pos]], p.history.session[pos].Response.Status
	return r != nil && r.at(pos) > 0 && status >= 400 && status != 404 && status != 410
}

// withoutCounters leaves out claims upon the id of what the call itself makes: it counts up, or is drawn by lot, and
// what would bring it about is a fresh start with as many requests as there were.
func (p *plan) withoutCounters(e *exchange.Exchange, claims []exchange.Claim) []exchange.Claim {
	out := withoutCounters(e, claims)
	if path, _ := bornOf(e); len(out) < len(claims) {
		p.note("%s was made by the test itself: its id follows all that was made before", path)
		if len(out) == 0 && p.failed == "" {
			p.failed = CountsUp
		}
	}
	return out
}

func withoutCounters(e *exchange.Exchange, claims []exchange.Claim) []exchange.Claim {
	path, place := bornOf(e)
	if path == "" || place == "" {
		return claims
	}
	_, id := parentKey(path)
	return slices.DeleteFunc(slices.Clone(claims), func(c exchange.Claim) bool {
		text := jsontree.Unquote([]byte(c.Value))
		own := c.Relation == exchange.Equal && (text == id || jsontree.SameNumber(text, id))
		return own || c.Relation == exchange.Contains && c.Place.Root() == "header" && len(message.Apart(text, id)) > 0
	})
}

// WithoutCounters returns a test, whose calls are located, without the claims upon ids of what its own calls make.
// Requests before it may bring such an id about on a fresh start; with whatever else comes before, it is another.
func (f *Finder) WithoutCounters(test []Wanted) []Wanted {
	out := slices.Clone(test)
	for i := range out {
		if pos, ok := f.position[out[i].Seq]; ok {
			out[i].Claims = withoutCounters(f.history.session[pos], out[i].Claims)
		}
	}
	return out
}

// isOwn reports whether the exchange at a position is a call of the test.
func (p *plan) isOwn(pos int) bool { return slices.Contains(p.own, pos) }

// given chooses what gave a call the values that it uses, and the sign-up of whom it logs in. A call of the test has
// them from its others; a step, which cannot, sends again what those of them sent that are ahead of it.
func (p *plan) given(pos int) {
	seq := p.history.session[pos].Seq
	for _, t := range p.takes[seq] {
		from, ok := p.position[t.Producer.Seq]
		if ok && !p.history.session[from].Request.Safe() && !(p.isOwn(pos) && p.isOwn(from)) {
			p.choose(from)
		}
	}
	if from := p.signUp(seq); from >= 0 && from < p.first && !p.isOwn(from) {
		p.choose(from)
		p.note("%s uses the account that %s signed up", p.name(pos), p.name(from))
	}
}

// choose takes an exchange into the set-up, and all that it needs itself.
func (p *plan) choose(pos int) {
	if pos >= p.first || p.chosen[pos] || p.enough() {
		return
	}
	p.chosen[pos] = true
	if path := p.born[pos]; path != "" {
		p.note("%s was made by %s", path, p.name(pos))
	}
	p.given(pos)
	for _, path := range prefixes(p.history.paths[pos]) {
		if path != p.born[pos] {
			p.need(path, pos)
		}
	}
}

// referred returns the paths of the resources that a request names by their ids, in its query or body: itemId 7 is
// /items/7.
func (f *Finder) referred(pos int) []string {
	var out []string
	for _, s := range message.SitesOutsideHeader(&f.history.session[pos].Request) {
		kind, isID := words.IDOf(s.Name)
		if s.Form == message.InPath || !isID || kind == "" {
			continue
		}
		for _, coll := range f.kinds[kind] {
			if path := coll + "/" + segmentKey(s.Value); f.history.resources[path] != nil {
				out = append(out, path)
			}
		}
	}
	return out
}

// alone returns how many of a resource there would be before the exchange at a position, on a fresh API, with nothing
// sent but the set-up and the test.
func (p *plan) alone(r *resource, pos int) int {
	n := r.base
	for _, e := range r.events {
		if e.at >= pos {
			break
		}
		if !p.chosen[e.at] && !p.isOwn(e.at) {
			continue
		}
		n = e.kind.leaves(n)
	}
	return n
}

// need sees to it that a resource is there, or not, as it was before the exchange at a position.
func (p *plan) need(path string, pos int) {
	r := p.history.resources[path]
	if r == nil {
		return
	}
	if slices.ContainsFunc(prefixes(path), p.personal) {
		r = r.by(func(i int) bool { return p.who(i) == p.who(pos) })
	}
	switch there, alone := r.at(pos), p.alone(r, pos); {
	case there > 0 && alone == 0:
		p.count(r, pos, 1)
	case there == 0 && alone > 0:
		p.count(r, pos, 0)
	}
}

// count sees to it that there are n of a resource before the exchange at a position.
func (p *plan) count(r *resource, pos, n int) {
	for alone := p.alone(r, pos); alone != n && !p.enough(); {
		kind, verb := wasMade, "made"
		if alone > n {
			kind, verb = wasRemoved, "taken away"
		}
		from := p.latest(r, pos, kind)
		if from < 0 {
			p.failed = fmt.Sprintf("nothing in the session shows how %s was %s", r.path, verb)
			return
		}
		p.choose(from)
		p.note("%s was %s by %s", r.path, verb, p.name(from))
		next := p.alone(r, pos)
		if next == alone {
			return
		}
		alone = next
	}
}

// latest returns the last event of a kind before a position that was not chosen yet, by its position; -1 where there is
// none.
func (p *plan) latest(r *resource, pos int, kind eventKind) int {
	for _, e := range slices.Backward(r.events) {
		if e.at >= min(pos, p.first) || p.chosen[e.at] || p.isOwn(e.at) {
			continue
		}
		if e.kind == kind || kind == wasRemoved && e.kind == wasSwept {
			return e.at
		}
	}
	return -1
}

// list sees to it that a list has the elements that it had.
func (p *plan) list(pos int, l listing.List) {
	path := p.history.paths[pos]
	want := map[string]int{}
	var order []string
	for _, key := range l.Keys {
		child := path + "/" + segmentKey(key)
		if key == "" || p.history.resources[child] == nil {
			continue
		}
		if want[child]++; want[child] == 1 {
			order = append(order, child)
		}
	}
	for _, child := range order {
		if r := p.history.resources[child]; p.alone(r, pos) < want[child] {
			p.count(r, pos, want[child])
		}
	}
	if !l.Whole {
		return
	}
	for _, child := range p.history.below[path] {
		if r := p.history.resources[child]; p.alone(r, pos) > want[child] {
			p.count(r, pos, want[child])
		}
	}
}
