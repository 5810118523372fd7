package form

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/page"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Form is a form of a report.
type Form struct {
	Name  string
	Write func(io.Writer, *findings.Findings) error
}

// Forms lists the forms, the one that is written unasked first.
func Forms() []Form {
	return []Form{
		{"html", page.HTML},
		{"text", Text},
		{"markdown", Markdown},
		{"json", JSON},
		{"sarif", SARIF},
		{"junit", JUnit},
		{"github", GitHub},
	}
}

// The most that is told of, one by one, in forms that somebody reads in passing.
const (
	maxListed  = 50
	maxText    = 400
	maxMessage = 1000
)

// JSON writes the findings as they are.
func JSON(w io.Writer, f *findings.Findings) error { return report.JSON(w, f) }

// problem is one thing that a form points to.
type problem struct {
	id               string  // the same in each report
	rule             string  // the category, or "Unk"
	grave            bool    // it moved, and does not merely look as if it would
	outcome          bool    // it is a status: nothing else of such an answer can be relied on
	share            float64 // of the executions, or answers, that differ
	title            string  // "GET /orders/{id} 200 /body/at"
	message          string
	file             string // of a suite; "" where the problem is one of the API
	line             int
	operation, place string
}

// problems lists what moves: the assertions about it, where a suite was read, and else the places.
func problems(f *findings.Findings) []problem {
	var out []problem
	for _, t := range f.Tests {
		for _, c := range t.Claims {
			out = append(out, claimed(t, c))
		}
	}
	names := f.Names()
	for _, p := range f.Told() {
		out = append(out, placed(p, report.ShowEnds(names[p.Operation], maxText)))
	}
	return out
}

func placed(p findings.Place, operation string) problem {
	place := report.ShowEnds(string(p.Place), maxText)
	out := problem{id: p.ID, rule: rule(string(p.Category)), grave: p.Changed > 0, title: operation + " " + place,
		operation: operation, place: place, outcome: p.Place == exchange.PlaceStatus, share: share(p.Changed, p.Of)}
	seen := "no run has seen it move"
	if p.Of > 0 {
		seen = fmt.Sprintf("%d of %d answers differ from the recorded one", p.Changed, p.Of)
	}
	out.message = fmt.Sprintf("%s %s: the value %s; %s. What holds: %s. What to do: %s.", operation, place,
		report.Says(p.Category), seen, list(p.Holds), report.Show(p.Do.Do, maxText))
	return out
}

func claimed(t findings.Test, c findings.Claim) problem {
	name := report.ShowEnds(t.Name, maxText)
	return problem{id: c.ID(), rule: rule(string(c.Category)), grave: c.Failed > 0, title: name,
		file: c.File, outcome: c.Place == exchange.PlaceStatus, share: share(c.Failed, c.Of), line: c.Line,
		operation: name, place: report.ShowEnds(string(c.Place), maxText),
		message: fmt.Sprintf("%s: %s: %s", name, report.Show(c.Statement, maxText), report.Show(c.Reason, maxText))}
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

func rule(category string) string {
	if category == "" {
		return string(mapfile.Unk)
	}
	return report.Show(category, 20)
}

func list(all []string) string {
	if len(all) == 0 {
		return "only that it is there"
	}
	var out []string
	for _, s := range all {
		out = append(out, report.Show(s, maxText))
	}
	return strings.Join(out, ", ")
}

// otherwise says in how many of the runs that are compared a sequence was not reproduced: "2 of 5 runs".
func otherwise(f *findings.Findings, s findings.Sequence) string {
	return fmt.Sprintf("%d of %s", len(s.Otherwise), report.Count(len(f.Compared()), "run"))
}

// headline is what is read first, as sentences.
func headline(f *findings.Findings) []string {
	h := f.Headline
	out := []string{
		fmt.Sprintf("%d of %s at risk", h.AtRisk, report.Count(h.Of, h.Unit)),
		fmt.Sprintf("%d of %s not reproduced", h.NotReproduced, report.Count(h.Sequences, "sequence")),
		fmt.Sprintf("%d of %s volatile: %s", f.Summary.Volatile(), report.Count(f.Summary.Places, "place"),
			report.Volatile(f.Summary)),
	}
	if s := f.Since; s != nil {
		out = append(out, "since the earlier map, "+s.Words())
	}
	if r := f.Rates; r != nil {
		for _, form := range r.Forms {
			out = append(out, fmt.Sprintf("%s: %.1f %% of tests fail in a run, %d of %s in any of %s", report.ShowEnds(form.Name, 60),
				form.Rate*100, form.Failing, report.Count(form.Tests, "test"), report.Count(form.Runs, "run")))
		}
	}
	return out
}
