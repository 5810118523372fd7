package build

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// tried weakens what the trials of the plan contradict.
func (b *builder) tried(a *asserting, l *dependence) {
	for _, r := range b.answers.Tested(a.e.Seq) {
		if r.Status != a.e.Response.Status {
			if !slices.Contains(l.statuses, r.Status) {
				l.statuses = append(l.statuses, r.Status)
			}
			continue
		}
		answer := r.Response
		if a.own {
			answer = b.retold(a.e, r)
		}
		l.differ(a, differences(a.e.Response, answer))
	}
}

// applyTrials takes back what checks say of places that move where trials do not bear it out: the map knows of runs
// alone that sent the same as the recording, and may take what never moved there for all that can come.
func (a *asserting) applyTrials() {
	if a.mode != suite.Relax {
		return
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		if r.Status != a.e.Response.Status {
			continue
		}
		at := valuesOf(r.Response)
		a.out = slices.DeleteFunc(a.out, func(c plan.Check) bool {
			return c.Kind == plan.CheckRelated &&
				contradicted(c, at)
		})
		for i := range a.out {
			c := &a.out[i]
			if c.Kind != plan.CheckHolds {
				continue
			}
			found := at(c.Place)
			c.Optional = c.Optional || len(found) == 0
			for _, raw := range found {
				weaken(c, raw)
			}
		}
	}
}

// valuesOf returns what an answer has at a place, as raw tokens. A part of a token is one of the answer too.
func valuesOf(r *exchange.Response) func(exchange.Place) []string {
	var places []exchange.Place
	var tokens []string
	compare.Walk(r, func(place exchange.Place, raw string) {
		places, tokens = append(places, place), append(tokens, raw)
	})
	return func(p exchange.Place) (out []string) {
		text, marker, within := p.Text()
		within = within && marker == exchange.PartJWT
		if !within {
			text = p
		}
		for i, place := range places {
			switch {
			case !text.Matches(place):
			case !within:
				out = append(out, tokens[i])
			default:
				if n := partOfToken(plan.TextOf(tokens[i]), p.Segments()[len(text.Segments())+1:]); n != nil {
					out = append(out, n.Raw)
				}
			}
		}
		return out
	}
}

// contradicted reports whether the values of an answer contradict a relation. Where it cannot be told which of them
// belong together they do not.
func contradicted(c plan.Check, at func(exchange.Place) []string) bool {
	of := make([][]string, len(c.Of))
	for k, p := range c.Of {
		of[k] = at(p)
	}
	r := relation.Relation{Is: c.Relation, Of: c.Of}
	if r.Is == relation.Ascending || r.Is == relation.Descending {
		return r.CheckOrder(of[0]) != nil
	}
	return r.CheckAll(at(c.Place), of, elements) != nil
}

// elements counts the elements of an array; false where a raw value is none.
func elements(raw string) (n int, ok bool) {
	array := plan.ReadNode([]byte(raw))
	if array == nil || array.Raw != "[" {
		return 0, false
	}
	return len(array.Kids), true
}

// weaken leaves of what a check says no more than the type where a value is otherwise. How near a time is to the clock,
// [asserting.near] tells.
func weaken(c *plan.Check, raw string) {
	says := c.Holds
	says.Clock = 0
	err := says.Satisfied(raw, time.Time{})
	if err == nil && raw[0] == '[' && (c.Holds.MinLength != nil || c.Holds.MaxLength != nil) {
		if n, ok := elements(raw); ok {
			err = c.Holds.SatisfiedLength(n)
		}
	}
	if err == nil {
		return
	}
	if c.Why == "" {
		c.Why = whyState
	}
	c.Holds = mapfile.Holds{Type: c.Holds.Type}
	if c.Holds.Satisfied(raw, time.Time{}) != nil {
		c.Holds.Type = typeOf(append(strings.Split(c.Holds.Type, "|"), plan.KindOf(raw)))
	}
}
