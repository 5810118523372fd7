package volatility

import (
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/volatility/verdict"
)

// warnings are the doubts about the whole.
func (j *judge) warnings(all []*verdict.Operation) []string {
	out := []string{}
	for _, p := range j.rec.Passes {
		if p.Dropped > 0 {
			out = append(out, fmt.Sprintf("pass %d lacks %d exchanges, which the recorder dropped when it was overloaded",
				p.Number, p.Dropped))
		}
	}
	c := j.runs.conditions()
	switch {
	case c.runs == 0:
		return append(out, "no runs: only what the values themselves show is known")
	case c.runs == 1:
		out = append(out, "1 run only: jitter and drift cannot be told apart")
	case c.runs == 2:
		out = append(out, "2 runs only")
	}
	if apart := farthest(all); apart > 0 && apart < time.Second {
		out = append(out, "all runs were within a second of the recording: what changes with the second was not seen to")
	}
	if kept := stillKept(all); kept != "" && !c.reset {
		out = append(out, kept)
	}
	if !c.reset {
		out = append(out, "no reset: what the runs left behind may have moved later ones")
	}
	for _, r := range j.runs.all {
		if r.Lost > 0 {
			out = append(out, fmt.Sprintf("run %d has no counterpart of %d recorded exchanges", r.Number, r.Lost))
		}
		if r.Ended.IsZero() {
			out = append(out, fmt.Sprintf("run %d was cut off: it has %d of %d exchanges", r.Number,
				j.runs.observed[r.Number]+j.runs.answered[r.Number], j.rec.Count))
		}
		if r.Refused > 0 {
			out = append(out, fmt.Sprintf("run %d is no evidence: a credential is not valid under %s (401 in place of a success: %d)",
				r.Number, strings.Join(r.Conditions.Perturb, ", "), r.Refused))
		}
		if n := j.runs.failed[r.Number]; n > 0 {
			out = append(out, fmt.Sprintf("run %d got no answer to requests that were answered in the recording: %d",
				r.Number, n))
		}
	}
	return out
}

// farthest is the longest time between a recorded answer and that of a run, 0 where none is known.
func farthest(all []*verdict.Operation) (longest time.Duration) {
	for _, o := range all {
		longest = max(longest, o.Apart)
	}
	return longest
}
