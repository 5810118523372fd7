package mapfile

import (
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// kind is a number of places that one thing of an API answers: a header that several operations have, or a member of
// objects that have the same members, wherever these stand.
type kind struct {
	moved bool // one of them did, or is explained to
	units map[*Operation]*unit
}

// unit are the places of a kind in one operation, which are observed in the same answers.
type unit struct {
	fields []*Field
	of     int // the fewest observations of one
}

// PoolKinds lowers the bounds of places that never moved by what was observed of their kind in other operations, and
// says so in [Field].Pooled.
//
// That one thing answers them is likely, and cannot be known of what never moved: the chances of its places may differ.
// So the bound of a kind is one that holds for nineteen of twenty of its operations, whatever the chances are: the
// expected share of those whose chance lies above it is 5 % at most (the false coverage-statement rate of Benjamini and
// Yekutieli 2005). A kind of which a place moved anywhere is not pooled, as its own history speaks against it.
//
// The rule: suppose that b of the kind's m operations have chances above the bound B. That none of these was seen to
// move has a probability of (1-B)^s at most, for s observations of them, and only then is B claimed. The share is b/m,
// so B has to satisfy b/m (1-B)^s <= 0.05 for each b, with the s of the b operations that were observed least often. An
// operation with few observations is so lent no more than others of its size would be found out by.
func (m *Map) PoolKinds() {
	for _, k := range m.kinds() {
		if k.moved || len(k.units) < 2 {
			continue
		}
		of := make([]int, 0, len(k.units))
		for _, u := range k.units {
			of = append(of, u.of)
		}
		bound := kindBound(of)
		for _, u := range k.units {
			for _, f := range u.fields {
				if bound < f.Bound {
					f.Bound, f.Pooled = bound, len(k.units)
				}
			}
		}
	}
}

// lent returns, of the places in bodies that never moved, what is said of their kind where it moved, and they were seen
// too seldom to differ from it: which of two stations a rare alarm was seen at is chance. What is said is that of the
// place that moved most often, with the observations of all.
func (m *Map) lent() map[*Field]*Field {
	out := map[*Field]*Field{}
	for _, k := range m.kinds() {
		if !k.moved || len(k.units) < 2 {
			continue
		}
		var fields []*Field
		for _, o := range m.Operations {
			if u := k.units[o]; u != nil {
				fields = append(fields, u.fields...)
			}
		}
		of := kindOf(fields)
		if of == nil {
			continue
		}
		for _, f := range fields {
			if f.Changed == 0 && !f.Volatile() && f.Rule == nil && !shows(f.Of, float64(of.Changed)/float64(of.Of)) {
				out[f] = of
			}
		}
	}
	return out
}

// kindOf returns what is said of a kind: nil where none of its places jitters, or they are of headers.
func kindOf(fields []*Field) *Field {
	var most *Field
	changed, of := 0, 0
	for _, f := range fields {
		changed, of = changed+f.Changed, of+f.Of
		if f.Judgement == Jitter && f.Changed > 0 && f.Place.Within(exchange.PlaceBody) && f.Rule == nil &&
			(most == nil || f.Changed > most.Changed) {
			most = f
		}
	}
	if most == nil {
		return nil
	}
	kind := *most
	kind.Changed, kind.Of = changed, of
	return &kind
}

// kindBound is the bound of a kind that never moved in so many observations of each of its operations, rounded up to
// four digits.
func kindBound(of []int) float64 {
	slices.Sort(of)
	allowed, sum, bound := 0.05*float64(len(of)), 0, 0.0
	for i, n := range of {
		sum += n
		b := float64(i + 1)
		switch {
		case b <= allowed:
		case sum == 0:
			return 1
		default:
			bound = max(bound, 1-math.Pow(allowed/b, 1/float64(sum)))
		}
	}
	return math.Min(1, math.Ceil(bound*1e4)/1e4)
}

// minMembers is how many members objects must have in common for them to be of one type.
const minMembers = 3

// kinds gathers the places of the map by their kinds.
func (m *Map) kinds() map[string]*kind {
	all := map[string]*kind{}
	for _, o := range m.Operations {
		types := o.types()
		for _, f := range o.Fields {
			name := ""
			parent := f.Place.Parent()
			switch {
			case f.Apart() || MovesByProtocol(f.Place):
			case parent == "/header":
				name = string(f.Place)
			case types[parent] != "":
				name = types[parent] + string(f.Place[len(parent):])
			}
			if name == "" {
				continue
			}
			name = o.Host + " " + name
			k := all[name]
			if k == nil {
				k = &kind{units: map[*Operation]*unit{}}
				all[name] = k
			}
			k.add(o, f)
		}
	}
	return all
}

func (k *kind) add(o *Operation, f *Field) {
	k.moved = k.moved || f.Changed > 0 || f.Volatile()
	u := k.units[o]
	if u == nil {
		u = &unit{of: f.Of}
		k.units[o] = u
	}
	u.fields, u.of = append(u.fields, f), min(u.of, f.Of)
}

// types names the objects in the bodies of an operation by their members, where they have enough of them.
func (o *Operation) types() map[exchange.Place]string {
	members := map[exchange.Place][]string{}
	for _, f := range o.Fields {
		if parent := f.Place.Parent(); f.Place.Within(exchange.PlaceBody) && parent != "" && !f.Repeats() {
			members[parent] = append(members[parent], string(f.Place[len(parent):]))
		}
	}
	types := map[exchange.Place]string{}
	for parent, names := range members {
		if len(names) >= minMembers &&
			!slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "/*") }) {
			slices.Sort(names)
			types[parent] = strings.Join(names, "")
		}
	}
	return types
}
