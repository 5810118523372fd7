package align

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Own are the calls that each test sends itself, without those that are sent once for several.
func Own(calls []SentCall) []SentCall {
	var out []SentCall
	begins := false // what was left out began a test, or one of its runs
	for i, c := range calls {
		if i > 0 && calls[i-1].test != c.test {
			begins = false
		}
		if begins = begins || c.first; c.Once == "" {
			c.first, begins = begins, false
			out = append(out, c)
		}
	}
	return out
}

// Place finds the exchanges of calls that are sent once for several tests, where an alignment has none: the first test
// to ask for them sends them, which may be one of another file. They stand before what those tests send themselves, and
// are of no other call. Of several that agree as much the last counts. The worth of what was found is returned.
func Place(tests []*script.Test, calls []SentCall, steps []exchange.Step,
	matched map[*script.Call]*exchange.Step) (worth int) {
	p := newPlacing(tests, steps, matched)
	next, of := len(steps), (*script.Test)(nil) // where what is sent behind the call stands, and whose it is
	for _, c := range slices.Backward(calls) {
		if c.test != of {
			next, of = len(steps), c.test
		}
		if c.Once == "" {
			continue
		}
		before, sent := p.before[c.Once]
		if !sent {
			continue // no test that needs it has sent anything
		}
		if step := matched[c.Call]; step != nil {
			next = p.at[step]
			continue
		}
		if i, agrees := p.last(c, min(before, next)); i >= 0 {
			matched[c.Call], p.taken[i], next = &steps[i], true, i
			worth += agrees
		}
	}
	return worth
}

// placing is what is known of where calls may stand that are sent once for several tests.
type placing struct {
	steps  []exchange.Step
	at     map[*exchange.Step]int
	taken  []bool         // steps that are of a call
	before map[string]int // by the names of what is sent once: the first step of a test that needs it
}

func newPlacing(tests []*script.Test, steps []exchange.Step, matched map[*script.Call]*exchange.Step) *placing {
	p := &placing{steps, make(map[*exchange.Step]int, len(steps)), make([]bool, len(steps)), map[string]int{}}
	for i := range steps {
		p.at[&steps[i]] = i
	}
	for _, step := range matched {
		p.taken[p.at[step]] = true
	}
	for _, t := range tests {
		first := len(steps)
		for _, c := range t.Calls {
			if step := matched[c]; step != nil && c.Once == "" {
				first = min(first, p.at[step])
			}
		}
		for _, c := range t.Calls {
			if was, known := p.before[c.Once]; first < len(steps) && (!known || first < was) {
				p.before[c.Once] = first
			}
		}
	}
	return p
}

// last is the last of the steps before one that agree the most with a call; -1 where none does.
func (p *placing) last(c SentCall, before int) (at, worth int) {
	at = -1
	for i := before - 1; i >= 0; i-- {
		if agrees, _ := Agreement(c, p.steps[i].Exchange); agrees > worth && !p.taken[i] {
			at, worth = i, agrees
		}
	}
	return at, worth
}
