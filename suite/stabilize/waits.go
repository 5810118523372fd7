package stabilize

import (
	"fmt"
	"io"
	"slices"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mend"
)

// Wait is a read that a test sends again, in the suite's last form, until the API is ready.
type Wait struct {
	Test  string `json:"test"`
	File  string `json:"file"`
	Line  int    `json:"line"`  // of the suite that was patched
	Early int    `json:"early"` // runs in which it was read too early
	Of    int    `json:"of"`    // runs that were looked at
	Took  string `json:"took"`  // how long the API took, in words
}

// Unwaited is a read of the suite that came too early in some runs, and at which no wait can be written.
type Unwaited struct {
	File string `json:"file"`
	mend.UnwaitedReport
}

// unwaited notes the reads at which a patch could write no wait, each once.
func (t *tally) unwaited(report mend.Report) {
	for _, f := range report.Files {
		for _, u := range f.Unwaited {
			known := func(one Unwaited) bool { return one.File == f.File && one.Test == u.Test && one.Reason == u.Reason }
			if !slices.ContainsFunc(t.early, known) {
				t.early = append(t.early, Unwaited{f.File, u})
			}
		}
	}
}

// waitsText says at which reads tests wait, and at which of those that came too early they do not.
func (r *Result) waitsText(w io.Writer) {
	for _, x := range r.Waits {
		fmt.Fprintf(w, "waits: %s:%d, in %s: %s; it was read too early in %d of %d runs\n", x.File, x.Line,
			console.OneLine(x.Test), x.Took, x.Early, x.Of)
	}
	for _, x := range r.Unwaited {
		fmt.Fprintf(w, "no wait: %s:%d, in %s, is read too early in %d of %d runs: %s\n", x.File, x.Line,
			console.OneLine(x.Test), x.Failed, x.Of, x.Reason)
	}
}
