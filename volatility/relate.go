package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// stateRelations states the relations that hold between the places of an operation.
func stateRelations(o *Operation, all []foundRelation, secret func(exchange.Place) bool) {
	fields := make(map[exchange.Place]*Field, len(o.Fields))
	for _, f := range o.Fields {
		fields[f.Place] = f
	}
	for _, r := range all {
		f, shown := fields[r.place], true
		for _, p := range r.Of {
			shown = shown && fields[p] != nil
		}
		if f == nil || !shown || r.By != "" && (secret(r.place) || secret(r.Of[0])) {
			continue
		}
		if turned(&r, fields) {
			f = fields[r.place]
		}
		weak := r.Is == RelAtLeast || r.Is == RelAtMost || r.Is == RelContains
		if weak && !f.Volatile() || len(f.Holds.Equal) > 0 || len(f.Holds.Relations) >= maxRelations {
			continue
		}
		f.Holds.Relations = append(f.Holds.Relations, r.Relation)
	}
	for _, f := range o.Fields {
		slices.SortFunc(f.Holds.Relations, func(a, b Relation) int {
			return cmp.Or(cmp.Compare(a.Is, b.Is), slices.Compare(a.Of, b.Of))
		})
	}
}

// turned states a relation of another of its places, where the one it is stated of does not move and that one does: what
// moves is what needs it said. It reports whether it did.
func turned(r *foundRelation, fields map[exchange.Place]*Field) bool {
	if fields[r.place].Volatile() {
		return false
	}
	p, a := r.place, r.Of[0]
	switch {
	case r.Is == RelSum && fields[a].Volatile():
		r.place, r.Relation = a, Relation{Is: RelDifference, Of: []exchange.Place{p, r.Of[1]}}
	case r.Is == RelSum && fields[r.Of[1]].Volatile():
		r.place, r.Relation = r.Of[1], Relation{Is: RelDifference, Of: []exchange.Place{p, a}}
	case r.Is == RelAtLeast && fields[a].Volatile():
		r.place, r.Relation = a, Relation{Is: RelAtMost, Of: []exchange.Place{p}}
	case r.Is == RelEqual && fields[a].Volatile():
		r.place, r.Relation = a, Relation{Is: RelEqual, Of: []exchange.Place{p}}
	default:
		return false
	}
	return true
}

// concealRelations shows the places of relations as those of fields are shown.
func (j *judge) concealRelations(h *Holds) {
	for i := range h.Relations {
		for k, p := range h.Relations[i].Of {
			h.Relations[i].Of[k] = j.shownPlace(p)
		}
	}
}

// shownPlace returns a place with the secrets in its keys as tokens.
func (j *judge) shownPlace(p exchange.Place) exchange.Place {
	return j.options.Redactor.ShowPlace(p)
}
