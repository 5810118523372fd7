// Package asserts finds where assertions stand in a file in Java or Kotlin by their names alone, whether or not a test
// is followed to them.
package asserts

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// Finder finds those that are not known.
type Finder struct {
	module *java.File
	known  []script.Span // in order
}

// Beyond makes a Finder of the assertions of a file beyond those that are known.
func Beyond(module *java.File, known []script.Span) Finder {
	slices.SortFunc(known, func(a, b script.Span) int { return a.Start - b.Start })
	return Finder{module, known}
}

// In lists the tokens of a method's body at which assertions begin.
func (f Finder) In(m *java.Method) []int {
	var out []int
	for i := m.Open; i+1 < m.Close; i++ {
		if !f.seen(i) && f.asserts(i) && !f.goesOn(i) {
			out = append(out, i)
		}
	}
	return out
}

// seen reports whether a token is part of an assertion that is known.
func (f Finder) seen(token int) bool {
	at := f.module.Tokens[token].Start
	i, found := slices.BinarySearchFunc(f.known, at, func(a script.Span, at int) int { return a.Start - at })
	return found || i > 0 && at < f.known[i-1].End
}

// asserts reports whether an assertion of JUnit's or AssertJ's begins at a token, or a link of REST-assured's that says
// a status.
func (f Finder) asserts(i int) bool {
	tokens := f.module.Tokens
	if tokens[i].Kind != java.NameToken || !tokens[i+1].Is("(") || tokens[i].Start == tokens[i].End {
		return false
	}
	name := tokens[i].Text
	switch {
	case name == "statusCode":
		return f.module.Match[i+1] > i+2 && tokens[i-1].Is(".")
	case name == "assertAll" || name == "assertTimeout" || name == "assertDoesNotThrow" || name == "assertSoftly":
		return false
	}
	return strings.HasPrefix(name, "assert") && !strings.HasPrefix(name, "assertThrows") &&
		!strings.HasPrefix(name, "assertFails") && !strings.HasPrefix(name, "assertThatThrown") &&
		!slices.ContainsFunc(f.module.Methods, func(m *java.Method) bool { return m.Name == name })
}

// goesOn reports whether a chain goes on behind the call that begins at a token with links that are known.
func (f Finder) goesOn(i int) bool {
	tokens, match := f.module.Tokens, f.module.Match
	for k := match[i+1] + 1; k < len(tokens) && !tokens[k].Is(";") && !tokens[k].Is("}"); k++ {
		if f.seen(k) {
			return true
		}
		if t := &tokens[k]; t.Is("(") || t.Is("[") || t.Is("{") {
			k = match[k]
		}
	}
	return match[i+1] == i+2 // assertThat(), which only joins
}
