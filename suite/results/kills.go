package results

// Kills returns the tests that tell a fault, in the order of the tally: those that passed in every one of so many
// executions without the fault and fail in the one with it. Where that one broke off, as its runner did on a fault in a
// file's own set-up, those that it never came to tell it as well. A test that fails anyway, or at times, tells nothing.
func Kills(tests []*Test, executions int, with []Result, broke bool) []ID {
	outcome := make(map[ID]Outcome, len(with))
	for _, r := range with {
		outcome[r.ID()] = r.Outcome
	}
	var out []ID
	for _, t := range tests {
		if !t.Steady(executions) {
			continue
		}
		switch o := outcome[t.ID]; {
		case o == Fail, o == Error, o == "" && broke:
			out = append(out, t.ID)
		}
	}
	return out
}
