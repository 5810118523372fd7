// Package summary says what came of writing a suite: which of the recorded exchanges are in tests, which are in none,
// and what --strengthen added. It is told to people, and written as the JSON of suite --report.
package summary

import (
	"io"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/trial"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// Summary is the JSON of suite --report; docs/suites.md describes it. The exchanges that are sent and those that
// are left add up to all that were recorded.
type Summary struct {
	Flaketap  string `json:"flaketap"`
	Version   int    `json:"version"`
	Exchanges int    `json:"exchanges"`
	Sent      int    `json:"sent"`
	Tests     int    `json:"tests"`
	Values    Values `json:"values"`
	Left      []Left `json:"left"`
	// nil without --strengthen
	Strengthened *Strengthened `json:"strengthened,omitempty"`
}

// Values counts the places of the recorded answers that are asserted as they were, and those that move.
type Values struct {
	Exact    int `json:"exact"`
	Volatile int `json:"volatile"`
}

// Left is how many exchanges are in no test for one reason.
type Left struct {
	Why       string `json:"why"`
	Do        string `json:"do"`
	Exchanges int    `json:"exchanges"`
}

// Of sums up a plan of tests that was made from a source; strengthened is nil without --strengthen.
func Of(src suite.Source, p plan.Plan, strengthened *trial.Strengthened) Summary {
	r := Summary{Flaketap: "suite-report", Version: 1, Exchanges: len(src.Steps), Sent: len(p.Sent()),
		Tests: len(p.Tests), Left: []Left{}}
	r.Values.Exact, r.Values.Volatile = build.Count(src, p)
	for _, l := range p.Left {
		r.Left = append(r.Left, Left(l))
	}
	r.Strengthened = strengthenedOf(strengthened, src.Redactor)
	return r
}

// Put writes the report to a file; to none where that is "".
func (r Summary) Put(path string) error {
	if path == "" {
		return nil
	}
	s, err := outfile.Stage(path, 0o644, func(w io.Writer) error {
		return outfile.JSON(w, r)
	})
	if err != nil {
		return err
	}
	return s.Put()
}

// Say says how many of the recorded exchanges are in no test, why, and what to do; and what was strengthened, with each
// fault that is missed beneath its reason.
func (r Summary) Say(talk *console.Console) {
	if len(r.Left) > 0 {
		talk.Say("flaketap: %d of %s are in tests; in none are:", r.Sent, console.Count(r.Exchanges, "exchange"))
	}
	for _, l := range r.Left {
		talk.Say("flaketap:   %d %s: %s", l.Exchanges, l.Why, l.Do)
	}
	r.Strengthened.say(talk)
}

// Strengthened is what --strengthen did: faults that were planted in answers, how many the tests tell without and
// with the assertions that were added, and those that they miss.
type Strengthened struct {
	Planted int      `json:"planted"`
	Before  int      `json:"told_before"`
	After   int      `json:"told_after"`
	Added   []Added  `json:"added"`
	Missed  []Missed `json:"missed"`
}

// Added is an assertion that was added, and how many answers bear it.
type Added struct {
	Test    string         `json:"test"`
	Step    string         `json:"step"`
	Place   exchange.Place `json:"place"`
	Says    string         `json:"says"`
	Answers int            `json:"answers"`
}

// Missed is a fault that no assertion tells, and why none was added.
type Missed struct {
	Fault string `json:"fault"`
	Why   string `json:"why"`
}

func strengthenedOf(s *trial.Strengthened, r exchange.Redactor) *Strengthened {
	if s == nil {
		return nil
	}
	out := &Strengthened{Planted: s.Planted, Before: s.Before, After: s.After(), Added: []Added{},
		Missed: []Missed{}}
	for _, a := range s.Added {
		a.Place = r.ShowPlace(a.Place)
		out.Added = append(out.Added, Added(a))
	}
	for _, m := range s.Missed {
		out.Missed = append(out.Missed, Missed{r.Show("", m.String()), m.Why})
	}
	return out
}

// say says what was done, with each fault that is missed beneath its reason.
func (s *Strengthened) say(talk *console.Console) {
	if s == nil {
		return
	}
	talk.Say("flaketap: of %s planted in answers the tests told %d, and tell %d with %s added", console.Count(s.Planted, "fault"),
		s.Before, s.After, console.Count(len(s.Added), "assertion"))
	for _, a := range s.Added {
		talk.Say("flaketap:   added to %s, %s: %s %s, as in all %d answers", a.Test, console.OneLine(a.Step),
			console.OneLine(string(a.Place)), console.OneLine(a.Says), a.Answers)
	}
	byWhy := map[string][]string{}
	for _, m := range s.Missed {
		byWhy[m.Why] = append(byWhy[m.Why], m.Fault)
	}
	for _, why := range slices.Sorted(maps.Keys(byWhy)) {
		talk.Say("flaketap:   %d are not told: %s:", len(byWhy[why]), why)
		for _, fault := range byWhy[why] {
			talk.Say("flaketap:     %s", console.OneLine(fault))
		}
	}
}
