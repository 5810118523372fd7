package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// BoundScript is a suite held against a recording: each call beside the exchange that it sent, each assertion beside
// what was answered. What is asked of it is computed from that; [Held.Patch] comes last.
type BoundScript struct {
	script  *script.Script
	src     Source
	session []*exchange.Exchange
	matched map[*script.Call]*exchange.Step
	own     bool  // the recording is one of the suite itself
	runs    []int // those that observations speak of, the recording first

	steps    []exchange.Step         // the session, once it is searched
	index    *match.Index            // of it
	slips    map[*script.Test]*slips // see slipsOf
	waits    map[*script.Test][]wait // see [BoundScript.Await]
	unwaited []Unwaited
}

// Bind finds the exchanges of a suite's calls in a recording. session is the fuzzing session that the suite was
// generated from, in order; nil where it is not known. It tells what was true once from what never was.
func Bind(s *script.Script, src Source, session []*exchange.Exchange) *BoundScript {
	src.known()
	h := &BoundScript{script: s, src: src, session: session, runs: runsOf(src.Steps),
		slips: map[*script.Test]*slips{}}
	h.matched, h.own = matchCalls(s, src)
	return h
}

// Ran lists what the recording shows that the tests of the suite sent, in the order of the exchanges; nothing where it
// is no execution of the suite.
func (h *BoundScript) Ran() []setup.Ran {
	if !h.own {
		return nil
	}
	var out []setup.Ran
	for _, t := range h.script.Tests {
		for i, c := range t.Calls {
			if step := h.matched[c]; step != nil {
				out = append(out, setup.Ran{File: h.script.File, Test: t.Name, Call: i, Exchange: step.Exchange,
					Expected: c.ExpectedStatus})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b setup.Ran) int { return cmp.Compare(a.Exchange.Seq, b.Exchange.Seq) })
	return out
}

// trials returns what the names of a test stood for in each run.
func (h *BoundScript) trials(t *script.Test) []expr.Scope {
	out := make([]expr.Scope, 0, len(h.runs))
	for _, run := range h.runs {
		out = append(out, scopeOf(t, h.matched, run))
	}
	return out
}

// step returns the recorded exchange of the call that an assertion looks at, with its observations; nil where the
// assertion is about none, or the exchange was not found.
func (h *BoundScript) step(t *script.Test, a *script.Assertion) *exchange.Step {
	if a.Relation == "" {
		return nil
	}
	return h.matched[t.Calls[a.Call]]
}
