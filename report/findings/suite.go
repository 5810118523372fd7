package findings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxClaims bounds the assertions that are told of one test.
const maxClaims = 20

// Read reads the suite whose runs a recording has, and tells which of its tests are at risk: those with an assertion
// that an execution contradicts, or that looks at a place that moves. paths are files and folders. It comes before
// [Findings.Measure]. Files that cannot be parsed are left out: unread says so of each, and the warnings do.
func (f *Findings) Read(paths []string, source suite.Source) (unread []error, err error) {
	files, err := mend.ReadFiles(paths, mend.FileOptions{})
	if err != nil {
		return nil, err
	}
	r := reading{f: f, source: source, tests: map[[2]string]int{}, places: map[string]bool{}}
	for _, p := range f.Places {
		r.places[p.ID] = true
	}
	tests, refused := 0, error(nil)
	for _, file := range files.All {
		read, err := suite.ReadAmong(file.Path, file.Data, mend.OnDisk)
		var syntax *script.SyntaxError
		switch {
		case errors.As(err, &syntax):
			if refused = err; !syntax.NoTests {
				unread = append(unread, err)
			}
			continue
		case err != nil:
			return nil, err
		}
		tests += len(read.Tests)
		for _, v := range suite.Bind(read, source, nil).Verdicts() {
			r.claim(v)
		}
	}
	if tests == 0 {
		if refused == nil {
			refused = fmt.Errorf("read suite: no test is in %s", paths[0])
		}
		return nil, refused
	}
	for _, err := range unread {
		f.Warnings = append(f.Warnings, shown(fmt.Sprintf("its tests are not told of: %v", err)))
	}
	f.Headline.Unit, f.Headline.AtRisk, f.Headline.Of = "test", len(f.Tests), tests
	return unread, nil
}

// reading goes through the assertions of a suite.
type reading struct {
	f      *Findings
	source suite.Source
	tests  map[[2]string]int // where a test stands among those that are told, by its name and file
	places map[string]bool   // the ids of those that are told
}

// claim tells of an assertion, if its test is at risk by it.
func (r *reading) claim(v suite.Verdict) {
	if v.Finding == suite.Holding || v.Finding == suite.Unseen {
		return
	}
	f, show, name, file := r.f, shower{r.source.Redactor}, shown(v.Test), shown(report.Located(v.File))
	at, known := r.tests[[2]string{name, file}]
	if !known {
		if len(f.Tests) == maxTests {
			return
		}
		at = len(f.Tests)
		r.tests[[2]string{name, file}] = at
		f.Tests = append(f.Tests, Test{Name: name, File: file, Line: v.Line, Claims: []Claim{}})
	}
	if len(f.Tests[at].Claims) == maxClaims {
		return
	}
	c := Claim{File: file, Line: v.Line, Statement: shown(show.redactor.Show("", v.Text)),
		Place: show.redactor.ShowPlace(v.Place), Category: v.Category, Failed: v.Failed, Of: v.Of,
		Reason: shown(show.redactor.Show("", v.Reason))}
	if v.Field != nil {
		c.PlaceID = r.placeOf(v)
	}
	f.Tests[at].Claims = append(f.Tests[at].Claims, c)
}

// placeOf returns the id of the place that an assertion looks at; "" where it is not told of.
func (r *reading) placeOf(v suite.Verdict) string {
	at, found := slices.BinarySearchFunc(r.source.Steps, v.Seq, func(s exchange.Step, seq uint64) int {
		return cmp.Compare(s.Exchange.Seq, seq)
	})
	if !found {
		return ""
	}
	op := &mapfile.Operation{Operation: r.source.Operations[v.Seq],
		Status: exchange.StatusOf(r.source.Steps[at].Exchange.Response)}
	id := PlaceID(op, v.Field.Place)
	if !r.places[id] {
		return ""
	}
	return id
}

func shown(s string) string { return report.Show(s, maxText) }
