package main

import (
	"encoding/json"
	"io"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
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
