package suite

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
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
	h, ok := w.history()
	if !ok {
		return nil
	}
	words := h.Stages(w.earlierWords())
	set, ok := expr.SetOf(words)
	if len(words) == 0 || !ok {
		return nil
	}
	return []expr.Expr{expr.Cmp(w.subject, expr.In, set)}
}

// earlierWords are the texts that earlier answers of the test had, by the name of the member that the assertion looks
// at.
func (w *weakening) earlierWords() []string {
	segments := w.a.Place.Segments()
	name := segments[len(segments)-1]
	var out []string
	for _, c := range w.t.Calls[:w.a.Call] {
		member := expr.Index{X: expr.Answer{Var: c.Var, Part: expr.JSON}, I: expr.Str{Value: name}}
		for _, s := range w.trials {
			if v, err := s.Eval(member); err == nil {
				if word, ok := v.(string); ok {
					out = append(out, word)
				}
			}
		}
	}
	return out
}
