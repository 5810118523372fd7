package flaky

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
)

// Failed is a test that failed, with the exchanges that are its own, for who asks what its failures say of an answer.
type Failed struct {
	*report.Flake
	Steps []exchange.Step
	Added []*exchange.Exchange // of [Input.Added], those that it sent
	// Rough says that exchanges of neighboring tests may be among these.
	Rough bool

	test     *Test
	line     failedLine
	redactor exchange.Redactor
}

// Failed explains the tests that failed in an execution, by the results, those that failed most first.
func (in *Input) Failed() []*Failed {
	var out []*Failed
	for _, t := range in.tests(in.bind()) {
		if failed, _ := t.failed(); failed == 0 {
			continue
		}
		tied, line := in.tie(t), in.failedLine(t)
		f := &Failed{Flake: in.explain(t, tied, line), Steps: tied.steps, Rough: tied.rough, test: t, line: line,
			redactor: in.Judged.Redactor}
		for _, e := range in.Added {
			if e.Sequence != "" && slices.Contains(t.marks, e.Sequence) {
				f.Added = append(f.Added, e)
			}
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b *Failed) int { return byFailures(a.test, b.test) })
	return out
}

// Line is the line that failed, as the suite has it or its runner shows it; "" where it is not known.
func (f *Failed) Line() string { return f.line.line }

// Ties says how a place is known to be what the test failed by, which had one raw token in the recording and has
// another now ("" for nothing): [report.KnownByMessage] or [report.KnownByLine], else [report.KnownByPlace].
func (f *Failed) Ties(place exchange.Place, was, is string) string {
	m := movement{place: place, tokens: map[string]bool{was: true}, redactor: f.redactor}
	if is != was {
		m.tokens[is] = false
	}
	switch {
	case slices.ContainsFunc(f.test.failures(), func(r ran) bool { return m.shownBy(r.Trace) }):
		return report.KnownByMessage
	case f.line.naming(place) != "":
		return report.KnownByLine
	}
	return report.KnownByPlace
}

// Names reports whether the line that failed names a place.
func (f *Failed) Names(place exchange.Place) bool { return f.line.naming(place) != "" }

// Shows reports whether a failure shows the value of a place, a raw token. A secret, which is not shown, it does not.
func (f *Failed) Shows(place exchange.Place, token string) bool {
	text := plainText(token)
	return text != "" && slices.ContainsFunc(f.test.failures(), func(r ran) bool { return hasWord(r.Trace, text) }) &&
		f.redactor.Show(place, token) == token
}
