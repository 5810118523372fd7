package handset

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Outside is [Everywhere] for the literals of a file that stand in none of its tests: constants, fixtures, functions
// that tests share. at is where the first of them stands; ok is false where one cannot be cut, or another test than
// the given writes the text out itself, which would be left behind.
func Outside(s *script.Script, t *script.Test, literals []Literal, text, variable string,
	w Words) (edits []script.Edit, at int, ok bool) {
	outside := slices.DeleteFunc(slices.Clone(literals), func(l Literal) bool { return testAt(s, l.Start) != nil })
	edits, ok = Everywhere(s.Text, outside, text, variable, nil, w)
	if !ok || len(edits) == 0 {
		return nil, 0, ok
	}
	for _, l := range literals {
		in := testAt(s, l.Start)
		if in != nil && in != t && len(apart(s.Text[l.From:l.To], text)) > 0 {
			return nil, 0, false
		}
	}
	at = edits[0].Start
	for _, e := range edits {
		at = min(at, e.Start)
	}
	return edits, at, true
}

// testAt is the test that a place of the file stands in; nil for none.
func testAt(s *script.Script, at int) *script.Test {
	i := slices.IndexFunc(s.Tests, func(t *script.Test) bool { return t.Head.Start <= at && at < t.BodyEnd })
	if i < 0 {
		return nil
	}
	return s.Tests[i]
}

// Above is the beginning of the line that a statement begins on, or of the first of the comments right above it.
func Above(text string, statement int, comment string) int {
	at := strings.LastIndexByte(text[:statement], '\n') + 1
	for at > 0 {
		before := strings.LastIndexByte(text[:at-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(text[before:at]), comment) {
			break
		}
		at = before
	}
	return at
}
