package findings

import (
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Following is a place that moved when a value of an external service's answer did.
type Following struct {
	Place
	Value string // HOST/path#/field
}

// Following lists the places that follow external services, in the order of [Findings.Told].
func (f *Findings) Following() (all []Following) {
	for _, p := range f.Told() {
		for _, r := range p.Reasons {
			if e := mapfile.ParseEvidence(r.Code); e.Sign == mapfile.SignFollowsExternal {
				all = append(all, Following{p, e.Detail})
			}
		}
	}
	return all
}

// Asks is who asks, in words: an operation, where it is known.
func Asks(c *inspect.Asking) string {
	switch {
	case c.Operation != "":
		return c.Operation
	case c.Cause == inspect.CauseSeveral:
		return "one of several"
	}
	return "in the background"
}
