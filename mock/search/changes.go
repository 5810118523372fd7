package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
)

// rank is how early a change is tried: the lower, the earlier.
type rank int

const (
	good     rank = 0  // the plain good answer, recorded ones, and what errors ask for
	failure  rank = 10 // failures that most clients know
	value    rank = 14 // likely values of fields
	constant rank = 26 // other values from the API's own files, of fields that are known
	guess    rank = 32 // the same, of all names that may be fields
	rare     rank = 34 // other statuses
)

// change is an answer of one endpoint that is not the base's.
type change struct {
	base     *base
	endpoint Endpoint
	rank     rank
	// turn is how early it is tried among those of its rank; up to 9.
	turn int
	// gene names what is changed, whatever the base; tries counts how often that was tried, everywhere with other
	// requests, too.
	gene       string
	tries      *int
	everywhere *int
	answer     Answer
	// group are places of which all but the known ones take a value beside the answer's fields.
	group []exchange.Place
	value func(exchange.Place) any
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
	kind   Kind
	values []any
	works  any // a value that mended an error; nil: none is known
	source Source
}

// Source is where the name of a field comes from.
type Source string

// The sources.
const (
	FromError  Source = "error"    // of a parser, in an answer or a line of the log
	FromWords  Source = "words"    // of the API's own files
	FromSample Source = "recorded" // an answer of the service
	FromSpec   Source = "spec"     // a description of the service
)

var (
	failures = []int{503, 404, 401, 429, 500}
	rarer    = []int{204, 403, 409, 400, 422, 502, 504, 201, 202}
	bodies   = []string{`{"trunc`, "", "null", "[]", "<html></html>"}
)

// lister lists the changes of one endpoint of a base.
type lister struct {
	base     *base
	endpoint Endpoint
	out      []change
}

func (l *lister) add(r rank, turn int, gene string, a Answer) {
	l.out = append(l.out, change{base: l.base, endpoint: l.endpoint, rank: r, turn: min(turn, 9), gene: gene, answer: a})
}

func (l *lister) probe(r rank, turn int, p exchange.Place, gene string, a Answer) {
	l.add(r, turn, string(p)+gene, a)
}

// group adds a change of all places at once.
func (l *lister) group(r rank, turn int, gene string, a Answer, places []exchange.Place, v func(exchange.Place) any) {
	if len(places) > 0 {
		l.add(r, turn, "group "+gene, a)
		l.out[len(l.out)-1].group, l.out[len(l.out)-1].value = places, v
	}
}

// current is the answer whose fields are changed: that of the base, where it is one that has fields.
func (b *base) current(e Endpoint) Answer {
	if a, set := b.setting[e]; set && a.plain() {
		return a
	}
	return ok()
}

// changes lists what may be tried from a base.
func (h *hunt) changes(b *base, e Endpoint) []change {
	l := &lister{base: b, endpoint: e}
	current := b.current(e)
	l.add(good, 0, "ok", ok())
	for i, a := range h.known.samples[e] {
		l.add(good, i, fmt.Sprint("sample ", i), a)
	}
	h.failing(l, current)
	h.sequences(l, current)
	for i, status := range rarer {
		l.add(rare, i, fmt.Sprint("status ", status), Answer{Status: status})
	}
	l.add(rare, 3, "moved", Answer{Status: 302}.headed("Location", "/flaketap-elsewhere"))
	l.add(rare, 3, "moved in a circle", Answer{Status: 302}.headed("Location", "?again=1"))
	l.add(rare, 4, "moved nowhere", Answer{Status: 302})
	l.add(rare, 5, "moved for good", Answer{Status: 301}.headed("Location", "/flaketap-elsewhere"))
	h.fieldChanges(l, current, h.known.fields[e])
	h.groups(l, current)
	return l.out
}

// failing adds failures that most clients know.
func (h *hunt) failing(l *lister, current Answer) {
	for i, status := range failures {
		l.add(failure, 2*i, fmt.Sprint("status ", status), Answer{Status: status})
	}
	l.add(failure, 6, "retry after", Answer{Status: 429}.headed("Retry-After", "1"))
	l.add(failure, 9, "retry late", Answer{Status: 503}.headed("Retry-After", "3600"))
	for i, fault := range []mock.Fault{mock.Reset, mock.Empty, mock.Malformed} {
		l.add(failure, 3+3*i, string(fault), Answer{Status: 200, Fault: fault})
	}
	if strings.HasSuffix(l.endpoint.Service, ":443") {
		l.add(failure, 9, string(mock.Untrusted), Answer{Status: 200, Fault: mock.Untrusted})
	}
	for i, body := range bodies {
		l.add(failure, 5+i, "body "+body, Answer{Status: 200, Body: &body})
	}
	late := current
	late.Delay = h.late
	l.add(failure, 4, "late", late)
	l.add(failure, 9, "called html", current.headed("Content-Type", "text/html"))
	if raw, err := json.Marshal(current.JSON); err == nil && len(raw) > 2 {
		cut := string(raw[:len(raw)/2])
		l.add(failure, 8, "cut", Answer{Status: current.Status, Body: &cut})
	}
}

// sequences adds answers that change from the first to the next: of what was seen to be asked again.
func (h *hunt) sequences(l *lister, current Answer) {
	seen := h.known.again[l.endpoint]
	if seen == nil {
		return
	}
	for i, a := range seen.failed {
		l.add(good, 2+i, fmt.Sprint("then good ", i), a.then(h.known.best(l.endpoint, current)))
	}
	for i, a := range seen.good {
		second := func(turn int, gene string, b Answer) { l.add(failure, turn, fmt.Sprint(i, " then ", gene), a.then(b)) }
		second(0, "nothing", ok())
		second(1, "503", Answer{Status: 503})
		second(4, "reset", Answer{Status: 200, Fault: mock.Reset})
		second(5, "404", Answer{Status: 404})
		places := placesOf(a.JSON)
		for i, p := range places[:min(20, len(places))] {
			second(1+i/2, "without "+string(p), a.without(p))
			second(4+i/2, "null "+string(p), a.with(p, nil))
			switch v, _ := get(a.JSON, within(p)); kindOf(v) {
			case List:
				second(2+i/2, "empty "+string(p), a.with(p, []any{}))
			case Boolean:
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
		likely, others := h.values(f)
		for i, v := range likely {
			l.probe(value, i/2, f.place, geneOf(v), current.with(f.place, v))
		}
		for i, v := range others {
			l.probe(constant, i/4, f.place, geneOf(v), current.with(f.place, v))
		}
		if v, _ := get(current.JSON, within(f.place)); kindOf(v) == List {
			list := v.([]any)
			if len(list) > 0 {
				l.probe(value, 2, f.place, " twice", current.with(f.place, append(slices.Clone(list), list[0])))
			}
		}
	}
}

func geneOf(v any) string {
	raw, _ := json.Marshal(v) // it came from JSON, or is written here
	return "=" + string(raw[:min(len(raw), 80)])
}

// groups adds changes of all names at once that may be fields, to find out which are.
func (h *hunt) groups(l *lister, current Answer) {
	names := h.words.places()
	each := func(v any) func(exchange.Place) any { return func(exchange.Place) any { return v } }
	plausible := func(flags bool) func(exchange.Place) any {
		return func(p exchange.Place) any {
			v := h.filler(field{place: p})
			if kindOf(v) == Boolean {
				return flags
			}
			return v
		}
	}
	l.group(failure, 1, "plausible", current, names, plausible(true))
	l.group(failure, 4, "plausible, flags down", current, names, plausible(false))
	l.group(failure, 3, "nested", current, h.words.nested(), plausible(true))
	usually := value
	if slices.ContainsFunc(h.known.fields[l.endpoint], func(f field) bool { return f.source == FromError }) {
		usually = guess // errors tell what is read
	}
	for i, v := range usual {
		l.group(usually, i/2, geneOf(v), current, names, each(v))
	}
	l.group(usually, 3, "list of objects", current, names, each([]any{map[string]any{}}))
	for i, v := range h.given.texts {
		l.group(usually, i/2, geneOf(v), current, names, each(v))
	}
	for i, v := range h.words.Values() {
		l.group(guess, i/8, geneOf(v), current, names, each(v))
	}
	for _, f := range h.known.fields[l.endpoint] { // within fields that are lists or objects
		v, there := get(current.JSON, within(f.place))
		if !there {
			continue
		}
		at := f.place
		switch kindOf(v) {
		case List:
			at = at.Each()
		case Object:
		default:
			continue
		}
		inner := make([]exchange.Place, 0, len(names))
		for _, p := range names {
			inner = append(inner, at.Key(name(p)))
		}
		l.group(failure, 2, "within "+string(at), current, inner, plausible(true))
		l.group(value, 1, "texts within "+string(at), current, inner, each("x"))
		l.group(value, 2, "numbers within "+string(at), current, inner, each(1.0))
	}
}

// apply is the setting that a change makes; places are those that its group gives a value to.
func (c change) apply(places []exchange.Place) setting {
	a := c.answer
	for _, p := range places {
		if !a.has(p) {
			a = a.with(p, c.value(p))
		}
	}
	return c.base.setting.with(c.endpoint, a)
}

// lateBy is how long an answer is held back to see whether the API waits without a bound.
func lateBy(patience time.Duration) time.Duration { return 2 * patience }
