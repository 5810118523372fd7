package suite

import (
	"math/big"
	"time"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
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
	seen := distinct(subject, w.trials)
	if step == nil || len(seen) != 1 {
		return false
	}
	v, err := w.trials[0].Eval(subject)
	at, ok := secondOf(v)
	return err == nil && ok && step.Exchange.Start.Sub(at).Abs() > longPast
}

// secondOf reads a moment in time that is known to the second.
func secondOf(v any) (time.Time, bool) {
	switch v := v.(type) {
	case string:
		m, ok := notation.TextMoment(v)
		return m.At, ok && !m.InText && !m.TimeOfDay && m.Unit <= time.Second
	case *big.Int:
		if !v.IsInt64() {
			return time.Time{}, false
		}
		switch notation.EpochUnit(notation.Float(v.String())) {
		case "epoch-s":
			return time.Unix(v.Int64(), 0), true
		case "epoch-ms":
			return time.UnixMilli(v.Int64()), true
		}
	}
	return time.Time{}, false
}

// dated says of a text with the name of a day in it how it is written on any day.
func (w *weakening) dated(values []any) []expr.Expr {
	if w.field == nil || w.field.Category != mapfile.Time {
		return nil
	}
	var texts []string
	for _, v := range values {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		texts = append(texts, s)
	}
	pattern := notation.CalendarPattern(texts)
	if pattern == "" {
		return nil
	}
	return []expr.Expr{expr.Match{X: w.subject, Pattern: pattern, Full: true}}
}
