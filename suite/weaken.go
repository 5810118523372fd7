package suite

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

func isRaised(err error) bool { return errors.Is(err, errRaised) }

// weakening finds the strongest line that is true of every trial, for one assertion that is not.
type weakening struct {
	p      *patcher
	t      *Test
	a      *Assertion
	trials []scope // those that know the assertion's names
	failed int     // those that it is false in
	field  *volatility.Field

	subject expr     // what the assertion looks at
	guards  []string // conditions under which there is nothing to look at
	active  []scope  // the trials that no guard excludes
}

// wouldMove reports whether the place of an assertion that every trial fulfils is one that moves elsewhere, or will.
func (w *weakening) wouldMove() bool {
	// State is said of the exchange that showed it: another request of the operation may well be free of it.
	if w.field == nil || w.field.Apart() || w.a.ours || w.field.Category == volatility.State {
		return false
	}
	switch w.a.Relation {
	case exchange.Equal:
		return w.field.Place.Matches(w.a.Place) || w.unordered() != nil
	case exchange.Contains:
		return w.a.Place == exchange.PlaceBody && w.field.Place == exchange.PlaceBody
	}
	return false
}

// run replaces the assertion by a weaker one, or comments it out.
func (w *weakening) run() {
	if w.a.Relation != "" {
		w.subject = w.looksAt()
	}
	st := w.a.stmt
	c := Change{Kind: Weakened, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text}
	if w.p.mode == Comment {
		c.Kind, c.Category = Disabled, w.category()
		c.Reason = w.flaky()
		w.disable("# " + c.Reason)
		w.p.change(c, w.t, st.first)
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
	comment := commentMark + c.Reason + "; " + string(c.Category)
	if weaker == "" {
		c.Kind = Disabled
		w.disable(comment + "; nothing that is left of it would hold")
	} else {
		c.After = "assert " + weaker
		w.p.before(st, comment)
		w.p.edits = append(w.p.edits, edit{st.start, st.end, c.After})
	}
	w.p.change(c, w.t, st.first)
}

// ignore comments out an assertion about a place that the user ignores.
func (w *weakening) ignore() {
	c := Change{Kind: Disabled, Place: w.a.Place, Failed: w.failed, Of: len(w.trials), Before: w.a.Text, Category: volatility.Unk,
		Reason: string(w.a.Place) + ": a rule says to ignore it"}
	if w.field != nil {
		c.Category = w.field.Category
	}
	w.disable(commentMark + c.Reason)
	w.p.change(c, w.t, w.a.stmt.first)
}

// disable comments the assertion out, each of its lines, beneath a comment that says why.
func (w *weakening) disable(comment string) {
	w.p.before(w.a.stmt, comment)
	at := w.a.stmt.start
	for n := w.a.stmt.first; n <= w.a.stmt.last; n++ {
		w.p.edits = append(w.p.edits, edit{at, at, "# "})
		line := w.p.script.lines[n-1]
		if n == w.a.stmt.first {
			line = line[len(w.a.stmt.indent):]
		}
		at += len(line)
	}
}

// looksAt returns the expression whose value the assertion compares.
func (w *weakening) looksAt() expr {
	switch x := w.a.x.(type) {
	case pyCall:
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

// weaker returns the strongest expression that holds in every trial, "" where none was found.
func (w *weakening) weaker() string {
	if w.a.Place == exchange.PlaceStatus {
		return w.first(w.statuses())
	}
	if !w.guard() {
		return ""
	}
	original := w.p.script.text[w.a.stmt.start+len("assert") : w.a.stmt.end]
	original = strings.TrimSpace(original)
	var candidates []string
	structural := w.a.Relation != exchange.Equal && w.a.Relation != exchange.Length
	if !w.wouldMove() && (len(w.active) > 0 || structural) {
		candidates = append(candidates, original)
	}
	candidates = append(candidates, w.consequents()...)
	prefix := ""
	for _, g := range w.guards {
		prefix += g + " or "
	}
	for i, c := range candidates {
		candidates[i] = prefix + c
	}
	return w.first(candidates)
}

// first returns the first candidate that holds in every trial.
func (w *weakening) first(candidates []string) string {
	for _, c := range candidates {
		x, err := parseText(c)
		if err != nil || strings.ContainsAny(c, "\r\n") {
			continue
		}
		if seen, failed := hold(x, w.trials); failed == 0 && len(seen) == len(w.trials) {
			return c
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
	for _, a := range w.t.Assertions {
		if a.Place == exchange.PlaceStatus && a.Relation == exchange.Equal && a.Call == w.a.Call {
			return a.Value, true
		}
	}
	return "", false
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
	if !slices.Contains(seen, w.a.Value) {
		seen = append(seen, w.a.Value)
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
	if err != nil {
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
		if w.a.Place.Root() == "body" {
			return w.values(l)
		}
		return []string{l + ` != ""`}
	case exchange.Length:
		return w.lengths(l)
	case exchange.Contains:
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
	if c, ok := w.a.x.(pyCompare); ok && w.a.Relation == exchange.Equal {
		claimed, _ = scope{}.eval(c.ys[0])
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
	if f, ok := claimed.(float64); ok && allInts(seen) {
		if i, exact := big.NewFloat(f).Int(nil); exact == big.Exact {
			claimed = i // the generator writes every number with a point
		}
	}
	out := w.bound(l)
	if array := w.unordered(); array != nil {
		out = append(out, w.member(*array))
	}
	all := append(slices.Clone(seen), claimed)
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		for _, c := range w.learned(l) {
			if holdsOf(c, l, claimed) {
				out = append(out, c)
			}
		}
	}
	return append(out, shapes(l, all)...)
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
