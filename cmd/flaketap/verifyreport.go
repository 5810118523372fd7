package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
)

// flaky reports whether a test of the last suite fails in any run.
func (v *verification) flaky() bool {
	last := v.suites[len(v.suites)-1]
	return last.rates.Failures > 0 || last.cutOff > 0
}

// survivors are the mutants that the first suite kills and the last one does not; of one suite alone, those that it does
// not kill though it asks for what they change.
func (v *verification) survivors() []*tried {
	var out []*tried
	last := len(v.suites) - 1
	for _, p := range v.mutants {
		if !p.verdicts[last].killed() && p.verdicts[0].Answers > 0 && (last == 0 || p.verdicts[0].killed()) {
			out = append(out, p)
		}
	}
	return out
}

// killCount counts mutants.
type killCount struct {
	Planted int   `json:"planted"` // those that changed an answer to the first suite
	Killed  []int `json:"killed"`  // by suite
	Still   []int `json:"still"`   // by suite: of those that the first one killed
}

// count counts the mutants that a choice takes.
func (v *verification) count(chosen func(*tried) bool) killCount {
	s := killCount{Killed: make([]int, len(v.suites)), Still: make([]int, len(v.suites))}
	for _, p := range v.mutants {
		if !chosen(p) || p.verdicts[0].Answers == 0 {
			continue
		}
		s.Planted++
		for i, told := range p.verdicts {
			if told.killed() {
				s.Killed[i]++
				if p.verdicts[0].killed() {
					s.Still[i]++
				}
			}
		}
	}
	return s
}

func onStable(p *tried) bool   { return !p.Volatile }
func onVolatile(p *tried) bool { return p.Volatile }

func ofKind(k mutant.Kind) func(*tried) bool {
	return func(p *tried) bool { return p.Kind == k }
}

// summary says in a line what became of a mutant.
func (p *tried) summary(suites []*verified) string {
	var said []string
	for i, told := range p.verdicts {
		what := "survived"
		switch {
		case told.Answers == 0:
			what = "not asked for"
		case told.Late:
			what = "killed, out of time"
		case told.killed():
			what = "killed by " + console.Count(len(told.By), "test")
		}
		if len(suites) > 1 {
			what = suites[i].name + " " + what
		}
		said = append(said, what)
	}
	where := ""
	if p.Volatile {
		where = " (volatile)"
	}
	return p.String() + where + ": " + strings.Join(said, ", ")
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// assertionCounts are the numbers of a patch report, over all files: of assertions, and of tests.
type assertionCounts struct {
	Tests      int `json:"tests"`
	Assertions int `json:"assertions"` // in the suite as it was
	Kept       int `json:"kept"`
	Weakened   int `json:"weakened"`
	Rebound    int `json:"rebound"` // compared with what an earlier answer gave
	Disabled   int `json:"disabled"`
	Unknown    int `json:"unknown"` // not understood, and left as they are
	Mended     int `json:"mended"`  // slips of the generator
	Skipped    int `json:"skipped"` // tests that are good on a fresh start alone
	Grafted    int `json:"grafted"` // tests that were given set-up
}

// maxPatchReport bounds the file, in bytes.
const maxPatchReport = 256 << 20

// readPatchReport reads the file of --patch-report; nil where there is none.
func readPatchReport(path string) (*assertionCounts, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read --patch-report: %w", err)
	}
	defer f.Close()
	var r patchReport
	if err := json.NewDecoder(io.LimitReader(f, maxPatchReport)).Decode(&r); err != nil {
		return nil, fmt.Errorf("read --patch-report %s: %w", path, err)
	}
	if r.Flaketap != "patch-report" || r.Version != 1 {
		return nil, fmt.Errorf("read --patch-report %s: it is none that patch --report writes", path)
	}
	var t assertionCounts
	for _, f := range r.Files {
		t.Tests, t.Assertions, t.Kept, t.Weakened = t.Tests+f.Tests, t.Assertions+f.Assertions, t.Kept+f.Kept, t.Weakened+f.Weakened
		t.Rebound, t.Disabled, t.Unknown = t.Rebound+f.Rebound, t.Disabled+f.Disabled, t.Unknown+len(f.Unknown)
		t.Mended, t.Skipped, t.Grafted = t.Mended+f.Mended, t.Skipped+f.Skipped, t.Grafted+f.Grafted
	}
	return &t, nil
}

// shown is a text that programs wrote, fit for one line of a report.
func (v *verification) shown(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = oneLine(v.show(line))
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}

// The report in JSON, as docs/verify.md describes it.
type (
	reportFile struct {
		Flaketap    string           `json:"flaketap"`
		Version     int              `json:"version"`
		Runs        int              `json:"runs"`
		Interrupted bool             `json:"interrupted"`
		Suites      []reportSuite    `json:"suites"`
		Assertions  *assertionCounts `json:"assertions"`
		Mutants     *reportKills     `json:"mutants"`
	}
	reportSuite struct {
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
		Failing    []reportTest `json:"failing"`
	}
	reportTest struct {
		Suite   string `json:"suite"`
		Name    string `json:"name"`
		Ran     int    `json:"ran"`
		Failed  int    `json:"failed"`
		Message string `json:"message"`
	}
	reportKills struct {
		Seed       uint64                    `json:"seed"`
		Kinds      []mutant.Kind             `json:"kinds"`
		Candidates int                       `json:"candidates"`
		All        killCount                 `json:"all"`
		Stable     killCount                 `json:"stable"`
		Volatile   killCount                 `json:"volatile"`
		ByKind     map[mutant.Kind]killCount `json:"by_kind"`
		List       []reportMutant            `json:"list"`
	}
	reportMutant struct {
		Operation string          `json:"operation"`
		Status    int             `json:"status"`
		Place     string          `json:"place"`
		Kind      mutant.Kind     `json:"kind"`
		To        int             `json:"to,omitempty"`
		Volatile  bool            `json:"volatile"`
		Suites    []reportVerdict `json:"suites"`
	}
	reportVerdict struct {
		Answers int64    `json:"answers"`
		Killed  bool     `json:"killed"`
		CutOff  bool     `json:"cut_off"`
		Tests   int      `json:"tests"`
		By      []string `json:"by"`
	}
)

// maxBy bounds how many of the tests that told a mutant are named.
const maxBy = 10

func (v *verification) json(w io.Writer) error {
	f := reportFile{Flaketap: "verification", Version: 1, Interrupted: v.interrupted, Suites: []reportSuite{}, Assertions: v.assertions}
	for _, s := range v.suites {
		f.Runs = s.rates.Executions
		f.Suites = append(f.Suites, v.suite(s))
	}
	if len(v.kinds) > 0 {
		f.Mutants = v.kills()
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(f)
}

func (v *verification) suite(s *verified) reportSuite {
	r := s.rates
	out := reportSuite{s.name, r.Tests, r.Runs, r.Failures, r.FR, r.FRc, r.FRu, r.Consistent, r.Unstable, s.cutOff, []reportTest{}}
	for _, t := range s.tests {
		if t.Failed > 0 {
			out.Failing = append(out.Failing, reportTest{t.Suite, t.Name, t.Ran, t.Failed, v.shown(t.Message)})
		}
	}
	return out
}

func (v *verification) kills() *reportKills {
	k := &reportKills{Seed: v.seed, Kinds: v.kinds, Candidates: v.candidates, ByKind: map[mutant.Kind]killCount{}, List: []reportMutant{}}
	k.All, k.Stable, k.Volatile = v.count(func(*tried) bool { return true }), v.count(onStable), v.count(onVolatile)
	for _, kind := range v.kinds {
		k.ByKind[kind] = v.count(ofKind(kind))
	}
	for _, p := range v.mutants {
		m := reportMutant{p.Operation.String(), p.Status, string(p.Place), p.Kind, p.To, p.Volatile, nil}
		for _, told := range p.verdicts {
			r := reportVerdict{told.Answers, told.killed(), told.Late, len(told.By), []string{}}
			for _, id := range told.By[:min(len(told.By), maxBy)] {
				r.By = append(r.By, id.String())
			}
			m.Suites = append(m.Suites, r)
		}
		k.List = append(k.List, m)
	}
	return k
}

// The report as JUnit XML, for what shows test results: each test of each suite, and each mutant that the first one killed.
type (
	junitFile struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
	}
)

func (s *junitSuite) add(class, name, failure string) {
	c := junitCase{Class: class, Name: name}
	if s.Tests++; failure != "" {
		s.Failures++
		c.Failure = &junitFailure{failure}
	}
	s.Cases = append(s.Cases, c)
}

func (v *verification) junit(w io.Writer) error {
	f := junitFile{Name: "flaketap verify"}
	for _, s := range v.suites {
		one := junitSuite{Name: s.name}
		for _, t := range s.tests {
			failure := ""
			if t.Failed > 0 {
				failure = fmt.Sprintf("failed in %d of %d runs: %s", t.Failed, t.Ran, v.shown(t.Message))
			}
			one.add(t.Suite, t.Name, failure)
		}
		f.Suites = append(f.Suites, one)
	}
	if len(v.kinds) > 0 {
		one := junitSuite{Name: "planted faults"}
		survived := map[*tried]bool{}
		for _, p := range v.survivors() {
			survived[p] = true
		}
		for _, p := range v.mutants {
			failure := ""
			if survived[p] {
				failure = p.summary(v.suites)
			}
			if survived[p] || p.verdicts[0].killed() {
				one.add("mutants", p.String(), failure)
			}
		}
		f.Suites = append(f.Suites, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(f); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
