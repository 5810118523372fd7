package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
)

// What is in a list that moves is not asserted element by element, but that none of them is there twice can be: the ids
// of a list are all different.

// The least that speaks for it: lists of two elements and more, and different ids in them.
const (
	minLists = 5
	minIDs   = 3
)

// unique asserts of lists that move that the ids in them are.
func (a *asserting) unique() {
	if a.mode != suite.Relax {
		return
	}
	for _, c := range slices.Clone(a.out) {
		if c.Kind != plan.CheckHolds || c.Holds.Type != "array" || strings.Contains(string(c.Place), "/*") {
			continue
		}
		for _, member := range a.idsIn(c.Place) {
			at := c.Place.Each() + exchange.Place("").Key(member)
			if !a.writable(at) || a.src.Redactor.Secret(at) {
				continue
			}
			if lists, all := a.listsOf(c.Place, at); all {
				a.out = append(a.out, plan.Check{Kind: plan.CheckRelated, Place: c.Place, Relation: plan.Unique,
					Of: []exchange.Place{at}, If: c.If, Why: fmt.Sprintf("so in %d of %d", lists, lists)})
				break
			}
		}
	}
}

// idsIn lists the members of the first element of an array that are named as ids are.
func (a *asserting) idsIn(array exchange.Place) []string {
	payload, _ := a.e.Response.Payload()
	root := plan.ReadNode(payload)
	if root == nil {
		return nil
	}
	var out []string
	root.Walk(func(n *plan.Node) bool {
		if n.Place == array && len(n.Kids) > 0 {
			for _, name := range n.Kids[0].Keys {
				if idLike(array.Each() + exchange.Place("").Key(name)) {
					out = append(out, name)
				}
			}
		}
		return array.Within(n.Place)
	})
	return out
}

// listsOf counts the answers that have two elements or more in an array. all is false where one of these has a value
// twice at a place of the elements, an element has none, or too few say something.
func (a *asserting) listsOf(array, at exchange.Place) (lists int, all bool) {
	told := map[string]bool{}
	for _, r := range a.answered() {
		values := refute.Values(r)
		ids, elements := values(at), values(array.Each())
		if len(elements) < 2 {
			continue
		}
		slices.Sort(ids)
		if len(ids) != len(elements) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			return 0, false
		}
		lists++
		for _, id := range ids {
			told[id] = true
		}
	}
	return lists, lists >= minLists && len(told) >= minIDs
}

// answered lists the answers with the status of this one: of the recording, of runs, of trials.
func (a *asserting) answered() []*exchange.Response {
	all := []*exchange.Response{a.e.Response}
	for _, o := range a.step.Observations {
		all = append(all, o.Response)
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		all = append(all, r.Response)
	}
	return slices.DeleteFunc(all, func(r *exchange.Response) bool { return r == nil || r.Status != a.e.Response.Status })
}
