package analysis

import (
	"iter"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/store"
)

// JudgeThen does what [JudgeStored] does, and has the steps gone through once more with the judgement at hand, as
// [JudgeWithSteps] would keep them: for what shows answers beside what is said of them, and needs none of them for
// long. An error of visit ends it. The steps that visit is given are read ahead, and are over when it returns.
func JudgeThen(db *store.Store, o Options, visit func(*Result, iter.Seq2[exchange.Step, error]) error) (*Result,
	error) {
	r, err := judgeStored(db, o, retainMap)
	if err != nil {
		return nil, err
	}
	played := r.Played()
	steps := ahead.Of(sieved(ending(o.Context, db), r.sieve), exchange.Step.Size)
	return r, visit(r, func(yield func(exchange.Step, error) bool) {
		for s, err := range steps {
			if err == nil {
				s = played(s)
			}
			if !yield(s, err) {
				return
			}
		}
	})
}
