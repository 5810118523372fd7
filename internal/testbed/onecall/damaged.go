package onecall

import (
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Damaged reads what may be no suite, or a damaged one, as a fuzz target does: what is read stands within the file, and
// can be written and commented out.
func Damaged(t testing.TB, d script.Dialect, name string, data []byte) {
	t.Helper()
	s, err := script.Read(d, name, data)
	if err != nil {
		return
	}
	said := map[*script.Assertion]expr.Expr{}
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			said[a] = a.Meaning
			if a.At.Start < 0 || a.At.End < a.At.Start || a.At.End > len(s.Text) {
				t.Fatalf("%s stands at %+v of %d bytes", a.Text, a.At, len(s.Text))
			}
			for _, e := range s.Writer.Disable(s, a) {
				if e.Start < 0 || e.End < e.Start || e.End > len(s.Text) {
					t.Fatalf("%s is commented out by %+v of %d bytes", a.Text, e, len(s.Text))
				}
			}
			if a.Meaning != nil {
				s.Writer.Assert(s, test, a, a.Meaning)
			}
		}
	}
	if s.Writer.Elsewhere != nil {
		s.Writer.Elsewhere(s, said)
	}
}
