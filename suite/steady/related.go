package steady

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/relation"
)

// relate finds the places that are at odds with those that they follow from.
func (a *answering) relate() {
	if a.judged == nil || len(a.judged.related) == 0 {
		return
	}
	wanted := map[string]bool{}
	for _, f := range a.judged.related {
		wanted[string(f.Place)] = true
		for _, r := range f.Holds.Relations {
			for _, p := range r.Of {
				wanted[string(p)] = true
			}
		}
	}
	values := map[string][]string{}
	compare.Read(a.e.Response, nil).Each(func(general []byte, raw string) {
		if wanted[string(general)] {
			values[string(general)] = append(values[string(general)], raw)
		}
	})
	a.wrong = map[exchange.Place]string{}
	for _, f := range a.judged.related {
		for _, r := range f.Holds.Relations {
			if err := contradicts(f.Place, r, values); err != nil {
				a.wrong[f.Place] = err.Error()
			}
		}
	}
}

// contradicts returns what of a relation does not hold of the values of an answer; nil where it does, or nothing can be
// said.
func contradicts(place exchange.Place, r relation.Relation, values map[string][]string) error {
	var of [][]string
	for _, p := range r.Of {
		of = append(of, values[string(p)])
	}
	return r.CheckAll(values[string(place)], of, func(raw string) (int, bool) {
		if n := editable(raw); n != nil {
			return len(n.Children), true
		}
		return 0, false
	})
}

// parts are the parts of the texts of an answer: by text, and by what follows its place.
type parts map[exchange.Place]map[exchange.Place]string

// partsIn reads what the texts of an answer hold.
func partsIn(r *exchange.Response) parts {
	out := parts{}
	compare.Read(r, nil).Parts(func(p exchange.Place, raw string) {
		text, _, ok := p.Text()
		if !ok {
			return
		}
		if out[text] == nil {
			out[text] = map[exchange.Place]string{}
		}
		out[text][p[len(text):]] = raw
	})
	return out
}

// readParts reads what the texts of both answers hold.
func (a *answering) readParts() {
	if a.textsThen == nil {
		a.textsThen, a.textsNow = partsIn(a.rec.Response), partsIn(a.e.Response)
	}
}

// sortedKeys returns the keys that are in either of two maps, sorted.
func sortedKeys[K ~string, V any](a, b map[K]V) []K {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}
