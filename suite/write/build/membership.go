package build

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// membership makes the checks of the elements that an array always has.
type membership struct {
	*asserting
	field  *mapfile.Field
	array  exchange.Place
	lists  []listing
	masks  plan.PlaceSet // as [plan.Check] has them
	absent plan.PlaceSet
	key    exchange.Place // the member that names an element, as masks are; "" where there is none
	made   map[int]bool   // which elements of the first list the test made
}

func (a *asserting) elementsOf(f *mapfile.Field, array *plan.Node, lists []listing) *membership {
	e := &membership{asserting: a, field: f, array: array.Place, lists: lists, made: map[int]bool{}}
	if a.op != nil {
		for _, g := range a.op.Fields {
			if !strings.HasPrefix(string(g.Place), string(array.Place.Each())+"/") || !g.AppliesTo(a.fp) {
				continue
			}
			if at := plan.Pointer(g.Place, array.Place); loose(g) {
				e.absent = append(e.absent, at)
			} else {
				e.masks = append(e.masks, at)
			}
		}
	}
	for i, kid := range array.Kids {
		kid.Walk(func(n *plan.Node) bool {
			if slices.ContainsFunc(n.Keys, a.holdsSecret) || n.Scalar() && a.secretNode(n) {
				e.mask(e.general(n.Place))
			}
			if n.Scalar() {
				_, made := a.context.made[plan.TextOf(n.Raw)]
				e.made[i] = e.made[i] || made && idLike(n.Place) || n.Kind() == "string" && a.context.holdsMade(plan.TextOf(n.Raw))
			}
			return true
		})
	}
	e.key = e.keyed()
	return e
}

func (e *membership) mask(at exchange.Place) {
	if !slices.Contains(e.masks, at) {
		e.masks = append(e.masks, at)
	}
}

// general is a place within an element, as a pointer within all elements.
func (e *membership) general(place exchange.Place) exchange.Place {
	rest := strings.TrimPrefix(string(place), string(e.array)+"/")
	_, tail, deeper := strings.Cut(rest, "/")
	if !deeper {
		return "/*"
	}
	return exchange.Place("/*/" + tail)
}

// keyed finds the member that names elements: an id that all of them have, each another in one list.
func (e *membership) keyed() exchange.Place {
	first := e.lists[0].kids
	if len(first) == 0 {
		return ""
	}
	for _, k := range first[0].Kids {
		at := e.general(k.Place)
		if k.Scalar() && idLike(k.Place) && !e.masks.Has(at) && !e.absent.Has(at) &&
			!slices.ContainsFunc(e.lists, func(l listing) bool { return !e.named(l, at) }) {
			return at
		}
	}
	return ""
}

// named reports whether all elements of a list have a scalar at a place, each another.
func (e *membership) named(l listing, at exchange.Place) bool {
	seen := map[string]bool{}
	for _, kid := range l.kids {
		raw := e.member(kid, at)
		if raw == "" || raw == "null" || seen[raw] {
			return false
		}
		seen[raw] = true
	}
	return true
}

// member is the scalar of an element at a place; "" where it has none.
func (e *membership) member(kid *plan.Node, at exchange.Place) (raw string) {
	kid.Walk(func(n *plan.Node) bool {
		if n.Scalar() && e.general(n.Place) == at {
			raw = n.Raw
		}
		return raw == ""
	})
	return raw
}

// text is an element without what is masked; "" where nothing is left to be asserted.
func (e *membership) text(kid *plan.Node) string {
	says := false
	kid.Walk(func(n *plan.Node) bool {
		at := e.general(n.Place)
		n.Masked, n.Gone = e.masks.Has(at), e.absent.Has(at)
		says = says || n.Scalar() && !n.Masked && !n.Gone && n.Raw != "null"
		return !n.Masked && !n.Gone
	})
	if !says {
		return ""
	}
	return string(kid.JSON())
}

// old asserts the elements that the test did not make. Without trials they have to be those that the API started with,
// and what others may change of them is left out.
func (e *membership) old() {
	kids, lists := e.others(), e.lists[1:]
	if !e.asserting.own {
		e.maskNumbers(kids)
		lists = append(e.fromStart(), lists...)
	}
	same := e.inAll(kids, lists)
	extent := plan.Among
	if len(same) == len(e.lists[0].kids) && e.all(len(same)) {
		extent = plan.Whole
	}
	e.assert(same, extent)
	told := map[string]bool{}
	for _, kid := range same {
		told[e.text(kid)] = true
	}
	kids = slices.DeleteFunc(kids, func(kid *plan.Node) bool { return told[e.text(kid)] })
	e.maskDiffering(kids)
	e.assert(e.inAll(kids, lists), plan.Among)
}

// inAll are those elements that all lists have.
func (e *membership) inAll(kids []*plan.Node, lists []listing) []*plan.Node {
	for _, l := range lists {
		kids = e.common(kids, l.kids)
	}
	return kids
}

// others are the elements of the first list that the test did not make; without trials, those that no other test names.
func (e *membership) others() (kids []*plan.Node) {
	for i, kid := range e.lists[0].kids {
		if !e.made[i] && (e.asserting.own || !e.touched(kid)) {
			kids = append(kids, kid)
		}
	}
	return kids
}

// all reports whether all lists have so many elements.
func (e *membership) all(n int) bool {
	return e.asserting.own && !slices.ContainsFunc(e.lists, func(l listing) bool { return len(l.kids) != n })
}

// path is the resource that is listed; "" where the request has none.
func (e *membership) path() string {
	paths := setup.Paths(&e.e.Request)
	if len(paths) == 0 {
		return ""
	}
	return paths[len(paths)-1]
}

// writes lists the requests that are known to change what is listed, in order.
func (e *membership) writes() []uint64 {
	path := e.path()
	out := slices.Concat(e.session.Writes(path), e.session.Changes(path), e.session.WritesElsewhere(path))
	slices.Sort(out)
	return slices.Compact(out)
}

// fromStart are the recorded answers to the same request before which no other test changed what is listed. Where it
// changed without a request that is known to do so, each request may have done it. Where there is no such answer, a
// list without elements says so.
func (e *membership) fromStart() []listing {
	var out []listing
	var at []uint64
	for _, seq := range e.session.Same(e.e.Seq) {
		r := e.steps[seq].Exchange.Response
		if kids, ok := arrayAt(r, e.array); ok && r.Status == e.e.Response.Status {
			out, at = append(out, listing{kids: kids}), append(at, seq)
		}
	}
	writes := e.writes()
	for i := range out[min(1, len(out)):] {
		between := func(w uint64) bool { return at[i] < w && w < at[i+1] }
		if e.texts(out[i]) != e.texts(out[i+1]) && !slices.ContainsFunc(writes, between) {
			writes = slices.Sorted(maps.Keys(e.steps))
			break
		}
	}
	first := slices.IndexFunc(writes, func(w uint64) bool { return !e.context.sent[w] && w != e.e.Seq })
	for i := range out {
		if first >= 0 && at[i] > writes[first] {
			out = out[:i]
			break
		}
	}
	if len(out) == 0 {
		return []listing{{}}
	}
	return out
}

// texts is what a list says.
func (e *membership) texts(l listing) string {
	var b strings.Builder
	for _, kid := range l.kids {
		b.WriteString(e.text(kid) + "\n")
	}
	return b.String()
}

// touched reports whether a request of the recording may have changed an element: its path names it, or all of the
// list.
func (e *membership) touched(kid *plan.Node) bool {
	path := e.path()
	return slices.ContainsFunc(e.writes(), func(seq uint64) bool {
		r := &e.steps[seq].Exchange.Request
		at := setup.Paths(r)
		if len(at) == 0 {
			return true
		}
		last := at[len(at)-1]
		if last == path {
			return r.Method != "POST"
		}
		names := false
		kid.Walk(func(n *plan.Node) bool {
			names = names || n.Scalar() && holdsWord(last, plan.TextOf(n.Raw))
			return !names
		})
		return names
	})
}

// maskNumbers leaves out the numbers and flags of elements, but for their ids: they are what others change most.
func (e *membership) maskNumbers(kids []*plan.Node) {
	for _, kid := range kids {
		kid.Walk(func(n *plan.Node) bool {
			if kind := n.Kind(); (kind == "integer" || kind == "number" || kind == "boolean") && !idLike(n.Place) && n != kid {
				e.mask(e.general(n.Place))
			}
			return true
		})
	}
}

// maskDiffering leaves out what executions found differing in elements of the same name.
func (e *membership) maskDiffering(kids []*plan.Node) {
	if e.key == "" {
		return
	}
	for _, kid := range kids {
		key := e.member(kid, e.key)
		for _, l := range e.lists[1:] {
			i := slices.IndexFunc(l.kids, func(k *plan.Node) bool { return e.member(k, e.key) == key })
			if i >= 0 {
				e.maskApart(kid, l.kids[i])
			}
		}
	}
}

// maskApart leaves out where two nodes differ.
func (e *membership) maskApart(n, other *plan.Node) {
	at := e.general(n.Place)
	if at != "/*" && (e.masks.Has(at) || e.absent.Has(at)) {
		return
	}
	if n.Raw == other.Raw && slices.Equal(n.Keys, other.Keys) && len(n.Kids) == len(other.Kids) {
		for i, k := range n.Kids {
			e.maskApart(k, other.Kids[i])
		}
		return
	}
	if at != "/*" {
		e.mask(at)
	}
}

// common lists the wanted elements that a list has, each as often as it has them.
func (e *membership) common(wanted, list []*plan.Node) []*plan.Node {
	times := map[string]int{}
	for _, kid := range list {
		times[e.text(kid)]++
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(kid *plan.Node) bool {
		text := e.text(kid)
		times[text]--
		return text == "" || times[text] < 0
	})
}

// own asserts the elements that the test made: what they are, and that some element has each of their ids.
func (e *membership) own() {
	var kids []*plan.Node
	var ids []plan.Check
	for i, kid := range e.lists[0].kids {
		if !e.made[i] {
			continue
		}
		kids = append(kids, kid)
		kid.Walk(func(n *plan.Node) bool {
			text := plan.TextOf(n.Raw)
			v, made := e.context.made[text]
			switch {
			case !n.Scalar(), !made && !(n.Kind() == "string" && e.context.holdsMade(text)):
			case made && v != nil && idLike(n.Place) && e.context.gives(v) && e.everywhere(v, e.general(n.Place)):
				ids = append(ids, plan.Check{Kind: plan.CheckEqual, Place: e.array + e.general(n.Place), Extent: plan.Among,
					Text: plan.Text{{Bound: v.Name}}, Holds: mapfile.Holds{Type: n.Kind()}})
				fallthrough
			default:
				e.mask(e.general(n.Place))
			}
			return true
		})
	}
	e.assert(e.inAll(kids, e.lists[1:]), plan.Among)
	for _, c := range ids {
		e.add(c)
	}
}

// everywhere reports whether in each execution an element has, at a place, what a bound value was in it.
func (e *membership) everywhere(v *exchange.Binding, at exchange.Place) bool {
	return !slices.ContainsFunc(e.lists, func(l listing) bool {
		value, ok := l.value(v)
		return !ok || !slices.ContainsFunc(l.kids, func(k *plan.Node) bool {
			text := plan.TextOf(e.member(k, at))
			return text == value || text == v.Value // a trial is told with the recorded ids
		})
	})
}

// assert adds a check of elements, as many as a reader takes in.
func (e *membership) assert(wanted []*plan.Node, extent plan.Extent) {
	var kids []*plan.Node
	size := 0
	for _, kid := range wanted {
		if text := e.text(kid); text != "" && size+len(text) <= maxShown && len(kids) < maxFields {
			kids, size = append(kids, kid), size+len(text)
		}
	}
	if len(kids) == 0 {
		return
	}
	if len(kids) < len(wanted) {
		extent = plan.Among
	}
	c := plan.Check{Kind: plan.CheckItems, Place: e.array, Why: e.why(e.field, ""), Extent: extent}
	list := plan.Node{Raw: "[", Kids: kids}
	c.JSON = list.JSON()
	c.Masks, c.Absent = e.used(kids, e.masks), e.absent
	e.add(c)
}

// used are those places that some of the elements have.
func (e *membership) used(kids []*plan.Node, places plan.PlaceSet) []exchange.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p exchange.Place) bool {
		return !slices.ContainsFunc(kids, func(kid *plan.Node) bool {
			there := false
			kid.Walk(func(n *plan.Node) bool {
				there = there || p.Matches(e.general(n.Place))
				return !there
			})
			return there
		})
	})
}
