package suite

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// filled says of texts, and of what is counted, that none is empty: as much as a language can say that has a type for
// them, where no way is known in which they are written. It comes behind the type, which some languages' variables have
// of themselves.
func (w *weakening) filled() []expr.Expr {
	seen, claimed := w.samples()
	if w.a.Relation == exchange.Length && len(seen) > 0 {
		counted, ok := w.a.Meaning.(expr.Compare)
		if !ok || w.a.Value == "0" {
			return nil
		}
		return []expr.Expr{expr.Cmp(counted.X, expr.Gt, expr.Int(0))} // where no trial has none
	}
	if farFromNone(claimed, seen) {
		return []expr.Expr{expr.Cmp(w.subject, expr.Ne, expr.Int(0))}
	}
	text, isText := claimed.(string)
	equal := w.a.Relation == exchange.Equal && w.a.Place.Root() == "body"
	if !isText || !equal && !w.ofValue() || len(seen) == 0 && (text == "" || !equal) {
		return nil
	}
	for _, v := range seen {
		if text, ok := v.(string); !ok || text == "" {
			return nil
		}
	}
	return []expr.Expr{expr.Cmp(w.subject, expr.Ne, expr.Str{})}
}

// farFromNone reports whether whole numbers are so far from zero that this, which a variable holds that nothing is put
// into, will hardly be one of them.
func farFromNone(claimed any, seen []any) bool {
	return len(seen) >= minCounted && expr.FarFromZero(append(slices.Clone(seen), claimed), 1)
}
