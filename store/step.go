package store

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
)

// Step returns the exchange at a position with what it answered in the runs, in the order of the runs, without going
// through what stands before it. The error satisfies errors.Is(err, fs.ErrNotExist) where there is no such exchange.
func (s *Store) Step(seq uint64) (exchange.Step, error) {
	e, err := s.Exchange(seq)
	if err != nil {
		return exchange.Step{}, err
	}
	step := exchange.Step{Exchange: e}
	runs, err := s.Runs()
	if err != nil {
		return exchange.Step{}, err
	}
	for _, r := range runs {
		// A block holds positions that lie less than blockSpan apart: those that begin earlier cannot hold this one.
		c := &runCursor{store: s, run: r.Number, next: seqKey(max(seq, blockSpan) - blockSpan)}
		if step.Observations, err = c.appendAt(step.Observations, seq); err != nil {
			return exchange.Step{}, fmt.Errorf("read exchange %d: %w", seq, err)
		}
	}
	return step, nil
}
