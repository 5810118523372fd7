package form

import (
	"bytes"
	"cmp"
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
// headline, and a warning for each of the first things that move: assertions of tests, then places, of both what is new
// first, and then what differs most often.
func GitHub(w io.Writer, f *findings.Findings) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "::notice title=flaketap::%s\n", report.WorkflowText(strings.Join(headline(f), "\n")))
	all, fresh := problems(f), freshIDs(f)
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b problem) int {
		return cmp.Or(first(a.file != "", b.file != ""), first(fresh[a.id], fresh[b.id]), first(a.grave, b.grave),
			first(a.outcome, b.outcome), cmp.Compare(b.share, a.share))
	})
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
