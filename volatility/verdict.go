package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
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

// closingPasses are made over each operation once what all of them have in common is known, see shareCategories.
func closingPasses() []pass {
	return []pass{
		explainSize, // the size, by what moves in the body
		writeFields, // evidence as codes, places with their secrets as tokens
	}
}

// operationDraft is what the map will say of one operation, while it is being found out.
type operationDraft struct {
	from   *operation // what was counted
	result *mapfile.Operation
	drafts []*draft // of its places, in their order
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
	rec, runs := j.recording()
	m := &mapfile.Map{Recording: rec, Runs: runs, Warnings: j.warnings(), Operations: []*mapfile.Operation{}}
	var all []*operationDraft
	for _, o := range j.operations {
		d := &operationDraft{from: o, result: &mapfile.Operation{Operation: o.key.Operation, Status: o.key.status,
			Exchanges: o.exchanges}}
		for _, run := range passes() {
			run(j, d)
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y *operationDraft) int {
		a, b := x.result, y.result
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method),
			cmp.Compare(a.Status, b.Status))
	})
	shareCategories(all)
	for _, d := range all {
		for _, run := range closingPasses() {
			run(j, d)
		}
		m.Operations = append(m.Operations, d.result)
	}
	m.PoolKinds()
	m.Recount()
	return m
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

// writeFields puts the fields into the operation, as they are shown. Places are found by the keys that they have, be
// they secret: the index is made before these become tokens.
func writeFields(j *judge, d *operationDraft) {
	for _, x := range d.drafts {
		d.result.Fields = append(d.result.Fields, x.field)
	}
	d.result.Index()
	for _, x := range d.drafts {
		x.write(func(code string) string { return j.options.Redactor.Show("", code) })
		j.concealPlaces(x.field)
	}
}
