package suite

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// await writes what a test waits for.
func (p *patcher) await(t *script.Test) {
	for _, w := range p.waits[t] {
		if p.mode != Relax {
			return
		}
		p.edits = append(p.edits, w.edits...)
		p.change(Change{Kind: Awaited, Category: mapfile.Time, Failed: w.failed, Of: w.of, Reason: w.Comment,
			Before: w.before, After: w.now}, t, w.Call.At.FirstLine)
	}
}

// isAwaited reports whether the answer is waited for, and what the assertion looks at is then the same in all
// executions: that it moved before tells of an API that was not done yet.
func (w *weakening) isAwaited() bool {
	subject := w.a.Subject()
	for _, wait := range w.p.waits[w.t] {
		if w.a.Relation != "" && w.t.Calls[w.a.Call].At.Start == wait.Call.At.Start {
			told := slices.Contains(wait.tells, w.a.Place)
			return subject != nil && (told || len(w.trials) > 1) && len(expr.Distinct(subject, w.trials)) == 1
		}
	}
	return false
}
