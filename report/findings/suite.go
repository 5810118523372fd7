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
// that an execution contradicts, or that looks at a place that moves. paths are files and folders.
func (f *Findings) Read(paths []string, source suite.Source) error {
	files, err := mend.ReadFiles(paths, mend.FileOptions{})
	if err != nil {
		return err
	}
	tests, refused := 0, error(nil)
	for _, file := range files.All {
		read, err := suite.ReadAmong(file.Path, file.Data, mend.OnDisk)
		var none *script.SyntaxError
		switch {
		case errors.As(err, &none) && none.NoTests:
			refused = err
			continue
		case err != nil:
			return err
		}
		tests += len(read.Tests)
		for _, v := range suite.Bind(read, source, nil).Verdicts() {
			f.claim(v, source)
		}
	}
	if tests == 0 {
		if refused == nil {
			refused = fmt.Errorf("read suite: no test is in %s", paths[0])
		}
		return refused
	}
	f.Headline.Unit, f.Headline.AtRisk, f.Headline.Of = "test", len(f.Tests), tests
	return nil
}

// claim tells of an assertion, if its test is at risk by it.
func (f *Findings) claim(v suite.Verdict, source suite.Source) {
	if v.Finding == suite.Holding || v.Finding == suite.Unseen {
		return
	}
	show := shower{source.Redactor}
	at := slices.IndexFunc(f.Tests, func(t Test) bool { return t.Name == shown(v.Test) && t.File == shown(v.File) })
	if at < 0 {
		if len(f.Tests) == maxTests {
			return
		}
		at = len(f.Tests)
		f.Tests = append(f.Tests, Test{Name: shown(v.Test), File: shown(v.File), Line: v.Line, Claims: []Claim{}})
	}
	if len(f.Tests[at].Claims) == maxClaims {
		return
	}
	c := Claim{File: shown(v.File), Line: v.Line, Statement: shown(show.redactor.Show("", v.Text)),
		Place: show.redactor.ShowPlace(v.Place), Category: v.Category, Failed: v.Failed, Of: v.Of,
		Reason: shown(show.redactor.Show("", v.Reason))}
	if v.Field != nil {
		c.PlaceID = f.placeOf(v, source)
	}
	f.Tests[at].Claims = append(f.Tests[at].Claims, c)
}

// placeOf returns the id of the place that an assertion looks at; "" where it is not told of.
func (f *Findings) placeOf(v suite.Verdict, source suite.Source) string {
	at, found := slices.BinarySearchFunc(source.Steps, v.Seq, func(s exchange.Step, seq uint64) int {
		return cmp.Compare(s.Exchange.Seq, seq)
	})
	if !found {
		return ""
	}
	op := &mapfile.Operation{Operation: source.Operations[v.Seq], Status: statusOf(source.Steps[at].Exchange.Response)}
	id := PlaceID(op, v.Field.Place)
	if !slices.ContainsFunc(f.Places, func(p Place) bool { return p.ID == id }) {
		return ""
	}
	return id
}

func shown(s string) string { return report.Show(s, maxText) }
