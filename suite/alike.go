package suite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// How many executions must have shown a value before it is taken for one that all but always stands there, how many
// different ones there may be beside it, the suite's among them, and in what share of the executions.
const (
	enoughAlike = 5
	maxBeside   = 2
	rarely      = 0.34
)

// alike says of a place that is all but constant, though it is not what the suite expects, that it has one of the
// values that are known of it. Of digests, of what is counted or a time it says nothing, nor of secrets: there the next
// is another.
func (w *weakening) alike(claimed any, seen []any) []expr.Expr {
	if w.a.Relation != exchange.Equal || w.a.Place.Root() != "body" || claimed == nil || len(seen) < enoughAlike ||
		w.movesOn() {
		return nil
	}
	values, often := []any{claimed}, 0
	for _, v := range seen {
		if !slices.ContainsFunc(values, func(o any) bool { return expr.Equal(o, v) }) {
			values = append(values, v)
		}
		if same := countOf(seen, v); same > often {
			often = same
		}
	}
	if len(values) < 2 || len(values) > 1+maxBeside || float64(len(seen)-often) > rarely*float64(len(seen)) ||
		!w.alikeElsewhere(values) {
		return nil
	}
	set, ok := expr.SetOf(values)
	if !ok || slices.ContainsFunc(values, func(v any) bool { _, flag := v.(bool); return flag }) {
		return nil // of a flag its type says as much
	}
	return []expr.Expr{expr.Cmp(w.subject, expr.In, set)}
}

func countOf(values []any, v any) int {
	n := 0
	for _, o := range values {
		if expr.Equal(o, v) {
			n++
		}
	}
	return n
}

// movesOn reports whether the next value of the place is no list's to tell.
func (w *weakening) movesOn() bool {
	if w.p.src.Redactor.Secret(w.a.Place) {
		return true
	}
	f := w.field
	return f != nil && (f.Category == mapfile.Time || f.Category == mapfile.Crypt ||
		f.Holds.Monotone != "" || f.Holds.Clock > 0)
}

// alikeElsewhere reports whether all answers of the operation have but these values at the place. Of numbers, and texts
// with some, that has to be seen of several requests: one alone shows the same id each time.
func (w *weakening) alikeElsewhere(values []any) bool {
	step := w.p.step(w.t, w.a)
	if step == nil {
		return false
	}
	op, place := w.p.src.operation(step.Exchange), generalPlace(w.a.Place)
	other, requests := false, 0
	for _, s := range w.p.src.Steps {
		if op == nil || w.p.src.operation(s.Exchange) != op {
			continue
		}
		requests++
		for _, r := range append([]*exchange.Response{s.Exchange.Response}, seen(&s)...) {
			if r == nil || r.Status != op.Status {
				continue
			}
			history.Gather(r, place, func(v any) bool {
				other = other || !slices.ContainsFunc(values, func(o any) bool { return expr.Equal(o, v) })
				return !other
			})
		}
	}
	numeric := slices.ContainsFunc(values, func(v any) bool { return strings.ContainsAny(expr.Show(v), "0123456789") })
	return !other && (!numeric || requests >= enoughAlike)
}

// generalPlace is a place with the indexes of arrays as wildcards.
func generalPlace(p exchange.Place) exchange.Place {
	var indexes []int
	for i, segment := range p.Segments() {
		if _, err := strconv.Atoi(segment); err == nil {
			indexes = append(indexes, i)
		}
	}
	return p.General(indexes...)
}
