package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// No exchange is dropped in silence: each is in a test, or is counted under one of these reasons, which say what holds
// of it, as in "12 are asked and answered as in another test". [plan.Plan.Sent] and these counts add up to the
// recording.
const (
	leftAlike    = "asked and answered as in another test"
	leftEnough   = "asked with other values, of which other tests have some"
	leftWritten  = "writes that another test sends too, with other values or after something else"
	leftRefused  = "refused as in another test"
	leftMethods  = "of methods that no resource has, of which other tests have some"
	leftSequence = "in sequences that another test sends too"
	leftRepeated = "repeated once more, with the outcome of the time before"
	leftSent     = "not to be sent again: faults, messages that were cut or are no HTTP"
	leftSilent   = "answered otherwise each time, in a way of which nothing can be asserted"
)

// What to do about them.
const (
	doAll     = "--all writes them"
	doObserve = "replay from a known start, with --reset or --start, so that more of them stays the same"
	doImport  = "no client can send them; record them again"
)

// reasons lists them in the order in which a summary has them, each with what to do.
var reasons = [][2]string{
	{leftAlike, doAll}, {leftEnough, doAll}, {leftWritten, doAll}, {leftRefused, doAll}, {leftMethods, doAll},
	{leftSequence, doAll}, {leftRepeated, doAll}, {leftSilent, doObserve}, {leftSent, doImport},
}

// leave notes why exchanges are in no test.
func (b *builder) leave(why string, steps []*exchange.Step) {
	for _, s := range steps {
		b.left[s.Exchange.Seq] = why
		if setup.Unsendable(s.Exchange) != "" {
			b.left[s.Exchange.Seq] = leftSent
		}
	}
}

// leftOut counts what is in no test, by reason. What tests share is sent all the same, such as signing up.
func (b *builder) leftOut(sent map[uint64]bool) (out []plan.Left) {
	count := map[string]int{}
	for seq, why := range b.left {
		if !sent[seq] {
			count[why]++
		}
	}
	for _, r := range reasons {
		if n := count[r[0]]; n > 0 {
			out = append(out, plan.Left{Why: r[0], Do: r[1], Exchanges: n})
		}
	}
	return out
}

// silent reports whether a test can fail for no reason but that nobody answers: it asserts nothing of any answer.
func silent(t plan.Test) bool {
	return !slices.ContainsFunc(t.Steps, func(s plan.Step) bool {
		return (s.Role == plan.Tested || s.Single) && s.Left == "" && slices.ContainsFunc(s.Checks, asserts)
	})
}

// asserts reports whether some answer fails a check.
func asserts(c plan.Check) bool {
	switch c.Kind {
	case plan.CheckStatus:
		return len(c.Statuses) > 0
	case plan.CheckHolds:
		return states(c.Holds) || c.Near != nil || !c.Optional
	}
	return true
}
