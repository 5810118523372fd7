package suite

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/graft"
	"github.com/flaketap/flaketap/suite/script"
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
	w, why := p.suite().Write(t, g)
	if why != "" {
		return false
	}
	p.edits = append(p.edits, w.Edits...)
	for a, x := range w.Says {
		a.Meaning = x
		a.Rebound = true
	}
	if len(g.Steps)+len(g.CleanUp) > 0 {
		p.change(Change{Kind: Grafted, Category: mapfile.State, Reason: w.Why(),
			After: strings.Join(w.Lines, "\n"), Leaves: g.Leaves}, t, t.Line)
	}
	for _, b := range g.Fresh() {
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
		if given = true; p.matched[c] == nil || p.lacking()[sends(c)] {
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
	return len(graft.Drawn(t, func(c *script.Call) *exchange.Request {
		if step := p.matched[c]; step != nil {
			return &step.Exchange.Request
		}
		return nil
	})) == len(t.Fresh)
}
