package flow

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Bindings finds every value that a response gave and a later request used. Exchanges are in recorded order. Bindings
// come in the order of their producers; each has at least one use, and its uses are in order too. Which of several
// producers a use is given to, and what is refused, the package comment says.
func Bindings(exchanges []*exchange.Exchange) []exchange.Binding {
	b := NewBinder()
	for _, e := range exchanges {
		b.Add(e)
	}
	return b.Bindings()
}

// maxIndexed bounds how many keys are remembered; beyond, those that were not used for longest are forgotten.
const maxIndexed = 1 << 16

// maxRivals bounds the producers that are remembered for one key beside the latest.
const maxRivals = 4

// maxPlaces bounds the places of which one string is kept.
const maxPlaces = 1 << 12

// Binder finds bindings in exchanges that are given one after the other, so that a recording need not be in memory.
type Binder struct {
	rules    Rules
	added    []map[string]*producer // for each rule that adds, what its producers gave
	tied     []bool                 // for each rule that adds, whether it did
	forbade  []bool                 // for each rule that forbids, whether it did
	known    map[string]*producer   // what responses gave, by the keys of keys.go
	rivals   map[string][]*producer // of id keys: what was known before, from other collections
	order    []string               // the keys of known, oldest first
	literals *hashes                // of the keys that the client held before any response gave them
	weak     *hashes                // of the keys of ids that lists gave and that are too weak to be bound
	bound    []*bound
	texts    map[string]string // one string for each path and each name of a value: most are the same few
	refusals refusals
	places   map[exchange.Place]exchange.Place // one string for each place of uses: most are the same few
	limit    int                               // maxIndexed
}

// producer is a value that a response gave.
type producer struct {
	ref     exchange.Ref
	part    message.Part
	path    string // of the request that it answered
	coll    string // the path of the collection that the value is a member of; "" where that is not known
	own     bool   // it is the id of what the request made
	mark    string // the sequence of its exchange
	method  string // of the request, as target only where there are rules that forbid
	target  string
	bound   *bound // nil until it is used
	touched bool   // used since its key was last looked at for being forgotten
}

// bound is what is kept of a producer that was used: there may be as many as a long recording has exchanges.
type bound struct {
	ref   exchange.Ref
	value string
	hint  string // what to call it
	uses  []exchange.Ref
}

// NewBinder returns a Binder that has seen nothing yet.
func NewBinder() *Binder { return NewBinderWith(Rules{}) }

// NewBinderWith returns a Binder that has seen nothing yet and heeds the user's rules.
func NewBinderWith(rules Rules) *Binder {
	b := &Binder{rules: rules, known: map[string]*producer{}, rivals: map[string][]*producer{}, limit: maxIndexed,
		literals: newHashes(), weak: newHashes(), places: map[exchange.Place]exchange.Place{}, texts: map[string]string{},
		tied: make([]bool, len(rules.Add)), forbade: make([]bool, len(rules.Forbid))}
	for range rules.Add {
		b.added = append(b.added, map[string]*producer{})
	}
	return b
}

// Add takes the next exchange of the recording.
func (b *Binder) Add(e *exchange.Exchange) {
	a := requestContext{path: message.Collection(e.Request.Target), host: hostOf(e.Addr)}
	held := b.consume(e, &a)
	if e.Response != nil && !e.Response.Malformed {
		b.produce(e, a, held)
	}
}

// Bindings returns what was found so far.
func (b *Binder) Bindings() []exchange.Binding {
	slices.SortStableFunc(b.bound, func(x, y *bound) int {
		return cmp.Or(cmp.Compare(x.ref.Seq, y.ref.Seq), cmp.Compare(x.ref.Place, y.ref.Place))
	})
	names := words.Namer{}
	out := make([]exchange.Binding, 0, len(b.bound))
	for i, p := range b.bound {
		if i > 0 && b.bound[i-1].ref == p.ref { // bound by a rule too
			last := &out[len(out)-1]
			last.Uses = append(last.Uses, p.uses...)
			slices.SortStableFunc(last.Uses, func(x, y exchange.Ref) int { return cmp.Compare(x.Seq, y.Seq) })
			continue
		}
		out = append(out, exchange.Binding{Name: names.Variable(p.hint), Value: p.value, Producer: p.ref,
			Uses: slices.Clip(p.uses)})
	}
	return out
}

// Refusals returns uses that might have been bound and were not, with the reasons; the first of them, where there are
// many, and how many there are in all.
func (b *Binder) Refusals() (first []Refusal, all int) {
	return slices.Clone(b.refusals.list), b.refusals.count
}

// consume ties the values of a request to their producers and returns every key that the request holds.
func (b *Binder) consume(e *exchange.Exchange, a *requestContext) (held map[string]bool) {
	held = map[string]bool{}
	for _, s := range message.Sites(&e.Request) {
		if s.Form == message.InHeader && e.Sequence != "" && s.Value == e.Sequence {
			continue // the client's own name for what it does
		}
		b.look(e, a, &s, held, 0)
	}
	return held
}

// look ties the values at a site, or where it has none that is tied as a whole, those within it.
func (b *Binder) look(e *exchange.Exchange, a *requestContext, s *message.Site, held map[string]bool, depth int) {
	ordinary := message.OrdinaryField(fieldName(s))
	if !ordinary && b.addByRule(e, s) {
		return
	}
	if words.IsName(s.Name) {
		held["name:"+s.Value] = true
	}
	tied := false
	for _, w := range a.wants(s) {
		for _, k := range w.keys {
			held[k.text] = true
		}
		if ordinary || w.own {
			b.own(w.keys)
		} else {
			tied = b.tie(e, a, s, w.keys) || tied
		}
	}
	if tied || ordinary || depth >= message.MaxNested {
		return
	}
	for _, in := range message.Nested(s) {
		b.look(e, a, &in, held, depth+1)
	}
}

// tie looks a value up under its keys, the most telling first, and notes the use. It reports whether a response gave
// the value, even if a rule of the user forbids to bind it.
func (b *Binder) tie(e *exchange.Exchange, a *requestContext, s *message.Site, keys []key) bool {
	use := exchange.Ref{Seq: e.Seq, Place: s.Place}
	found, ambiguous := b.first(keys, a, e.Sequence)
	switch {
	case ambiguous:
		b.refusals.add(Refusal{Use: use, Value: s.Value, Reason: Ambiguous})
	case found == nil:
		b.untied(use, s.Value, keys)
	case b.forbidden(e, s.Place, found):
		b.refusals.add(Refusal{Use: use, Value: s.Value, Producer: found.ref, Reason: Forbidden})
	default:
		b.use(found, use)
	}
	return found != nil
}

// first returns the producer that the first key with any leads to.
func (b *Binder) first(keys []key, a *requestContext, mark string) (found *producer, ambiguous bool) {
	for _, k := range keys {
		if found, ambiguous = b.find(k, a, mark); found != nil || ambiguous {
			return found, ambiguous
		}
	}
	return nil, false
}

// untied notes that no response gave a value: one that would tie by itself is the client's own from now on.
func (b *Binder) untied(use exchange.Ref, value string, keys []key) {
	for _, k := range keys {
		switch {
		case k.alone && b.known[k.text] == nil:
			if seq := b.literals.note(hash(k.text), 0, b.limit); seq > 0 {
				b.refusals.add(Refusal{Use: use, Value: value, Producer: exchange.Ref{Seq: seq}, Reason: Literal})
			}
		case k.id:
			if seq := b.weak.seqs[hash(k.text)]; seq > 0 {
				b.refusals.add(Refusal{Use: use, Value: value, Producer: exchange.Ref{Seq: seq}, Reason: Broad})
			}
		}
	}
}

// own notes the values that the client chose whatever gave them, as its own from now on.
func (b *Binder) own(keys []key) {
	for _, k := range keys {
		if k.alone && b.known[k.text] == nil {
			b.literals.note(hash(k.text), 0, b.limit)
		}
	}
}

// find returns the producer that a key leads to. Where several collections gave an id of one kind, that one is meant
// whose path has most in common with the request's; where two have as much, it is ambiguous.
func (b *Binder) find(k key, a *requestContext, mark string) (found *producer, ambiguous bool) {
	p := b.known[k.text]
	if p == nil {
		return nil, false
	}
	if k.alone { // the latest sequence that was told of it, and the first
		if first := b.rivals[k.text]; len(first) > 0 && p.mark != mark {
			return first[0], false
		}
		return p, false
	}
	best := -1
	for _, q := range append(b.rivals[k.text], p) {
		if !k.fits(q) {
			continue
		}
		n := shared(q.coll, a.path)
		ambiguous = n == best && found.coll != q.coll
		if n >= best {
			found, best = q, n
		}
	}
	if ambiguous {
		return nil, true
	}
	return found, false
}

// shared returns how many segments two paths begin with alike.
func shared(a, b string) int {
	n := 0
	for a != "" && b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, "/")
		y, b, _ = strings.Cut(b, "/")
		if x != y {
			break
		}
		n++
	}
	return n
}

// one returns a text as a string of its own: one for all that are equal, as long as there are few. What it was cut out
// of need not be kept for it.
func (b *Binder) one(text string) string {
	if same, known := b.texts[text]; known {
		return same
	}
	text = strings.Clone(text)
	if len(b.texts) < maxPlaces {
		b.texts[text] = text
	}
	return text
}

func (b *Binder) use(p *producer, at exchange.Ref) {
	if p.bound == nil {
		p.bound = &bound{ref: p.ref, value: p.part.Value, hint: b.one(hint(&p.part, cmp.Or(p.coll, p.path)))}
		b.bound = append(b.bound, p.bound)
	}
	p.touched = true
	if place, known := b.places[at.Place]; known {
		at.Place = place
	} else if len(b.places) < maxPlaces {
		b.places[at.Place] = at.Place
	}
	if n := len(p.bound.uses); n == 0 || p.bound.uses[n-1] != at {
		p.bound.uses = append(p.bound.uses, at)
	}
}

// produce indexes what a response gave that its request did not hold.
func (b *Binder) produce(e *exchange.Exchange, a requestContext, held map[string]bool) {
	if describesAPI(e.Response) {
		return
	}
	g := responseContext{requestContext: a, made: Creates(e), kind: words.Singular(message.LastSegment(a.path))}
	if location := e.Response.Header.Get("Location"); g.made && location != "" {
		g.born = pathOf(location)
	}
	prefix := hash("id:" + g.kind + ":")
	g.weak = func(value string) { b.weak.note(hashOn(prefix, value), e.Seq, b.limit) }
	offered := map[string]bool{}
	for _, o := range g.offers(e.Response) {
		if o.named && held["name:"+o.part.Value] {
			continue // the client chose it
		}
		var p *producer
		for _, k := range o.keys {
			if held[k.text] || offered[k.text] {
				continue // an echo, or better placed already
			}
			offered[k.text] = true
			if k.alone {
				if h := hash(k.text); b.literals.has(h) {
					b.literals.seqs[h] = e.Seq
					continue
				}
				if old := b.known[k.text]; old != nil && !g.made && old.mark == e.Sequence {
					continue
				}
			}
			if p == nil {
				p = &producer{ref: exchange.Ref{Seq: e.Seq, Place: o.part.Place}, part: o.part, coll: b.one(o.coll), own: o.own,
					path: b.one(a.path), mark: e.Sequence}
				if len(b.rules.Forbid) > 0 {
					p.method, p.target = e.Request.Method, strings.Clone(e.Request.Target)
				}
			}
			b.index(k, p)
		}
	}
	b.giveByRule(e)
}

// index lets a key lead to a producer. What merely mentions an id does not take the place of what made it.
func (b *Binder) index(k key, p *producer) {
	old := b.known[k.text]
	switch {
	case old == nil:
		b.order = append(b.order, k.text)
	case k.alone:
		if first := b.rivals[k.text]; old.mark != p.mark && len(first) == 0 {
			b.rivals[k.text] = []*producer{old}
		}
	case old.own && !p.own:
		return
	case k.id && old.own && old.coll != p.coll:
		all := slices.DeleteFunc(b.rivals[k.text], func(q *producer) bool { return q.coll == p.coll || q.coll == old.coll })
		if all = append(all, old); len(all) > maxRivals {
			all = all[1:]
		}
		b.rivals[k.text] = all
	}
	b.known[k.text] = p
	for len(b.known) > b.limit {
		oldest := b.order[0]
		b.order = b.order[1:]
		if q := b.known[oldest]; q.touched {
			q.touched = false
			b.order = append(b.order, oldest)
			continue
		}
		if q := b.known[oldest].bound; q != nil {
			q.uses = slices.Clone(q.uses) // hardly any will follow
		}
		delete(b.known, oldest)
		delete(b.rivals, oldest)
	}
}

// Creates reports whether an exchange made something: a POST that went well.
func Creates(e *exchange.Exchange) bool {
	r := e.Response
	return e.Request.Method == "POST" && r != nil && (r.Status/100 == 2 || r.Status/100 == 3 && r.Header.Has("Location"))
}

// describesAPI reports whether a response is an OpenAPI or Swagger document: what a client takes from its examples is
// the client's own choice.
func describesAPI(r *exchange.Response) bool {
	if len(r.Body) < 32 {
		return false
	}
	body, _ := r.Payload()
	head := body[:min(len(body), 4<<10)]
	return bytes.Contains(head, []byte(`"openapi"`)) || bytes.Contains(head, []byte(`"swagger"`))
}

// pathOf returns the path of a URL, without a slash at its end.
func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// hostOf returns the host of an address, without its port: cookies do not heed that (RFC 6265 §8.5).
func hostOf(addr string) string {
	addr = oneLoopback(addr)
	if colon := strings.LastIndexByte(addr, ':'); colon >= 0 {
		addr = addr[:colon]
	}
	return addr
}

func fieldName(s *message.Site) string {
	if s.Form != message.InHeader {
		return ""
	}
	return s.Name
}
