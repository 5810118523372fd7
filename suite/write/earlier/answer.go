package earlier

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Answer is what one execution of an exchange was answered: the texts of its scalars, but for elements of arrays.
type Answer struct {
	In    string // the execution: a run or a trial
	At    time.Time
	Texts map[exchange.Place]string
}

// LastBefore is the last answer that came before another of the same execution, or is that one; nil where none is.
func LastBefore(all []Answer, now Answer) *Answer {
	var before *Answer
	for i := range all {
		x := &all[i]
		if x.In == now.In && !x.At.After(now.At) && (before == nil || x.At.After(before.At)) {
			before = x
		}
	}
	return before
}
