package build

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// An array that other tests add to and take from is never the recorded one. That is no reason to say nothing of what is
// in it: what every execution found there is asserted to be among its elements. Elements are of two kinds. Those that
// the test did not make were there at the start, and are asserted as they are, but for what differs of them between
// executions. Those that it made hold an id that is another each time: the rest of such an element is asserted, and
// that some element has the id.

// listing is what one execution found in an array.
type listing struct {
	kids  []*plan.Node
	value func(*exchange.Binding) (string, bool) // what a bound value was in it
}

// among says of an array whose elements come and go which of them are always there. It reports whether it did.
func (a *asserting) among(f *mapfile.Field, array *plan.Node) bool {
	if a.mode != suite.Relax || array.Raw != "[" || strings.Contains(string(array.Place), "/*") || !a.writable(array.Place) {
		return false
	}
	lists := a.listings(f, array)
	enough := minEqual
	switch {
	case a.dependence.is(f):
		enough = minTrials
	case a.own && a.waited():
		enough = minWaited
	}
	if len(lists) < enough {
		return false
	}
	near, ok := a.listingsNear(array)
	if enough == minEqual { // else trials alone count
		lists = append(lists, near...)
	}
	if !ok {
		return false
	}
	e := a.elementsOf(f, array, lists)
	before := len(a.out)
	e.old()
	e.own()
	if len(a.out) == before {
		return false
	}
	a.counted(array.Place, lists)
	return true
}

// minWaited is how many trials have to have found what comes once the API is done, which runs of the recording, that
// wait less, say nothing of.
const minWaited = 6

// waited reports whether the test has waited for the API before it sends the request.
func (a *asserting) waited() bool { return len(a.waitedFor(a.e)) > 0 }

// listings are what executions found in an array, the answer at hand first; nil where one of them found no array.
func (a *asserting) listings(f *mapfile.Field, array *plan.Node) []listing {
	recorded := func(v *exchange.Binding) (string, bool) { return v.Value, true }
	out := []listing{{array.Kids, recorded}}
	add := func(r *exchange.Response, value func(*exchange.Binding) (string, bool)) bool {
		if r == nil || r.Status != a.e.Response.Status {
			return true
		}
		kids, ok := arrayAt(r, array.Place)
		out = append(out, listing{kids, value})
		return ok
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		value := func(v *exchange.Binding) (string, bool) { s, ok := r.Values[v.Name]; return s, ok }
		if !add(a.retold(a.e, r), value) {
			return nil
		}
	}
	if a.own && (a.dependence.is(f) || a.waited()) {
		return out
	}
	for _, o := range a.step.Observations {
		if !add(o.Response, func(v *exchange.Binding) (string, bool) { return a.valueIn(o.Run, v) }) {
			return nil
		}
	}
	return out
}

// maxNear bounds how far away, in requests, a read alike is looked for.
const maxNear = 64

// listingsNear are what executions found in an array when the same was read a moment before or after, with no change in
// between: it was there to be found here, too, as in a queue that is worked off. It is false where one found no array.
func (a *asserting) listingsNear(array *plan.Node) (out []listing, ok bool) {
	steps, sent := a.src.Steps, exchange.Exact(a.e)
	at, _ := slices.BinarySearchFunc(steps, a.e.Seq, func(s exchange.Step, n uint64) int {
		return cmp.Compare(s.Exchange.Seq, n)
	})
	for _, d := range []int{-1, 1} {
		for i := at + d; i >= 0 && i < len(steps) && steps[i].Exchange.Request.Safe() && (i-at)*d <= maxNear; i += d {
			if exchange.Exact(steps[i].Exchange) != sent {
				continue
			}
			for _, o := range steps[i].Observations {
				if o.Response == nil || o.Response.Status != a.e.Response.Status {
					continue
				}
				kids, ok := arrayAt(o.Response, array.Place)
				if !ok {
					return nil, false
				}
				out = append(out, listing{kids, func(v *exchange.Binding) (string, bool) { return a.valueIn(o.Run, v) }})
			}
		}
	}
	return out, true
}

// valueIn is what a bound value was in a run.
func (b *builder) valueIn(run int, v *exchange.Binding) (string, bool) {
	step := b.steps[v.Producer.Seq]
	if step == nil {
		return "", false
	}
	for _, o := range step.Observations {
		if o.Run == run && o.Response != nil {
			return message.Value(o.Response, v.Producer.Place)
		}
	}
	return "", false
}

// arrayAt returns the elements of an array of an answer.
func arrayAt(r *exchange.Response, place exchange.Place) (kids []*plan.Node, ok bool) {
	payload, err := r.Payload()
	root := plan.ReadNode(payload)
	if err != nil || root == nil || !compare.IsJSON(r.MediaType()) {
		return nil, false
	}
	root.Walk(func(n *plan.Node) bool {
		if n.Place == place && n.Raw == "[" {
			kids, ok = n.Kids, true
		}
		return !ok && place.Within(n.Place)
	})
	return kids, ok
}

// counted asserts of numbers beside an array that others change that they count its elements, where all executions bear
// that out, with different counts.
func (a *asserting) counted(array exchange.Place, lists []listing) {
	counts := map[int]bool{}
	for _, l := range lists {
		counts[len(l.kids)] = true
	}
	if len(counts) < 2 {
		return
	}
	a.eachValue(func(place exchange.Place, raw string) bool {
		if place.Parent() == array.Parent() && plan.KindOf(raw) == "integer" && a.dependence.field(place) != nil {
			c := plan.Check{Kind: plan.CheckRelated, Place: place, Relation: relation.Count, Of: []exchange.Place{array}}
			if a.bornOut(c) {
				a.add(c)
			}
		}
		return true
	})
}

// bornOut reports whether no trial and no run contradicts a relation.
func (a *asserting) bornOut(c plan.Check) bool {
	return !slices.ContainsFunc(a.answered(), func(r *exchange.Response) bool {
		return refute.Related(c, refute.Answer{Response: r})
	})
}
