package tune

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/volatility/confidence"
	"github.com/flaketap/flaketap/waits/read"
	"github.com/flaketap/flaketap/waits/suggest"
)

// WriteText writes an answer for people, without the difference.
func (a *Answer) WriteText(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s:%d  %s of %s  %s\n", console.OneLine(a.Wait.File), a.Wait.Line, a.Wait.Kind, a.Wait.Time, console.OneLine(a.Wait.Text))
	a.heldAgainst(&out)
	table := tabwriter.NewWriter(&out, 0, 8, 2, ' ', 0)
	fmt.Fprint(table, "  strategy\ttime\tpassed\truns\tsaves\n")
	for i := range a.Results {
		if r := &a.Results[i]; r.Unusable == "" {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%d\t%s\n", r.Strategy, r.time(), r.passed(a.Validations), r.Runs, r.saves(a.High))
		}
	}
	table.Flush()
	for i := range a.Results {
		a.Results[i].remarks(&out)
	}
	a.proof(&out)
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write times: %w", err)
	}
	return nil
}

// heldAgainst says what a time is held against.
func (a *Answer) heldAgainst(w io.Writer) {
	switch {
	case a.High == 0:
	case a.Suggestion == nil:
		fmt.Fprintf(w, "  held against %s: named by --from\n", a.High)
	default:
		fmt.Fprintf(w, "  held against %s: %s\n", a.High, console.OneLine(suggest.Told(a.Suggestion.Sources[0])))
	}
	if a.Wait.Kind == read.Cap {
		fmt.Fprintln(w, "  a cap costs nothing where the test passes: it is given the time that is suggested, and no shorter one is looked for")
	}
}

// time is what was chosen.
func (r *Result) time() string {
	switch {
	case r.text == nil && r.Time == 0:
		return "none"
	case r.Time == 0:
		return r.Written
	}
	return r.Time.String()
}

// passed says how the runs went.
func (r *Result) passed(of int) string {
	if r.Failed {
		return fmt.Sprintf("%d, then failed", r.Passed)
	}
	return fmt.Sprintf("%d of %d", r.Passed, of)
}

// saves says what each run saves.
func (r *Result) saves(high time.Duration) string {
	switch {
	case high == 0 || r.text == nil || r.Failed:
		return ""
	case r.Time == 0:
		return "about " + shown(r.Saves)
	}
	return shown(r.Saves)
}

// remarks says what else there is to a strategy.
func (r *Result) remarks(w io.Writer) {
	switch {
	case r.Unusable != "":
		fmt.Fprintf(w, "  %s cannot be used: %s\n", r.Strategy, console.OneLine(r.Unusable))
	case r.Failed:
		fmt.Fprintf(w, "  %s: the run that failed said %s\n", r.Strategy, console.OneLine(r.Words))
	}
	if r.Evidence != "" {
		fmt.Fprintf(w, "  %s: %s\n", r.Strategy, console.OneLine(r.Evidence))
	}
}

// proof says which strategy is written, and what its runs prove.
func (a *Answer) proof(w io.Writer) {
	best := a.Best()
	if best == nil {
		return
	}
	fmt.Fprintf(w, "  written: %s\n", best.Strategy)
	bound := confidence.Bound(0, best.Passed)
	fmt.Fprintf(w, "  %s that pass say that it fails in less than %.2g %% of its runs (with 95 %% confidence, as long as the machine and the API\n"+
		"  are as they were); they do not say that it never fails: of 1000 runs, up to %d may\n",
		console.Count(best.Passed, "run"), 100*bound, int(math.Ceil(1000*bound)))
	if n := len(best.Tried); n > 1 {
		fmt.Fprintf(w, "  it is so for each time by itself: %d were tried, and a lucky one has better chances of being chosen\n", n)
	}
}
