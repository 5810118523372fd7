package mapfile

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// RuleKind is what a user's rule does to the places that it is about.
type RuleKind string

// The kinds of rules.
const (
	Ignore RuleKind = "ignore" // nobody asserts the place, and no figure counts it
	Pin    RuleKind = "pin"    // stable, whatever moved: suites go on asserting the recorded value
	Force  RuleKind = "force"  // volatile in the whole operation, though it never moved
)

// Ruling is the rule that decided on a field.
type Ruling struct {
	Kind      RuleKind  `json:"kind"`
	Because   string    `json:"because,omitempty"`
	Judgement Judgement `json:"judgement"` // what the runs say
	Category  Category  `json:"category"`
}

// Complete reports whether the map has the stable places too: always in memory, in a file only where they were asked
// for.
func (m *Map) Complete() bool {
	stable := 0
	for _, o := range m.Operations {
		for _, f := range o.Fields {
			if f.Judgement == Stable && f.Counts() {
				stable++
			}
		}
	}
	return stable >= m.Summary.Stable
}

// Apart reports whether the place is counted in no figure and asserted by nobody: the protocol itself moves it, the
// user's rule says so, or it says no more than another place does that is ([Field.Repeats]).
func (f *Field) Apart() bool { return f.Protocol || f.Ignored() || f.Repeats() }

// Counts reports whether the place is counted in figures. It is not where it is apart, and what the protocol moves is
// not either where the user pins it.
func (f *Field) Counts() bool { return !f.Apart() && !MovesByProtocol(f.Place) }

// Ignored reports whether the user's rule says that nobody is to assert the place.
func (f *Field) Ignored() bool { return f.Rule != nil && f.Rule.Kind == Ignore }

// Ruled returns the kind of the rule that decides on a concrete place, or says to ignore what it is in; "" where none
// does.
func (o *Operation) Ruled(place exchange.Place) RuleKind {
	if f := o.At(place); f != nil && f.Rule != nil {
		return f.Rule.Kind
	}
	for p := place.Parent(); p != ""; p = p.Parent() {
		if f := o.At(p); f != nil && f.Rule != nil && f.Rule.Kind == Ignore {
			return Ignore
		}
	}
	return ""
}

// SometimesAbsent reports whether the place was not there in some observation.
func (f *Field) SometimesAbsent() bool {
	return f.Holds.Optional || slices.Contains(f.Evidence, string(SignSometimesAbsent))
}
