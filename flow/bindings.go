package flow

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Bindings finds every value that a response gave and a later request used. Exchanges are in recorded order. Bindings
// come in the order of their producers; each has at least one use, and its uses are in order too.
//
// Two things can tie a use to a response. A value that is particular enough (a UUID, a token, a long number) ties by
// itself, unless a request held it before any response did: then it is the client's own. Anything else, small numbers
// and words above all, needs the structure of the resources: POST /orders gave the id 7, and 7 is the segment after
// /orders, or an orderId; a cookie comes back under its name; a validator comes back to its path.
//
// Where several responses gave a value, the first one counts, until a later one makes it anew: the answer to a POST
// that did not hold the value itself.
func Bindings(exchanges []*exchange.Exchange) []exchange.Binding {
	b := NewBinder()
	for _, e := range exchanges {
		b.Add(e)
	}
	return b.Bindings()
}

// maxIndexed bounds how many keys are remembered; beyond, those that were not used for longest are forgotten.
const maxIndexed = 1 << 18

// Binder finds bindings in exchanges that are given one after the other, so that a recording need not be in memory.
type Binder struct {
	known    map[string]*producer // what responses gave, by the keys of keys.go
	order    []string             // the keys of known, oldest first
	literals map[uint64]struct{}  // hashes of the keys that the client held before any response gave them
	hashes   []uint64             // those of literals, oldest first
	bound    []*producer
	limit    int // maxIndexed
}

// producer is a value that a response gave.
type producer struct {
	ref     exchange.Ref
	part    part
	path    string // of the request that it answered
	coll    string // the path of the collection that the value is a member of; "" where that is not known
	uses    []exchange.Ref
	touched bool // used since its key was last looked at for being forgotten
}

// NewBinder returns a Binder that has seen nothing yet.
func NewBinder() *Binder {
	return &Binder{known: map[string]*producer{}, literals: map[uint64]struct{}{}, limit: maxIndexed}
}

// Add takes the next exchange of the recording.
func (b *Binder) Add(e *exchange.Exchange) {
	held := b.consume(e)
	if e.Response != nil && !e.Response.Malformed {
		b.produce(e, held)
	}
}

// Bindings returns what was found so far.
func (b *Binder) Bindings() []exchange.Binding {
	slices.SortStableFunc(b.bound, func(x, y *producer) int {
		return cmp.Or(cmp.Compare(x.ref.Seq, y.ref.Seq), cmp.Compare(x.ref.Place, y.ref.Place))
	})
	names := namer{}
	out := make([]exchange.Binding, 0, len(b.bound))
	for _, p := range b.bound {
		out = append(out, exchange.Binding{Name: names.variable(hint(&p.part, cmp.Or(p.coll, p.path))), Value: p.part.value, Producer: p.ref, Uses: slices.Clone(p.uses)})
	}
	return out
}

// consume ties the values of a request to their producers and returns every key that the request holds.
func (b *Binder) consume(e *exchange.Exchange) (held map[string]bool) {
	held = map[string]bool{}
	path := collection(e.Request.Target)
	for _, s := range spots(&e.Request) {
		for _, w := range wants(&s, path, &e.Request) {
			b.tie(e.Seq, &s, w, held)
		}
	}
	return held
}

// tie looks a value up under its keys, the most telling first, and notes the use. A value that nothing gave yet and
// that would tie by itself is the client's own from now on.
func (b *Binder) tie(seq uint64, s *spot, w want, held map[string]bool) {
	var found *producer
	for _, k := range w.keys {
		held[k.text] = true
		if found == nil && !ordinaryField(fieldName(s)) {
			if p := b.known[k.text]; p != nil && k.fits(p) {
				found = p
			}
		}
	}
	if found == nil {
		for _, k := range w.keys {
			if k.alone && b.known[k.text] == nil {
				b.literal(k.text)
			}
		}
		return
	}
	if len(found.uses) == 0 {
		b.bound = append(b.bound, found)
	}
	found.touched = true
	use := exchange.Ref{Seq: seq, Place: s.place}
	if n := len(found.uses); n == 0 || found.uses[n-1] != use {
		found.uses = append(found.uses, use)
	}
}

// produce indexes what a response gave that its request did not hold.
func (b *Binder) produce(e *exchange.Exchange, held map[string]bool) {
	if describesAPI(e.Response) {
		return
	}
	offered := map[string]bool{}
	for _, o := range offers(e) {
		var p *producer
		for _, k := range o.keys {
			if held[k.text] || offered[k.text] {
				continue // an echo, or better placed already
			}
			offered[k.text] = true
			if k.alone {
				if _, own := b.literals[hash(k.text)]; own || b.known[k.text] != nil && !creates(e) {
					continue
				}
			}
			if p == nil {
				p = &producer{ref: exchange.Ref{Seq: e.Seq, Place: o.part.place}, part: o.part, coll: o.coll, path: collection(e.Request.Target)}
			}
			b.index(k.text, p)
		}
	}
}

func (b *Binder) index(key string, p *producer) {
	if _, again := b.known[key]; !again {
		b.order = append(b.order, key)
	}
	b.known[key] = p
	for len(b.known) > b.limit {
		oldest := b.order[0]
		b.order = b.order[1:]
		if q := b.known[oldest]; q.touched {
			q.touched = false
			b.order = append(b.order, oldest)
			continue
		}
		delete(b.known, oldest)
	}
}

func (b *Binder) literal(key string) {
	h := hash(key)
	if _, again := b.literals[h]; again {
		return
	}
	b.literals[h] = struct{}{}
	b.hashes = append(b.hashes, h)
	if len(b.hashes) > b.limit {
		delete(b.literals, b.hashes[0])
		b.hashes = b.hashes[1:]
	}
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// creates reports whether an exchange made something: a POST that went well.
func creates(e *exchange.Exchange) bool {
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

// collection returns the path of a request-target, without a slash at its end.
func collection(target string) string {
	path, _ := exchange.SplitTarget(target)
	return strings.TrimRight(path, "/")
}

func fieldName(s *spot) string {
	if s.form != inHeader {
		return ""
	}
	return s.name
}
