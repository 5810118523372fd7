package mocked

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
)

// Suite says how a suite of behaviors is written, and where to.
type Suite struct {
	Form    string // one of [write.MockNames]
	Dir     string // to write into
	Mode    suite.Mode
	Console *console.Console
}

// Write writes a test for each behavior of a search that is proven, and is more than a want of verification. The
// redactor is that of the search's recording.
func (s Suite) Write(all []archive.Behavior, redactor exchange.Redactor) error {
	tested := slices.DeleteFunc(slices.Clone(all), func(b archive.Behavior) bool { return len(b.Trials) == 0 })
	if left := len(all) - len(tested); left > 0 {
		s.Console.Say("flaketap: left out %s that the search, ended early, has not proven: the same search goes on",
			console.Count(left, "behavior"))
	}
	proven := len(tested)
	tested = slices.DeleteFunc(tested, func(b archive.Behavior) bool {
		return slices.Contains(b.Findings, search.Unverified)
	})
	if left := proven - len(tested); left > 0 {
		s.Console.Say("flaketap: left out %s of an API that takes a certificate which nobody trusts: no test is to hold it to that",
			console.Count(left, "behavior"))
	}
	plan, err := Plan(tested, Options{Mode: s.Mode, Redactor: redactor})
	if err != nil {
		return err
	}
	files, err := write.Write(s.Form, plan)
	if err != nil {
		return err
	}
	if err := outfile.WriteAll(s.Dir, files, nil); err != nil {
		return err
	}
	if write.ByWireMock(s.Form) {
		for _, t := range plan.Tests {
			if t.BeyondWireMock != "" {
				s.Console.Say("flaketap: the test of behavior %s is skipped where flaketap does not serve it: %s", t.Mock, t.BeyondWireMock)
			}
		}
	}
	s.Console.Say("flaketap: %s written to %s; flaketap mock serve --start CMD -- runs them, as %s/README.md says",
		console.Count(len(plan.Tests), "test"), s.Dir, s.Dir)
	return nil
}
