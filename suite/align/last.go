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
				c.part(steps, position[step.Exchange.Seq], of, matched)
			}
		}
		for _, c := range loops {
			if step := matched[c.Call]; c.Last && step != nil {
				matched[c.Call] = c.last(steps, position[step.Exchange.Seq], of, loops)
			}
		}
	}
}

// part has the turns of a loop, the first of which is at a step, end ahead of the test's calls behind it. An alignment
// gives some of the turns to these where they can be of one kind, as GET /jobs/{id}. But the turns send the same
// request, so that another one is of a call behind the loop; where there is none, these calls have the last of them.
func (c SentCall) part(steps []exchange.Step, at int, of map[int]*script.Call,
	matched map[*script.Call]*exchange.Step) {
	turn := exchange.Exact(steps[at].Exchange)
	var held []int // the steps of these calls, in order
	for i, by := range of {
		if i > at && slices.Contains(c.test.Calls, by) {
			held = append(held, i)
		}
	}
	slices.Sort(held)
	end := at + 1
	for end < len(steps) && exchange.Exact(steps[end].Exchange) == turn {
		end++
	}
	for from := end; from > at+1; from-- {
		if n, ok := c.moves(steps, held, from, of); ok {
			by := make([]*script.Call, n)
			for i, k := range held[:n] {
				by[i] = of[k]
				delete(of, k)
			}
			for i, moved := range by {
				matched[moved], of[from+i] = &steps[from+i], moved
			}
			return
		}
	}
}

// moves is how many of the calls that hold steps, in order, have to move for none to be ahead of a step, to that and
// the next ones; false where they cannot have sent those.
func (c SentCall) moves(steps []exchange.Step, held []int, from int, of map[int]*script.Call) (n int, ok bool) {
	for ; n < len(held) && held[n] < from+n; n++ {
		to := from + n
		if to == len(steps) || of[to] != nil && !slices.Contains(held, to) ||
			!sends(SentCall{Call: of[held[n]], test: c.test, marks: c.marks}, &steps[to]) {
			return 0, false
		}
	}
	return n, true
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
