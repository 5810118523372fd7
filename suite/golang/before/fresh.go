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
func (f *File) everywhere(s *script.Script, t *script.Test, text, variable string,
	but []script.Span) ([]script.Edit, bool) {
	fn, ok := f.Tests[t]
	if !ok || fn.Body == nil {
		return nil, false
	}
	var out []script.Edit
	for _, l := range f.literals(f.Offset(fn.Body.Pos()), f.Offset(fn.Body.End())) {
		for _, plus := range []string{"+", " + "} {
			edits, ok := handset.Everywhere(s.Text, []handset.Literal{l}, text, variable, but, words(plus))
			if !ok {
				return nil, false
			}
			if len(edits) == 0 || plus == "+" && !isFormatted(script.Apply(s.Text, edits)) {
				continue
			}
			out = append(out, edits...)
			break
		}
	}
	return out, true
}
