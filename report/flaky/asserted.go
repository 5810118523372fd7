package flaky

import (
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
)

// Asserted explains assertions that were not read and that failed in executions, the recording being the first of
// these: for each of them it lists what moves in the answers of its test and is known to be what it looks at, the surest
// first, with what to do about it. There is none where nothing ties such a place to the assertion.
func (in *Input) Asserted(all []results.Asserted) [][]report.FlakeCause {
	tests := in.tests(in.bind())
	out := make([][]report.FlakeCause, len(all))
	for i, a := range all {
		out[i] = in.asserted(testOf(tests, a), a)
	}
	return out
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
	if sameName(name, written) || sameName(path.Base(name), written) {
		return true
	}
	return strings.HasSuffix(script.Folded(name), "_"+script.Folded(written)) || strings.HasPrefix(name, written+"[")
}
