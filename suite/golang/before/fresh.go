package before

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/script"
)

// fresh draws a text that is another in each run: the last digits of the time of day, in nanoseconds.
func (f *File) fresh(_ *script.Script, _ *script.Test, v script.FreshText) string {
	verb, drawn := "x", fmt.Sprintf("time.Now().UnixNano()&%#x", 1<<(4*v.Length)-1)
	switch v.Letters {
	case script.UpperHexDigits:
		verb = "X"
	case script.Digits:
		limit := 1
		for range v.Length {
			limit *= 10
		}
		verb, drawn = "d", fmt.Sprintf("time.Now().UnixNano()%%%d", limit)
	}
	format := fmt.Sprintf("%s%%0%d%s%s", v.Before, v.Length, verb, v.After)
	return v.Name + " := fmt.Sprintf(" + literal.Go(format) + ", " + drawn + ")"
}

// everywhere puts a variable into the literals of a test's own statements.
func (f *File) everywhere(s *script.Script, t *script.Test, text, variable string, but []script.Span) ([]script.Edit, bool) {
	fn, ok := f.Tests[t]
	if !ok || fn.Body == nil {
		return nil, false
	}
	literals := f.literals(f.Offset(fn.Body.Pos()), f.Offset(fn.Body.End()))
	var out []script.Edit
	for _, plus := range []string{" + ", "+"} {
		edits, ok := handset.Everywhere(s.Text, literals, text, variable, but, words(plus))
		if !ok {
			return nil, false
		}
		if out == nil || isFormatted(script.Apply(s.Text, edits)) {
			out = edits
		}
		if isFormatted(script.Apply(s.Text, out)) {
			break
		}
	}
	return out, true
}
