package search

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// guesses are values that names which may be those of fields are given, all names at once that may be of the kind: what
// differs then is narrowed down to the few names that bring it about.
var guesses = []struct {
	kind   kind.Kind
	values []any
}{
	{kind.Boolean, []any{true, false}},
	{kind.Number, []any{1e6, 0.0, -1.0, 2.0}},
	{kind.String, []any{"x"}},
	{kind.List, []any{[]any{"x"}, []any{map[string]any{}}}},
	{kind.Object, []any{map[string]any{}}},
}

// nearGuesses is how many of the texts near its name each name is given.
const nearGuesses = perField

// probes adds changes of all names at once that may be fields, to find out which are.
func (h *hunt) probes(l *lister, current Answer) {
	names := h.words.around(l.endpoint, h.known.fields[l.endpoint])
	if len(names) == 0 {
		return
	}
	for _, v := range h.given.Texts { // an answer may be a table of what is asked for
		if !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	h.probesAt(l, current, exchange.PlaceBody, names, 0)
	l.group(probe, 2, "nested", current, h.words.nested(), h.plausible)
	if !current.plain() {
		return
	}
	for _, f := range h.known.fields[l.endpoint] { // within fields that are lists or objects
		v, _ := tree.Get(current.JSON, tree.Within(f.place))
		switch kind.Of(v) {
		case kind.List:
			if list := v.([]any); len(list) == 0 || kind.Of(list[0]) == kind.Object {
				h.probesAt(l, current, f.place.Each(), names, 1)
			}
		case kind.Object:
			h.probesAt(l, current, f.place, names, 1)
		}
	}
}

// plausible is that each of many names has a value that a field of that name may have.
const plausible = "plausible"

// plausibleNames is the gene of an answer with all names of the files.
const plausibleNames = "group " + plausible + " in " + string(exchange.PlaceBody)

func (h *hunt) plausible(p exchange.Place) any { return h.filler(field{place: p}) }

// probesAt adds them for the members of one place.
func (h *hunt) probesAt(l *lister, current Answer, at exchange.Place, names []string, later int) {
	of := func(wanted kind.Kind) (out []exchange.Place) {
		for _, n := range names {
			if k := h.words.kindOf(n); k == wanted || k == kind.Unknown || k == kind.Integer && wanted == kind.Number ||
				wanted == kind.Unknown {
				out = append(out, at.Key(n))
			}
		}
		return out
	}
	texts, in := of(kind.String), " in "+string(at)
	l.group(probe, later, plausible+in, current, of(kind.Unknown), h.plausible)
	turn := 1
	for i := range nearGuesses {
		l.group(probe, later+1+3*i, fmt.Sprint("near ", i, in), current, texts, func(p exchange.Place) any {
			near, _ := h.words.near(l.endpoint, tree.Name(p), nearGuesses)
			if i < len(near) {
				return near[i]
			}
			return "x"
		})
	}
	for i, v := range h.given.Texts[:min(len(h.given.Texts), perField)] {
		l.group(probe, later+2+2*i, geneOf(v)+in, current, texts, func(exchange.Place) any { return v })
	}
	for _, g := range guesses {
		places := of(g.kind)
		for i, v := range g.values {
			l.group(probe, later+turn+3*i, geneOf(v)+in, current, places, func(exchange.Place) any { return v })
		}
		turn++
	}
}
