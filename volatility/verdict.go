package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// pass is one step from what was counted of an operation to what the map says of it.
type pass func(*judge, *operationDraft)

// passes are made one after the other, over one operation. Each may lean on what those before it did: doc.go has the
// reason for the place of each. Nothing in them looks at another operation.
func passes() []pass {
	return []pass{
		joinDataKeys,       // keys that are data share one place
		markSecrets,        // parts of texts that are secret, and texts that hide a secret
		judgeFields,        // each place by itself: judgement, category, what holds
		explainByLifecycle, // what came and went with a stage of life that the clock decides on
		explainBySiblings,  // what says nothing by itself, and something beside its neighbor
		explainByParts,     // texts, by what moves within them
		withdrawOrders,     // "any order", where an element moves as well
		stateRelations,     // how values follow from others
	}
}

// operationDraft is what the map will say of one operation, while it is being found out.
type operationDraft struct {
	from   *operation // what was counted
	drafts []*draft   // of its places, in their order
}

// at returns the draft of a place, nil where there is none.
func (d *operationDraft) at(place exchange.Place) *draft {
	i, found := slices.BinarySearchFunc(d.drafts, place,
		func(x *draft, p exchange.Place) int { return cmp.Compare(x.field.Place, p) })
	if !found {
		return nil
	}
	return d.drafts[i]
}

// verdict makes the map of what was counted.
func (j *judge) verdict() *mapfile.Map {
	all := j.found()
	m := j.head(all)
	verdict.Finish(m, all, j.options.Redactor)
	return m
}

// head is a map that says what is known of the whole, and has no operations yet.
func (j *judge) head(all []*verdict.Operation) *mapfile.Map {
	rec, runs := j.recording()
	return &mapfile.Map{Recording: rec, Runs: runs, Warnings: j.warnings(all), Operations: []*mapfile.Operation{}}
}

// found makes the passes over all operations, in no order.
func (j *judge) found() (all []*verdict.Operation) {
	for _, o := range j.operations {
		d := &operationDraft{from: o}
		for _, run := range passes() {
			run(j, d)
		}
		found := &verdict.Operation{Key: o.key.Operation, Status: o.key.status, Exchanges: o.exchanges, Apart: o.apart,
			Kept: o.kept}
		for _, x := range d.drafts {
			found.Places = append(found.Places, x.place())
		}
		all = append(all, found)
	}
	return all
}

// judgeFields judges each place that was seen, by what was counted of it alone.
func judgeFields(j *judge, d *operationDraft) {
	for _, t := range d.from.places {
		if t.recorded > 0 || t.changed > 0 {
			d.drafts = append(d.drafts, j.judgeField(d.from, t))
		}
	}
	slices.SortFunc(d.drafts, func(a, b *draft) int { return cmp.Compare(a.field.Place, b.field.Place) })
}
