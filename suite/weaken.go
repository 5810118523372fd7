package suite

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// weakening finds the strongest line that is true of every trial, for one assertion that is not.
type weakening struct {
	p      *patcher
	t      *script.Test
	a      *script.Assertion
	trials []expr.Scope // those that know the assertion's names
	failed int          // those that it is false in
	field  *mapfile.Field
	whole  *script.Assertion // what is written anew, where a is a part of what it says; nil where that is a itself

	subject expr.Expr        // what the assertion looks at
	moved   []exchange.Place // places of parts that some trial contradicts
	guards  []expr.Expr      // conditions under which there is nothing to look at
	active  []expr.Scope     // the trials that no guard excludes
}

// wouldMove reports whether the place of an assertion that every trial fulfils is one that moves elsewhere, or will.
func (w *weakening) wouldMove() bool {
	// State is said of the exchange that showed it: another request of the operation may well be free of it.
	if w.field == nil || w.field.Apart() || w.a.Ours || w.field.Category == mapfile.State || w.isSteady() {
		return false
	}
	switch w.a.Relation {
	case exchange.Equal:
		if w.isPast() {
			return false
		}
		if _, anyOrder := expr.Last(w.a.Meaning).(expr.SameItems); anyOrder && w.field.Holds.Order == "any" {
			return false
		}
		return w.field.Place.Matches(w.a.Place) || w.isUnordered()
	case exchange.Contains:
		if w.isSteadyPiece() {
			return false
		}
		if w.ofValue() {
			return w.field.Place.Matches(w.a.Place) || w.isUnordered()
		}
		return w.a.Place == exchange.PlaceBody && w.field.Place == exchange.PlaceBody && expr.IsText(w.a.Subject())
	}
	return false
}

// ofValue reports whether an assertion looks for a piece in a text of the JSON, where other languages' suites compare.
func (w *weakening) ofValue() bool {
	_, one := w.a.Meaning.(expr.Compare)
	return (one || w.ofBeginning()) && w.a.Relation == exchange.Contains && w.a.Place.Root() == "body" &&
		!expr.IsText(w.a.Subject())
}

// ofBeginning reports whether an assertion says what a text begins with.
func (w *weakening) ofBeginning() bool {
	_, ok := w.a.Meaning.(expr.HasPrefix)
	return ok
}

// literal returns the value that the assertion compares with; nil where there is none.
func (w *weakening) literal() expr.Expr {
	switch x := expr.Last(w.a.Meaning).(type) {
	case expr.SameItems:
		return x.Y
	case expr.HasPrefix:
		return x.Prefix
	case expr.Compare:
		if w.a.Relation == exchange.Contains {
			return x.X
		}
		return x.Y
	}
	return nil
}

// run replaces the assertion by a weaker one, or comments it out.
func (w *weakening) run() {
	if w.a.Relation != "" {
		w.subject = w.a.Subject()
	}
	at := w.a.At
	c := Change{Kind: Weakened, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text}
	if w.p.mode == Comment {
		c.Kind, c.Category = Disabled, w.category()
		c.Reason = w.flaky()
		w.disable(remark{text: w.p.script.PlainComment(c.Reason)})
		w.p.change(c, w.t, at.FirstLine)
		return
	}
	x, weaker := w.weakest()
	if weaker == "" && w.a.Snapshot {
		w.a.Plain = true
		x, weaker = w.weakest()
	}
	if w.failed == 0 && weaker == "" {
		w.p.out.Kept++
		return
	}
	about, failed := w.reason()
	c.Reason = strings.TrimPrefix(about+"; "+failed, "; ")
	if weaker == "" {
		failed += "; nothing that is left of it would hold"
	}
	says := w.remark(about, failed)
	c.Category = says.category
	if weaker == "" {
		c.Kind = Disabled
		w.disable(says)
	} else {
		c.Kind, c.After = kindOf(x), weaker
		w.p.said[w.a] = x
		w.replace(weaker, says)
	}
	w.p.change(c, w.t, at.FirstLine)
}

// weakest returns the strongest statement that may stand in the place of the assertion, of all that it says or of each
// part of it; "" where there is none.
func (w *weakening) weakest() (expr.Expr, string) {
	w.guards = nil
	if w.expects() {
		return w.acrossUses()
	}
	if and, ok := w.a.Meaning.(expr.And); ok && w.a.Relation == "" {
		return w.several(and.Xs)
	}
	if w.a.Relation == "" {
		return w.several([]expr.Expr{w.a.Meaning})
	}
	if w.subject == nil {
		return nil, ""
	}
	return w.weaker()
}

// replace puts a statement in the place of the assertion, beneath a comment.
func (w *weakening) replace(text string, why remark) {
	if move := w.p.script.Writer.Move; move != nil {
		if edits := move(w.p.script, w.t, w.a, text, why.text); edits != nil {
			w.p.edits = append(w.p.edits, edits...)
			return
		}
	}
	w.say(why)
	w.p.edits = append(w.p.edits, script.Edit{Start: w.a.At.Start, End: w.a.At.End, Text: text})
}

// rebind writes an assertion that holds of a bound value.
func (w *weakening) rebind() {
	at := w.a.At
	text, ok := w.p.script.Writer.Assert(w.p.script, w.t, w.a, w.a.Meaning)
	if !ok {
		w.run()
		return
	}
	w.p.said[w.a] = w.a.Meaning
	reason := fmt.Sprintf("%s: %s as written, made anew by the set-up", w.a.Place, w.shown(w.a.Value))
	w.p.before(at, w.p.script.Comment(reason+"; "+string(mapfile.State)))
	w.p.edits = append(w.p.edits, script.Edit{Start: at.Start, End: at.End, Text: text})
	w.p.change(Change{Kind: Rebound, Place: w.a.Place, Category: mapfile.State, Of: len(w.trials), Reason: reason,
		Before: w.a.Text, After: text}, w.t, at.FirstLine)
}

// ignore comments out an assertion about a place that the user ignores.
func (w *weakening) ignore() {
	c := Change{Kind: Disabled, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text,
		Category: mapfile.Unk,
		Reason:   string(w.a.Place) + ": a rule says to ignore it"}
	if w.field != nil {
		c.Category = w.field.Category
	}
	w.disable(remark{text: w.p.script.Comment(c.Reason)})
	w.p.change(c, w.t, w.a.At.FirstLine)
}

// disable comments the assertion out, each of its lines, beneath a comment that says why.
func (w *weakening) disable(why remark) {
	w.say(why)
	w.p.said[w.a] = nil
	w.p.edits = append(w.p.edits, w.p.script.Writer.Disable(w.p.script, w.a)...)
}

// weaker returns the strongest statement that holds in every trial and that the suite's language can make, and its
// source; "" where none was found.
func (w *weakening) weaker() (expr.Expr, string) {
	if w.a.Place == exchange.PlaceStatus {
		return w.first(w.statuses())
	}
	if !w.guard() {
		return nil, ""
	}
	var candidates []expr.Expr
	structural := w.a.Relation != exchange.Equal && w.a.Relation != exchange.Length &&
		(w.a.Relation != exchange.Contains || w.a.Place.Root() == "header")
	if !w.wouldMove() && (len(w.active) > 0 || structural) {
		candidates = append(candidates, w.a.Meaning)
	}
	return w.first(append(append(candidates, w.consequents()...), w.filled()...))
}

// first returns the first candidate, behind the guards, that holds in every trial and that the suite's language can
// make, and its source; "" where none does, or where it says no less than the assertion, which holds.
func (w *weakening) first(candidates []expr.Expr) (expr.Expr, string) {
	for _, x := range candidates {
		if w.failed == 0 && !w.a.Rebound && w.isSaid(x) {
			return nil, ""
		}
		if len(w.guards) > 0 {
			x = expr.AnyOf(append(slices.Clone(w.guards), x)...)
		}
		seen, failed := hold(x, w.trials)
		if failed > 0 || len(seen) < len(w.trials) {
			continue
		}
		text, ok := w.p.script.Writer.Assert(w.p.script, w.t, cmp.Or(w.whole, w.a), x)
		if ok || w.whole != nil && w.whole.Runs { // which is written with what is said of the other runs
			return x, text
		}
	}
	return nil, ""
}

// isSaid reports whether the assertion says what a statement does, written as it may be: that a value is one of a set
// of one is that it is equal.
func (w *weakening) isSaid(x expr.Expr) bool {
	one, ok := x.(expr.Compare)
	if !ok || one.Op != expr.In {
		return expr.Identical(x, w.a.Meaning)
	}
	set, ok := one.Y.(expr.Set)
	if !ok || len(set.Elems) != 1 || w.a.Relation != exchange.Equal {
		return expr.Identical(x, w.a.Meaning)
	}
	claimed, err := expr.Scope{}.Eval(w.literal())
	if err != nil || !expr.Identical(one.X, w.subject) {
		return false
	}
	only, err := expr.Scope{}.Eval(set.Elems[0])
	return err == nil && expr.Equal(only, claimed)
}

// claimedStatus returns the status that the suite expects of the call, and false where it expects none.
func (w *weakening) claimedStatus() (string, bool) {
	expected := w.t.Calls[w.a.Call].ExpectedStatus
	return expected, expected != ""
}

// variable is the name that the call's answer has.
func (w *weakening) variable() string { return w.t.Calls[w.a.Call].Var }

var threeDigits = regexp.MustCompile(`^\d{3}$`)

// statuses gives what can be said of a status that moves: the set of those seen, the suite's own included.
func (w *weakening) statuses() []expr.Expr {
	seen := expr.Distinct(w.subject, w.trials)
	seen = append(seen, without(w.expectedStatuses(), seen)...)
	if w.field != nil && w.field.Place == exchange.PlaceStatus {
		for _, raw := range w.field.Holds.OneOf {
			if !slices.Contains(seen, string(raw)) && threeDigits.MatchString(string(raw)) {
				seen = append(seen, string(raw))
			}
		}
	}
	slices.Sort(seen)
	if len(seen) == 1 {
		return nil // the map knows of no other
	}
	return []expr.Expr{expr.StatusIn(w.subject, seen)}
}

// guard finds the conditions under which there is nothing to look at: another status than the suite's, an array that is
// shorter, a member that is missing. It returns false where some trial has nothing to look at for another reason.
func (w *weakening) guard() bool {
	w.active = w.trials
	for _, g := range w.a.Guards {
		not, _ := g.(expr.Not)
		if _, isType := not.X.(expr.IsType); isType {
			if seen, failed := hold(g, w.trials); failed == len(seen) {
				continue // that what is looked into is a list goes without saying
			}
		}
		w.exclude(g)
	}
	status := expr.Answer{Var: w.variable(), Part: expr.Status}
	if claimed, ok := w.claimedStatus(); ok {
		if seen := expr.Distinct(status, w.trials); len(seen) > 1 || len(seen) == 1 && seen[0] != claimed {
			w.exclude(expr.Cmp(status, expr.Ne, expr.Numeral(claimed)))
		}
	}
	base, steps := expr.Steps(w.subject)
	for _, s := range w.active {
		if _, err := s.Eval(base); err != nil {
			return false
		}
	}
	for _, i := range steps {
		w.guardStep(i)
	}
	return true
}

// exclude adds a guard, and takes away the trials in which it is true.
func (w *weakening) exclude(guard expr.Expr) {
	if slices.ContainsFunc(w.guards, func(g expr.Expr) bool { return expr.Identical(g, guard) }) {
		return
	}
	w.guards = append(w.guards, guard)
	w.active = slices.DeleteFunc(slices.Clone(w.active), func(s expr.Scope) bool {
		ok, err := s.Holds(guard)
		return ok || err != nil
	})
}

// guardStep adds the guards that one step into an array or an object needs.
func (w *weakening) guardStep(i expr.Index) {
	kind, missing := expr.TypeObject, expr.Cmp(i.I, expr.NotIn, i.X)
	if n, ok := i.I.(expr.Num); ok {
		kind, missing = expr.TypeArray, expr.Cmp(expr.Len{X: i.X}, expr.Le, n)
	}
	isKind := expr.IsType{X: i.X, Types: []expr.Type{kind}}
	of, _ := i.X.(expr.Answer)
	foreign, short := false, false
	for _, s := range w.active {
		if _, err := s.Eval(i); err == nil {
			continue
		}
		if ok, _ := s.Holds(isKind); ok || of.Part == expr.Headers {
			short = true
		} else {
			foreign = true
		}
	}
	if foreign {
		w.exclude(expr.Not{X: isKind})
	}
	if short {
		w.exclude(missing)
	}
}

// consequents gives what can be said where there is something to look at, the strongest first.
func (w *weakening) consequents() []expr.Expr {
	filled := expr.Cmp(w.subject, expr.Ne, expr.Str{})
	switch w.a.Relation {
	case exchange.Equal:
		if w.a.Prior != nil {
			return w.widened()
		}
		if w.a.Place.Root() == "body" {
			if _, claimed := w.samples(); expr.TypeOf(claimed) == expr.TypeString {
				return w.pieces()
			}
			return w.values()
		}
		out := w.addressed()
		_, ofLink := expr.LinkOf(w.subject)
		if w.field != nil && w.field.Place == w.a.Place && len(w.active) > 0 && !ofLink {
			out = append(out, w.learned()...)
		}
		seen, _ := w.samples()
		sets := 0
		for sets < len(out) && isOneOf(out[sets]) {
			sets++
		}
		return append(slices.Insert(out, sets, w.moving(seen)...), filled)
	case exchange.Length:
		return w.lengths()
	case exchange.Contains:
		switch several := w.a.Meaning.(type) {
		case expr.And:
			return w.items(several.Xs)
		case expr.Or:
			return w.items(several.Xs)
		}
		if w.ofValue() {
			return w.pieces()
		}
		return w.texts()
	}
	return nil
}

// samples returns the values of the subject over the active trials, and what the suite expects of it.
func (w *weakening) samples() (seen []any, claimed any) {
	for _, s := range w.active {
		if v, err := s.Eval(w.subject); err == nil {
			seen = append(seen, v)
		}
	}
	if lit := w.literal(); lit != nil && w.a.Prior == nil && (w.a.Relation == exchange.Equal || w.ofValue()) {
		claimed, _ = expr.Scope{}.Eval(lit)
	}
	return seen, claimed
}

// values gives what can be said of a JSON value.
func (w *weakening) values() []expr.Expr {
	seen, claimed := w.samples()
	if w.failed == 0 { // what moves elsewhere may be here what it is there
		seen = append(seen, w.elsewhere()...)
	}
	if infinite := strings.Contains(w.a.Value, "Infinity"); infinite {
		limit := expr.Inf{Negative: strings.HasPrefix(w.a.Value, "-")}
		return append([]expr.Expr{expr.Cmp(w.subject, expr.Eq, limit)}, expr.Shapes(w.subject, seen)...)
	}
	all := slices.Clone(seen)
	_, _, whole := expr.Extent(seen)
	if f, ok := claimed.(float64); ok && (len(seen) == 0 || whole) {
		if i, exact := big.NewFloat(f).Int(nil); exact == big.Exact { // the generator writes every number with a point
			if len(seen) == 0 {
				all = append(all, f)
			}
			claimed = i
		}
	}
	var out []expr.Expr
	if number, ok := asNumber(claimed, seen); ok {
		out = append(out, expr.Cmp(w.subject, expr.Eq, number))
	}
	out = append(out, w.related()...)
	out = append(append(out, w.bound()...), w.passed()...)
	out = append(out, w.stages(claimed, seen)...)
	if array, ok := w.comesAnyhow(); ok {
		out = append(out, w.multiset(array)...)
		out = append(out, expr.MemberOf(array, w.subject, w.literal()))
	}
	if list, ok := w.literal().(expr.List); ok {
		out = append(out, w.lists(list)...)
	}
	out = append(out, w.members()...)
	if !w.ofBeginning() && (w.failed > 0 || !w.ofValue()) { // else it is a piece of a value, and none itself
		all = append(all, claimed)
	}
	out = append(out, expr.TokenHolds(w.subject, all, w.hidesClaim)...)
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		out = append(out, w.learnedOf(claimed)...)
	}
	if text, _ := claimed.(string); len(w.numbered(text, seen)) == 0 {
		out = append(out, w.alike(claimed, seen)...)
	}
	out = append(out, w.dated(all)...)
	out = append(append(out, farFromZero(w.subject, all)...), w.counted(seen)...)
	return append(out, expr.Shapes(w.subject, all)...)
}

// hidesClaim reports whether a claim of the token that an assertion is about is a secret.
func (w *weakening) hidesClaim(name string) bool {
	claim := exchange.Place(w.a.Place.Part(exchange.PartJWT) + "/claims").Key(name)
	return w.p.src.Redactor.Secret(claim)
}

// asNumber gives the number whose text the suite expects, where every answer has that number: the generator compared it
// as a text.
func asNumber(claimed any, seen []any) (expr.Expr, bool) {
	text, ok := claimed.(string)
	number, isNumber := expr.Number(text)
	if !ok || !isNumber || len(seen) == 0 ||
		slices.ContainsFunc(seen, func(v any) bool { _, text := v.(string); return text || !expr.Equal(v, number) }) {
		return nil, false
	}
	return expr.Numeral(text), true
}
