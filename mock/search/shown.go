package search

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// shown is what an API did with a setting, each time that it was tried.
type shown struct {
	setting setting
	runs    []did
}

// Bounds of what is kept of trials, to be compared.
const (
	maxShown     = 20_000 // settings of a request
	maxRuns      = 4      // of a setting
	maxShownBody = 64 << 10
	maxShownAll  = 64 << 20 // bytes of the answers to a request
)

// history is what the trials of a request showed.
type history struct {
	shown   map[string]*shown // by the keys of settings
	order   []*shown          // as they were first tried
	bytes   int               // of their answers
	grouped int               // how many of them are in groups
	groups  map[rest]*alone   // of those that differ in one field
	wholes  map[rest]*shown   // settings, by a rest that nothing is missing of
	fields  []*alone          // the groups, as they were first met
	moves   map[[2]*shown]movedIn
}

func newHistory() history {
	return history{shown: map[string]*shown{}, groups: map[rest]*alone{}, wholes: map[rest]*shown{},
		moves: map[[2]*shown]movedIn{}}
}

// add keeps what a trial showed, whose errors told something.
func (h *history) add(key string, set setting, out Outcome, told []wordings.Told, given map[string]bool) {
	if len(out.Body) > maxShownBody || h.bytes+len(out.Body) > maxShownAll {
		return
	}
	one := h.shown[key]
	if one == nil {
		if len(h.order) >= maxShown {
			return
		}
		one = &shown{setting: set}
		h.shown[key] = one
		h.order = append(h.order, one)
	}
	if len(one.runs) < maxRuns {
		one.runs = append(one.runs, didIn(out, told, given))
		h.bytes += len(out.Body)
	}
}

// repeated reports whether it was tried often enough to say what varies by itself.
func (o *shown) repeated() bool { return len(o.runs) > 1 }

// shaky is what varies by itself.
func (o *shown) shaky() (out moved) {
	for _, run := range o.runs[1:] {
		out = out.or(differences(o.runs[0], run))
	}
	return out
}

// surface is a field of an answer, for a request, which may surface in what the API does.
type surface struct {
	hunt     *hunt
	endpoint Endpoint
	field    exchange.Place
}

// value is that of the field in a setting; nil where it has none.
func (f surface) value(of *shown) any {
	v, _ := tree.Get(of.setting[f.endpoint].JSON, tree.Within(f.field))
	return v
}

// alone are settings that differ in one field alone.
type alone struct {
	surface
	all  []*shown
	rest rest
}

// rest is all of a setting but one field: the answer without that, and the others, as digests, since there is one for
// each place of each setting.
type rest struct {
	endpoint       Endpoint
	field          exchange.Place
	answer, others [sha256.Size]byte
}

// differing lists the fields of answers with the settings in which all else is the same, as they were first tried.
func (h *hunt) differing() []*alone {
	known := &h.history
	for _, one := range known.order[known.grouped:] {
		for _, e := range one.setting.endpoints() {
			a := one.setting[e]
			if !a.fielded() {
				continue
			}
			others := sha256.Sum256([]byte(one.setting.without(e).key()))
			known.wholes[rest{e, "", digest(a), others}] = one
			for _, p := range tree.Places(a.JSON) {
				at := rest{e, p, digest(a.without(p)), others}
				if known.groups[at] == nil {
					known.groups[at] = &alone{surface: surface{h, e, p}, rest: at}
					known.fields = append(known.fields, known.groups[at])
				}
				known.groups[at].all = append(known.groups[at].all, one)
			}
		}
	}
	known.grouped = len(known.order)
	return known.fields
}

// digest tells answers apart.
func digest(a Answer) [sha256.Size]byte {
	raw, _ := json.Marshal(a) // what it holds came from JSON, or is written here
	return sha256.Sum256(raw)
}

// pair are two settings of which one field differs, in a value of the same type.
type pair struct {
	surface
	a, b *shown
}

// enoughOthers is how many settings each one is compared with.
const enoughOthers = 3

// pairs are those of the settings that are compared: with those that were tried most often.
func (a *alone) pairs() (out []pair) {
	all := slices.Clone(a.all)
	if without := a.hunt.history.wholes[rest{a.endpoint, "", a.rest.answer, a.rest.others}]; without != nil {
		all = append(all, without)
	}
	slices.SortStableFunc(all, func(x, y *shown) int { return len(y.runs) - len(x.runs) })
	for i, x := range all[:min(len(all), enoughOthers)] {
		for _, y := range all[i+1:] {
			if a.alike(a.value(x), a.value(y)) {
				out = append(out, pair{a.surface, x, y})
			}
		}
	}
	return out
}

// alike reports whether two values are of one type, or one of them is none, and they differ as a whole: what differs
// within is another field.
func (a *alone) alike(x, y any) bool {
	k, l := kind.Of(x), kind.Of(y)
	return (k == l || k == kind.Null || l == kind.Null) &&
		slices.Equal(tree.Unlike(x, y, a.field), []exchange.Place{a.field})
}

// moves is what differs between all runs of the one and of the other, and not by itself.
func (p pair) moves() moved {
	at := [2]*shown{p.a, p.b}
	known, is := p.hunt.history.moves[at]
	if runs := [2]int{len(p.a.runs), len(p.b.runs)}; !is || known.runs != runs {
		known = movedIn{runs, p.compare()}
		p.hunt.history.moves[at] = known
	}
	switch k, l := kind.Of(p.value(p.a)), kind.Of(p.value(p.b)); {
	case p.a.runs[0].end != p.b.runs[0].end:
		return moved{} // where there is no answer, there is nothing to compare
	case p.empties():
		return known.moved
	case p.a.lacks(p.field) != p.b.lacks(p.field) && slices.Contains(known.places, exchange.PlaceStatus):
		return moved{} // with one of the values another field is wanted, which is what makes it fail
	case k.Holds() || l.Holds():
		if p.a.fails() || p.b.fails() || !slices.Equal(p.a.runs[0].lacks, p.b.runs[0].lacks) {
			return moved{} // for want of something within it, which surfaces there itself
		}
	case k != l && !(p.a.wellDone() && p.b.wellDone()):
		return moved{} // for want of the field
	}
	return known.moved
}

// empties reports whether the API succeeds with one of two lists, and the other is empty: nothing is wanted within it.
func (p pair) empties() bool {
	x, isX := p.value(p.a).([]any)
	y, isY := p.value(p.b).([]any)
	return isX && isY && (len(x) == 0 && p.b.wellDone() || len(y) == 0 && p.a.wellDone())
}

// fails reports whether the API broke down.
func (o *shown) fails() bool { return o.runs[0].status/100 == 5 }

// wellDone reports whether the API succeeded, and no error told of anything.
func (o *shown) wellDone() bool { return o.runs[0].status/100 == 2 && len(o.runs[0].lacks) == 0 }

// lacks reports whether the API failed for want of another field.
func (o *shown) lacks(than exchange.Place) bool {
	run := o.runs[0]
	return run.status/100 != 2 && slices.ContainsFunc(run.lacks, func(n string) bool { return n != tree.Name(than) })
}

// movedIn is what moved in so many runs of two settings.
type movedIn struct {
	runs [2]int
	moved
}

func (p pair) compare() (out moved) {
	for i, x := range p.a.runs {
		for j, y := range p.b.runs {
			if d := differences(x, y); i+j == 0 {
				out = d
			} else {
				out = out.and(d)
			}
		}
	}
	out = out.without(p.a.shaky()).without(p.b.shaky())
	if led := slices.Concat(led(p.a, p.b), led(p.b, p.a)); len(led) > 0 {
		out = moved{calls: slices.DeleteFunc(out.calls, func(e Endpoint) bool { return !slices.Contains(led, e) })}
	}
	return out
}

// led are the endpoints to which one setting leads an API that fails, or that asks others of their service with the
// other one, where nobody answers there: what comes of that does not come of the field.
func led(to, from *shown) (out []Endpoint) {
	a, b := to.runs[0].calls, from.runs[0].calls
	for e := range a {
		_, set := to.setting[e]
		if _, both := b[e]; set || both {
			continue
		}
		if to.runs[0].status/100 != 2 {
			out = append(out, e)
		}
		for f := range b {
			_, set := from.setting[f]
			if _, both := a[f]; set && !both && e.mayBe(f) {
				out = append(out, e, f)
			}
		}
	}
	return out
}

// mayBe reports whether two endpoints may be of one operation, with another value in the path.
func (e Endpoint) mayBe(f Endpoint) bool {
	return f.Service == e.Service && f.Method == e.Method && strings.Count(f.Path, "/") == strings.Count(e.Path, "/")
}

// held reports whether both settings were tried often enough for what differs to be a proof.
func (p pair) held() bool { return p.a.repeated() && p.b.repeated() }

// copies are the places at which the answer has the field's own value with either setting: that is no chance.
func (p pair) copies(m moved) (out moved) {
	for _, at := range m.places {
		if copied(p.a, p.value(p.a), at) && copied(p.b, p.value(p.b), at) {
			out.places = append(out.places, at)
		}
	}
	return out
}

// copied reports whether an answer has a value at a place.
func copied(of *shown, v any, at exchange.Place) bool {
	got, there := tree.Get(of.runs[0].body, tree.Within(at))
	return there && v != "" && at != exchange.PlaceStatus && fmt.Sprint(got) == fmt.Sprint(v)
}
