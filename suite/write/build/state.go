package build

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// state is what the answers of a recording tell of what other requests did before them. Runs that send the same as the
// recording cannot tell that: each of them comes by the same states. A test comes by others. Which requests these are,
// the session says.
type state struct {
	repeats  map[repeated]*repeats
	statuses map[exchange.Operation][]int // that an operation answered with
}

// repeated is what makes exchanges ones that went alike: what [setup.Session.Alike] says of the request, and of what
// was done before to the things that it names and that answers gave; and the status.
type repeated struct {
	alike  string
	status int
}

func (b *builder) repeatedOf(e *exchange.Exchange) repeated {
	key := b.session.Alike(e.Seq)
	for _, t := range b.session.Takes(e.Seq) {
		if t.Place.Root() != "path" || !b.session.Made(t.Binding) {
			continue
		}
		for _, path := range setup.Paths(&e.Request) {
			for _, w := range b.session.Writes(path) {
				if t.Producer.Seq < w && w < e.Seq && holdsWord(path, t.Value) {
					key += "\n" + b.session.Alike(w)
				}
			}
		}
	}
	return repeated{key, e.Response.Status}
}

// repeats are the answers to one request that was sent more than once.
type repeats struct {
	seqs   []uint64
	differ []refute.Difference
}

// maxRepeats bounds how many answers to one request are compared, maxDiffer how many of their differences are kept.
const (
	maxRepeats = 20
	maxDiffer  = 500
)

func (b *builder) readState() state {
	s := state{repeats: map[repeated]*repeats{}, statuses: map[exchange.Operation][]int{}}
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		if setup.Unsendable(e) != "" {
			continue
		}
		key := b.repeatedOf(e)
		if s.repeats[key] == nil {
			s.repeats[key] = &repeats{}
		}
		s.repeats[key].add(b, e)
		if op, ok := b.src.Operations[e.Seq]; ok && !slices.Contains(s.statuses[op], e.Response.Status) {
			s.statuses[op] = append(s.statuses[op], e.Response.Status)
		}
	}
	return s
}

func (r *repeats) add(b *builder, e *exchange.Exchange) {
	if r.seqs = append(r.seqs, e.Seq); len(r.seqs) == 1 || len(r.seqs) > maxRepeats {
		return
	}
	for _, d := range refute.Differences(b.steps[r.seqs[0]].Exchange.Response, e.Response) {
		if len(r.differ) < maxDiffer && !slices.Contains(r.differ, d) {
			r.differ = append(r.differ, d)
		}
	}
}

// spanned reports whether a write came between two of the answers: what did not differ then does not follow from it.
func (r *repeats) spanned(writes []uint64) bool {
	return slices.ContainsFunc(writes, func(w uint64) bool { return r.seqs[0] < w && w < r.seqs[len(r.seqs)-1] })
}

// dependence is what an answer says of what other tests leave behind.
type dependence struct {
	at    map[exchange.Place]*mapfile.Field
	wild  []exchange.Place             // those of them that have wildcards
	texts map[exchange.Place]plan.Text // what a place says, of values that answers of the same test gave
	// others that the request may be answered with; nil where it depends on nothing
	statuses []int
}

// is reports whether a field is one of these.
func (l *dependence) is(f *mapfile.Field) bool {
	return f != nil && l.at[f.Place] == f
}

func (l *dependence) put(place exchange.Place, h mapfile.Holds) {
	if l.at[place] == nil {
		if strings.Contains(string(place), "/*") {
			l.wild = append(l.wild, place)
		}
		l.at[place] = &mapfile.Field{Place: place, Judgement: mapfile.Drift, Category: mapfile.State, Holds: h}
	}
}

// dependenceOf finds what an answer says of what others leave behind.
func (b *builder) dependenceOf(a *asserting) *dependence {
	l := &dependence{at: map[exchange.Place]*mapfile.Field{}, texts: map[exchange.Place]plan.Text{}}
	if b.mode == suite.Exact {
		return l
	}
	b.saidBefore(a, l)
	if about := a.context.fresh(a.e) || a.context.shares(a.e); about || a.own {
		b.dependOnFresh(a, l, about)
	}
	if !a.own {
		b.dependOnSession(a, l)
	}
	if b.waits[a.e.Seq] != nil {
		l.statuses = nil
	}
	b.dependOnProgress(a, l)
	b.dependOnHost(a, l)
	b.tried(a, l)
	return l
}

// dependOnSession weakens what the recording as a whole lets expect of other states than its own.
func (b *builder) dependOnSession(a *asserting, l *dependence) {
	if r := b.state.repeats[b.repeatedOf(a.e)]; r != nil {
		l.differ(a, r.differ)
	}
	if !a.context.fresh(a.e) {
		b.dependOnTouched(a, l)
	}
	if !a.context.named(a.e) {
		b.dependStatus(a, l)
	}
}

// differ weakens where answers differ that should be alike. What moves in runs is known better.
func (l *dependence) differ(a *asserting, list []refute.Difference) {
	for _, d := range list {
		if l.covers(d.General) || a.known(d.General) || d.Order && a.unordered(d.General) {
			continue
		}
		h := mapfile.Holds{Type: d.Types, Optional: d.Mask.Root() == "header" && d.Types == ""}
		if d.Mask == exchange.PlaceBody && d.Types == "" {
			h.Type = "string"
		}
		l.put(d.Mask, h)
	}
}

// known reports whether the map says that a place moves, or what it is a part of. Of an array in any order it says
// nothing about what is in the elements.
func (a *asserting) known(place exchange.Place) bool {
	if a.op == nil {
		return false
	}
	f := a.op.Volatile(place, a.fp)
	return f != nil && f.Holds.Order == ""
}

// unordered reports whether the map says that an array is in any order.
func (a *asserting) unordered(place exchange.Place) bool {
	if a.op == nil {
		return false
	}
	f := a.op.Volatile(place, a.fp)
	return f != nil && f.Place == place && f.Holds.Order != ""
}

// covers reports whether a place, or what it is a part of, is weakened already.
func (l *dependence) covers(place exchange.Place) bool {
	for p := place; p != ""; p = p.Parent() {
		if l.field(p) != nil {
			return true
		}
	}
	return false
}

// field returns what weakens a place.
func (l *dependence) field(place exchange.Place) *mapfile.Field {
	if f := l.at[place]; f != nil {
		return f
	}
	for _, p := range l.wild {
		if p.Matches(place) {
			return l.at[p]
		}
	}
	return nil
}

// dependOnHost has what names the host that was asked for say the one that a suite asks: services make their links of
// it.
func (b *builder) dependOnHost(a *asserting, l *dependence) {
	host := a.e.Request.Header.Get("Host")
	if len(host) < minHost {
		return
	}
	a.eachValue(func(place exchange.Place, raw string) bool {
		text := plan.TextOf(raw)
		if raw[0] != '"' || !strings.Contains(text, host) || l.covers(place) ||
			a.op != nil && a.op.Volatile(place, a.fp) != nil || b.holdsSecret(text) {
			return true
		}
		l.put(place, mapfile.Holds{Type: "string", Echo: string(plan.HostPlace)})
		l.at[place].Category = mapfile.Env
		l.texts[place] = withHost(plan.Text{{Literal: text}}, host)
		return true
	})
}

// dependOnTouched weakens what the answer to a request may say of what is written by other tests: to the same resource,
// below it, or by another path to it. Where the same request was answered before and after such a write, what did not
// differ stays.
func (b *builder) dependOnTouched(a *asserting, l *dependence) {
	paths := setup.Paths(&a.e.Request)
	if len(paths) == 0 || a.e.Response.Status >= 400 || a.e.Response.Status == 304 {
		return
	}
	writes, changed := b.session.Writes(paths[len(paths)-1]), false
	for _, path := range paths {
		at := b.session.Changes(path)
		writes = append(writes, at...)
		changed = changed || slices.ContainsFunc(at, func(w uint64) bool { return w != a.e.Seq })
	}
	if writes = append(writes, b.session.WritesElsewhere(paths[len(paths)-1])...); len(writes) == 0 {
		return
	}
	if r := b.state.repeats[b.repeatedOf(a.e)]; r.spanned(writes) {
		return
	}
	request := requestText(a.e)
	a.eachValue(func(place exchange.Place, raw string) bool {
		kind, text := plan.KindOf(raw), plan.TextOf(raw)
		switch {
		case kind == "object":
			return true
		case kind == "array":
			l.put(place, mapfile.Holds{Type: kind})
			return false
		case kind == "null", kind == "boolean" && !changed, holdsWord(request, text):
		case kind == "number" || kind == "integer":
			l.put(place, mapfile.Holds{Type: kind})
		case changed && a.e.Request.Safe(), place.Root() == "header" && followsContent(place, text):
			l.put(place, mapfile.Holds{Type: kind})
		}
		return true
	})
}

// followsContent reports whether a header says something of the whole resource: its version, or how many there are.
func followsContent(place exchange.Place, text string) bool {
	switch place {
	case "/header/etag", "/header/last-modified", "/header/link", "/header/content-range":
		return true
	}
	return strings.Trim(text, "0123456789") == ""
}

// dependStatus lists how else a request may be answered that another test sends too, or takes the thing away from: as
// it was answered the other time. An account that tests share may be there from another time: that it is refused then
// is no harm where nothing of its answer is used.
func (b *builder) dependStatus(a *asserting, l *dependence) {
	note := func(status int) {
		if status != a.e.Response.Status && !slices.Contains(l.statuses, status) {
			l.statuses = append(l.statuses, status)
		}
	}
	single := a.context.single
	used := slices.ContainsFunc(b.session.Gives(a.e.Seq), func(v *exchange.Binding) bool { return len(v.Uses) > 0 })
	elsewhere := func(seq uint64) bool {
		return b.testOf[seq] != "" && b.testOf[seq] != a.context.test && !a.context.sent[seq]
	}
	for _, seq := range b.session.Same(a.e.Seq) {
		if s := b.steps[seq].Exchange.Response.Status; single && s >= 400 && !used || !single && elsewhere(seq) {
			note(s)
		}
	}
	paths := setup.Paths(&a.e.Request)
	if single || len(paths) == 0 || a.e.Response.Status >= 300 {
		return
	}
	for _, w := range b.session.Changes(paths[len(paths)-1]) {
		if b.steps[w].Exchange.Request.Method != "DELETE" || !elsewhere(w) {
			continue
		}
		for _, s := range b.state.statuses[b.src.Operations[a.e.Seq]] {
			if s == 404 || s == 410 {
				note(s)
			}
		}
	}
}

// dependOnFresh weakens what an answer says of how many were made before: ids and what is made of them. An id that an
// earlier answer of the test gave is that one. Where the answer is about what the test made, its other ids are weakened
// too.
func (b *builder) dependOnFresh(a *asserting, l *dependence, about bool) {
	request := requestText(a.e)
	writes := !a.e.Request.Safe()
	a.eachValue(func(place exchange.Place, raw string) bool {
		kind, text := plan.KindOf(raw), plan.TextOf(raw)
		if kind == "object" || kind == "array" || kind == "boolean" || kind == "null" || text == "" {
			return true
		}
		id := idLike(place)
		v, made := a.context.made[text]
		own := slices.ContainsFunc(b.session.Gives(a.e.Seq),
			func(p *exchange.Binding) bool { return p.Producer.Place == place })
		switch {
		case own:
			l.put(place, shapeOf(kind, text))
		case made && (id || len(text) >= minStrong || v != nil && refersTo(place, v)):
			l.put(place, shapeOf(kind, text))
			if v != nil && a.context.gives(v) {
				l.texts[place] = plan.Text{{Bound: v.Name}}
			} else if t, ok := a.context.templated(text); ok && v == nil && !b.holdsSecret(text) { // a link to it
				l.texts[place] = withHost(t, a.e.Request.Header.Get("Host"))
			}
		case kind == "string" && a.context.holdsMade(text):
			// A number beside what was made is one of it: how often it was changed, where it stands among others.
			pattern := digitRuns.ReplaceAllLiteralString(a.context.pattern(text), `\d+`)
			if host := a.e.Request.Header.Get("Host"); len(host) >= minHost {
				pattern = strings.ReplaceAll(pattern, digitRuns.ReplaceAllLiteralString(regexp.QuoteMeta(host), `\d+`),
					`[0-9A-Za-z_.:-]+`)
			}
			l.put(place, mapfile.Holds{Type: kind, Pattern: pattern})
			if t, ok := a.context.templated(text); ok && !b.holdsSecret(text) {
				l.texts[place] = withHost(t, a.e.Request.Header.Get("Host"))
			}
		case holdsWord(request, text), !about:
		case (writes || kind == "integer") && id && !b.constant(a, place), writes && b.drawn(a, place, text):
			l.put(place, shapeOf(kind, text))
		}
		return true
	})
}

// drawn reports whether a value of the answer to a write looks as if it were made for that answer: it is long, and the
// operation gave others elsewhere, or only this one, which reads like no words.
func (b *builder) drawn(a *asserting, place exchange.Place, text string) bool {
	if a.op != nil && a.op.Exchanges > 1 {
		return len(text) >= minStrong && !b.constant(a, place)
	}
	return len(text) >= 2*minStrong && drawnForm.MatchString(text) && strings.ContainsAny(text, "0123456789")
}

var drawnForm = regexp.MustCompile(`^[0-9A-Za-z_+/=.-]+$`)

// constant reports whether a place had one value in several exchanges of its operation: that is no id.
func (b *builder) constant(a *asserting, place exchange.Place) bool {
	if a.op == nil || a.op.Exchanges < 2 {
		return false
	}
	f := a.op.At(place)
	return f != nil && len(f.Holds.Equal) > 0
}

// minStrong is the least length, in bytes, of a value that stands for the same thing wherever it stands.
const minStrong = 8

// eachValue calls visit with the headers and then the values of the body, from the outside in; where visit returns
// false, what is below is left out. A body that is no JSON is one value.
func (a *asserting) eachValue(visit func(place exchange.Place, raw string) bool) {
	seen := map[string]bool{"set-cookie": true}
	for _, f := range a.e.Response.Header {
		name := strings.ToLower(strings.TrimSpace(f.Name))
		if !seen[name] && suite.AssertedHeader(name) && name != "content-type" {
			seen[name] = true
			visit(exchange.HeaderPlace(name), literal.JSON(strings.Join(a.e.Response.Header.Values(name), "\n")))
		}
	}
	payload, err := a.e.Response.Payload()
	if err != nil || len(payload) == 0 {
		return
	}
	if root := plan.ReadNode(payload); root != nil && compare.IsJSON(a.e.Response.MediaType()) {
		root.Walk(func(n *plan.Node) bool { return visit(n.Place, n.Raw) })
	}
}

// requestText is all that a request says, for the search of what an answer repeats.
func requestText(e *exchange.Exchange) string {
	payload, _ := e.Request.Payload()
	return e.Request.Target + "\n" + string(payload[:min(len(payload), maxText)])
}

// holdsWord reports whether a text holds a value that no letter or digit adjoins.
func holdsWord(text, value string) bool {
	if value == "" {
		return true
	}
	for at := 0; ; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(value)
		if (from == 0 || !isAlnum(text[from-1])) && (to == len(text) || !isAlnum(text[to])) {
			return true
		}
		at = from + 1
	}
}

func isAlnum(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || isDigit(c) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
