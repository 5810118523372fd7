package suite

import (
	"time"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// longPast is how far from its answer a moment lies at least that is none of the clock's, of the day's beginning, or of
// the start of an API that runs for long: the first moment of data that are always the same.
const longPast = 400 * 24 * time.Hour

// isPast reports whether the value that an assertion expects, and that all its trials had, is a moment which does not
// move, though the place does elsewhere: to the second, far from any of the executions, and the same in five of them
// or more, while every run moved others there.
func (w *weakening) isPast() bool {
	if w.failed > 0 || len(w.trials) < EnoughAnswers || w.field.Category != mapfile.Time ||
		w.field.Judgement != mapfile.Jitter || !w.field.Place.Matches(w.a.Place) {
		return false
	}
	step := w.p.step(w.t, w.a)
	subject := w.a.Subject()
	seen := expr.Distinct(subject, w.trials)
	if step == nil || len(seen) != 1 {
		return false
	}
	v, err := w.trials[0].Eval(subject)
	at, ok := expr.Second(v)
	return err == nil && ok && step.Exchange.Start.Sub(at).Abs() > longPast
}

// dated says of a text with the name of a day in it how it is written on any day.
func (w *weakening) dated(values []any) []expr.Expr {
	if w.field == nil || w.field.Category != mapfile.Time {
		return nil
	}
	return expr.Dated(w.subject, values)
}
