package analysis

import (
	"iter"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/store"
)

// Bound is a recording whose bindings are found, and held against its runs.
type Bound struct {
	Runs   []exchange.Run
	Found  []exchange.Binding // all of them
	Proofs []flow.Proof       // what the runs say of those, in the same order; nil where there are no runs
	Kept   []exchange.Binding // those that no run refuses
	Lapses []flow.Lapse       // the credentials that runs were refused with: what these were answered proves nothing
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
	b.Kept = b.Found
	if len(b.Runs) == 0 {
		return b, nil
	}
	lapses := flow.NewLapses(b.Runs, b.Found)
	if b.Proofs, err = flow.Prove(b.Found, b.Runs, looked(db, lapses)); err != nil {
		return nil, err
	}
	if b.Lapses, err = weigh(db, lapses); err != nil {
		return nil, err
	}
	if len(b.Lapses) > 0 {
		if b.Proofs, err = flow.Prove(b.Found, b.Runs, sieved(db, lapses.Sieve(b.Lapses))); err != nil {
			return nil, err
		}
	}
	b.Kept = flow.Kept(b.Found, b.Proofs)
	return b, nil
}

// Proof is what the runs say of the i-th binding that was found.
func (b *Bound) Proof(i int) flow.Proof {
	if b.Proofs == nil {
		return flow.Proof{State: flow.Unproven}
	}
	return b.Proofs[i]
}

// looked goes over the steps, and has the credentials looked for that the runs were refused with.
func looked(db *store.Store, lapses *flow.Lapses) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for s, err := range store.Readable(db.Steps(), nil) {
			if err == nil {
				lapses.Look(s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}
