package refute

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// body holds what is said of a whole body against the answer.
func (w *weakening) body(c plan.Check) []plan.Check {
	same := true
	switch c.Kind {
	case plan.CheckEmpty:
		same = len(w.payload) == 0
	case plan.CheckText:
		want, known := w.filled(c.Text)
		if same = !known || want == string(w.payload); !same && len(w.payload) > 0 {
			return w.typed(c)
		}
	case plan.CheckDigest:
		if same = c.SHA256 == digest(w.payload); !same && len(w.payload) > 0 {
			return w.size(c)
		}
	case plan.CheckSize:
		if same = len(w.payload) > 0 && (c.Length == 0 || c.Length == len(w.payload)); !same && len(w.payload) > 0 {
			return w.size(c)
		}
	case plan.CheckOutline:
		return w.outline(c)
	case plan.CheckJSON:
		return w.json(c)
	}
	if !same {
		return w.comment(c)
	}
	return []plan.Check{c}
}

// size is a check of how many bytes a body has.
func (w *weakening) size(c plan.Check) []plan.Check {
	out := plan.Check{Kind: plan.CheckSize, Place: c.Place, Why: c.Why, If: c.If}
	if c.Length == len(w.payload) {
		out.Length = c.Length
	}
	return []plan.Check{w.because(out)}
}

// outline leaves of the keys of a body those that are there.
func (w *weakening) outline(c plan.Check) []plan.Check {
	root := plan.ReadNode(w.payload)
	var keys []string
	if root != nil && root.Raw == "{" {
		keys = slices.DeleteFunc(slices.Clone(c.Keys), func(k string) bool { return !slices.Contains(root.Keys, k) })
	}
	switch {
	case len(c.Keys) == 0 && root != nil && root.Raw == "[" && len(root.Kids) == c.Length,
		len(c.Keys) > 0 && len(keys) == len(c.Keys):
		return []plan.Check{c}
	case len(keys) == 0:
		return w.typed(c)
	}
	c.Keys = keys
	return []plan.Check{c}
}

// json leaves out of a comparison what differs, and says what is left of that.
func (w *weakening) json(c plan.Check) []plan.Check {
	var apart []plan.Check
	masks := slices.Clone(c.Masks)
	for _, d := range Differences(w.recorded, w.Response) {
		if d.Place.Root() != "body" || covered(d.Place, append(masks, c.Absent...)) {
			continue
		}
		if d.Mask == exchange.PlaceBody {
			return w.typed(c)
		}
		masks = append(masks, plan.Pointer(d.Mask, exchange.PlaceBody))
		if !slices.Contains(w.asserted, d.Mask) {
			apart = append(apart, plan.Check{Kind: plan.CheckHolds, Place: d.Mask, Why: w.why, If: c.If,
				Holds: mapfile.Holds{Type: d.Types}, Optional: strings.Contains(string(d.Mask), "/*")})
		}
	}
	root := plan.ReadNode(c.JSON)
	if len(masks) == len(c.Masks) || root == nil {
		return []plan.Check{c}
	}
	c.Masks = masks
	mark(root, exchange.PlaceBody, masks, nil)
	c.JSON = root.JSON()
	return append([]plan.Check{c}, apart...)
}

// covered reports whether a place of the body, or what it is a part of, is left out of a comparison.
func covered(place exchange.Place, out []exchange.Place) bool {
	for p := place; p != "" && p != exchange.PlaceBody; p = p.Parent() {
		if plan.PlaceSet(out).Has(plan.Pointer(p, exchange.PlaceBody)) {
			return true
		}
	}
	return false
}

// mark masks parts of a value, and leaves others out; masks and absent are pointers from root.
func mark(n *plan.Node, root exchange.Place, masks, absent plan.PlaceSet) {
	n.Walk(func(n *plan.Node) bool {
		at := plan.Pointer(n.Place, root)
		n.Masked, n.Gone = masks.Has(at), absent.Has(at)
		return !n.Masked && !n.Gone
	})
}

// items leaves of the elements of an array those that are there.
func (w *weakening) items(c plan.Check) []plan.Check {
	found, wanted := w.at(c.Place), plan.ReadNode(c.JSON)
	var array *plan.Node
	if len(found) == 1 {
		array = plan.ReadNode([]byte(found[0]))
	}
	if array == nil || array.Raw != "[" || wanted == nil {
		return w.typed(c)
	}
	times := map[string]int{}
	for _, kid := range array.Kids {
		mark(kid, exchange.PlaceBody, c.Masks, c.Absent)
		times[canonical(kid)]++
	}
	named := map[string]int{}
	var kept []*plan.Node
	for _, kid := range wanted.Kids {
		text := canonical(kid)
		if named[text]++; named[text] <= times[text] || c.Extent == plan.AsSet && times[text] > 0 {
			kept = append(kept, kid)
		}
	}
	exact := len(array.Kids) == len(wanted.Kids)
	if c.Extent == plan.AsSet {
		exact = len(times) == len(named)
	}
	switch {
	case len(kept) == len(wanted.Kids) && (exact || c.Extent == plan.Among):
		return []plan.Check{c}
	case len(kept) == 0 || c.Extent == plan.AsSet:
		return w.typed(c)
	}
	wanted.Kids = kept
	c.JSON, c.Extent = wanted.JSON(), plan.Among
	return []plan.Check{w.because(c)}
}

// canonical is a value without what is left out of it, the members of its objects in the order of their names.
func canonical(n *plan.Node) string {
	switch {
	case n.Masked:
		return literal.JSON(plan.Masked)
	case n.Scalar():
		return n.Raw
	}
	var parts []string
	for i, k := range n.Kids {
		if k.Gone {
			continue
		}
		part := canonical(k)
		if n.Raw == "{" {
			part = literal.JSON(n.Keys[i]) + ":" + part
		}
		parts = append(parts, part)
	}
	if n.Raw == "{" {
		slices.Sort(parts)
	}
	return n.Raw + strings.Join(parts, ",") + string(n.Raw[0]+2)
}
