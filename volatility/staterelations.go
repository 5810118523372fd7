package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// stateRelations states the relations that hold between the places of an operation.
func stateRelations(j *judge, o *operationDraft) {
	fields := make(map[exchange.Place]*mapfile.Field, len(o.drafts))
	for _, d := range o.drafts {
		fields[d.field.Place] = d.field
	}
	secret := j.options.Redactor.Known.Secret
	for _, r := range o.from.miner.Relations() {
		f, shown := fields[r.Place], true
		for _, p := range r.Of {
			shown = shown && fields[p] != nil
		}
		if f == nil || !shown || r.By != "" && (secret(r.Place) || secret(r.Of[0])) {
			continue
		}
		if turned(&r, fields) {
			f = fields[r.Place]
		}
		loose := r.Is == relation.AtLeast || r.Is == relation.AtMost || r.Is == relation.Contains
		if loose && !f.Volatile() || len(f.Holds.Equal) > 0 || len(f.Holds.Relations) >= relation.MaxRelations {
			continue
		}
		f.Holds.Relations = append(f.Holds.Relations, r.Relation)
	}
	for _, d := range o.drafts {
		slices.SortFunc(d.field.Holds.Relations, func(a, b relation.Relation) int {
			return cmp.Or(cmp.Compare(a.Is, b.Is), slices.Compare(a.Of, b.Of))
		})
	}
}

// turned states a relation of another of its places, where the one it is stated of does not move and that one does:
// what moves is what needs it said. It reports whether it did.
func turned(r *relation.Stated, fields map[exchange.Place]*mapfile.Field) bool {
	if fields[r.Place].Volatile() {
		return false
	}
	p, a := r.Place, r.Of[0]
	switch {
	case r.Is == relation.Sum && fields[a].Volatile():
		r.Place, r.Relation = a, relation.Relation{Is: relation.Difference, Of: []exchange.Place{p, r.Of[1]}}
	case r.Is == relation.Sum && fields[r.Of[1]].Volatile():
		r.Place, r.Relation = r.Of[1], relation.Relation{Is: relation.Difference, Of: []exchange.Place{p, a}}
	case r.Is == relation.AtLeast && fields[a].Volatile():
		r.Place, r.Relation = a, relation.Relation{Is: relation.AtMost, Of: []exchange.Place{p}}
	case r.Is == relation.Equal && fields[a].Volatile():
		r.Place, r.Relation = a, relation.Relation{Is: relation.Equal, Of: []exchange.Place{p}}
	default:
		return false
	}
	return true
}
