package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// risksView names those of which the headline says how many are at risk: the first of them, the worst first.
type risksView struct {
	Title string
	Rows  []riskRow
	All   string // where all of them stand; "" where there are no others
}

// riskRow is a test or a sequence, with what is known against it.
type riskRow struct{ Link, Name, Class, Words, Why string }

// maxRisks is how many are named at the top: more are not seen at a glance.
const maxRisks = 5

// newRisks names tests where there are any, else sequences; nil where nothing is at risk.
func newRisks(f *findings.Findings, sequences []sequenceView) *risksView {
	out := &risksView{Title: "Tests at risk", All: "#tests"}
	for _, i := range worstTests(f.Tests) {
		out.Rows = append(out.Rows, riskOfTest(i, f.Tests[i]))
	}
	if len(out.Rows) == 0 {
		out.Title, out.All = "Sequences at risk", "#sequences"
		for _, s := range sequences { // these are in order
			if s.Risk != findings.Steady {
				out.Rows = append(out.Rows, riskOfSequence(s))
			}
		}
	}
	switch n := len(out.Rows); {
	case n == 0:
		return nil
	case n > maxRisks:
		out.Rows = out.Rows[:maxRisks]
	default:
		out.All = ""
	}
	return out
}

// worstTests are the numbers of tests: those first that still fail, then those that failed most often, then those of
// most assertions.
func worstTests(tests []findings.Test) []int {
	all := make([]int, len(tests))
	for i := range tests {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int {
		x, y := tests[a], tests[b]
		return cmp.Or(cmp.Compare(failed(y.After), failed(x.After)), cmp.Compare(failed(y.Before), failed(x.Before)),
			cmp.Compare(len(y.Claims), len(x.Claims)))
	})
	return all
}

// failed is the share of executions that failed; 0 where it is not known.
func failed(f *findings.Failed) float64 {
	if f == nil || f.Of == 0 {
		return 0
	}
	return float64(f.Failed) / float64(f.Of)
}

func riskOfTest(i int, t findings.Test) riskRow {
	row := riskRow{Link: testID(i), Name: report.ShowEnds(t.Name, maxName), Why: report.Show(t.Why, maxText),
		Words: "at risk", Class: string(findings.AtRisk)}
	switch {
	case t.After != nil:
		row.Class, row.Words = string(findings.NotReproduced), fmt.Sprintf("still fails: %d of %d", t.After.Failed, t.After.Of)
	case t.Before != nil:
		row.Words = fmt.Sprintf("failed %d of %d", t.Before.Failed, t.Before.Of)
	case len(t.Claims) > 0:
		row.Words = report.Count(len(t.Claims), "assertion")
	}
	if row.Why == "" && len(t.Claims) > 0 {
		c := t.Claims[0]
		row.Why = report.Show(strings.TrimSpace(fmt.Sprintf("%s %s", c.Category, c.Statement)), maxText)
	}
	return row
}

func riskOfSequence(s sequenceView) riskRow {
	why := ""
	if s.Places > 0 {
		why = report.Count(s.Places, "place") + ": " + s.Why
	}
	if s.Runs != "" {
		why = strings.TrimSuffix("otherwise in "+s.Runs+"; "+why, "; ")
	}
	return riskRow{Link: s.ID, Name: s.Title, Class: s.Class, Words: s.Words, Why: why}
}

// testID is the name of a test's row, for links on the page.
func testID(i int) string { return fmt.Sprintf("t%d", i+1) }
