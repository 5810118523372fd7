package search

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/borrowed"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// knowledge is what is known of the services, whichever request told it.
type knowledge struct {
	fields  map[Endpoint][]field
	samples map[Endpoint][]Answer // good answers to begin with
	again   map[Endpoint]*again
	bests   map[Endpoint][]best          // of each request that led further
	missing map[Endpoint][]wordings.Told // members of what was not there
	wholes  map[Endpoint]kind.Kind       // what answers are read as, of those that are read
	opened  map[gene]bool                // what was read as an object, and as a list
	genes   map[gene]*int                // how often each was tried
	news    map[gene]int                 // how often each led to something new
	guessed map[guess]bool               // what was listed to be tried
	secure  map[string]bool              // services that were asked in TLS, at whatever port
	names   borrowed.Names               // of anything
	parsed  map[Endpoint]bool            // whose answers a parser takes that says what it wants
}

// again are the answers after which an endpoint is asked once more.
type again struct {
	failed, good []Answer
}

// Bounds of the answers of an endpoint that others follow.
const (
	maxFailed = 6
	maxGood   = 4
)

// best is the answer that led a request furthest.
type best struct {
	hunt   *hunt
	answer Answer
	score  int
}

func newKnowledge() *knowledge {
	return &knowledge{fields: map[Endpoint][]field{}, samples: map[Endpoint][]Answer{}, again: map[Endpoint]*again{},
		bests: map[Endpoint][]best{}, missing: map[Endpoint][]wordings.Told{}, wholes: map[Endpoint]kind.Kind{},
		opened: map[gene]bool{}, genes: map[gene]*int{}, news: map[gene]int{}, guessed: map[guess]bool{},
		secure: map[string]bool{}, parsed: map[Endpoint]bool{}}
}

// secures notes which services were asked in TLS.
func (k *knowledge) secures(calls []Call) {
	for _, c := range calls {
		if c.Scheme == "https" {
			k.secure[c.Service] = true
		}
	}
}

// maxMissing bounds the members of what was not there that are known of one endpoint.
const maxMissing = 10

// lack notes what is told of something that is not there.
func (k *knowledge) lack(e Endpoint, told []wordings.Told) {
	for _, t := range told {
		known := slices.ContainsFunc(k.missing[e], func(o wordings.Told) bool { return o.Place == t.Place })
		if t.From == wordings.Missing && !known && len(k.missing[e]) < maxMissing {
			k.missing[e] = append(k.missing[e], t)
		}
	}
}

// field is what is known of a field; nil where nothing is.
func (k *knowledge) field(e Endpoint, p exchange.Place) *field {
	i := slices.IndexFunc(k.fields[e], func(f field) bool { return f.place == p })
	if i < 0 {
		return nil
	}
	return &k.fields[e][i]
}

// works is a value that mended an error at a place, where one is known.
func (k *knowledge) works(e Endpoint, p exchange.Place) any {
	if f := k.field(e, p); f != nil {
		return f.works
	}
	return nil
}

// learn adds fields of what an endpoint answers, and returns those that are new, or of which more is known now.
func (k *knowledge) learn(e Endpoint, fields []field) (news []field) {
	for _, f := range fields {
		old := k.field(e, f.place)
		if old == nil {
			if len(k.fields[e]) < tree.MaxPlaces {
				k.fields[e] = append(k.fields[e], f)
				k.names.Add(tree.Name(f.place))
				news = append(news, f)
			}
			continue
		}
		guessed := old.source == FromWords && f.source == FromReads
		if guessed { // that it is read is proven now
			old.source = f.source
		}
		compared := old.compares(f.compared)
		if guessed || compared || old.kind == kind.Unknown && f.kind != kind.Unknown || old.values == nil && f.values != nil {
			if old.kind == kind.Unknown {
				old.kind = f.kind
			}
			if old.works == nil {
				old.works = f.works
			}
			if old.values == nil {
				old.values = f.values
			}
			news = append(news, *old)
		}
	}
	return news
}

// typed notes the types that a parser tells of known fields, where they lie in one answer alone.
func (k *knowledge) typed(set setting, told []wordings.Told) {
	for _, t := range told {
		if !t.Parsed() || t.Kind == kind.Unknown {
			continue
		}
		var in []*field
		for e, a := range set {
			if p := tree.Resolved(a.JSON, t.Place); a.fielded() && a.has(p) {
				in = append(in, k.field(e, p))
			}
		}
		if len(in) == 1 && in[0] != nil && in[0].kind == kind.Unknown {
			in[0].kind = t.Kind
		}
	}
}

// maxCompared bounds the values that a field, or a header, is known to be compared with.
const maxCompared = 20

// compares notes values that a field is compared with, and reports whether one of them is new.
func (f *field) compares(values []any) (news bool) {
	for _, v := range values {
		if len(f.compared) < maxCompared && !tree.Contains(f.compared, v) {
			f.compared, news = append(f.compared, v), true
		}
	}
	return news
}

// best is the answer of an endpoint that led a request furthest; other where none is known.
func (k *knowledge) best(e Endpoint, h *hunt, other Answer) Answer {
	if i := k.bestOf(e, h); i >= 0 {
		return k.bests[e][i].answer
	}
	return other
}

func (k *knowledge) bestOf(e Endpoint, h *hunt) int {
	return slices.IndexFunc(k.bests[e], func(b best) bool { return b.hunt == h })
}

// led notes how far a base of a request got with its answers, and returns the endpoints of which a better one is known
// now. Those of other requests say nothing of that: they ask for other things.
func (k *knowledge) led(h *hunt, b *base) (better []Endpoint) {
	for _, e := range b.setting.endpoints() {
		a := b.setting[e]
		if !a.plain() {
			continue
		}
		i, score := k.bestOf(e, h), b.sight.score()
		switch {
		case i < 0:
			k.bests[e] = append(k.bests[e], best{h, a, score})
		case score > k.bests[e][i].score:
			k.bests[e][i] = best{h, a, score}
		default:
			continue
		}
		better = append(better, e)
	}
	return better
}

// askedAgain notes that an endpoint was asked again after an answer, and reports whether that is new.
func (k *knowledge) askedAgain(e Endpoint, a Answer) bool {
	seen := k.again[e]
	if seen == nil {
		seen = &again{}
		k.again[e] = seen
	}
	list, most := &seen.failed, maxFailed
	if a.plain() {
		list, most = &seen.good, maxGood
	}
	alike := func(o Answer) bool {
		return o.Status == a.Status && o.Interim == a.Interim && o.Fault == a.Fault && o.Delay == a.Delay &&
			maps.Equal(o.Header, a.Header) && tree.Same(o.JSON, a.JSON)
	}
	if len(*list) >= most || slices.ContainsFunc(*list, alike) {
		return false
	}
	*list = append(*list, a)
	return true
}
