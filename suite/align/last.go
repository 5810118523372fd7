package align

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Last has the calls of loops of which a test sees the last answer be answered by the last of the requests that they
// sent, which stand in a row with those of the loop's other calls. An alignment gives each call the first of them.
func Last(tests []*script.Test, marks Marks, steps []exchange.Step, matched map[*script.Call]*exchange.Step) {
	position := make(map[uint64]int, len(steps))
	for i, s := range steps {
		position[s.Exchange.Seq] = i
	}
	of := make(map[int]*script.Call, len(matched)) // by step
	for c, step := range matched {
		of[position[step.Exchange.Seq]] = c
	}
	for _, t := range tests {
		var loops []SentCall
		for _, c := range t.Calls {
			if c.Many {
				loops = append(loops, SentCall{Call: c, test: t, marks: marks})
			}
		}
		for _, c := range loops {
			if step := matched[c.Call]; c.Last && step != nil {
				matched[c.Call] = c.last(steps, position[step.Exchange.Seq], of, loops)
			}
		}
	}
}

// last is the last step that a call sent in the turns of a loop, the first of which begins at a step. Others are of the
// test's loops, unless they are matched with a call that is none of these.
func (c SentCall) last(steps []exchange.Step, at int, of map[int]*script.Call, loops []SentCall) *exchange.Step {
	out := &steps[at]
	for at++; at < len(steps); at++ {
		mine := sends(c, &steps[at])
		switch by := of[at]; {
		case by != nil && mine,
			by != nil && !slices.ContainsFunc(loops, func(c SentCall) bool { return c.Call == by }),
			!mine && !slices.ContainsFunc(loops, func(c SentCall) bool { return sends(c, &steps[at]) }):
			return out
		case mine:
			out = &steps[at]
		}
	}
	return out
}

// sends reports whether a call can have sent the request of a step.
func sends(c SentCall, step *exchange.Step) bool {
	worth, _ := Agreement(c, step.Exchange)
	return worth > 0
}
