package suite

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// stages says of a word that follows the clock that it is one of those that the test was answered with, at the place or
// earlier by the same name.
func (w *weakening) stages(claimed any, seen []any) []expr.Expr {
	if w.a.Relation != exchange.Equal || w.field == nil || w.field.Category != mapfile.Time ||
		w.p.src.Redactor.Secret(w.a.Place) || !w.field.Place.Matches(w.a.Place) || len(seen) < enoughThere ||
		!slices.ContainsFunc(seen, func(v any) bool { return expr.Equal(v, claimed) }) {
		return nil
	}
	h, known := w.history()
	words, steps := w.earlier()
	stages := h.Stages(words)
	set, ok := expr.SetOf(stages)
	if !known || !ok || len(stages) == 0 || !history.Lasts(w.p.step(w.t, w.a), steps, w.a.Place) {
		return nil
	}
	return []expr.Expr{expr.Cmp(w.subject, expr.In, set)}
}

// earlier are the requests before that of the assertion in its test, and the texts that their answers had by the name
// of the member that it looks at.
func (w *weakening) earlier() (words []string, steps []*exchange.Step) {
	segments := w.a.Place.Segments()
	name := segments[len(segments)-1]
	for _, c := range w.t.Calls[:w.a.Call] {
		steps = append(steps, w.p.matched[c])
		member := expr.Index{X: expr.Answer{Var: c.Var, Part: expr.JSON}, I: expr.Str{Value: name}}
		for _, s := range w.trials {
			if v, err := s.Eval(member); err == nil {
				if word, ok := v.(string); ok {
					words = append(words, word)
				}
			}
		}
	}
	return words, steps
}
