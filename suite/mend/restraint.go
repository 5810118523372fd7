package mend

import "github.com/flaketap/flaketap/suite/results"

// Restraint says of which tests the set-ups have made tests fail in the suite's own order, by the names that their
// runner has for them.
type Restraint struct {
	// Withhold are tests that are given no set-up, since they have failed with one among the others.
	Withhold []results.ID
	// LookFirst are tests whose set-up made again what others count: it looks first whether that is there, where
	// something shows it.
	LookFirst []results.ID
}
