package build

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
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

// The least that speaks for a relation to an earlier answer: executions, different values among them, and the length of
// a text that is another one each time.
const (
	minSince      = 5
	minSinceTold  = 3
	minSinceBytes = 8
)

// since asserts how values that move relate to those of earlier answers.
func (a *asserting) since() {
	if a.mode != suite.Relax || a.context == nil || len(a.context.order) == 0 {
		return
	}
	for _, c := range slices.Clone(a.out) {
		if c.Kind != plan.CheckHolds || c.Optional || c.Near != nil || c.Holds.Clock > 0 || a.secretPlace(c.Place) {
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
		earlier := a.executed(seq)
		if seq == a.e.Seq || a.said.unsteady[seq] || len(earlier) < minSince {
			continue
		}
		for _, at := range slices.Sorted(maps.Keys(earlier[0].texts)) {
			s := at.Segments()
			if at.Root() != c.Place.Root() || s[len(s)-1] != segments[len(segments)-1] {
				continue
			}
			found, n := relate(paired(now, c.Place, earlier, at))
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

// paired lists what two places said in the executions that have both, the earlier one last before the other; nil where
// one of these lacks a value.
func paired(now []answer, place exchange.Place, earlier []answer, at exchange.Place) [][2]string {
	var out [][2]string
	for i := range now {
		before := lastBefore(earlier, now[i])
		switch {
		case before == nil:
		case before.texts[at] == "" || now[i].texts[place] == "":
			return nil
		default:
			out = append(out, [2]string{before.texts[at], now[i].texts[place]})
		}
	}
	return out
}

// lastBefore is the last answer that came before another of the same execution, or is that one; nil where none is.
func lastBefore(all []answer, now answer) *answer {
	var before *answer
	for i := range all {
		x := &all[i]
		if x.in == now.in && !x.at.After(now.at) && (before == nil || x.at.After(before.at)) {
			before = x
		}
	}
	return before
}

// relate finds how the second text of each pair relates to the first, and in how many pairs: a number that is always
// the same distance away (Given says which), or a text that is always another. It returns nil where they do not relate,
// or too few say so.
func relate(all [][2]string) (*plan.Check, int) {
	told, numbers, others := map[string]bool{}, true, true
	var apart int64
	for i, p := range all {
		told[p[1]] = true
		x, err := strconv.ParseInt(p[0], 10, 64)
		y, err2 := strconv.ParseInt(p[1], 10, 64)
		numbers = numbers && err == nil && err2 == nil && (i == 0 || y-x == apart)
		apart = y - x
		others = others && p[0] != p[1] && len(p[0]) >= minSinceBytes && len(p[1]) >= minSinceBytes
	}
	switch {
	case len(all) < minSince || len(told) < minSinceTold:
		return nil, 0
	case numbers && apart != 0:
		by := plan.Text{{Literal: strconv.FormatInt(apart, 10)}}
		return &plan.Check{Relation: relation.Sum, Given: []plan.Text{by}}, len(all)
	case others && len(told) == len(all):
		return &plan.Check{Relation: plan.Other}, len(all)
	}
	return nil, 0
}
