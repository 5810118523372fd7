package verify

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/results"
)

// The bounds on the lists of the report for people; JSON has all.
const (
	maxFailing   = 20
	maxSurvivors = 50
)

// FormatNamed is how a verification is written in a format: text, json or junit.
func FormatNamed(format string) (func(*Verification, io.Writer) error, error) {
	switch format {
	case "text":
		return (*Verification).Text, nil
	case "json":
		return (*Verification).JSON, nil
	case "junit":
		return (*Verification).JUnit, nil
	}
	return nil, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, junit", format))
}

// Text writes the report for people.
func (v *Verification) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintf(t, "%s of each suite\n\n", console.Count(v.suites[0].rates.Executions, "run"))
	fmt.Fprintln(t, "suite\ttests\tFR\tFRc\tFRu\talways failing\tsometimes")
	for _, s := range v.suites {
		r := s.rates
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%d\t%d\n", console.OneLine(s.Name), r.Tests, percent(r.Failures, r.Runs),
			percent(r.Consistent, r.Tests),
			percent(r.Unstable, r.Tests), r.Consistent, r.Unstable)
	}
	if n := v.assertions; n != nil {
		fmt.Fprintf(t, "\n%s: %d kept (%s), %d weakened (%s), %d bound to earlier values, %d disabled (%s), %d not understood\n", console.Count(n.Assertions, "assertion"),
			n.Kept, percent(n.Kept, n.Assertions), n.Weakened, percent(n.Weakened, n.Assertions), n.Rebound, n.Disabled,
			percent(n.Disabled, n.Assertions), n.Unknown)
		fmt.Fprintf(t, "%s: %d given a set-up, %d marked as passing on a fresh start only, %d bugs of the generator fixed\n",
			console.Count(n.Tests, "test"), n.Grafted, n.Skipped, n.Mended)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range v.suites {
		v.failing(w, s)
	}
	if len(v.faults.Kinds) > 0 {
		if err := v.mutantsText(w); err != nil {
			return err
		}
	}
	if v.asked > 0 {
		return v.variantsText(w)
	}
	return nil
}

// failing lists the tests of a suite that fail.
func (v *Verification) failing(w io.Writer, s *suiteRuns) {
	failing := slices.DeleteFunc(slices.Clone(s.tests), func(t *results.Test) bool { return t.Failed == 0 })
	if len(failing) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: failing\n", console.OneLine(s.Name))
	for _, t := range failing[:min(len(failing), maxFailing)] {
		fmt.Fprintf(w, "  %d of %d  %s", t.Failed, t.Ran, console.OneLine(t.ID.String()))
		if m := v.shown(t.Message); m != "" {
			fmt.Fprintf(w, ": %s", m)
		}
		fmt.Fprintln(w)
	}
	if more := len(failing) - maxFailing; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// mutantsText tells what became of the mutants.
func (v *Verification) mutantsText(w io.Writer) error {
	if v.candidates == 0 && !v.interrupted {
		_, err := fmt.Fprintf(w, "\nno mutant was planted: %s\n", v.noCandidates())
		return err
	}
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprintf(t, "\n%s planted, of %d candidates; seed %d\n\n", console.Count(len(v.mutants), "mutant"), v.candidates,
		v.faults.Seed)
	fmt.Fprint(t, "mutants\tplanted")
	v.killHeadings(t)
	v.row(t, "on stable places", onStable)
	v.row(t, "on volatile places", onVolatile)
	for _, k := range v.faults.Kinds {
		v.row(t, string(k), ofKind(k))
	}
	v.row(t, "that an assertion can tell", tellable)
	v.row(t, "plausible answers", plausible)
	v.row(t, "all", all)
	if err := t.Flush(); err != nil {
		return err
	}
	survived := v.survived()
	if len(survived) > 0 {
		fmt.Fprint(w, "\nsurvived:\n")
	}
	for _, p := range survived[:min(len(survived), maxSurvivors)] {
		fmt.Fprintf(w, "  %s\n    %s\n", v.shown(p.summary(v.suites)), v.shown(p.missing()))
	}
	if more := len(survived) - maxSurvivors; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	return nil
}

// variantsText tells what became of the variants of the API.
func (v *Verification) variantsText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 3, ' ', 0)
	fmt.Fprint(t, "\nvariants\ttried")
	v.killHeadings(t)
	v.killRow(t, "all", v.variantCount())
	if err := t.Flush(); err != nil {
		return err
	}
	var survived, untried []string
	for _, one := range v.survivingVariants() {
		survived = append(survived, one.summary(v.suites))
	}
	for _, one := range v.variants {
		if one.failed != "" {
			untried = append(untried, one.Name+": "+one.failed)
		}
	}
	v.list(w, "survived", survived)
	v.list(w, "not tried", untried)
	return nil
}

// list writes lines below a heading; nothing where there are none.
func (v *Verification) list(w io.Writer, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", heading)
	for _, line := range lines[:min(len(lines), maxSurvivors)] {
		fmt.Fprintf(w, "  %s\n", v.shown(line))
	}
	if more := len(lines) - maxSurvivors; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// row is a line of the table of mutants.
func (v *Verification) row(t io.Writer, name string, chosen func(*plantedMutant) bool) {
	v.killRow(t, name, v.count(chosen))
}

// killHeadings ends the first line of a table of faults.
func (v *Verification) killHeadings(t io.Writer) {
	for i, s := range v.suites {
		fmt.Fprintf(t, "\tkilled by %s", console.OneLine(s.Name))
		if i > 0 {
			fmt.Fprintf(t, "\tof those of %s", console.OneLine(v.suites[0].Name))
		}
	}
	fmt.Fprintln(t)
}

// killRow is a line of a table of faults.
func (v *Verification) killRow(t io.Writer, name string, s KillCount) {
	fmt.Fprintf(t, "%s\t%d", name, s.Planted)
	for i := range v.suites {
		if s.Planted == 0 {
			fmt.Fprint(t, "\t-")
		} else {
			fmt.Fprintf(t, "\t%d (%s)", s.Killed[i], percent(s.Killed[i], s.Planted))
		}
		switch {
		case i > 0 && s.Killed[0] == 0:
			fmt.Fprint(t, "\t-")
		case i > 0:
			fmt.Fprintf(t, "\t%d of %d (%s)", s.Still[i], s.Killed[0], percent(s.Still[i], s.Killed[0]))
		}
	}
	fmt.Fprintln(t)
}

// percent is a share of a whole; "-" of nothing.
func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
