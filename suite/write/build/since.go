package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/relation"
)

// A value that moves may still stand in a fixed relation to what an earlier answer of the test said at a place of the
// same name: a version is one higher than before, a count of logins has grown, a tag is another one, and so is the id
// of the next thing that is made. Numbers are looked at where they are always the same distance apart. That is asserted
// of what the test made itself; what it shares with others may have moved on in between, so there no more is asserted
// than that it has grown.

// since asserts how values that move relate to those of earlier answers.
func (a *asserting) since() {
	if a.mode != suite.Relax || a.context == nil || len(a.context.order) == 0 {
		return
	}
	for _, c := range slices.Clone(a.out) {
		if c.Kind != plan.CheckHolds || c.Optional || c.Near != nil || a.secretPlace(c.Place) {
			continue
		}
		raw, ok := compare.At(a.e.Response, c.Place)
		if !ok || !isValue(c.Place, raw) || a.holdsSecret(plan.TextOf(raw)) {
			continue
		}
		if _, timed := notation.MomentOf(notation.ScalarOf(raw)); timed {
			continue
		}
		a.sinceAt(c, raw)
	}
}

func (a *asserting) secretPlace(p exchange.Place) bool {
	return !a.writable(p) || a.src.Redactor.Secret(p)
}

// sinceAt asserts the relation of one value to the last answer of the test that bears one out.
func (a *asserting) sinceAt(c plan.Check, raw string) {
	now, segments := a.executed(a.e.Seq), c.Place.Segments()
	for _, seq := range slices.Backward(a.context.order) {
		before := a.executed(seq)
		if seq == a.e.Seq || a.said.unsteady[seq] || len(before) < earlier.MinExecutions {
			continue
		}
		for _, at := range slices.Sorted(maps.Keys(before[0].Texts)) {
			s := at.Segments()
			if at.Root() != c.Place.Root() || s[len(s)-1] != segments[len(segments)-1] {
				continue
			}
			found, n := earlier.Since(now, c.Place, before, at)
			if found == nil || found.Relation == plan.Other && !a.tellsApart(c.Place, seq) {
				continue
			}
			if counts := found.Relation == relation.Sum; counts && idLike(c.Place) {
				continue
			} else if counts && !a.context.named(a.e) {
				if found.Given[0][0].Literal[0] == '-' {
					continue
				}
				found.Relation, found.Given = plan.Above, nil
			}
			name := a.keep(a.context, exchange.Ref{Seq: seq, Place: at})
			found.Kind, found.Place, found.If = plan.CheckRelated, c.Place, c.If
			found.Given = append([]plan.Text{{{Bound: name}}}, found.Given...)
			found.Why = fmt.Sprintf("so in %d of %d", n, n)
			a.out = append(a.out, *found)
			return
		}
	}
}

// tellsApart reports whether a place of an answer has to say another text than that of an earlier one: it is the id of
// what either made, or the tag of a resource that the request changed. Ids of requests and nonces are other ones too,
// and nobody would miss that.
func (a *asserting) tellsApart(place exchange.Place, earlier uint64) bool {
	if place == exchange.HeaderPlace("ETag") {
		path := func(e *exchange.Exchange) string { return strings.Join(setup.Paths(&e.Request), " ") }
		return !a.e.Request.Safe() && path(a.steps[earlier].Exchange) == path(a.e)
	}
	made := func(seq uint64) bool {
		return slices.ContainsFunc(a.session.Gives(seq), func(v *exchange.Binding) bool { return v.Producer.Place == place })
	}
	return made(a.e.Seq) && made(earlier) && a.src.Operations[earlier] == a.src.Operations[a.e.Seq]
}
