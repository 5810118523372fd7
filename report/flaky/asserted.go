package flaky

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Asserted explains assertions that were not read and that failed in executions, the recording being the first of
// these. For each of them it lists what moves in the answers of its test and is known to be what it looks at, the
// surest first, with what to do about it. There is none where nothing ties such a place to the assertion.
func (in *Input) Asserted(all []results.Asserted) [][]Looked {
	files := in.bind()
	tests := in.tests(files)
	out := make([][]Looked, len(all))
	for i, a := range all {
		for _, c := range in.asserted(testOf(tests, a), a) {
			out[i] = append(out[i], Looked{c, in.instead(files, a, &c)})
		}
	}
	return out
}

// Looked is a place that an assertion looks at.
type Looked struct {
	report.FlakeCause
	Instead string // what a person could write in the place of the assertion; "" where that is not known
}

// instead is what could be written in the place of an assertion, which looks at what a cause says: nothing where it is
// not the assertion that is to be another, or where what it saw was not the value of the place, but more or less.
func (in *Input) instead(files []*boundFile, a results.Asserted, c *report.FlakeCause) string {
	if c.Judged == nil || c.Known != report.KnownByValue || c.Category == mapfile.State || faulted(c) ||
		eventual(c) != "" {
		return ""
	}
	holds := c.Judged.Holds
	if in.Judged.Redactor.Secret(c.Place) {
		holds.OneOf = nil
	}
	var seen []string
	for _, s := range c.Judged.Steps {
		for _, v := range s.Recorded {
			seen = append(seen, v.Token)
		}
		for _, run := range s.Runs {
			for _, v := range run.Values {
				if run.Counts {
					seen = append(seen, v.Token)
				}
			}
		}
	}
	f, t, one := assertionAt(files, a.Where)
	if one == nil {
		return ""
	}
	return in.text(suite.Instead(f.script, t, one, holds, seen))
}

// assertionAt finds the assertion that stands in a line, in the file whose path ends most as the line's does; nil where
// there is none.
func assertionAt(files []*boundFile, w results.Where) (*boundFile, *script.Test, *script.Assertion) {
	most := 0
	for _, f := range files {
		most = max(most, commonEnd(filepath.ToSlash(f.path), w.File))
	}
	for _, f := range files {
		if most == 0 || commonEnd(filepath.ToSlash(f.path), w.File) < most {
			continue
		}
		for _, t := range f.script.Tests {
			for _, a := range t.Assertions {
				if a.At.FirstLine <= w.Line && w.Line <= a.At.LastLine {
					return f, t, a
				}
			}
		}
	}
	return nil, nil, nil
}

// asserted explains one assertion: as a test would be that has no other. The test's calls are as the suite has them,
// else what was sent while it ran.
func (in *Input) asserted(t *Test, a results.Asserted) []report.FlakeCause {
	one := &Test{ID: t.ID, marks: t.marks, read: t.read}
	for _, r := range a.Runs {
		one.ran = append(one.ran, ran{Detailed: r.Detailed, run: r.Run, saw: r.Saw})
	}
	causes := in.lookedAt(one, a, in.tie(one))
	if len(causes) == 0 {
		causes = in.lookedAt(one, a, in.atTheTime(one))
	}
	return causes
}

// lookedAt lists what moves in some exchanges and is known to be what an assertion looks at.
func (in *Input) lookedAt(t *Test, a results.Asserted, tied tie) []report.FlakeCause {
	line, above := in.lines(a.Where)
	if !asks.MatchString(above) {
		above = "" // it is another statement
	}
	f := &report.Flake{Where: a.Where.String(), Exchanges: in.exchanges(tied.steps), Causes: []report.FlakeCause{}}
	causes, _ := in.moving(t, f, tied.steps, failedLine{line, above})
	causes = slices.DeleteFunc(causes, func(c report.FlakeCause) bool {
		return sureness(c.Known) > sureness(report.KnownByLine)
	})
	notRead := &Test{ID: t.ID}
	for i := range causes {
		causes[i].Next = in.next(notRead, &causes[i])
	}
	return causes
}

// asks matches a line in which it is asked what the next one says to have failed.
var asks = regexp.MustCompile(`^(?:\} else )?(?:if|case)\b`)

// testOf finds the test of an assertion: in the file of the suite from which it was come to, the one that stands around
// that line; else by its name alone.
func testOf(all []*Test, a results.Asserted) *Test {
	var found *Test
	line := 0
	for _, t := range all {
		for _, r := range t.read {
			within := a.From.Line == 0 || line < r.Line && r.Line <= a.From.Line
			file := a.From.File
			if a.From.Line == 0 {
				file = r.file.path
			}
			if within && commonEnd(r.file.path, file) > 0 && namesTest(a.Test, r.Name) {
				found, line = t, r.Line
			}
		}
	}
	if found != nil {
		return found
	}
	if found, err := find(all, a.Test); err == nil {
		return found
	}
	return &Test{ID: results.ID{Name: a.Test}}
}

// namesTest reports whether a name, behind what the test stands in, may be that of a test in a file.
func namesTest(name, written string) bool {
	if results.SameName(name, written) || results.SameName(path.Base(name), written) {
		return true
	}
	return strings.HasSuffix(script.Folded(name), "_"+script.Folded(written)) || strings.HasPrefix(name, written+"[")
}
