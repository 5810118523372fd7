package main

import (
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/trial"
	"github.com/flaketap/flaketap/suite/write/build"
	suiteplan "github.com/flaketap/flaketap/suite/write/plan"
)

// suiteReport is the JSON of suite --report; docs/suites.md describes it. The exchanges that are sent and those that
// are left add up to all that were recorded.
type suiteReport struct {
	Flaketap  string       `json:"flaketap"`
	Version   int          `json:"version"`
	Exchanges int          `json:"exchanges"`
	Sent      int          `json:"sent"`
	Tests     int          `json:"tests"`
	Values    suiteValues  `json:"values"`
	Left      []leftReport `json:"left"`
	// nil without --strengthen
	Strengthened *strengthenedReport `json:"strengthened,omitempty"`
}

// suiteValues counts the places of the recorded answers that are asserted as they were, and those that move.
type suiteValues struct {
	Exact    int `json:"exact"`
	Volatile int `json:"volatile"`
}

// leftReport is how many exchanges are in no test for one reason.
type leftReport struct {
	Why       string `json:"why"`
	Do        string `json:"do"`
	Exchanges int    `json:"exchanges"`
}

func suiteReportOf(src suite.Source, p suiteplan.Plan) suiteReport {
	r := suiteReport{Flaketap: "suite-report", Version: 1, Exchanges: len(src.Steps), Sent: len(p.Sent()),
		Tests: len(p.Tests), Left: []leftReport{}}
	r.Values.Exact, r.Values.Volatile = build.Count(src, p)
	for _, l := range p.Left {
		r.Left = append(r.Left, leftReport(l))
	}
	return r
}

// put writes the report to a file; to none where that is "".
func (r suiteReport) put(path string) error {
	if path == "" {
		return nil
	}
	s, err := outfile.Stage(path, 0o644, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	})
	if err != nil {
		return err
	}
	return s.Put()
}

// sayLeft says how many of the recorded exchanges are in no test, why, and what to do.
func (r suiteReport) sayLeft(talk *console.Console) {
	if len(r.Left) == 0 {
		return
	}
	talk.Say("flaketap: %d of %s are in tests; in none are:", r.Sent, console.Count(r.Exchanges, "exchange"))
	for _, l := range r.Left {
		talk.Say("flaketap:   %d %s: %s", l.Exchanges, l.Why, l.Do)
	}
}

// strengthenedReport is what --strengthen did: faults that were planted in answers, how many the tests tell without and
// with the assertions that were added, and those that they miss.
type strengthenedReport struct {
	Planted int            `json:"planted"`
	Before  int            `json:"told_before"`
	After   int            `json:"told_after"`
	Added   []addedReport  `json:"added"`
	Missed  []missedReport `json:"missed"`
}

// addedReport is an assertion that was added, and how many answers bear it.
type addedReport struct {
	Test    string         `json:"test"`
	Step    string         `json:"step"`
	Place   exchange.Place `json:"place"`
	Says    string         `json:"says"`
	Answers int            `json:"answers"`
}

// missedReport is a fault that no assertion tells, and why none was added.
type missedReport struct {
	Fault string `json:"fault"`
	Why   string `json:"why"`
}

func strengthenedReportOf(s *trial.Strengthened, r exchange.Redactor) *strengthenedReport {
	if s == nil {
		return nil
	}
	out := &strengthenedReport{Planted: s.Planted, Before: s.Before, After: s.After(), Added: []addedReport{},
		Missed: []missedReport{}}
	for _, a := range s.Added {
		a.Place = r.ShowPlace(a.Place)
		out.Added = append(out.Added, addedReport(a))
	}
	for _, m := range s.Missed {
		out.Missed = append(out.Missed, missedReport{r.Show("", m.String()), m.Why})
	}
	return out
}

// say says what was done, with each fault that is missed beneath its reason.
func (s *strengthenedReport) say(talk *console.Console) {
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
