package pytest

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// commonChecks writes the module of what most answers have in common.
func (w *writer) commonChecks() string {
	w.indent = 4
	var body []string
	for _, h := range w.common.Headers {
		checks := func() (out []string) {
			for i := range h.Checks {
				out = append(out, w.check(&h.Checks[i])...)
			}
			return out
		}
		if w.common.Excepts {
			body = append(body, "if "+literal.Python(h.Name)+" not in but:")
			body = append(body, w.within(checks)...)
		} else {
			body = append(body, checks()...)
		}
	}
	head := pyHead("What most answers have in common. A test calls check_common, and asserts all else by itself.", body)
	about := []string{"def check_common(res, status):",
		`    """Assert the status, and the headers that most answers have in common."""`}
	if w.common.Excepts {
		about = []string{"def check_common(res, status, but=()):",
			`    """Assert the status, and the headers that most answers have in common.`,
			"",
			"    but names those that this answer lacks, or has otherwise.",
			`    """`}
	}
	lines := append([]string{"", ""}, about...)
	lines = append(append(lines, "    assert res.status == status"), indented(body)...)
	return head + strings.Join(lines, "\n") + "\n"
}
