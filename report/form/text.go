package form

import (
	"bytes"
	"fmt"
	"io"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// Text writes the places as package report does, and then what is at risk: what a terminal shows last.
func Text(w io.Writer, f *findings.Findings) error {
	var b bytes.Buffer
	if err := report.Text(&b, report.Input{Map: f.Map, Title: f.Title}); err != nil {
		return err
	}
	line := func(format string, args ...any) { b.WriteString(report.Show(fmt.Sprintf(format, args...), 120) + "\n") }
	for _, g := range services(f) {
		line("")
		line("%s:", g.head)
		for _, s := range g.lines {
			line("  %s", s)
		}
		if g.more > 0 {
			line("  and %d more", g.more)
		}
	}
	line("")
	for _, s := range headline(f) {
		line("%s", s)
	}
	for _, t := range f.Tests[:min(len(f.Tests), maxListed)] {
		line("  %s: %s", report.ShowEnds(t.Name, 50), report.Show(t.Why, maxText))
	}
	n := 0
	for _, s := range f.Sequences {
		if s.Risk == findings.NotReproduced && n < maxListed {
			n++
			line("  %s: not as recorded in %s", report.ShowEnds(s.Name, 70), otherwise(f, s))
		}
	}
	for i, a := range f.Headline.Actions {
		line("%d. %s (%s)", i+1, report.Show(a.Do, 80), report.Count(a.Places, "place"))
		if a.Command != "" {
			line("   %s", report.Show(a.Command, 100))
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
