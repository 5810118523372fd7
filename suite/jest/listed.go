package jest

import (
	"slices"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// listed notes the assertions of the file that no test was followed to, so that none is passed over in silence: with
// the test in which they stand, or else with the first.
func (w *written) listed() {
	if len(w.script.Tests) == 0 {
		return
	}
	var known []script.Span
	for _, t := range w.script.Tests {
		for _, a := range t.Assertions {
			known = append(known, a.At)
		}
	}
	slices.SortFunc(known, func(a, b script.Span) int { return a.Start - b.Start })
	seen := func(token int) bool {
		at := w.tokens[token].Start
		i, found := slices.BinarySearchFunc(known, at, func(a script.Span, at int) int { return a.Start - at })
		return found || i > 0 && at < known[i-1].End || slices.ContainsFunc(w.helping, func(f script.Span) bool {
			return f.Start <= at && at < f.End
		})
	}
	for i := range w.tokens {
		if w.asserts(i) && !seen(i) {
			w.unlisted(i)
		}
	}
}

// asserts reports whether an assertion begins at a token: expect(x), assert.equal(x, y), should.exist(x), or should
// behind a value.
func (w *written) asserts(i int) bool {
	tokens := w.tokens
	is := func(k int, text string) bool { return k < len(tokens) && tokens[k].Is(text) }
	if i > 0 && (tokens[i-1].Is(".") || tokens[i-1].Is("?.")) {
		return is(i, "should") && is(i+1, ".")
	}
	switch {
	case is(i, "expect"):
		return is(i+1, "(")
	case is(i, "should"):
		return is(i+1, ".")
	}
	return is(i, "assert") && (is(i+1, "(") || is(i+1, ".") && is(i+3, "("))
}

// unlisted notes an assertion that begins at a token, with its line.
func (w *written) unlisted(i int) {
	first, last := i, i+1
	for first > 0 && w.starts[w.lineOf(i)] <= w.tokens[first-1].Start {
		first--
	}
	for p := (&js.Parser{Tokens: w.tokens, Pos: first, End: len(w.tokens), Typed: w.typed}); p.Pos <= i && p.Pos < p.End; {
		st := p.Statement()
		last = max(i+1, st.Last)
	}
	at := w.span(w.tokens[first].Start, w.tokens[last-1].End)
	in := w.script.Tests[0]
	for _, t := range w.script.Tests {
		if t.Head.Start <= at.Start && at.End <= t.Head.End {
			in = t
		}
	}
	a := &script.Assertion{Text: w.script.Text[at.Start:at.End], At: at, Reason: "no test is followed to it"}
	a.File, a.Line, a.Test = w.script.File, at.FirstLine, in.Name
	in.Assertions = append(in.Assertions, a)
}

// lineOf is the index of the line that a token begins on.
func (w *written) lineOf(token int) int {
	i, found := slices.BinarySearch(w.starts, w.tokens[token].Start)
	if !found {
		i--
	}
	return i
}
