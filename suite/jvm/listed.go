package jvm

import (
	"github.com/flaketap/flaketap/suite/jvm/asserts"
	"github.com/flaketap/flaketap/suite/script"
)

// listed notes the assertions of the file that no test was followed to, so that none is passed over in silence: with
// the test in which they stand, or else with the first.
func (w *written) listed() {
	tests := w.script.Tests
	if len(tests) == 0 {
		return
	}
	var known []script.Span
	for _, t := range tests {
		for _, a := range t.Assertions {
			known = append(known, a.At)
		}
	}
	for _, at := range w.helpers {
		known = append(known, at)
	}
	beyond := asserts.Beyond(w.module, known)
	for _, f := range w.module.Methods {
		if !w.holds(f.Head) {
			continue
		}
		for _, i := range beyond.In(f) {
			w.unlisted(i)
		}
	}
}

// unlisted notes an assertion that begins at a token.
func (w *written) unlisted(i int) {
	at := w.span(i, w.module.Match[i+1]+1)
	in := w.script.Tests[0]
	for _, t := range w.script.Tests {
		if t.Head.Start <= at.Start && at.Start < t.BodyEnd {
			in = t
		}
	}
	a := &script.Assertion{Text: w.script.Text[at.Start:at.End], At: at, Reason: "no test is followed to it"}
	a.File, a.Line, a.Test = w.script.File, at.FirstLine, in.Name
	in.Assertions = append(in.Assertions, a)
}
