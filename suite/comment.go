package suite

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/textual"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxShown bounds a value in a comment, and maxArray an array or an object where all that is said of an assertion is
// its values, in characters; maxSeen how many values there are, and maxValues all of them together.
const (
	maxShown  = 60
	maxArray  = 200
	maxSeen   = 3
	maxValues = 120
)

// category says why an assertion does not hold. Where the assertion alone does not show it, another that is
// contradicted about the same place of the same answer does: one place has one category.
func (w *weakening) category() mapfile.Category {
	own := w.ownCategory()
	if own != mapfile.Unk || w.a.Relation == "" {
		return own
	}
	for _, a := range w.t.Assertions {
		if a == w.a || a.Relation == "" || a.Call != w.a.Call || a.Place != w.a.Place {
			continue
		}
		other := *w
		other.a, other.subject = a, a.Subject()
		other.trials, other.failed = hold(a.Meaning, w.trials)
		if other.failed > 0 && other.ownCategory() == mapfile.State {
			return mapfile.State
		}
	}
	for _, r := range w.p.remarked(w.t) {
		if r.of == w.site() && r.category != mapfile.GenErr {
			return r.category
		}
	}
	return own
}

// ownCategory is the category that the assertion itself shows: by the map where it speaks of the place; a header that
// no answer ever has is the generator's bug; and where all observations agree, and not with the suite, it is state.
func (w *weakening) ownCategory() mapfile.Category {
	if strings.Contains(w.a.Value, "Infinity") && w.a.Relation == exchange.Equal || w.headerNeverSent() ||
		w.comparedAsText() || w.neverTrue() {
		return mapfile.GenErr
	}
	if w.field != nil && w.field.Category != "" {
		return w.field.Category
	}
	if w.a.Relation == "" {
		return mapfile.Unk
	}
	// What is seen again and again, and never what the suite expects, was left behind by the session; so is what only
	// a guard excludes.
	values := expr.Distinct(w.subject, w.trials)
	if w.failed == len(w.trials) && len(values) <= max(1, len(w.trials)/2) ||
		w.failed > 0 && w.failed == len(w.trials)-len(w.active) {
		return mapfile.State
	}
	if claimed, ok := w.claimedStatus(); ok {
		status := expr.Distinct(expr.Answer{Var: w.variable(), Part: expr.Status}, w.trials)
		if len(status) > 1 || len(status) == 1 && status[0] != claimed {
			return mapfile.State
		}
	}
	return mapfile.Unk
}

// comparedAsText reports whether the suite expects the text of a number where all answers have the number.
func (w *weakening) comparedAsText() bool {
	if w.a.Relation != exchange.Equal || w.subject == nil || w.failed < len(w.trials) {
		return false
	}
	seen, claimed := w.samples()
	_, ok := asNumber(claimed, seen)
	return ok
}

// neverTrue reports whether neither an execution nor the session ever gave an answer that satisfies the assertion, and
// all gave the same.
func (w *weakening) neverTrue() bool {
	if w.failed < len(w.trials) || w.a.Relation == "" || len(expr.Distinct(w.subject, w.trials)) > 1 || w.field != nil {
		return false
	}
	answers, satisfied := w.p.asGenerated(w.t.Calls[w.a.Call],
		func(s expr.Scope) (bool, error) { return s.Holds(w.a.Meaning) })
	return answers > 0 && satisfied == 0
}

// headerNeverSent reports whether the assertion is about a header that no answer has, though each has the status that
// the suite expects.
func (w *weakening) headerNeverSent() bool {
	if w.a.Place.Root() != "header" || w.a.Relation == exchange.Absent {
		return false
	}
	name := w.a.Place.Segments()[1]
	for _, s := range w.trials {
		a, ok := s[w.variable()].(*expr.Response)
		if !ok || a.Message() == nil || a.Message().Header.Has(name) {
			return false
		}
		if claimed, ok := w.claimedStatus(); ok && claimed != fmt.Sprint(a.Message().Status) {
			return false
		}
	}
	return true
}

// reason says in one line what the suite expects, if it can be told, and how often what was seen was otherwise.
func (w *weakening) reason() (about, failed string) {
	failed = fmt.Sprintf("failed in %d of %d", w.failed, len(w.trials))
	if moved := w.movedPlaces(); moved != "" || w.a.Snapshot && w.subject == nil {
		return moved, failed
	}
	if w.subject == nil {
		return w.about(failed)
	}
	expected := w.expected()
	seen := shortened(w.seen(), maxValues-utf8.RuneCountInString(expected))
	switch {
	case w.failed == 0:
		failed += ", but moves elsewhere or will"
	case len(seen) > 0:
		failed += ", seen " + strings.Join(seen, ", ")
	}
	return fmt.Sprintf("%s: %s", w.a.Place, expected), failed
}

// shortened leaves the first of some values that a comment has room for, and one at least; the report has the others.
func shortened(values []string, room int) []string {
	for i, v := range values {
		if room -= utf8.RuneCountInString(v); room < 0 && i > 0 && v != "…" {
			return append(slices.Clone(values[:i]), "…")
		}
	}
	return values
}

// maxMoved is how many places are named that move in a snapshot.
const maxMoved = 5

// movedPlaces names what moves in what a snapshot has; "" where the assertion compares with none.
func (w *weakening) movedPlaces() string {
	if !w.a.Snapshot {
		return ""
	}
	var names []string
	for _, place := range w.moved {
		if name := string(w.p.src.Redactor.ShowPlace(place)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	more := ""
	if n := len(names) - maxMoved; n > 1 {
		names, more = names[:maxMoved], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// expected says what the assertion expects.
func (w *weakening) expected() string {
	if w.a.Prior != nil {
		return "otherwise than was seen before"
	}
	switch w.a.Relation {
	case exchange.Length:
		return fmt.Sprintf("length %s as written", w.a.Value)
	case exchange.Contains:
		return fmt.Sprintf("has %s as written", w.shownClaim(w.claimed()))
	case exchange.Absent, exchange.Present, exchange.Empty:
		return fmt.Sprintf("%s as written", w.a.Relation)
	}
	return fmt.Sprintf("%s as written", w.shownClaim(w.a.Value))
}

// seen lists some of the values that the assertion fails on.
func (w *weakening) seen() []string { return w.seenOf(w.subject) }

// seenOf lists some of the values of what an assertion looks at, where it fails.
func (w *weakening) seenOf(subject expr.Expr) []string {
	var out []string
	for _, s := range w.trials {
		if ok, _ := s.Holds(w.a.Meaning); ok {
			continue
		}
		text := "none"
		if v, err := s.Eval(subject); err == nil {
			text = w.shownValue(v)
			if c, ok := w.a.Meaning.(expr.Compare); ok && w.a.Relation == exchange.Length {
				if n, err := s.Eval(c.X); err == nil {
					text = expr.Show(n)
				}
			}
			if of, ok := subject.(expr.Answer); ok && of.Part == expr.Headers {
				text = "otherwise"
			}
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) > maxSeen {
		out = append(out[:maxSeen], "…")
	}
	return out
}

// shown is a value as a comment may show it: one line, not too long, a secret only as its token.
func (w *weakening) shown(text string) string {
	if s, ok := literal.FromJSON(text); ok && w.p.src.Redactor.Secret(w.a.Place) {
		return w.p.src.Redactor.Show(w.a.Place, s)
	}
	bound := maxShown
	if w.p.mode == Comment && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) {
		bound = maxArray
	}
	text = script.OneLine(w.p.src.Redactor.Show(w.a.Place, text))
	if runes := []rune(text); len(runes) > bound {
		return string(runes[:bound]) + "…"
	}
	return text
}

// claimedText returns the text that the assertion expects, or looks for; false where it is about none, or a secret.
func (w *weakening) claimedText() (string, bool) {
	if w.a.Relation != exchange.Equal && w.a.Relation != exchange.Contains || w.p.src.Redactor.Secret(w.a.Place) {
		return "", false
	}
	return literal.FromJSON(w.a.Value)
}

// shownValue is a value that was seen, as a comment may show it: of a long text the piece where it parts from what the
// assertion expects.
func (w *weakening) shownValue(v any) string {
	text, isText := v.(string)
	want, ok := w.claimedText()
	if !isText || !ok {
		return w.shown(expr.Show(v))
	}
	_, at := textual.Part(want, text)
	return w.excerpt(text, at)
}

// shownClaim is what the assertion expects, as a comment may show it: as above, against the first that was seen.
func (w *weakening) shownClaim(claim string) string {
	want, ok := w.claimedText()
	if !ok || w.subject == nil {
		return w.shown(claim)
	}
	for _, s := range w.trials {
		if holds, _ := s.Holds(w.a.Meaning); holds {
			continue
		}
		if v, err := s.Eval(w.subject); err == nil {
			if text, ok := v.(string); ok {
				at, _ := textual.Part(want, text)
				return w.excerpt(want, at)
			}
		}
	}
	return w.shown(claim)
}

// beforeParting is how much of what two texts share is shown before they part, in characters.
const beforeParting = 20

// excerpt is a text as a comment may show it, of one that is too long the piece around an offset.
func (w *weakening) excerpt(text string, at int) string {
	runes := []rune(w.p.src.Redactor.Show(w.a.Place, text))
	if len(runes) <= maxShown || string(runes) != text {
		return w.shown(expr.Show(text))
	}
	from := max(0, utf8.RuneCountInString(text[:min(max(at, 0), len(text))])-beforeParting)
	from = min(from, len(runes)-1)
	to := min(len(runes), from+maxShown)
	shown := script.OneLine(expr.Show(string(runes[from:to])))
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(runes) {
		shown += "…"
	}
	return shown
}

// claimed is what the assertion expects, as JSON: of several elements that it looks for, all of them.
func (w *weakening) claimed() string {
	several, ok := w.a.Meaning.(expr.And)
	if !ok || w.a.Relation != exchange.Contains {
		return w.a.Value
	}
	var items expr.List
	for _, x := range several.Xs {
		if c, ok := x.(expr.Compare); ok {
			items.Elems = append(items.Elems, c.X)
		}
	}
	if text, ok := expr.JSONText(items); ok {
		return text
	}
	return w.a.Value
}

// watched is what of an answer an assertion looks at that makes no claim about one place: the first part of an answer
// in it, or in what of it fails, with the steps into that; nil where there is none.
func (w *weakening) watched() (found expr.Expr) {
	said := w.a.Meaning
	if and, ok := said.(expr.And); ok {
		fails := func(x expr.Expr) bool { _, failed := hold(x, w.trials); return failed > 0 }
		if i := slices.IndexFunc(and.Xs, fails); i >= 0 {
			said = and.Xs[i]
		}
	}
	expr.Walk(said, func(x expr.Expr) {
		if base, _ := expr.Steps(x); found == nil && base != nil {
			if _, ok := base.(expr.Answer); ok {
				found = x
			}
		}
	})
	return found
}

// flaky is the comment that FlakyCatch writes above an assertion that it comments out.
func (w *weakening) flaky() string {
	if w.subject == nil {
		return w.flakyElse()
	}
	values := func() string {
		other := w.seen()
		if len(other) == 0 {
			other = []string{"(would move)"}
		}
		return w.shown(w.claimed()) + " vs. " + other[0]
	}
	path := w.p.script.Writer.Path(w.t, w.a, w.subject)
	switch {
	case w.a.Place == exchange.PlaceStatus:
		return "Flaky Status Code: " + values()
	case w.a.Relation == exchange.Length:
		return "Flaky size of " + path + ": " + values()
	case w.a.Place.Root() == "header":
		return "Flaky header " + w.a.Place.Segments()[1] + ": " + values()
	case expr.IsText(w.subject):
		return "Flaky response in plain text: " + values()
	case path == "":
		return "Flaky Body: " + values()
	}
	return "Flaky value of field " + path + ": " + values()
}

// flakyElse is flaky for an assertion that makes no claim about one place: it tells what was seen where that looks.
func (w *weakening) flakyElse() string {
	subject := w.watched()
	if subject == nil {
		return "Flaky assertion"
	}
	of, a := *w, *w.a // whose place tells what is secret
	if of.a = &a; !(script.Claims{Test: w.t}).Place(&a, subject) {
		return "Flaky assertion"
	}
	seen := strings.Join(of.seenOf(subject), ", ")
	if path := w.p.script.Writer.Path(w.t, &a, subject); path != "" {
		return "Flaky assertion on " + path + ": seen " + seen
	}
	return "Flaky assertion: seen " + seen
}
