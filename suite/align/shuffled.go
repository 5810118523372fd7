package align

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Shuffled adds to what is matched the steps of calls that a test sends in any order, as those of the rounds of a loop
// over a map: an alignment passes over those that came otherwise than they are written. Such a call has the one step
// near the test's others that is wholly its own; where several are, none.
func Shuffled(tests []*script.Test, steps []exchange.Step, matched map[*script.Call]*exchange.Step) {
	if !slices.ContainsFunc(tests, func(t *script.Test) bool { return slices.ContainsFunc(t.Calls, isShuffled) }) {
		return
	}
	at := make(map[*exchange.Step]int, len(steps))
	for i := range steps {
		at[&steps[i]] = i
	}
	taken := map[*exchange.Step]bool{}
	for _, step := range matched {
		taken[step] = true
	}
	for _, t := range tests {
		first, last := len(steps), -1
		for _, c := range t.Calls {
			if step := matched[c]; step != nil {
				first, last = min(first, at[step]), max(last, at[step])
			}
		}
		for _, c := range t.Calls {
			if !isShuffled(c) || matched[c] != nil || last < 0 {
				continue
			}
			var found []*exchange.Step
			for i := max(0, first-len(t.Calls)); i < min(len(steps), last+len(t.Calls)+1); i++ {
				worth, _ := Agreement(SentCall{Call: c}, steps[i].Exchange)
				if worth >= WorthEqual && !taken[&steps[i]] {
					found = append(found, &steps[i])
				}
			}
			if len(found) == 1 {
				matched[c], taken[found[0]] = found[0], true
			}
		}
	}
}

func isShuffled(c *script.Call) bool { return c.AnyOrder }
