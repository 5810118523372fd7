package build

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A read that is asked again until the API is done has moved on the way: its progress, what is there only at the end.
// Of the last answer more is known: what all answers that told of the end had alike, or had at all.

// doneOperation is what the map says of the operation of a read that is waited for, to those answers that tell that
// the API is done.
func (b *builder) doneOperation(op *mapfile.Operation, e *exchange.Exchange) *mapfile.Operation {
	w := b.waits[e.Seq]
	if op == nil || w == nil {
		return op
	}
	done := b.done(w, e)
	if len(done) < minEqual {
		return op
	}
	out := *op
	out.Fields = nil
	for _, f := range op.Fields {
		if f.Rule != nil || f.Protocol || !f.Place.Within(exchange.PlaceBody) || strings.Contains(string(f.Place), "/*") {
			out.Fields = append(out.Fields, f)
			continue
		}
		switch there, alike := agreed(done, f.Place); {
		case there && alike: // it moved on the way alone
		case there && f.Holds.Optional:
			always := *f
			always.Holds.Optional = false
			out.Fields = append(out.Fields, &always)
		default:
			out.Fields = append(out.Fields, f)
		}
	}
	out.Index()
	return &out
}

// done lists what the answers to a read have that tell that the API is done: those that trials waited for, and those of
// executions of the recording that came at the end.
func (b *builder) done(w *plan.Wait, e *exchange.Exchange) []valuesAt {
	var out []valuesAt
	add := func(r *exchange.Response) {
		if r == nil || r.Status != w.Status {
			return
		}
		if at := valuesAt(refute.Values(r)); at.tellDone(w) {
			out = append(out, at)
		}
	}
	for _, r := range b.answers.Tested(e.Seq) {
		add(r.Response)
	}
	for _, other := range b.alike(e) {
		add(other.Response)
		for _, o := range b.steps[other.Seq].Observations {
			add(o.Response)
		}
	}
	return out
}

// valuesAt gives the raw tokens of an answer at a place.
type valuesAt func(exchange.Place) []string

// tellDone reports whether an answer has what is waited for.
func (at valuesAt) tellDone(w *plan.Wait) bool {
	return !slices.ContainsFunc(w.Values, func(v plan.Awaited) bool {
		return !slices.Equal(at(v.Place), []string{string(v.JSON)})
	})
}

// agreed reports whether all answers have a value at a place, and the same one.
func agreed(all []valuesAt, place exchange.Place) (there, alike bool) {
	var first string
	alike = true
	for i, at := range all {
		values := at(place)
		if len(values) != 1 {
			return false, false
		}
		if i == 0 {
			first = values[0]
		}
		alike = alike && values[0] == first
	}
	return len(all) > 0, alike
}
