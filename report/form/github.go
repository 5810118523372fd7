package form

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// maxAnnotations is how many annotations of a kind GitHub shows of one step; it drops the rest without a word.
const maxAnnotations = 10

// GitHub writes workflow commands, which GitHub Actions shows as annotations when a step prints them: a notice with the
// headline, and a warning for each of the first things that move: assertions of tests, then what is new, then the rest.
func GitHub(w io.Writer, f *findings.Findings) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "::notice title=flaketap::%s\n", report.WorkflowText(strings.Join(headline(f), "\n")))
	all, fresh := problems(f), freshIDs(f)
	rank := func(p problem) int {
		switch {
		case p.file != "":
			return 0
		case fresh[p.id]:
			return 1
		case p.grave:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(all, func(a, b problem) int { return rank(a) - rank(b) })
	for _, p := range all[:min(len(all), maxAnnotations)] {
		at := ""
		if p.file != "" {
			at = "file=" + report.WorkflowProperty(p.file) + ","
			if p.line > 0 {
				at += fmt.Sprintf("line=%d,", p.line)
			}
		}
		fmt.Fprintf(&b, "::warning %stitle=%s::%s\n", at, report.WorkflowProperty(report.ShowEnds(p.title, 120)),
			report.WorkflowText(report.Show(p.message, maxMessage)))
	}
	if more := len(all) - maxAnnotations; more > 0 {
		fmt.Fprintf(&b, "and %d more: flaketap report --out report.html\n", more)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
