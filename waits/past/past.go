package past

import (
	"regexp"
)

// Commit is one of a history, with what it did to files that may hold waits.
type Commit struct {
	Hash    string
	Subject string
	Edits   []Edit
}

// unsteady is what people write when a test flaked.
var unsteady = regexp.MustCompile(`(?i)flak|flick|intermitt|unstable|stabili[sz]|racy|race cond|\brace\b|sporadic|` +
	`now and then|sometimes|timing|time ?out|\bslow|non-?determin|random(ly)? fail|fail(s|ing|ure)? on ci|brittle|` +
	`\b(increase|raise|longer|more) (the )?(sleep|wait|time|delay)|wait longer`)

// Flaky reports whether the message speaks of a test that fails now and then.
func (c *Commit) Flaky() bool { return unsteady.MatchString(c.Subject) }

// Edit is a block of lines of a file that others took the place of. Blocks of one file follow one upon the other.
type Edit struct {
	File    string // after the commit
	Was     string // before it, where it was renamed; "" where it was not
	Old     int    // the first line before it, or where it would be
	OldN    int    // how many lines
	New     int    // and after it
	NewN    int
	Changes []Change // of lines with times
}

// Change is a line with a time that another took the place of, that came, or that went.
type Change struct {
	Was, Now     int    // its line before and after; 0 where it was or is not there
	Old, New     string // the line before and after
	Above, Below string // the lines around it: those after, where it is still there
}
