package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
)

// Verification is what comes of verifying suites: [Verification.Text], [Verification.JSON] and [Verification.JUnit]
// report it.
type Verification struct {
	suites      []*suiteRuns
	mutants     []*plantedMutant
	chosen      int // mutants that were to be planted
	candidates  int // those that could have been
	variants    []*triedVariant
	asked       int // variants that were to be tried
	further     int // runs without a fault that were to show who fails by chance
	faults      Faults
	assertions  *Assertions
	interrupted bool
	show        func(text string) string // takes secrets out
}

// noCandidates says why there is nothing to plant.
func (v *Verification) noCandidates() string {
	return "the answers to " + console.OneLine(v.suites[0].Name) + " have no place for these kinds; --mutate all has the most"
}

// Interrupted returns an error where not all faults were planted that were chosen, as the run was interrupted.
func (v *Verification) Interrupted() error {
	if !v.interrupted {
		return nil
	}
	var parts []string
	if v.chosen > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d mutants were planted", len(v.mutants), v.chosen))
	}
	if v.asked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d variants were tried", len(v.variants), v.asked))
	}
	if v.further > 0 {
		made := 0
		for _, s := range v.suites {
			made += len(s.further)
		}
		parts = append(parts, fmt.Sprintf("%d of %d further runs were made without a fault", made, v.further))
	}
	return fmt.Errorf("interrupted: %s", strings.Join(parts, ", "))
}

// Flaky reports whether a test of the last suite fails in any run.
func (v *Verification) Flaky() bool {
	last := v.suites[len(v.suites)-1]
	return last.rates.Failures > 0 || last.timedOut > 0
}

// Survived reports whether the last suite does not notice a fault that the first one does; of one suite alone, whether
// there is a fault that it does not notice though it asks for what is changed and an assertion would tell. A variant
// that the last suite does not notice has survived, whatever the first one does.
func (v *Verification) Survived() bool { return len(v.survivors())+len(v.survivingVariants()) > 0 }

// survivors are the mutants that the first suite kills and the last one does not; of one suite alone, those that it
// does not kill though it asks for what they change and an assertion would tell.
func (v *Verification) survivors() []*plantedMutant {
	var out []*plantedMutant
	last := len(v.suites) - 1
	for _, p := range v.mutants {
		if !p.verdicts[last].killed() && p.verdicts[0].answers > 0 && (last == 0 && tellable(p) || p.verdicts[0].killed()) {
			out = append(out, p)
		}
	}
	return out
}

// survived are the mutants that change what the first suite asks for and that the last suite does not kill: first those
// that the first one kills, then those that an assertion would tell, then the others.
func (v *Verification) survived() []*plantedMutant {
	var out []*plantedMutant
	last := len(v.suites) - 1
	for _, p := range v.mutants {
		if p.verdicts[0].answers > 0 && !p.verdicts[last].killed() {
			out = append(out, p)
		}
	}
	rank := func(p *plantedMutant) int {
		switch {
		case p.verdicts[0].killed():
			return 0
		case tellable(p):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b *plantedMutant) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// missing says which assertion of the last suite would have told a mutant, or why none can be relied on.
func (p *plantedMutant) missing() string {
	if p.verdicts[len(p.verdicts)-1].answers == 0 {
		return "to tell it, send a request that gets this answer"
	}
	if a := p.Assertion(); a != "" {
		return "to tell it, assert " + a
	}
	return "no assertion about this place alone can tell it: what it holds moves by itself"
}

// KillCount counts mutants.
type KillCount struct {
	Planted int   `json:"planted"` // those that changed an answer to the first suite
	Killed  []int `json:"killed"`  // by suite
	Still   []int `json:"still"`   // by suite: of those that the first one killed
}

// Told counts the mutants that the suites kill, of all that changed an answer to the first one.
func (v *Verification) Told() KillCount { return v.count(all) }

// count counts the mutants that a choice takes.
func (v *Verification) count(chosen func(*plantedMutant) bool) KillCount {
	n := KillCount{Killed: make([]int, len(v.suites)), Still: make([]int, len(v.suites))}
	for _, p := range v.mutants {
		if !chosen(p) || p.verdicts[0].answers == 0 {
			continue
		}
		n.add(p.verdicts)
	}
	return n
}

// add counts one fault, by what the suites made of it.
func (n *KillCount) add(verdicts []verdict) {
	n.Planted++
	for i, verdict := range verdicts {
		if verdict.killed() {
			n.Killed[i]++
			if verdicts[0].killed() {
				n.Still[i]++
			}
		}
	}
}

func all(*plantedMutant) bool          { return true }
func onStable(p *plantedMutant) bool   { return !p.Volatile }
func onVolatile(p *plantedMutant) bool { return p.Volatile }

func plausible(p *plantedMutant) bool { return p.Plausible }
func tellable(p *plantedMutant) bool  { return p.Assertion() != "" }

func ofKind(k mutant.Kind) func(*plantedMutant) bool {
	return func(p *plantedMutant) bool { return p.Kind == k }
}

// summary says in a line what became of a mutant.
func (p *plantedMutant) summary(suites []*suiteRuns) string {
	where := ""
	if p.Volatile {
		where = " (volatile)"
	}
	return p.String() + where + ": " + verdictsText(p.verdicts, suites)
}

// verdictsText says in a line what the suites made of a fault.
func verdictsText(verdicts []verdict, suites []*suiteRuns) string {
	var parts []string
	for i, verdict := range verdicts {
		what := "survived"
		switch {
		case verdict.answers == 0:
			what = "not asked for"
		case verdict.timedOut:
			what = "killed, out of time"
		case verdict.killed():
			what = "killed by " + console.Count(len(verdict.by), "test")
		case len(verdict.chance) > 0:
			what += " (" + console.Count(len(verdict.chance), "test") + " failed by chance)"
		}
		if len(suites) > 1 {
			what = suites[i].Name + " " + what
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, ", ")
}

// shown is a text that programs wrote, fit for one line of a report.
func (v *Verification) shown(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = console.OneLine(v.show(line))
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}
