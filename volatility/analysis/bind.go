package analysis

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/store"
)

// Bound is a recording whose bindings are found, and held against its runs.
type Bound struct {
	Runs   []exchange.Run
	Found  []exchange.Binding // all of them
	Proofs []flow.Proof       // what the runs say of those, in the same order: nothing, where there are no runs
	Kept   []exchange.Binding // those that no run refuses
	Binder *flow.Binder       // which says what is not bound, and which rules found nothing
}

// Bind goes over the exchanges of a recording, each of which visit sees, and then over its steps if there are runs.
// What cannot be read of the exchanges ends it with a [store.DamageError].
func Bind(db *store.Store, rules flow.Rules, visit func(*exchange.Exchange)) (*Bound, error) {
	b := &Bound{Binder: flow.NewBinderWith(rules)}
	for e, err := range ahead.Of(db.Exchanges(), (*exchange.Exchange).Size) {
		if err != nil {
			return nil, err
		}
		b.Binder.Add(e)
		visit(e)
	}
	var err error
	if b.Runs, err = db.Runs(); err != nil {
		return nil, err
	}
	b.Found = b.Binder.Bindings()
	steps := store.Readable(db.Steps(), nil)
	if len(b.Runs) == 0 || len(b.Found) == 0 {
		steps = func(func(exchange.Step, error) bool) {} // they would say nothing
	}
	if b.Proofs, err = flow.Prove(b.Found, b.Runs, steps); err != nil {
		return nil, err
	}
	b.Kept = flow.Kept(b.Found, b.Proofs)
	return b, nil
}
