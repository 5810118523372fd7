package form

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// Markdown writes the headline, what to do, and the places that move most, in GitHub's Markdown: small enough for the
// summary of a job, which may have 1 MiB.
func Markdown(w io.Writer, f *findings.Findings) error {
	m := &report.MarkdownWriter{}
	m.Line("### %s", report.Prose(report.Show(cmp.Or(f.Title, "Which tests are at risk, and why"), maxText)))
	m.Line("")
	for _, s := range headline(f) {
		m.Line("- %s", report.Prose(s))
	}
	for _, s := range f.Warnings[:min(len(f.Warnings), maxListed)] {
		m.Line("- warning: %s", report.CodeSpan(report.Show(s, maxText)))
	}
	markdownActions(m, f)
	markdownTests(m, f)
	markdownPlaces(m, f)
	markdownSequences(m, f)
	markdownServices(m, f)
	return m.To(w)
}

func markdownActions(m *report.MarkdownWriter, f *findings.Findings) {
	for i, a := range f.Headline.Actions {
		if i == 0 {
			m.Line("\n**What to do first**\n")
		}
		command := ""
		if a.Command != "" {
			command = ": " + report.CodeSpan(report.Show(a.Command, maxText))
		}
		m.Line("%d. %s (%s)%s", i+1, report.Prose(report.Show(a.Do, maxText)), report.Count(a.Places, "place"), command)
	}
}

func markdownTests(m *report.MarkdownWriter, f *findings.Findings) {
	if len(f.Tests) == 0 {
		return
	}
	m.Line("\n**Tests**\n")
	m.Row("test", "failed before", "after", "why")
	m.Row("---", "--:", "--:", "---")
	for _, t := range f.Tests[:min(len(f.Tests), maxListed)] {
		why := t.Why
		if len(t.Claims) > 0 {
			why = strings.TrimPrefix(why+"; "+t.Claims[0].Statement, "; ")
		}
		m.Row(report.CodeSpan(report.ShowEnds(t.Name, 120)), failed(t.Before), failed(t.After),
			report.CodeSpan(report.Show(why, 160)))
	}
	more(m, len(f.Tests))
}

func failed(n *findings.Failed) string {
	if n == nil {
		return ""
	}
	return report.Share(n.Failed, n.Of)
}

// markdownPlaces lists those first that are new, and then those that move most.
func markdownPlaces(m *report.MarkdownWriter, f *findings.Findings) {
	names, all := f.Names(), f.Told()
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b findings.Place) int {
		return cmp.Or(strings.Compare(string(b.Since), string(a.Since)),
			cmp.Compare(b.Changed*max(a.Of, 1), a.Changed*max(b.Of, 1)))
	})
	m.Line("\n<details><summary>Places that move (%d)</summary>\n", len(all))
	m.Row("operation", "place", "why", "moved", "holds")
	m.Row("---", "---", "---", "--:", "---")
	for _, p := range all[:min(len(all), maxListed)] {
		m.Row(report.CodeSpan(report.ShowEnds(names[p.Operation], 120)),
			report.CodeSpan(report.ShowEnds(string(p.Place), 120)),
			report.Prose(rule(string(p.Category))+", "+report.Verdict(p.Judgement)), report.Share(p.Changed, p.Of),
			report.CodeSpan(report.Show(list(p.Holds), 160)))
	}
	more(m, len(all))
	m.Line("\n</details>")
}

func markdownSequences(m *report.MarkdownWriter, f *findings.Findings) {
	n := 0
	for _, s := range f.Sequences {
		if s.Risk != findings.NotReproduced {
			continue
		}
		if n++; n == 1 {
			m.Line("\n<details><summary>Sequences not reproduced (%d)</summary>\n", f.Headline.NotReproduced)
		}
		if n <= maxListed {
			m.Line("- %s, in %s", report.CodeSpan(report.ShowEnds(s.Name, 120)), otherwise(f, s))
		}
	}
	if n > 0 {
		more(m, n)
		m.Line("\n</details>")
	}
}

func markdownServices(m *report.MarkdownWriter, f *findings.Findings) {
	for _, g := range services(f) {
		m.Line("\n<details><summary>%s (%d)</summary>\n", g.head, len(g.lines)+g.more)
		for _, s := range g.lines {
			m.Line("- %s", report.CodeSpan(s))
		}
		if g.more > 0 {
			m.Line("\nand %d more", g.more)
		}
		m.Line("\n</details>")
	}
}

// more says how many of a list are left out.
func more(m *report.MarkdownWriter, n int) {
	if n > maxListed {
		m.Line("\nand %d more", n-maxListed)
	}
}
