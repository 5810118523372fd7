package graft

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// What a test names is drawn anew in each run where the API may know it already: a variable at the head of the test
// holds what was drawn, and takes the place of what was written out, in requests and in what is expected of answers.

// freshen declares the fresh values of the set-up, and has the test's own statements speak of them; false where the
// dialect cannot.
func (w *builder) freshen(lang *script.Grafter) (lines []string, ok bool) {
	for _, b := range w.g.Fresh() {
		if lang.Fresh == nil {
			return nil, false
		}
		var outside []script.Edit
		at, gap := 0, 0
		if ofTheTest(b) {
			outside, at, gap, ok = w.outside(lang, &b)
			if !ok || lang.Bind != nil && !w.everywhere(lang, &b, outside) {
				return nil, false
			}
		}
		text := script.FreshText{Name: Variable(&b), Before: b.Fresh.Before, After: b.Fresh.After,
			Letters: script.Letters(b.Fresh.Letters), Length: b.Fresh.Length}
		draws := lang.Fresh
		if len(outside) > 0 && lang.FreshOutside != nil {
			draws = lang.FreshOutside
		}
		drawn := []string{w.in.Script.Comment(w.whyFresh(&b)), draws(w.in.Script, w.t, text)}
		if len(outside) == 0 {
			lines = append(lines, drawn...)
			continue
		}
		end := w.in.Script.EOL()
		indent := w.in.Script.Text[strings.LastIndexByte(w.in.Script.Text[:at], '\n')+1 : at]
		written := strings.ReplaceAll(strings.Join(drawn, "\n"), "\n", end+indent) + strings.Repeat(end, 1+gap) + indent
		outside = append(outside, script.Edit{Start: at, End: at, Text: written})
		w.edits = append(w.edits, outside...)
		if w.drawn[b.Value] = b.Name; w.in.Drawn[b.Value] != "" {
			w.there = append(w.there, outside...)
		}
	}
	return lines, true
}

// ofTheTest reports whether the test itself speaks of a value, and not its set-up alone.
func ofTheTest(b setup.Bind) bool {
	return slices.ContainsFunc(b.Uses, func(u setup.BindUse) bool {
		return u.In == setup.InCall || u.In == setup.InAnswer
	})
}

// needsEscapes reports whether a fresh value would be written into a URL or a form which it means something else in: a
// plus is a blank there. What stands in the test's own words, its client may escape.
func needsEscapes(lang *script.Grafter, g Grafting) bool {
	for _, b := range g.Fresh() {
		for _, u := range b.Uses {
			var r *exchange.Request
			switch {
			case u.In == setup.InCall && lang.Bind == nil && u.At < len(g.Calls):
				r = &g.Calls[u.At].Request
			case u.In == setup.InSetUp && u.At < len(g.Steps):
				r = &g.Steps[u.At].Request
			case u.In == setup.InCleanUp && u.At < len(g.CleanUp):
				r = &g.CleanUp[u.At].Request
			default:
				continue
			}
			special := ""
			switch root := u.Place.Root(); {
			case root == "path":
				special = "/?#%"
			case root == "query", root == "body" && r.MediaType() == "application/x-www-form-urlencoded":
				special = "+&#%"
			}
			if strings.ContainsAny(b.Value, special) {
				return true
			}
		}
	}
	return false
}

// named gives the fresh values that are drawn outside of the test names that nothing else in the file has, or those
// that they have where they are drawn for another test.
func (w *builder) named(lang *script.Grafter) {
	w.g.Binds = slices.Clone(w.g.Binds)
	for i := range w.g.Binds {
		b := &w.g.Binds[i]
		if b.Fresh == nil {
			continue
		}
		if name := w.in.Drawn[b.Value]; name != "" {
			b.Name = name
			continue
		}
		if edits, _, _, _ := w.outside(lang, b); len(edits) == 0 {
			continue
		}
		names := slices.Collect(maps.Values(w.in.Drawn))
		for name, n := b.Name, 2; slices.Contains(names, b.Name) || strings.Contains(w.in.Script.Text, Variable(b)); n++ {
			b.Name = fmt.Sprintf("%s_%d", name, n)
		}
	}
}

// outside puts a fresh value in the place of the literals that stand outside of the tests; ok is false where that
// cannot be, or leaves some test behind.
func (w *builder) outside(lang *script.Grafter, b *setup.Bind) (edits []script.Edit, at, gap int, ok bool) {
	if lang.Outside == nil {
		return nil, 0, 0, true
	}
	return lang.Outside(w.in.Script, w.t, b.Value, Variable(b))
}

// whyFresh says for a comment why a value is drawn. [script.FreshName] reads it again.
func (w *builder) whyFresh(b *setup.Bind) string {
	return fmt.Sprintf("%s stands for %q: %s; proven by replay; %s", Variable(b), b.Value,
		w.in.Redactor.Show("", b.Why), mapfile.State)
}

// everywhere puts a fresh value in the place of the literals of the test, beside edits of those outside of it. What an
// assertion compares with stays where that is not true of it: it is weakened then, as others are.
func (w *builder) everywhere(lang *script.Grafter, b *setup.Bind, outside []script.Edit) bool {
	var stay []script.Span
	for _, a := range w.t.Assertions {
		named := len(outside) > 0 && !strings.Contains(a.Text, b.Value) // by what now stands for another value
		x, speaks := spoken(cmp.Or(w.says[a], a.Meaning), b.Value, Variable(b))
		switch {
		case !speaks:
		case w.comesTrue(x) && named:
			w.follows[a] = true
		case w.comesTrue(x):
			w.says[a] = x
		case named:
			return false
		default:
			stay = append(stay, a.At)
		}
	}
	edits, ok := lang.Everywhere(w.in.Script, w.t, b.Value, Variable(b), stay)
	if !ok || len(edits)+len(outside) == 0 {
		return false
	}
	for _, e := range edits {
		for _, other := range w.edits {
			if other.Start < e.End && e.Start < other.End {
				return false
			}
		}
	}
	w.edits = append(w.edits, edits...)
	return true
}

// comesTrue reports whether an expression is true in the trials with fresh values, as far as it can be told.
func (w *builder) comesTrue(x expr.Expr) bool {
	for _, trial := range w.g.Trials[min(1, len(w.g.Trials)):] {
		if ok, err := w.g.Scope(w.t, trial).Holds(x); err == nil && !ok {
			return false
		}
	}
	return true
}

// spoken puts a variable in the place of a value wherever an expression has it in a text; false where it does nowhere.
func spoken(x expr.Expr, value, name string) (expr.Expr, bool) {
	found := false
	var texts []expr.Str
	expr.Walk(x, func(y expr.Expr) {
		if s, ok := y.(expr.Str); ok && strings.Contains(s.Value, value) {
			texts = append(texts, s)
		}
	})
	for _, s := range texts {
		if is, ok := withName(s.Value, value, name); ok {
			x, found = expr.Subst(x, s, is), true
		}
	}
	return x, found
}

// renews reports whether a part of a request, as the suite writes it, holds a value that is to be drawn.
func (w *builder) renews(text string) bool {
	return slices.ContainsFunc(w.g.Fresh(), func(b setup.Bind) bool { return len(message.Apart(text, b.Value)) > 0 })
}

// Drawn are the fresh values of a test in one run, by their variables, as its requests show them.
func Drawn(t *script.Test, sent func(*script.Call) *exchange.Request) expr.Scope {
	out := expr.Scope{}
	for _, f := range t.Fresh {
		for _, c := range t.Calls {
			r := sent(c)
			if r == nil {
				continue
			}
			if value, ok := setup.Drawn(r, f.Value); ok {
				out[f.Variable] = value
				break
			}
		}
	}
	return out
}
