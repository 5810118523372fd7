package suite

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// maxFields bounds how many places below one volatile container are asserted each by itself.
const maxFields = 20

// minEqual is how many observations there must be of what always had one value, within a container that moves, before
// that is asserted of the elements to come.
const minEqual = 20

// cut is a part of a body that is asserted apart from the rest: as it moves, or as it is secret.
type cut struct {
	field *volatility.Field // nil for a secret that does not move
	nodes []*node
}

// json asserts a JSON body: all that is stable at once, as a literal with ... in place of what is not, then what is left
// to say of each place that moves.
func (a *asserting) json(root *node) {
	root.walk(a.secretKeys)
	cuts := a.cuts(root)
	optional := a.optional(root)
	if len(cuts)+len(optional) == 0 {
		a.out = append(a.out, root.lines(0, "assert res.json() == ", "")...)
		return
	}
	a.out = append(a.out, "body = res.json()")
	if !root.masked {
		masks, absent := a.pointers(cuts)
		for _, f := range optional {
			absent = append(absent, a.pointer(f.Place))
		}
		a.out = append(a.out, root.lines(0, "assert "+maskedCall("body", masks, absent)+" == ", "")...)
	}
	for _, c := range cuts {
		a.cut(c)
	}
	for _, f := range optional {
		a.comment(f, "absent", "")
		a.each(f, f.Place)
	}
}

// loose reports whether an answer may lack the place: it is not always there, or the user's rule asks nobody to look.
func loose(f *volatility.Field) bool { return f.Holds.Optional || f.Apart() }

// cuts masks what is asserted apart, and returns it by field, in the order of the document.
func (a *asserting) cuts(root *node) []*cut {
	var out []*cut
	byField := map[*volatility.Field]*cut{}
	root.walk(func(n *node) bool {
		f := a.volatile(n.place)
		if f != nil && f.Protocol {
			f = nil
		}
		switch {
		case f != nil && byField[f] != nil:
			byField[f].nodes = append(byField[f].nodes, n)
		case f != nil:
			byField[f] = &cut{field: f, nodes: []*node{n}}
			out = append(out, byField[f])
		case n.scalar() && a.secretNode(n):
			out = append(out, &cut{nodes: []*node{n}})
		default:
			return true
		}
		if n.masked = true; f != nil && loose(f) {
			n.gone = true
		}
		return false
	})
	return out
}

// secretNode reports whether a scalar is a secret, by its name or by its value.
func (a *asserting) secretNode(n *node) bool {
	if n.raw == "null" || n.raw == "true" || n.raw == "false" || n.text() == "" {
		return false
	}
	return a.src.Redactor.Secret(n.place) || a.holdsSecret(n.text())
}

// secretValue returns what a scalar is that is a secret, or a text that holds one, as a Python expression.
func (a *asserting) secretValue(n *node) string {
	switch {
	case n.raw[0] != '"':
		return "parse_json(" + a.secret(n.raw) + ")"
	case a.src.Redactor.Secret(n.place):
		return a.secret(n.text())
	}
	return a.text(n.text())
}

// optional lists the places that move and that the recorded answer does not have, though it has what they are part of.
func (a *asserting) optional(root *node) []*volatility.Field {
	if a.op == nil || a.mode == Exact {
		return nil
	}
	var out []*volatility.Field
	for _, f := range a.op.Fields {
		if f.Protocol || !f.Place.Within(exchange.PlaceBody) || f.Place == exchange.PlaceBody || !f.AppliesTo(a.fp) {
			continue
		}
		parent, missing := f.Place.Parent(), false
		root.walk(func(n *node) bool {
			if n.raw == "{" && !n.masked && parent.Matches(n.place) {
				missing = missing || !slices.ContainsFunc(n.kids, func(k *node) bool { return f.Place.Matches(k.place) })
			}
			return !n.masked
		})
		if missing {
			out = append(out, f)
		}
	}
	return out
}

// pointers names the masked places, and apart those of them that are not always there.
func (a *asserting) pointers(cuts []*cut) (masks, optional []string) {
	for _, c := range cuts {
		switch {
		case c.field == nil:
			masks = append(masks, a.pointer(c.nodes[0].place))
		case loose(c.field):
			optional = append(optional, a.pointer(c.field.Place))
		default:
			masks = append(masks, a.pointer(c.field.Place))
		}
	}
	return masks, optional
}

// maskedCall writes the masking of a value.
func maskedCall(value string, masks, optional []string) string {
	if len(masks)+len(optional) == 0 {
		return value
	}
	args := append([]string{value}, masks...)
	if len(optional) > 0 {
		args = append(args, "optional=["+strings.Join(optional, ", ")+"]")
	}
	return "masked(" + strings.Join(args, ", ") + ")"
}

// cut asserts one part that was masked.
func (a *asserting) cut(c *cut) {
	first := c.nodes[0]
	l := "at(body, " + a.pointer(first.place) + ")"
	if c.field == nil {
		a.out = append(a.out, "assert "+l+" == "+a.secretValue(first))
		return
	}
	f := c.field
	if a.mode == Comment {
		exact := "assert " + l + " == " + unmasked(first)
		a.comment(f, a.shown(first.place, first.raw), a.unlessSecret(first.place, first.raw, exact))
		return
	}
	a.comment(f, "", "")
	if f.Apart() {
		return
	}
	if first.scalar() && len(c.nodes) == 1 && a.carried(first.place, first.raw, l) {
		return
	}
	if f.Holds.Order == "any" && first.raw == "[" && len(c.nodes) == 1 {
		a.sameItems(first, l)
		return
	}
	a.each(f, f.Place)
	a.below(f)
}

// unmasked is the literal of a node as recorded, shortened for a comment.
func unmasked(n *node) string {
	if n.scalar() {
		return pyScalar(n.raw)
	}
	return n.raw + "…"
}

// sameItems asserts that an array has the recorded elements, in any order, but for what moves within them.
func (a *asserting) sameItems(array *node, l string) {
	inner := a.within(array)
	var masks, optional []string
	for _, c := range inner {
		tail := strings.TrimPrefix(string(c.field.Place), string(a.op.At(array.place).Place))
		if loose(c.field) {
			optional = append(optional, a.text(tail))
		} else {
			masks = append(masks, a.text(tail))
		}
	}
	l = maskedCall(l, masks, optional)
	array.masked = false
	a.out = append(a.out, array.lines(0, "assert same_items("+l+", ", ")")...)
	array.masked = true
	for _, c := range inner {
		a.comment(c.field, "", "")
		a.each(c.field, c.field.Place)
	}
}

// within masks what moves, or is secret, in the elements of an array.
func (a *asserting) within(array *node) []*cut {
	var out []*cut
	for _, k := range array.kids {
		for _, c := range a.cuts(k) {
			i := slices.IndexFunc(out, func(o *cut) bool { return o.field == c.field })
			switch {
			case c.field == nil: // a secret has to stay where it is: elements in any order have no place to assert it at
				for _, n := range c.nodes {
					n.masked = false
					n.code = a.secretValue(n)
				}
			case i < 0:
				out = append(out, c)
			}
		}
	}
	return out
}

// each asserts what holds of a place, wherever it is there.
func (a *asserting) each(f *volatility.Field, place exchange.Place) {
	if a.mode != Relax || f.Apart() {
		return
	}
	many := strings.Contains(string(place), "/*") || f.Holds.Optional
	l := "at(body, " + a.pointer(place) + ")"
	if place == exchange.PlaceBody {
		l = "body"
	}
	a.relaxed(f.Holds, l, "each(body, "+a.pointer(place)+")", many)
}

// below asserts what holds of the places within a container that moves.
func (a *asserting) below(f *volatility.Field) {
	n := 0
	for _, g := range a.op.Fields {
		if g.Place == f.Place || !g.Place.Within(f.Place) || g.Apart() {
			continue
		}
		h := g.Holds
		if g.Of < minEqual { // other elements will come
			h.Equal = nil
		}
		if n < maxFields && conditions(h, "v", true) != "" {
			a.relaxed(h, "", "each(body, "+a.pointer(g.Place)+")", true)
			n++
		}
	}
}

// relaxed writes what holds of a value: of l, or, for many, of each that list gives.
func (a *asserting) relaxed(h volatility.Holds, l, list string, many bool) {
	if a.mode != Relax {
		return
	}
	if a.holdsSecret(strings.ReplaceAll(h.Pattern, `\`, "")) {
		h.Pattern = ""
	}
	if a.holdsSecret(string(h.Equal)) || slices.ContainsFunc(h.OneOf, func(v json.RawMessage) bool { return a.holdsSecret(string(v)) }) {
		h.Equal, h.OneOf = nil, nil
	}
	if !many && !strings.Contains(h.Type, "null|") && !h.Optional {
		if c := conditions(h, l, false); c != "" {
			a.out = append(a.out, wrapAssert(c)...)
		}
		return
	}
	c := conditions(h, "v", false)
	switch {
	case c == "":
	case !strings.HasPrefix(list, "each("):
		a.out = append(a.out, wrapAssert("all("+c+" for v in ["+list+"] if v is not None)")...)
	default:
		a.out = append(a.out, wrapAssert("all("+c+" for v in "+list+")")...)
	}
}

// wrapAssert writes an assertion, broken after its opening bracket where it is too long for a line.
func wrapAssert(c string) []string {
	if len("assert ")+len(c) <= lineWidth-8 || !strings.HasPrefix(c, "all(") {
		return []string{"assert " + c}
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(c, "all("), ")")
	i := strings.LastIndex(inner, " for v in ")
	if i < 0 {
		return []string{"assert " + c}
	}
	return []string{"assert all(", "    " + inner[:i], "    " + inner[i+1:], ")"}
}
