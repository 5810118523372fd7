package findings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/suite/stabilize"
	"github.com/flaketap/flaketap/suite/verify"
)

// Rates is what the runs of a suite said, before it was patched and after.
type Rates struct {
	From  string `json:"from"` // "stabilize" or "verify": whose report tells it
	Forms []Form `json:"forms"`
	Holds bool   `json:"holds"` // no test of the last form failed
	tests []Test // those that failed
}

// Form is one form of a suite.
type Form struct {
	Name    string  `json:"name"` // "as it was", "as patched", or what verify was given
	Runs    int     `json:"runs"`
	Tests   int     `json:"tests"`
	Failing int     `json:"failing"` // tests that failed in any run
	Rate    float64 `json:"rate"`    // the share of failed tests in a run
}

// maxRates bounds, in bytes, the reports that are read, and maxTests the tests that are told of.
const (
	maxRates = 256 << 20
	maxTests = 5000
)

// RatesOf reads the report at a path, or that which stabilize left beside a recording; nil where there is none.
func RatesOf(path, db string) (*Rates, error) {
	if path != "" {
		return ReadRates(path)
	}
	return FindRates(db)
}

// FindRates reads the report that stabilize left beside a recording; nil where there is none.
func FindRates(db string) (*Rates, error) {
	path := filepath.Join(stabilize.Folder(db), "report.json")
	if _, err := os.Stat(path); err != nil {
		return nil, nil
	}
	return ReadRates(path)
}

// ReadRates reads a report of stabilize or of verify, as JSON; of a folder, the report.json in it.
func ReadRates(path string) (*Rates, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "report.json")
	}
	return readFile("failure rates", path, maxRates, DecodeRates)
}

// DecodeRates reads what [ReadRates] does from the bytes of the file.
func DecodeRates(data []byte) (*Rates, error) {
	var kind struct {
		Flaketap string `json:"flaketap"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, err
	}
	switch kind.Flaketap {
	case "stabilize-report":
		var r stabilize.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, err
		}
		return ofStabilize(&r), nil
	case "verification":
		var r verify.Report
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, err
		}
		return ofVerify(&r), nil
	}
	return nil, fmt.Errorf("not a report of stabilize or verify: want what stabilize --report, or verify --format json, writes")
}

func ofStabilize(r *stabilize.Report) *Rates {
	out := &Rates{From: "stabilize", Holds: r.Holds}
	for _, m := range []struct {
		name string
		stabilize.Measured
	}{{"as it was", r.Before}, {"as patched", r.After}} {
		if m.Runs > 0 {
			out.Forms = append(out.Forms, Form{m.name, m.Runs, m.Tests, m.Failing, m.Rate})
		}
	}
	for _, u := range r.Unhelped {
		t := Test{Name: shown(cmp.Or(u.Test, u.File)), File: shown(u.File), Why: shown(u.Why)}
		switch {
		case u.Order != "": // in the order that is written it holds
			t.Why = fmt.Sprintf("run %s, it fails in %d of %d runs: %s", shown(u.Order), u.Failed, u.Of, t.Why)
		case u.Failed > 0:
			t.After = &Failed{u.Failed, u.Of}
		}
		out.add(t)
	}
	for _, n := range r.NotFollowed {
		out.add(Test{Name: shown(n.Test), File: shown(n.File), Line: n.Line, Before: &Failed{n.Failed, n.Of},
			Why: shown(n.Text) + ": " + shown(n.Reason)})
	}
	return out
}

func ofVerify(r *verify.Report) *Rates {
	out := &Rates{From: "verify"}
	for i, s := range r.Suites {
		out.Forms = append(out.Forms, Form{shown(s.Suite), r.Runs, s.Tests, len(s.Failing), s.FR})
		for _, f := range s.Failing {
			name := shown(f.Name)
			if f.Suite != "" {
				name = shown(f.Suite) + " › " + name
			}
			failed := &Failed{f.Failed, f.Ran}
			at := slices.IndexFunc(out.tests, func(t Test) bool { return t.Name == name })
			switch {
			case i == 0:
				out.add(Test{Name: name, Before: failed, Why: shown(f.Message)})
			case at >= 0:
				out.tests[at].After = failed
			default:
				out.add(Test{Name: name, After: failed, Why: shown(f.Message)})
			}
		}
	}
	out.Holds = len(r.Suites) > 0 && len(r.Suites[len(r.Suites)-1].Failing) == 0
	return out
}

func (r *Rates) add(t Test) {
	if len(r.tests) < maxTests {
		t.Claims = []Claim{}
		r.tests = append(r.tests, t)
	}
}

// Measure puts failure rates beside the findings.
func (f *Findings) Measure(r *Rates) {
	f.Rates = r
	f.Tests = append(f.Tests, r.tests...)
	if len(r.Forms) > 0 && len(f.Tests) == len(r.tests) {
		f.Headline.Unit, f.Headline.AtRisk, f.Headline.Of = "test", r.Forms[0].Failing, r.Forms[0].Tests
	}
}
