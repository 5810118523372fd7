package verify

import (
	"encoding/json"
	"io"

	"github.com/flaketap/flaketap/suite/mutant"
)

// The report in JSON, as docs/verify.md describes it.
type (
	// Report is the document.
	Report struct {
		Flaketap    string        `json:"flaketap"` // "verification"
		Version     int           `json:"version"`
		Runs        int           `json:"runs"` // of each suite, without faults
		Interrupted bool          `json:"interrupted"`
		Suites      []SuiteReport `json:"suites"`
		Assertions  *Assertions   `json:"assertions"`
		Mutants     *KillReport   `json:"mutants"` // null where no faults were asked for
		// null where there are no other builds of the API
		Variants *VariantsReport `json:"variants"`
	}
	// SuiteReport is what the runs without faults say of one suite. Rates are shares from 0 to 1.
	SuiteReport struct {
		Suite      string       `json:"suite"`
		Tests      int          `json:"tests"`
		TestRuns   int          `json:"test_runs"`
		Failures   int          `json:"failures"`
		FR         float64      `json:"fr"`
		FRc        float64      `json:"frc"`
		FRu        float64      `json:"fru"`
		Consistent int          `json:"consistent"`
		Unstable   int          `json:"unstable"`
		CutOff     int          `json:"cut_off"`
		Failing    []TestReport `json:"failing"`
	}
	// TestReport is a test that failed in some run.
	TestReport struct {
		Suite   string `json:"suite"`
		Name    string `json:"name"`
		Ran     int    `json:"ran"`
		Failed  int    `json:"failed"`
		Message string `json:"message"`
	}
	// KillReport is what became of the faults.
	KillReport struct {
		Seed       uint64                    `json:"seed"`
		Kinds      []mutant.Kind             `json:"kinds"`
		Candidates int                       `json:"candidates"`
		All        KillCount                 `json:"all"`
		Stable     KillCount                 `json:"stable"`
		Volatile   KillCount                 `json:"volatile"`
		Plausible  KillCount                 `json:"plausible"` // answers that a sound API could give at another time
		Tellable   KillCount                 `json:"tellable"`  // that an assertion about the place would tell
		ByKind     map[mutant.Kind]KillCount `json:"by_kind"`
		List       []MutantReport            `json:"list"`
	}
	// MutantReport is one fault.
	MutantReport struct {
		Operation string          `json:"operation"`
		Status    int             `json:"status"`
		Place     string          `json:"place"`
		Kind      mutant.Kind     `json:"kind"`
		To        int             `json:"to,omitempty"`
		Volatile  bool            `json:"volatile"`
		Way       string          `json:"way,omitempty"`
		Plausible bool            `json:"plausible"`
		Assertion string          `json:"assertion"` // that would tell it, to follow "assert"; "" where none can be relied on
		Suites    []VerdictReport `json:"suites"`
	}
	// VariantsReport is what became of the other builds of the API.
	VariantsReport struct {
		Asked int             `json:"asked"` // that were to be tried
		All   KillCount       `json:"all"`
		List  []VariantReport `json:"list"`
	}
	// VariantReport is one other build of the API.
	VariantReport struct {
		Variant  string          `json:"variant"`
		NotTried string          `json:"not_tried,omitempty"` // why
		Suites   []VerdictReport `json:"suites"`              // none where it was not tried
	}
	// VerdictReport is what one suite made of a fault.
	VerdictReport struct {
		Answers int64    `json:"answers"`
		Killed  bool     `json:"killed"`
		CutOff  bool     `json:"cut_off"`
		Tests   int      `json:"tests"`
		By      []string `json:"by"`     // up to ten of the tests
		Chance  int      `json:"chance"` // tests that failed with the fault once of two times, or without it, too
	}
)

// maxBy bounds how many of the tests that noticed a mutant are named.
const maxBy = 10

// JSON writes the report as a JSON document, a [Report].
func (v *Verification) JSON(w io.Writer) error {
	r := Report{Flaketap: "verification", Version: 1, Interrupted: v.interrupted, Suites: []SuiteReport{},
		Assertions: v.assertions}
	for _, s := range v.suites {
		r.Runs = s.rates.Executions
		r.Suites = append(r.Suites, v.suiteReport(s))
	}
	if len(v.faults.Kinds) > 0 {
		r.Mutants = v.killReport()
	}
	if v.asked > 0 {
		r.Variants = v.variantsReport()
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (v *Verification) suiteReport(s *suiteRuns) SuiteReport {
	r := s.rates
	out := SuiteReport{s.Name, r.Tests, r.Runs, r.Failures, r.FR, r.FRc, r.FRu, r.Consistent, r.Unstable, s.timedOut,
		[]TestReport{}}
	for _, t := range s.tests {
		if t.Failed > 0 {
			out.Failing = append(out.Failing, TestReport{t.Suite, t.Name, t.Ran, t.Failed, v.shown(t.Message)})
		}
	}
	return out
}

func (v *Verification) killReport() *KillReport {
	k := &KillReport{Seed: v.faults.Seed, Kinds: v.faults.Kinds, Candidates: v.candidates,
		ByKind: map[mutant.Kind]KillCount{}, List: []MutantReport{}}
	k.All, k.Stable, k.Volatile = v.count(all), v.count(onStable), v.count(onVolatile)
	k.Plausible, k.Tellable = v.count(plausible), v.count(tellable)
	for _, kind := range v.faults.Kinds {
		k.ByKind[kind] = v.count(ofKind(kind))
	}
	for _, p := range v.mutants {
		k.List = append(k.List, MutantReport{p.Operation.String(), p.Status, string(p.Place), p.Kind, p.To, p.Volatile,
			p.Way, p.Plausible, v.shown(p.Assertion()), verdictReports(p.verdicts)})
	}
	return k
}

func (v *Verification) variantsReport() *VariantsReport {
	out := &VariantsReport{Asked: v.asked, All: v.variantCount(), List: []VariantReport{}}
	for _, one := range v.variants {
		out.List = append(out.List, VariantReport{v.shown(one.Name), v.shown(one.failed), verdictReports(one.verdicts)})
	}
	return out
}

// verdictReports are what the suites made of one fault.
func verdictReports(verdicts []verdict) []VerdictReport {
	out := []VerdictReport{}
	for _, verdict := range verdicts {
		r := VerdictReport{verdict.answers, verdict.killed(), verdict.timedOut, len(verdict.by), []string{},
			len(verdict.chance)}
		for _, id := range verdict.by[:min(len(verdict.by), maxBy)] {
			r.By = append(r.By, id.String())
		}
		out = append(out, r)
	}
	return out
}
