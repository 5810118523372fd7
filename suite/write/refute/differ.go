package refute

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Difference is a place where answers to one request differ, what is to be masked for it, which is the array that it is
// an element of or the object that it is not always in, and the types seen there.
type Difference struct {
	Place, General, Mask exchange.Place // Place is the one in the first answer, or, where that has none, in the second
	Types                string
	Order                bool // they are the same elements in another order
}

// Differences lists where two answers differ beside their status.
func Differences(before, after *exchange.Response) []Difference {
	var out []Difference
	for _, d := range compare.Responses(before, after) {
		if d.Place == exchange.PlaceStatus || d.Place == exchange.PlaceReason {
			continue
		}
		found := Difference{Place: d.Place, General: d.General, Mask: d.General, Order: d.Kind == compare.Reordered}
		switch i := strings.Index(string(d.General), "/*"); {
		case d.Kind == compare.Changed || d.Kind == compare.Retyped || d.Kind == compare.Notation:
			found.Types = TypeOf([]string{plan.KindOf(d.Before), plan.KindOf(d.After)})
			if d.General.Root() == "header" {
				found.Types = "string"
			}
		case i > 0:
			found.Mask, found.Types = d.General[:i], "array"
		case d.Kind == compare.Added || d.Kind == compare.Removed:
			if found.Mask = d.General.Parent(); d.General.Root() == "body" {
				found.Types = "object"
			} else {
				found.Mask = d.General
			}
		case d.Kind == compare.Resized || d.Kind == compare.Reordered:
			found.Types = "array"
		}
		out = append(out, found)
	}
	return out
}

// TypeOf joins types as mapfile.Holds does. An integer may come in place of another number.
func TypeOf(kinds []string) string {
	var out []string
	for _, k := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		if slices.Contains(kinds, k) && (k != "integer" || !slices.Contains(kinds, "number")) {
			out = append(out, k)
		}
	}
	return strings.Join(out, "|")
}
