package suite

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/graft"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Grafting is what a test is given back of the session that it came from.
type Grafting = graft.Grafting

// suite is what is known of the suite to give its tests something back.
func (h *BoundScript) suite() graft.Suite {
	return graft.Suite{Script: h.script, Session: h.session, Redactor: h.src.Redactor}
}

// graft writes a set-up into a test, and reports whether it could: what it could not write it leaves as it was.
func (p *patcher) graft(t *script.Test, g graft.Grafting) bool {
	in := p.suite()
	in.Drawn = p.drawn
	w, why := in.Write(t, g)
	if why != "" {
		return false
	}
	p.edits = append(p.edits, w.Edits...)
	maps.Copy(p.drawn, w.Drawn)
	for a := range w.Follows {
		p.follows[a] = true
	}
	for a, x := range w.Says {
		a.Meaning = x
		a.Rebound = true
	}
	if len(g.Steps)+len(g.CleanUp) > 0 {
		p.change(Change{Kind: Grafted, Category: mapfile.State, Reason: w.Why(),
			After: strings.Join(w.Lines, "\n"), Leaves: w.Leaves()}, t, t.Line)
	}
	for _, b := range w.Fresh() {
		p.change(Change{Kind: Renewed, Category: mapfile.State, Reason: w.WhyFresh(&b), Before: b.Value,
			After: graft.Variable(&b)}, t, t.Line)
	}
	return true
}

// observed reports whether the recording holds a test with its set-up, and not the test as it was before, beside
// another that sent what the set-up sends: that one lacks its own exchange then.
func (p *patcher) observed(t *script.Test) bool {
	given := false
	for _, c := range t.Calls {
		if !strings.HasPrefix(c.Var, script.SetUpPrefix) {
			continue
		}
		if given = true; !c.Maybe && p.matched[c] == nil || p.lacking()[sends(c)] {
			return false
		}
	}
	return given && p.own
}

// lacking returns what the first calls of tests send that were not found, though every test comes to its first call.
func (p *patcher) lacking() map[string]bool {
	if p.missed == nil {
		p.missed = map[string]bool{}
		for _, t := range p.script.Tests {
			if len(t.Calls) > 0 && !t.Skipped && p.matched[t.Calls[0]] == nil {
				p.missed[sends(t.Calls[0])] = true
			}
		}
	}
	return p.missed
}

// sends is a call's request as the suite writes it.
func sends(c *script.Call) string { return c.Method + " " + c.Target + "\x00" + c.Body }

// drew reports whether the recording is one of the test with the fresh values that it has, and not of the test before.
func (p *patcher) drew(t *script.Test) bool {
	drawn := graft.Drawn(t, p.sent)
	return !slices.ContainsFunc(t.Fresh, func(f script.FreshName) bool {
		_, ok := drawn[f.Variable]
		return !ok && (!f.Outside || p.sendsValue(t, f.Value))
	})
}

// sendsValue reports whether a test was recorded to send a value.
func (h *BoundScript) sendsValue(t *script.Test, value string) bool {
	return slices.ContainsFunc(t.Calls, func(c *script.Call) bool {
		r := h.sent(c)
		return r != nil && setup.Sends(r, value)
	})
}

// followsAnother reports whether a test sends what another is given to draw, by a constant, a fixture or a function
// that both have it from.
func (p *patcher) followsAnother(t *script.Test) bool {
	if given(p.grafts[t.Name]) {
		return false
	}
	for _, other := range p.script.Tests {
		g := p.grafts[other.Name]
		for _, b := range g.Fresh() {
			if other != t && p.hasFromFile(t, b.Value) && p.sendsValue(t, b.Value) {
				return true
			}
		}
	}
	return false
}
