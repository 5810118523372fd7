package build

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/relation"
)

// maxFields bounds how many places below one volatile container are asserted each by itself.
const maxFields = 20

// minEqual is how many observations there must be of what always had one value, within a container that moves, before
// that is asserted of the elements to come.
const minEqual = 20

// cut is a part of a body that is asserted apart from the rest: as it moves, or as it is secret.
type cut struct {
	field *mapfile.Field // nil for a secret that does not move
	nodes []*plan.Node
}

// json asserts a JSON body: all that is stable at once, then what is left to say of each place that moves.
func (a *asserting) json(root *plan.Node) {
	cuts := a.cuts(root)
	optional := a.optional(root)
	if !root.Masked {
		c := plan.Check{Kind: plan.CheckJSON, Place: exchange.PlaceBody}
		c.Masks, c.Absent = a.pointers(cuts, exchange.PlaceBody)
		for _, f := range optional {
			if a.writable(f.Place) {
				c.Absent = append(c.Absent, plan.Pointer(f.Place, exchange.PlaceBody))
			}
		}
		c.JSON = root.JSON()
		a.add(c)
	}
	for _, c := range cuts {
		a.cut(c)
	}
	for _, f := range optional {
		a.holds(f, f.Place, optionally(f.Holds))
	}
}

func optionally(h mapfile.Holds) mapfile.Holds {
	h.Optional = true
	return h
}

// loose reports whether an answer may lack the place: it is not always there, or the user's rule asks nobody to look.
func loose(f *mapfile.Field) bool { return f.Holds.Optional || f.Apart() }

// cuts masks what is asserted apart, and returns it by field, in the order of the document.
func (a *asserting) cuts(root *plan.Node) []*cut {
	var out []*cut
	byField := map[*mapfile.Field]*cut{}
	root.Walk(func(n *plan.Node) bool {
		f := a.volatile(n.Place)
		if f != nil && f.Protocol {
			f = nil
		}
		switch {
		case f != nil && byField[f] != nil:
			byField[f].nodes = append(byField[f].nodes, n)
		case f != nil:
			byField[f] = &cut{field: f, nodes: []*plan.Node{n}}
			out = append(out, byField[f])
		case n.Scalar() && a.secretNode(n), slices.ContainsFunc(n.Keys, a.holdsSecret):
			out = append(out, &cut{nodes: []*plan.Node{n}})
		default:
			return true
		}
		if n.Masked = true; f != nil && loose(f) {
			n.Gone = true
		}
		return false
	})
	return out
}

// secretNode reports whether a scalar is a secret, by its name or by its value.
func (a *asserting) secretNode(n *plan.Node) bool {
	if n.Raw == "null" || n.Raw == "true" || n.Raw == "false" || plan.TextOf(n.Raw) == "" {
		return false
	}
	return a.src.Redactor.Secret(n.Place) || a.holdsSecret(plan.TextOf(n.Raw))
}

// secretValue is the text of a scalar that is a secret, or holds one.
func (a *asserting) secretValue(n *plan.Node) plan.Text {
	if n.Raw[0] != '"' || a.src.Redactor.Secret(n.Place) {
		return plan.Text{a.secret(plan.TextOf(n.Raw))}
	}
	return a.text(plan.TextOf(n.Raw), asIs)
}

// optional lists the places that move and that the recorded answer does not have, though it has what they are part of.
func (a *asserting) optional(root *plan.Node) []*mapfile.Field {
	if a.op == nil || a.mode == suite.Exact {
		return nil
	}
	var out []*mapfile.Field
	for _, f := range a.op.Fields {
		if f.Protocol || !f.Place.Within(exchange.PlaceBody) || f.Place == exchange.PlaceBody || !f.AppliesTo(a.fp) {
			continue
		}
		parent, missing := f.Place.Parent(), false
		root.Walk(func(n *plan.Node) bool {
			if n.Raw == "{" && !n.Masked && parent.Matches(n.Place) {
				missing = missing || !slices.ContainsFunc(n.Kids, func(k *plan.Node) bool { return f.Place.Matches(k.Place) })
			}
			return !n.Masked
		})
		if missing {
			out = append(out, f)
		}
	}
	return out
}

// pointers names the masked places within what root names, and apart those of them that are not always there.
func (a *asserting) pointers(cuts []*cut, root exchange.Place) (masks, absent []exchange.Place) {
	for _, c := range cuts {
		switch {
		case c.field == nil || !a.writable(c.field.Place):
			for _, n := range c.nodes {
				masks = append(masks, plan.Pointer(n.Place, root))
			}
		case loose(c.field):
			absent = append(absent, plan.Pointer(c.field.Place, root))
		default:
			masks = append(masks, plan.Pointer(c.field.Place, root))
		}
	}
	return masks, absent
}

// shownToken is the token of a value as a comment may show it: a text with a secret in it, in whatever spelling, is
// looked through as the text that it is.
func (a *asserting) shownToken(n *plan.Node) string {
	if text, ok := literal.FromJSON(n.Raw); ok && n.Raw[0] == '"' {
		if shown := a.src.Redactor.Show(n.Place, text); shown != text {
			return shown
		}
	}
	return a.src.Redactor.Show(n.Place, n.Raw)
}

// cut asserts one part that was masked.
func (a *asserting) cut(c *cut) {
	first := c.nodes[0]
	switch {
	case c.field == nil && first.Scalar():
		a.add(plan.Check{Kind: plan.CheckEqual, Place: first.Place, Text: a.secretValue(first)})
		return
	case c.field == nil:
		a.add(plan.Check{Kind: plan.CheckHolds, Place: first.Place, Why: "keys that are secrets",
			Holds: mapfile.Holds{Type: "object"}})
		return
	}
	f := c.field
	if a.mode == suite.Comment {
		if !first.Scalar() {
			shown := a.src.Redactor.Show(first.Place, asJSON(first))
			a.off(f, first.Place, shown, unlessHidden(shown, asJSON(first), shown))
			return
		}
		shown := a.shownToken(first)
		a.off(f, first.Place, shown, unlessHidden(shown, first.Raw, first.Raw))
		return
	}
	if f.Apart() {
		a.off(f, f.Place, "", "")
		return
	}
	if first.Scalar() && len(c.nodes) == 1 && a.carried(f, first.Place, first.Raw) {
		return
	}
	if (f.Holds.Order == "any" || f.Holds.Order == "set") && first.Raw == "[" && len(c.nodes) == 1 &&
		a.dependence.at[first.Place] == nil {
		a.items(f, first)
		return
	}
	if len(c.nodes) != 1 || !a.among(f, first) {
		a.holds(f, f.Place, f.Holds)
	}
	if a.dependence.is(f) {
		a.shapes(f, first)
		return
	}
	a.below(f)
}

// asJSON is a value as JSON, what is asserted apart included.
func asJSON(n *plan.Node) string {
	whole := *n
	whole.Masked = false
	return string(whole.JSON())
}

// seenElse is an array or an object as an observation had it, where that is not as recorded, as a comment may show it;
// "" where none was.
func (a *asserting) seenElse(place exchange.Place, recorded string) (seen string) {
	for _, o := range a.step.Observations {
		if o.Response == nil || seen != "" {
			continue
		}
		payload, _ := o.Response.Payload()
		root := plan.ReadNode(payload)
		if root == nil {
			continue
		}
		root.Walk(func(n *plan.Node) bool {
			if n.Place != place {
				return place.Within(n.Place)
			}
			if shown := a.src.Redactor.Show(place, string(n.JSON())); shown != recorded {
				seen = shown
			}
			return false
		})
	}
	return seen
}

// items asserts that an array has the recorded elements, in any order, but for what moves within them.
func (a *asserting) items(f *mapfile.Field, array *plan.Node) {
	inner := a.within(array)
	c := plan.Check{Kind: plan.CheckItems, Place: array.Place, Why: a.why(f, "")}
	if f.Holds.Order == "set" {
		c.Extent = plan.AsSet
	}
	for _, k := range inner {
		general := array.Place + exchange.Place(strings.TrimPrefix(string(k.field.Place), string(f.Place)))
		if loose(k.field) {
			c.Absent = append(c.Absent, plan.Pointer(general, array.Place))
		} else {
			c.Masks = append(c.Masks, plan.Pointer(general, array.Place))
		}
	}
	array.Masked = false
	c.JSON = array.JSON()
	array.Masked = true
	a.add(c)
	for _, k := range inner {
		a.holds(k.field, k.field.Place, optionally(k.field.Holds))
	}
}

// within masks what moves, or is secret, in the elements of an array. A secret has no place to be asserted at where the
// elements come in any order: it is masked in all of them.
func (a *asserting) within(array *plan.Node) []*cut {
	var out []*cut
	hidden := map[exchange.Place]*mapfile.Field{}
	for i, k := range array.Kids {
		for _, c := range a.cuts(k) {
			if c.field == nil {
				for _, n := range c.nodes {
					general := array.Place.Each() + exchange.Place(strings.TrimPrefix(string(n.Place), string(array.Place.Index(i))))
					if hidden[general] == nil {
						hidden[general] = &mapfile.Field{Place: general, Judgement: mapfile.Stable}
					}
					c = &cut{field: hidden[general], nodes: c.nodes}
				}
			}
			if !slices.ContainsFunc(out, func(o *cut) bool { return o.field == c.field }) {
				out = append(out, c)
			}
		}
	}
	for _, k := range array.Kids {
		k.Walk(func(n *plan.Node) bool {
			for general := range hidden {
				n.Masked = n.Masked || general.Matches(n.Place)
			}
			return !n.Masked
		})
	}
	return out
}

// below asserts what holds of the places within a container that moves.
func (a *asserting) below(f *mapfile.Field) {
	n := 0
	for _, g := range a.op.Fields {
		if g.Place == f.Place || !g.Place.Within(f.Place) || g.Apart() || n == maxFields {
			continue
		}
		h := g.Holds
		if g.Of < minEqual { // other elements will come
			h.Equal = nil
		}
		if h = a.statable(h); states(h) && a.writable(g.Place) {
			a.add(plan.Check{Kind: plan.CheckHolds, Place: g.Place, Holds: h, Optional: true})
			n++
		}
	}
}

// shapes asserts the types of what the recorded elements of an array have, of an array whose elements others leave.
func (a *asserting) shapes(f *mapfile.Field, array *plan.Node) {
	types, order := map[exchange.Place][]string{}, []exchange.Place(nil)
	for i, k := range array.Kids {
		k.Walk(func(n *plan.Node) bool {
			tail := strings.TrimPrefix(string(n.Place), string(array.Place.Index(i)))
			if array.Raw != "[" || strings.Count(tail, "/") > 1 {
				return false
			}
			general := array.Place.Each() + exchange.Place(tail)
			if types[general] == nil {
				order = append(order, general)
			}
			if !slices.Contains(types[general], n.Kind()) {
				types[general] = append(types[general], n.Kind())
			}
			return true
		})
	}
	for _, p := range order[:min(len(order), maxFields)] {
		if a.writable(p) {
			a.add(plan.Check{Kind: plan.CheckHolds, Place: p, Optional: true,
				Holds: mapfile.Holds{Type: refute.TypeOf(types[p])}})
		}
	}
}

// related are the relations that suites always assert: those that are computed, and lists that are sorted. That one
// number is no less than another, or always so much more, was true of every answer seen, and may well be a habit; of
// times it says what came first.
var related = []relation.Kind{
	relation.Equal, relation.Sum, relation.Difference, relation.Product, relation.Count, relation.Total,
	relation.Ascending, relation.Descending,
}

// tells reports whether a relation is more than a habit, and says more than what is asserted already.
func (a *asserting) tells(f *mapfile.Field, r relation.Relation) bool {
	switch r.Is {
	case relation.AtLeast:
		return notation.Temporal(f.Holds.Format)
	case relation.Contains: // a text that is known as a whole says more
		known := func(c plan.Check) bool { return c.Kind == plan.CheckEqual && c.Place == f.Place }
		return !slices.ContainsFunc(a.out, known)
	}
	return slices.Contains(related, r.Is)
}

// relations asserts how the places that move follow from others of the same answer.
func (a *asserting) relations() {
	if a.mode != suite.Relax || a.op == nil {
		return
	}
	for _, f := range a.op.Fields {
		if f.Protocol || !f.AppliesTo(a.fp) {
			continue
		}
		for _, r := range f.Holds.Relations {
			places := append([]exchange.Place{f.Place}, r.Of...)
			if a.tells(f, r) && !slices.ContainsFunc(places, a.unrelatable) {
				a.add(plan.Check{Kind: plan.CheckRelated, Place: f.Place, Relation: r.Is, Of: r.Of})
			}
		}
	}
}

// unrelatable reports whether a place cannot stand in a relation: its keys hold a secret, or it is no part of a JSON
// body and no header of a plain name.
func (a *asserting) unrelatable(p exchange.Place) bool {
	return !a.writable(p) || p.Root() != "body" && (p.Root() != "header" || strings.Contains(string(p), "~"))
}
