package steady

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/volatility"
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
			if reason := contradicts(f.Place, r, values); reason != "" {
				a.wrong[f.Place] = reason
			}
		}
	}
}

// contradicts says what of a relation does not hold of the values of an answer; "" where it does, or nothing can be said.
func contradicts(place exchange.Place, r volatility.Relation, values map[string][]string) string {
	own := values[string(place)]
	var of [][]string
	for _, p := range r.Of {
		of = append(of, values[string(p)])
	}
	switch r.Is {
	case volatility.RelCount:
		if len(own) != 1 || len(of[0]) != 1 {
			return ""
		}
		n, ok := parse(of[0][0])
		if !ok {
			return ""
		}
		elements := make([]string, len(n.children))
		return reason(r.Check(own[0], elements...))
	case volatility.RelTotal:
		if len(own) != 1 || len(of) > 1 && len(of[0]) != len(of[1]) {
			return ""
		}
		return reason(r.Check(own[0], slices.Concat(of...)...))
	}
	for _, list := range of {
		if len(list) != len(own) {
			return "" // some elements have no such member: which belong together cannot be told
		}
	}
	for i, raw := range own {
		row := make([]string, len(of))
		for k := range of {
			row[k] = of[k][i]
		}
		if why := reason(r.Check(raw, row...)); why != "" {
			return why
		}
	}
	return ""
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
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

// valueAt returns the value at a place of a request.
func valueAt(r *exchange.Request, place exchange.Place) (value string, ok bool) {
	flow.Values(r, func(p exchange.Place, v string) bool {
		if p == place {
			value, ok = v, true
		}
		return !ok
	})
	return value, ok
}
