package verdict

import (
	"cmp"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Operation is what was found out about one operation with one recorded status.
type Operation struct {
	Key       exchange.Operation
	Status    int // as recorded; 0 for faults
	Exchanges int
	Apart     time.Duration // the longest time between a recorded answer and that of a run
	Kept      time.Duration // the longest time for which an answer to a read may be kept
	Places    []*Place      // in the order of their fields
}

// Place is what the map will say of a place, and what of it the last passes ask for.
type Place struct {
	Field        *mapfile.Field     // without evidence and explanations
	Evidence     []mapfile.Evidence // the strongest first
	Explanations []Explanation
	Strength     float64 // of the explanation that gave the category; 0 where none did

	Changes int      // observations that have another value
	Repeats []string // the places that had all those values first: "POST /orders /body/id"
	OneGap  bool     // it is a text in which one part moves
}

// at returns what was found out about a place, nil where there is none.
func (o *Operation) at(place exchange.Place) *Place {
	i, found := slices.BinarySearchFunc(o.Places, place,
		func(x *Place, p exchange.Place) int { return cmp.Compare(x.Field.Place, p) })
	if !found {
		return nil
	}
	return o.Places[i]
}

// Finish adds the operations to a map that has none yet.
func Finish(m *mapfile.Map, all []*Operation, redactor exchange.Redactor) {
	slices.SortFunc(all, func(x, y *Operation) int {
		a, b := x.Key, y.Key
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method),
			cmp.Compare(x.Status, y.Status))
	})
	share(all)
	for _, o := range all {
		o.explainSize()
		m.Operations = append(m.Operations, o.write(redactor))
	}
	m.PoolKinds()
	m.Recount()
}

// explainSize gives the size the category of what moves in the body, where that is of one.
func (o *Operation) explainSize() {
	size := o.at(mapfile.PlaceSize)
	if size == nil || !size.Field.Volatile() {
		return
	}
	var from *mapfile.Field
	for _, d := range o.Places {
		f := d.Field
		if !f.Place.Within(exchange.PlaceBody) || !f.Volatile() || f.Repeats() {
			continue
		}
		if from != nil && from.Category != f.Category {
			return
		}
		from = f
	}
	if from == nil {
		return
	}
	with := mapfile.SignMovesWith.Of(string(from.Place))
	size.Field.Category = from.Category
	size.Evidence = append(size.Evidence, with)
	size.Explanations = First(size.Explanations, Explanation{from.Category, Strong, []mapfile.Evidence{with}})
}

// write makes the operation of a map. Places are found by the keys that they have, be they secret: the index is made
// before these become tokens.
func (o *Operation) write(redactor exchange.Redactor) *mapfile.Operation {
	out := &mapfile.Operation{Operation: o.Key, Status: o.Status, Exchanges: o.Exchanges}
	for _, x := range o.Places {
		out.Fields = append(out.Fields, x.Field)
	}
	out.Index()
	codes := func(all []mapfile.Evidence) []string {
		out := make([]string, len(all))
		for i, e := range all {
			out[i] = redactor.Show("", e.String())
		}
		return out
	}
	for _, x := range o.Places {
		f := x.Field
		f.Evidence = codes(x.Evidence)
		f.Explanations = make([]mapfile.Explanation, len(x.Explanations))
		for i, e := range x.Explanations {
			f.Explanations[i] = mapfile.Explanation{Category: e.Category, Weight: e.Weight, Evidence: codes(e.Evidence)}
		}
		conceal(f, redactor)
	}
	return out
}

// conceal shows the places whose keys hold secrets as everything else is shown. They are found by the keys themselves
// all the same.
func conceal(f *mapfile.Field, redactor exchange.Redactor) {
	f.Holds.Echo = redactor.Show("", f.Holds.Echo)
	f.Place = redactor.ShowPlace(f.Place)
	for i := range f.Holds.Captures {
		f.Holds.Captures[i].Echo = redactor.ShowPlace(f.Holds.Captures[i].Echo)
	}
	for i := range f.Holds.Relations {
		for k, p := range f.Holds.Relations[i].Of {
			f.Holds.Relations[i].Of[k] = redactor.ShowPlace(p)
		}
	}
}
