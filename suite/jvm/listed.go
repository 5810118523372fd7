package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
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
	slices.SortFunc(known, func(a, b script.Span) int { return a.Start - b.Start })
	seen := func(token int) bool { // it is part of an assertion
		at := w.module.Tokens[token].Start
		i, found := slices.BinarySearchFunc(known, at, func(a script.Span, at int) int { return a.Start - at })
		return found || i > 0 && at < known[i-1].End
	}
	for _, f := range w.module.Methods {
		if !w.holds(f.Head) {
			continue
		}
		for i := f.Open; i+1 < f.Close; i++ {
			if !seen(i) && w.asserts(i) && !w.goesOn(i, seen) {
				w.unlisted(i)
			}
		}
	}
}

// asserts reports whether an assertion of JUnit's or AssertJ's begins at a token, or a link of REST-assured's that says
// a status.
func (w *written) asserts(i int) bool {
	tokens := w.module.Tokens
	if tokens[i].Kind != java.NameToken || !tokens[i+1].Is("(") || tokens[i].Start == tokens[i].End {
		return false
	}
	name := tokens[i].Text
	switch {
	case name == "statusCode":
		return w.module.Match[i+1] > i+2 && tokens[i-1].Is(".")
	case name == "assertAll" || name == "assertTimeout" || name == "assertDoesNotThrow" || name == "assertSoftly":
		return false
	}
	return strings.HasPrefix(name, "assert") && !strings.HasPrefix(name, "assertThrows") &&
		!strings.HasPrefix(name, "assertFails") && !strings.HasPrefix(name, "assertThatThrown") &&
		!slices.ContainsFunc(w.module.Methods, func(f *java.Method) bool { return f.Name == name })
}

// goesOn reports whether a chain goes on behind the call that begins at a token with links that are known.
func (w *written) goesOn(i int, seen func(token int) bool) bool {
	tokens, match := w.module.Tokens, w.module.Match
	for k := match[i+1] + 1; k < len(tokens) && !tokens[k].Is(";") && !tokens[k].Is("}"); k++ {
		if seen(k) {
			return true
		}
		if t := &tokens[k]; t.Is("(") || t.Is("[") || t.Is("{") {
			k = match[k]
		}
	}
	return match[i+1] == i+2 // assertThat(), which only joins
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
