package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// rank is how early a change is tried: the lower, the earlier.
type rank int

const (
	good     rank = 0  // the plain good answer, recorded ones, and what errors ask for
	sequence rank = 14 // answers that change from one request to the next
	failure  rank = 20 // failures that most clients know
	value    rank = 20 // likely values of fields
	probe    rank = 24 // values of all names that may be fields
	constant rank = 40 // other values from the API's own files, of fields that are known
	rare     rank = 44 // other statuses
)

// change is an answer of one endpoint that is not the base's.
type change struct {
	base     *base
	endpoint Endpoint
	rank     rank
	// turn is how early it is tried among those of its rank.
	turn int
	// gene names what is changed, whatever the base; tries counts how often that was tried, everywhere with other
	// requests, too.
	gene       string
	tries      *int
	everywhere *int
	answer     Answer
	supplies   bool           // what was read and was not there
	opens      exchange.Place // that is tried as what other values may lie in
	shared     *hunt          // the answer is the one that led its request furthest
	field      exchange.Place // that is changed, where it is one
	// group are places of which all but the known ones take a value beside the answer's fields.
	group []exchange.Place
	value func(exchange.Place) any
	// covers says that its group ran what nothing did before.
	covers bool
	// mistyped says that the values are of types that fields do not take: that it fails tells that they are read.
	mistyped bool
	// borrowed says that the group's names are those of something else, and its values such that parsers name them.
	borrowed bool
	// once says that a request is not tried with it from other bases, unless something new came of it.
	once bool
	// enlarged says that numbers of the answer are large that were 1.
	enlarged bool
	// supposed are fields that are known once the outcome is not the one before.
	supposed []field
	before   sight
}

// gene is a change of an endpoint's answer, whatever the base.
type gene struct {
	endpoint Endpoint
	name     string
}

// field is what is known of a field of an answer.
type field struct {
	place  exchange.Place
	kind   kind.Kind
	values []any
	works  any // a value that mended an error; nil: none is known
	source Source
	// compared are values that the API was seen to compare it with.
	compared []any
	// listed are words that the files list with one that mattered.
	listed []string
}

// Source is where the name of a field comes from.
type Source string

// The sources.
const (
	FromError  Source = "error"    // of a parser, in an answer or a line of the log
	FromWords  Source = "words"    // of the API's own files
	FromSample Source = "recorded" // an answer of the service
	FromSpec   Source = "spec"     // a description of the service
	FromReads  Source = "read"     // the API, as it read the field
)

const noJSON = "body no JSON"

// failing are failures that most clients know, those first that most tell apart.
var failing = []struct {
	gene   string
	answer Answer
}{
	{noJSON, bodied("<html></html>")}, // first, since it tells whether the body is read
	{"status 500", Answer{Status: 500}},
	{"status 404", Answer{Status: 404}},
	{"reset", Answer{Status: 200, Fault: mock.Reset}},
	{"status 503", Answer{Status: 503}},
	{"status 429", retryAfter(429, "0")},
	{"status 409", Answer{Status: 409}},
	{"status 401", Answer{Status: 401}},
	{"status 422", Answer{Status: 422}},
	{"retry late", retryAfter(429, "120")},
	{"status 403", Answer{Status: 403}},
	{"status 402", Answer{Status: 402}},
	{"retry at", retryAfter(429, "Fri, 31 Dec 1999 23:59:59 GMT")},
	{"status 400", Answer{Status: 400}},
	{"body null", bodied("null")},
	{"body empty", bodied("")},
	{"body list", bodied("[]")},
	{"malformed", Answer{Status: 200, Fault: mock.Malformed}},
	{"retry failed", retryAfter(503, "120")},
	{"end", Answer{Status: 200, Fault: mock.Empty}},
	{"status 204", Answer{Status: 204}},
	{"status 202", Answer{Status: 202}},
}

// unspoken is how much later statuses are tried of which the files do not speak.
const unspoken = 10

var rarer = []int{410, 502, 504, 201}

func retryAfter(status int, value string) Answer {
	return Answer{Status: status}.headed("Retry-After", value)
}

// interim is the gene of a good answer before which an interim one goes. Few clients differ in what they make of it,
// each with all that it asks: once an endpoint has answered so, and nothing new came of it, it does not again
// ([hunt.settled]).
const interim = "interim 103"

// elsewhere is the path to which answers lead that redirect.
const elsewhere = "/flaketap-elsewhere"

func bodied(body string) Answer { return Answer{Status: 200, Body: &body} }

// lister lists the changes of one endpoint of a base.
type lister struct {
	base     *base
	endpoint Endpoint
	out      []change
}

// add adds a change, and returns it, for more to be said of it before the next one is added.
func (l *lister) add(r rank, turn int, gene string, a Answer) *change {
	l.out = append(l.out, change{base: l.base, endpoint: l.endpoint, rank: r, turn: turn, gene: gene, answer: a})
	return &l.out[len(l.out)-1]
}

func (l *lister) probe(r rank, turn int, p exchange.Place, gene string, a Answer) {
	l.add(r, turn, string(p)+gene, a).field = p
}

// share adds the answer that led a request furthest.
func (l *lister) share(b best) {
	l.add(good, 0, geneOf(b.answer.JSON), b.answer).shared = b.hunt
}

// group adds a change of all places at once.
func (l *lister) group(r rank, turn int, gene string, a Answer, places []exchange.Place, v func(exchange.Place) any) {
	if len(places) > 0 {
		c := l.add(r, turn, "group "+gene, a)
		c.group, c.value = places, v
	}
}

// current is the answer whose fields are changed: that of the base, where it is one that has fields.
func (b *base) current(e Endpoint) Answer {
	if a, set := b.setting[e]; set && a.fielded() {
		return a
	}
	return ok()
}

// changes lists what may be tried from a base, of one of the endpoints that were asked.
func (h *hunt) changes(b *base, e Endpoint) []change {
	l := &lister{base: b, endpoint: e}
	current := b.current(e)
	if _, set := b.setting[e]; !set {
		l.add(good, 1, "ok", ok())
	}
	for i, a := range h.known.samples[e] {
		l.add(good, i, fmt.Sprint("sample ", i), a)
	}
	for _, best := range h.known.bests[e] {
		l.share(best)
	}
	if e.Path == elsewhere { // that it is asked, and what it answers well, is all that a redirect leads to
		return l.out
	}
	h.failures(l, current)
	h.sequences(l, current)
	h.headers(l, current)
	h.fieldChanges(l, current, h.known.fields[e])
	h.enlarge(l, current)
	h.beside(l, current)
	h.declared(l, current)
	h.borrow(l, current)
	h.probes(l, current)
	return l.out
}

// failures adds answers that fail.
func (h *hunt) failures(l *lister, current Answer) {
	for i, f := range failing {
		if !h.words.speakOf(f.answer.Status) {
			i += unspoken
		}
		l.add(failure, i, f.gene, f.answer)
	}
	late := current
	late.Delay = h.late
	l.add(failure, 4, "late", late)
	if h.known.secure[l.endpoint.Service] {
		forged := current // which an API gets that takes the certificate
		forged.Fault = mock.Untrusted
		l.add(rare, 0, string(mock.Untrusted), forged)
	}
	l.add(failure, 20, "called html", current.headed("Content-Type", "text/html"))
	if raw, err := json.Marshal(current.JSON); err == nil && len(raw) > 2 {
		l.add(failure, 12, "cut", bodied(string(raw[:len(raw)/2])))
	}
	for i, status := range rarer {
		r := rare
		if h.words != nil && h.words.speakOf(status) {
			r = failure + unspoken
		}
		l.add(r, i, fmt.Sprint("status ", status), Answer{Status: status})
	}
	l.add(rare, 3, "moved", Answer{Status: 302}.headed("Location", elsewhere))
	l.add(rare, 3, "moved in a circle", Answer{Status: 302}.headed("Location", "?again=1"))
	l.add(rare, 4, "moved nowhere", Answer{Status: 302})
	l.add(rare, 5, "moved for good", Answer{Status: 301}.headed("Location", elsewhere))
}

// behindInterim lists the good answer of a base behind an interim one, where the request goes well: else what the
// client makes of it may not show.
func (b *base) behindInterim(e Endpoint) []change {
	if !b.answered(e) || b.sight.status >= 400 || e.Path == elsewhere {
		return nil
	}
	l := &lister{base: b, endpoint: e}
	early := b.current(e)
	early.Interim = 103 // Early Hints
	l.add(rare, 6, interim, early)
	return l.out
}

// sequences adds answers that change from the first to the next: of what was seen to be asked again.
func (h *hunt) sequences(l *lister, current Answer) {
	seen := h.known.again[l.endpoint]
	if seen == nil {
		return
	}
	for i, a := range seen.failed {
		good := h.follows(l, current)
		l.add(sequence, i, fmt.Sprint("then good ", i, " of ", len(tree.Places(good.JSON))), a.then(good))
	}
	for i, a := range seen.good {
		second := func(turn int, gene string, b Answer) {
			l.add(sequence, turn, fmt.Sprint(i, " then ", gene), a.then(b.unheaded("Link")))
		}
		second(0, "nothing", ok())
		second(1, "503", Answer{Status: 503})
		second(4, "reset", Answer{Status: 200, Fault: mock.Reset})
		second(5, "404", Answer{Status: 404})
		places := tree.Places(a.JSON)
		for i, p := range places[:min(20, len(places))] {
			second(1+i/2, "without "+string(p), a.without(p))
			second(4+i/2, "null "+string(p), a.with(p, nil))
			switch v, _ := tree.Get(a.JSON, tree.Within(p)); kind.Of(v) {
			case kind.List:
				second(2+i/2, "empty "+string(p), a.with(p, []any{}))
			case kind.Boolean:
				second(1+i/2, "not "+string(p), a.with(p, v != true))
			}
		}
	}
}

// fieldChanges adds changes of single fields.
func (h *hunt) fieldChanges(l *lister, current Answer, fields []field) {
	for _, f := range fields {
		if !current.has(f.place) {
			l.probe(value, 0, f.place, " filled", current.with(f.place, h.filler(f)))
		} else {
			l.probe(value, 0, f.place, " absent", current.without(f.place))
		}
		likely, others := h.values(l.endpoint, f)
		for i, v := range likely {
			l.probe(value, i, f.place, geneOf(v), current.with(f.place, v))
		}
		for i, v := range others {
			l.probe(constant, i, f.place, geneOf(v), current.with(f.place, v))
		}
		h.lengths(l, current, f)
		h.holding(l, current, f)
		h.beyond(l, current, f)
	}
	h.peers(l, current, fields)
}

// holding adds objects that have a value of the request as a member: an answer may be a table of what is asked for.
func (h *hunt) holding(l *lister, current Answer, f field) {
	v, there := tree.Get(current.JSON, tree.Within(f.place))
	if f.kind != kind.Object && (!there || kind.Of(v) != kind.Object) {
		return
	}
	for i, text := range h.given.Texts[:min(len(h.given.Texts), perField)] {
		if p := f.place.Key(text); !current.has(p) {
			l.probe(value, 1+i, f.place, " holds "+text, current.with(p, 1.0))
		}
	}
}

// many is how long a list is that is longer than what is looked at of most.
const many = 30

// lengths adds lists of other lengths where a field is one, and where it is of an element, a second one that differs in
// it.
func (h *hunt) lengths(l *lister, current Answer, f field) {
	v, there := tree.Get(current.JSON, tree.Within(f.place))
	if list, is := v.([]any); is && len(list) > 0 {
		l.probe(value, 2, f.place, " twice", current.with(f.place, append(slices.Clone(list), list[0])))
		l.probe(value, 4, f.place, " many", current.with(f.place, slices.Repeat(list[:1], many)))
	}
	i := strings.LastIndex(string(f.place), "/"+exchange.Wildcard+"/")
	if !there || i < 0 {
		return
	}
	holds := f.place[:i]
	v, _ = tree.Get(current.JSON, tree.Within(holds))
	list := v.([]any)
	second := func(turn int, gene string, v any) {
		other := tree.Put(list[0], tree.Within(exchange.PlaceBody+f.place[i+2:]), v)
		l.probe(value, turn, f.place, " second "+gene, current.with(holds, []any{list[0], other}))
	}
	likely, _ := h.values(l.endpoint, f)
	switch v, _ := tree.Get(current.JSON, tree.Within(f.place)); v := v.(type) {
	case float64:
		second(3, "less", v-1)
		second(8, "more", v+1)
	default:
		for i, v := range likely[:min(len(likely), 3)] {
			second(6+4*i, geneOf(v), v)
		}
	}
}

func geneOf(v any) string {
	raw, _ := json.Marshal(v) // it came from JSON, or is written here
	return "=" + string(raw[:min(len(raw), 80)])
}

// lateBy is how long an answer is held back to see whether the API waits without a bound.
func lateBy(patience time.Duration) time.Duration { return 2 * patience }
