package suite

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

func isRaised(err error) bool { return errors.Is(err, errRaised) }

// weakening finds the strongest line that is true of every trial, for one assertion that is not.
type weakening struct {
	p      *patcher
	t      *Test
	a      *Assertion
	trials []scope // those that know the assertion's names
	failed int     // those that it is false in
	field  *mapfile.Field

	subject expr     // what the assertion looks at
	guards  []string // conditions under which there is nothing to look at
	active  []scope  // the trials that no guard excludes
}

// wouldMove reports whether the place of an assertion that every trial fulfils is one that moves elsewhere, or will.
func (w *weakening) wouldMove() bool {
	// State is said of the exchange that showed it: another request of the operation may well be free of it.
	if w.field == nil || w.field.Apart() || w.a.ours || w.field.Category == mapfile.State {
		return false
	}
	switch w.a.Relation {
	case exchange.Equal:
		return w.field.Place.Matches(w.a.Place) || w.unordered() != nil
	case exchange.Contains:
		if w.ofValue() {
			return w.field.Place.Matches(w.a.Place) || w.unordered() != nil
		}
		return w.a.Place == exchange.PlaceBody && w.field.Place == exchange.PlaceBody && isText(w.looksAt())
	}
	return false
}

// ofValue reports whether an assertion looks for a piece in a text of the JSON, where other languages' suites compare.
func (w *weakening) ofValue() bool {
	_, one := w.a.x.(pyCompare)
	return one && w.a.Relation == exchange.Contains && w.a.Place.Root() == "body" && !isText(w.looksAt())
}

// literal returns the value that the assertion compares with; nil where there is none.
func (w *weakening) literal() expr {
	x := w.a.x
	if several, ok := x.(pyBool); ok {
		x = several.xs[len(several.xs)-1]
	}
	switch c, ok := x.(pyCompare); {
	case !ok:
		return nil
	case w.a.Relation == exchange.Contains:
		return c.x
	default:
		return c.ys[0]
	}
}

// run replaces the assertion by a weaker one, or comments it out.
func (w *weakening) run() {
	if w.a.Relation != "" {
		w.subject = w.looksAt()
	}
	at := w.a.at
	c := Change{Kind: Weakened, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text}
	if w.p.mode == Comment {
		c.Kind, c.Category = Disabled, w.category()
		c.Reason = w.flaky()
		w.disable(comment(w.p.script.language, c.Reason))
		w.p.change(c, w.t, at.first)
		return
	}
	weaker := ""
	if w.subject != nil {
		weaker = w.weaker()
	}
	if w.failed == 0 && weaker == "" {
		w.p.out.Kept++
		return
	}
	c.Category, c.Reason = w.category(), w.reason()
	says := w.p.said(c.Reason + "; " + string(c.Category))
	if weaker == "" {
		c.Kind = Disabled
		w.disable(says + "; nothing that is left of it would hold")
	} else {
		c.After = weaker
		w.replace(weaker, says)
	}
	w.p.change(c, w.t, at.first)
}

// replace puts a statement in the place of the assertion, beneath a comment.
func (w *weakening) replace(text, comment string) {
	if l, ok := w.p.script.language.(mover); ok {
		if edits := l.instead(w.p.script, w.t, w.a, text, comment); edits != nil {
			w.p.edits = append(w.p.edits, edits...)
			return
		}
	}
	w.p.before(w.a.at, comment)
	w.p.edits = append(w.p.edits, edit{w.a.at.start, w.a.at.end, text})
}

// rebind writes an assertion that holds of a bound value.
func (w *weakening) rebind() {
	at := w.a.at
	text, ok := w.p.script.language.write(w.p.script, w.t, w.a, w.a.x)
	if !ok {
		w.run()
		return
	}
	reason := fmt.Sprintf("%s: %s as generated, made anew by the set-up", w.a.Place, w.shown(w.a.Value))
	w.p.before(at, w.p.said(reason+"; "+string(mapfile.State)))
	w.p.edits = append(w.p.edits, edit{at.start, at.end, text})
	w.p.change(Change{Kind: Rebound, Place: w.a.Place, Category: mapfile.State, Of: len(w.trials), Reason: reason, Before: w.a.Text, After: text}, w.t, at.first)
}

// ignore comments out an assertion about a place that the user ignores.
func (w *weakening) ignore() {
	c := Change{Kind: Disabled, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text, Category: mapfile.Unk,
		Reason: string(w.a.Place) + ": a rule says to ignore it"}
	if w.field != nil {
		c.Category = w.field.Category
	}
	w.disable(w.p.said(c.Reason))
	w.p.change(c, w.t, w.a.at.first)
}

// disable comments the assertion out, each of its lines, beneath a comment that says why.
func (w *weakening) disable(comment string) {
	w.p.before(w.a.at, comment)
	w.p.edits = append(w.p.edits, w.p.script.language.disable(w.p.script, w.a)...)
}

// looksAt returns the expression whose value the assertion compares.
func (w *weakening) looksAt() expr {
	if w.a.earlier != nil {
		return w.a.earlier.subject
	}
	x := w.a.x
	for several, ok := x.(pyBool); ok; several, ok = x.(pyBool) { // all of them about one, or what has to be there before it first
		x = several.xs[len(several.xs)-1]
	}
	switch x := x.(type) {
	case pyCall:
		if attr, ok := x.fn.(pyAttr); ok { // a method of what is looked at: startswith
			return attr.x
		}
		return x.args[0]
	case pyCompare:
		switch w.a.Relation {
		case exchange.Contains, exchange.Present, exchange.Absent:
			return x.ys[0]
		case exchange.Length:
			return x.x.(pyCall).args[0]
		}
		return x.x
	}
	return nil
}

// weaker returns the source of the strongest statement that holds in every trial and that the suite's language can
// make; "" where none was found.
func (w *weakening) weaker() string {
	if w.a.Place == exchange.PlaceStatus {
		return w.first(nil, w.statuses())
	}
	if !w.guard() {
		return ""
	}
	var candidates []expr
	structural := w.a.Relation != exchange.Equal && w.a.Relation != exchange.Length && (w.a.Relation != exchange.Contains || w.a.Place.Root() == "header")
	if !w.wouldMove() && (len(w.active) > 0 || structural) {
		candidates = append(candidates, w.a.x)
	}
	return w.first(candidates, w.consequents())
}

// first returns the source of the first candidate, behind the guards, that holds in every trial. Some candidates are
// given as expressions, the others, which are tried after them, in Python's notation.
func (w *weakening) first(candidates []expr, texts []string) string {
	for _, text := range texts {
		if x, err := parseText(text); err == nil && !strings.ContainsAny(text, "\r\n") {
			candidates = append(candidates, x)
		}
	}
	var guards []expr
	for _, g := range w.guards {
		if x, err := parseText(g); err == nil {
			guards = append(guards, x)
		}
	}
	for _, x := range candidates {
		if or, ok := x.(pyBool); len(guards) > 0 && ok && or.op == "or" {
			x = pyBool{"or", slices.Concat(guards, or.xs)}
		} else if len(guards) > 0 {
			x = pyBool{"or", append(slices.Clone(guards), x)}
		}
		seen, failed := hold(x, w.trials)
		if failed > 0 || len(seen) < len(w.trials) {
			continue
		}
		if text, ok := w.p.script.language.write(w.p.script, w.t, w.a, x); ok {
			return text
		}
	}
	return ""
}

// parseText parses one expression.
func parseText(text string) (expr, error) {
	st, err := statements("", text)
	if err != nil || len(st) != 1 {
		return nil, errors.Join(err, errForeign)
	}
	return parseExpr(st[0].tokens)
}

// claimedStatus returns the status that the suite expects of the call, and false where it expects none.
func (w *weakening) claimedStatus() (string, bool) {
	expected := w.t.Calls[w.a.Call].expected
	return expected, expected != ""
}

// variable is the name that the call's answer has.
func (w *weakening) variable() string { return w.t.Calls[w.a.Call].Var }

// distinct returns the different values of an expression over some trials, in order, as Python shows them; those where
// there is none are left out.
func distinct(x expr, trials []scope) []string {
	var out []string
	for _, s := range trials {
		v, err := s.eval(x)
		if err != nil {
			continue
		}
		if text := pyShow(v); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

var pyStatus = regexp.MustCompile(`^\d{3}$`)

// maxSet bounds how many different values a weakened assertion lists.
const maxSet = 6

// statuses gives what can be said of a status that moves: the set of those seen, the suite's own included.
func (w *weakening) statuses() []string {
	seen := distinct(w.subject, w.trials)
	before := []string{w.a.Value}
	if w.a.earlier != nil {
		before = nil
		for _, v := range w.a.earlier.values {
			before = append(before, pyShow(v))
		}
	}
	for _, status := range before {
		if !slices.Contains(seen, status) {
			seen = append(seen, status)
		}
	}
	if w.field != nil && w.field.Place == exchange.PlaceStatus {
		for _, raw := range w.field.Holds.OneOf {
			if !slices.Contains(seen, string(raw)) && pyStatus.MatchString(string(raw)) {
				seen = append(seen, string(raw))
			}
		}
	}
	slices.Sort(seen)
	l := pySource(w.subject)
	switch {
	case len(seen) == 1:
		return nil // the map knows of no other
	case len(seen) > maxSet:
		return []string{"100 <= " + l + " <= 599"}
	}
	return []string{l + " in (" + strings.Join(seen, ", ") + ")"}
}

// guard finds the conditions under which there is nothing to look at: another status than the suite's, an array that is
// shorter, a member that is missing. It returns false where some trial has nothing to look at for another reason.
func (w *weakening) guard() bool {
	w.active = w.trials
	for _, g := range w.a.guards {
		not, _ := g.(pyUnary)
		if kind, ok := not.x.(pyCall); ok && isName(kind.fn, "isinstance") {
			if seen, failed := hold(g, w.trials); failed == len(seen) {
				continue // that what is looked into is a list goes without saying
			}
		}
		w.exclude(pySource(g))
	}
	status := pyAttr{pyName{w.variable()}, "status_code"}
	if claimed, ok := w.claimedStatus(); ok {
		if seen := distinct(status, w.trials); len(seen) > 1 || len(seen) == 1 && seen[0] != claimed {
			w.exclude(pySource(status) + " != " + claimed)
		}
	}
	var chain []pyIndex // from the root
	base := w.subject
	for {
		i, ok := base.(pyIndex)
		if !ok {
			break
		}
		chain = append([]pyIndex{i}, chain...)
		base = i.x
	}
	for _, s := range w.active {
		if _, err := s.eval(base); err != nil {
			return false
		}
	}
	for _, i := range chain {
		w.guardIndex(i)
	}
	return true
}

// exclude adds a guard, and takes away the trials in which it is true.
func (w *weakening) exclude(guard string) {
	x, err := parseText(guard)
	if err != nil || slices.Contains(w.guards, guard) {
		return
	}
	w.guards = append(w.guards, guard)
	w.active = slices.DeleteFunc(slices.Clone(w.active), func(s scope) bool {
		ok, err := s.holds(x)
		return ok || err != nil
	})
}

// guardIndex adds the guards that one step into an array or an object needs.
func (w *weakening) guardIndex(i pyIndex) {
	parent := pySource(i.x)
	kind, missing := "dict", pySource(i.i)+" not in "+parent
	if n, ok := i.i.(pyNum); ok {
		kind, missing = "list", "len("+parent+") <= "+n.text
	}
	foreign, short := false, false
	for _, s := range w.active {
		v, _ := s.eval(i.x)
		_, headers := v.(pyHeaders)
		if _, err := s.eval(i); err != nil {
			if headers || pyIs(v, kind) {
				short = true
			} else {
				foreign = true
			}
		}
	}
	if foreign {
		w.exclude("not isinstance(" + parent + ", " + kind + ")")
	}
	if short {
		w.exclude(missing)
	}
}

// consequents gives what can be said where there is something to look at, the strongest first.
func (w *weakening) consequents() []string {
	l := pySource(w.subject)
	switch w.a.Relation {
	case exchange.Equal:
		if w.a.earlier != nil {
			return w.widened(l)
		}
		if w.a.Place.Root() == "body" {
			if _, claimed := w.samples(); pyType(claimed) == "str" {
				return w.pieces(l)
			}
			return w.values(l)
		}
		var out []string
		if w.field != nil && w.field.Place == w.a.Place && len(w.active) > 0 {
			out = w.learned(l)
		}
		return append(out, l+` != ""`)
	case exchange.Length:
		return w.lengths(l)
	case exchange.Contains:
		if several, ok := w.a.x.(pyBool); ok {
			return w.items(l, several.xs)
		}
		if w.ofValue() {
			return w.pieces(l)
		}
		return w.texts(l)
	}
	return nil
}

// samples returns the values of the subject over the active trials, and what the suite expects of it.
func (w *weakening) samples() (seen []any, claimed any) {
	for _, s := range w.active {
		if v, err := s.eval(w.subject); err == nil {
			seen = append(seen, v)
		}
	}
	if lit := w.literal(); lit != nil && w.a.earlier == nil && (w.a.Relation == exchange.Equal || w.ofValue()) {
		claimed, _ = scope{}.eval(lit)
	}
	return seen, claimed
}

// values gives what can be said of a JSON value.
func (w *weakening) values(l string) []string {
	seen, claimed := w.samples()
	if infinite := strings.Contains(w.a.Value, "Infinity"); infinite {
		sign := strings.TrimSuffix(w.a.Value, "Infinity")
		return append([]string{l + ` == float("` + sign + `inf")`}, shapes(l, seen)...)
	}
	all := slices.Clone(seen)
	if f, ok := claimed.(float64); ok && (len(seen) == 0 || allInts(seen)) {
		if i, exact := big.NewFloat(f).Int(nil); exact == big.Exact { // the generator writes every number with a point
			if len(seen) == 0 {
				all = append(all, f)
			}
			claimed = i
		}
	}
	out := append(asNumber(l, claimed, seen), w.bound(l)...)
	if array := w.unordered(); array != nil {
		out = append(out, w.member(*array))
	}
	all = append(all, claimed)
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		out = append(out, w.learnedOf(l, claimed)...)
	}
	return append(out, shapes(l, all)...)
}

// asNumber gives the number whose text the suite expects, where every answer has that number: the generator compared it as a
// text.
func asNumber(l string, claimed any, seen []any) []string {
	text, ok := claimed.(string)
	number, isNumber := pyNumber(text)
	if !ok || !isNumber || len(seen) == 0 || slices.ContainsFunc(seen, func(v any) bool { _, text := v.(string); return text || !pyEqual(v, number) }) {
		return nil
	}
	return []string{l + " == " + text}
}

func allInts(values []any) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v any) bool { _, ok := v.(*big.Int); return !ok })
}

// holdsOf reports whether a candidate about the subject l is true of a value that no trial has.
func holdsOf(candidate, l string, v any) bool {
	x, err := parseText(strings.ReplaceAll(candidate, l, "v"))
	if err != nil {
		return false
	}
	ok, err := scope{"v": v}.holds(x)
	return ok && err == nil
}
