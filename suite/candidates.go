package suite

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/textual"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// learned gives what the map says will hold of the subject, but for lists of secrets.
func (w *weakening) learned() []expr.Expr {
	h := w.field.Holds
	if w.p.src.Redactor.Secret(w.a.Place) {
		h.OneOf = nil
	}
	return expr.Learned(w.subject, h, w.observed())
}

// observed returns the texts that are known of the place, each once: those of the operation, what the suite expects,
// and what its trials had. Of what follows the state there are none: what is counted grows longer.
func (w *weakening) observed() []string {
	if w.field.Category == mapfile.State || w.field.Holds.Monotone != "" {
		return nil
	}
	var texts []string
	if step := w.p.step(w.t, w.a); step != nil {
		if op := w.p.src.operation(step.Exchange); op != nil {
			texts = slices.Clone(w.p.textsAt(op, w.field.Place))
		}
	}
	seen, claimed := w.samples()
	for _, v := range append(seen, claimed) {
		if s, ok := v.(string); ok && !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	return texts
}

// elsewhere are the values that any request of the operation was given at the place that an assertion is about.
func (w *weakening) elsewhere() []any {
	step := w.p.step(w.t, w.a)
	if step == nil || w.field == nil || !w.field.Place.Matches(w.a.Place) {
		return nil
	}
	op := w.p.src.operation(step.Exchange)
	if op == nil {
		return nil
	}
	return w.p.valuesAt(op, w.field.Place)
}

// learnedOf gives what of that is true of some values too, which no trial needs to have.
func (w *weakening) learnedOf(values ...any) []expr.Expr {
	return slices.DeleteFunc(w.learned(), func(c expr.Expr) bool {
		return slices.ContainsFunc(values, func(v any) bool { return !expr.HoldsOf(c, w.subject, v) })
	})
}

// lengths gives what can be said of the length of the subject.
func (w *weakening) lengths() []expr.Expr {
	var out []expr.Expr
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		claimed, _ := new(big.Int).SetString(w.a.Value, 10)
		lo, hi := w.field.Holds.MinLength, w.field.Holds.MaxLength
		if lo != nil && hi != nil && claimed != nil && *lo > 0 && claimed.Cmp(big.NewInt(int64(*lo))) >= 0 &&
			claimed.Cmp(big.NewInt(int64(*hi))) <= 0 {
			counted := w.a.Meaning.(expr.Compare).X // as the language counts
			out = append(out, expr.Between{Low: expr.Int(*lo), X: counted, High: expr.Int(*hi)})
		}
	}
	seen, _ := w.samples()
	if len(seen) == 0 {
		return append(out, expr.IsType{X: w.subject, Types: []expr.Type{expr.TypeObject, expr.TypeArray}})
	}
	return append(out, expr.Shapes(w.subject, seen)...)
}

// minFragment is the least length of a piece of text that is worth asserting, in bytes.
const minFragment = 4

// texts gives what can be said of a text that does not always hold what the suite looks for.
func (w *weakening) texts() []expr.Expr {
	seen, _ := w.samples()
	if w.a.Place.Root() == "header" {
		return w.headerTexts(seen)
	}
	filled := expr.Cmp(w.subject, expr.Ne, expr.Str{})
	want, _ := literal.FromJSON(w.a.Value)
	common := textual.Shared(want, seen)
	if len(seen) == 0 {
		return []expr.Expr{filled}
	}
	var out []expr.Expr
	if w.field != nil && w.field.Place == exchange.PlaceBody && len(w.active) > 0 {
		out = w.learnedOf(want) // of the whole text: no more than the suite says, where that is all of it
	}
	out = append(out, w.numbered(want, seen)...)
	if shapes := expr.Shapes(w.subject, seen); w.a.Place != exchange.PlaceBody && !expr.IsText(w.subject) {
		out = append(out, shapes[:len(shapes)-1]...) // how it is written: its type says nothing of a text
	}
	if common != want { // digits that the texts share today may be those of a date
		common = slices.MaxFunc(strings.FieldsFunc("\x00"+common, unicode.IsDigit),
			func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	}
	if common = strings.Trim(common, "\x00 \t\r\n"); len(common) >= minFragment {
		out = append(out, w.has(common))
	}
	return append(out, filled)
}

// has says that the subject has a piece of text.
func (w *weakening) has(piece string) expr.Expr {
	return expr.Cmp(expr.Str{Value: piece}, expr.In, w.subject)
}

// pieces gives what can be said of a text of the JSON that does not always hold what the suite looks for: what can be
// said of any value, and, before its type alone, the piece that all the texts share. Of times of a day the name of the
// day is one.
func (w *weakening) pieces() []expr.Expr {
	out := append(w.addressed(), w.values()...)
	seen, _ := w.samples()
	if len(seen) == 0 {
		return out
	}
	if !w.clock(seen[0]) {
		texts := w.texts()
		out = slices.Concat(out[:len(out)-1], texts[:len(texts)-1], out[len(out)-1:])
	}
	if expr.IsText(w.subject) { // a body is always a text
		return slices.Insert(out, len(out)-1, w.filled()...)
	}
	return out
}

// items gives what can be said of a list that does not always hold all that the suite looks for: those that it always
// holds, or its type.
func (w *weakening) items(xs []expr.Expr) []expr.Expr {
	var always, out []expr.Expr
	for _, x := range xs {
		if _, failed := hold(x, w.active); failed == 0 {
			always = append(always, x)
		}
	}
	if len(always) > 0 && len(w.active) > 0 {
		out = append(out, expr.AllOf(always...))
	}
	seen, _ := w.samples()
	if len(seen) == 0 {
		return append(out, expr.IsType{X: w.subject, Types: []expr.Type{expr.TypeArray}})
	}
	return append(out, expr.Shapes(w.subject, seen)...)
}

// lists gives what can be said of an array that is not, or not always, the one that the suite expects: that it is in
// this order all the same, where the suite's own words cannot say so; that it has these elements in any order, each as
// often; that it has those of them, if scalars, which were always there and that nothing draws anew.
func (w *weakening) lists(list expr.List) []expr.Expr {
	out := []expr.Expr{expr.Cmp(w.subject, expr.Eq, list)}
	if w.field == nil || w.field.Holds.Order != "set" {
		out = append(out, expr.SameItems{X: w.subject, Y: list})
	}
	if slices.ContainsFunc(list.Elems, expr.IsComposite) || w.isDrawn() {
		return out
	}
	var always []expr.Expr
	for _, elem := range list.Elems {
		x := expr.Cmp(elem, expr.In, w.subject)
		repeated := slices.ContainsFunc(always, func(other expr.Expr) bool { return expr.Identical(x, other) })
		if _, failed := hold(x, w.active); failed == 0 && !repeated && len(w.active) > 0 {
			always = append(always, x)
		}
	}
	if len(always) > 0 {
		out = append(out, expr.AllOf(always...))
	}
	return out
}

// counted says of a list whose elements move how many there are, where each of several executions had as many as the
// suite expects.
func (w *weakening) counted(seen []any) []expr.Expr {
	list, ok := w.literal().(expr.List)
	if !ok || len(seen) < minCounted || slices.ContainsFunc(seen, func(v any) bool {
		items, isList := v.(expr.Items)
		return !isList || len(items) != len(list.Elems)
	}) {
		return nil
	}
	return []expr.Expr{expr.Cmp(expr.Len{X: w.subject}, expr.Eq, expr.Int(len(list.Elems)))}
}

// minCounted is how many executions tell that a list always has so many elements.
const minCounted = 3

// isDrawn reports whether the values of the place are made anew each time.
func (w *weakening) isDrawn() bool {
	drawn := []mapfile.Category{mapfile.Rand, mapfile.Crypt, mapfile.Time}
	return w.field != nil && slices.Contains(drawn, w.field.Category)
}

// unlisted reports whether the values seen of a header are no list of those that it may have: they are drawn anew each
// time, or secrets, which no suite is to hold.
func (w *weakening) unlisted(seen []any) bool {
	if w.isDrawn() {
		return true
	}
	return w.unshown(seen)
}

// headerTexts lists the values seen of a header, without parameters; or gives the piece that all of them share with
// what the suite looks for.
func (w *weakening) headerTexts(seen []any) []expr.Expr {
	want, _ := literal.FromJSON(w.a.Value)
	filled := expr.Cmp(w.subject, expr.Ne, expr.Str{})
	if w.unlisted(seen) {
		common := textual.Shared(want, seen)
		if len(common) < minFragment {
			return []expr.Expr{filled}
		}
		return []expr.Expr{w.has(common), filled}
	}
	kinds := []string{want}
	for _, v := range seen {
		s, _ := v.(string)
		s, _, _ = strings.Cut(s, ";")
		s = strings.TrimSpace(s)
		if !slices.ContainsFunc(kinds, func(k string) bool { return s == k || k != "" && strings.Contains(s, k) }) {
			kinds = append(kinds, s)
		}
	}
	if len(kinds) > expr.MaxListed {
		return []expr.Expr{filled}
	}
	slices.Sort(kinds[1:])
	var alternatives []expr.Expr
	for _, k := range kinds {
		if k == "" && want != "" { // every text has an empty one in it
			alternatives = append(alternatives, expr.Cmp(w.subject, expr.Eq, expr.Str{}))
			continue
		}
		alternatives = append(alternatives, w.has(k))
	}
	return []expr.Expr{expr.AnyOf(alternatives...), filled}
}

// maxSearch bounds how many values of an earlier answer are tried as the source of a later one.
const maxSearch = 2000

// bound looks for an earlier answer of the same test that gave the value: in every trial the two are equal, and over
// the trials they differ, so that the one follows the other.
func (w *weakening) bound() []expr.Expr {
	if len(w.active) < 2 || len(expr.Distinct(w.subject, w.active)) < 2 {
		return nil
	}
	v, err := w.active[0].Eval(w.subject)
	if err != nil || w.clock(v) {
		return nil
	}
	for _, c := range w.t.Calls[:w.a.Call] {
		a, ok := w.active[0][c.Var].(*expr.Response)
		if !ok || a.Message() == nil {
			continue
		}
		root, err := a.JSON()
		if err != nil {
			continue
		}
		tries := maxSearch
		for _, path := range expr.Paths(root, v, expr.Answer{Var: c.Var, Part: expr.JSON}, &tries) {
			x := expr.Cmp(w.subject, expr.Eq, path)
			if seen, failed := hold(x, w.active); failed == 0 && len(seen) == len(w.active) {
				return []expr.Expr{x}
			}
		}
	}
	return nil
}

// clock reports whether a value is a reading of a clock: two of one test show the same second nearly always, and then
// do not.
func (w *weakening) clock(v any) bool {
	if w.field != nil && w.field.Category == mapfile.Time {
		return true
	}
	text, ok := v.(string)
	return ok && slices.ContainsFunc([]string{"rfc3339", "rfc1123", "datetime"}, func(format string) bool {
		h := mapfile.Holds{Type: "string", Format: format}
		return h.Satisfied(literal.JSON(text), time.Time{}) == nil
	})
}

// unordered returns the step into an array, on the way to the subject, whose elements come in any order; false where
// there is none.
func (w *weakening) unordered() (expr.Index, bool) {
	if w.field == nil || w.field.Holds.Order != "any" {
		return expr.Index{}, false
	}
	return w.stepInto(w.field.Place)
}

// stepInto returns the step on the way to the subject that leads into the array of a place.
func (w *weakening) stepInto(array exchange.Place) (expr.Index, bool) {
	place := w.a.Place
	for x := w.a.Subject(); ; {
		i, ok := x.(expr.Index)
		if !ok {
			return expr.Index{}, false
		}
		if place = place.Parent(); array.Matches(place) {
			return i, true
		}
		x = i.X
	}
}

// comesAnyhow returns that step too where the map knows of the array only that its elements come in another order, as
// there are some that it does not know again.
func (w *weakening) comesAnyhow() (expr.Index, bool) {
	if w.field == nil || w.field.Holds.Order != "" || w.field.Category != mapfile.Unord || w.failed == 0 {
		return w.unordered()
	}
	return w.stepInto(w.field.Place)
}

func (w *weakening) isUnordered() bool {
	_, ok := w.unordered()
	return ok
}
