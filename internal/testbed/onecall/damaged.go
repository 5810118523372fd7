package onecall

import (
	"testing"
	"time"

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
		for _, c := range test.Calls {
			awaited(t, s, test, c)
		}
	}
	if s.Writer.Elsewhere != nil {
		s.Writer.Elsewhere(s, said)
	}
}

// awaited has a test wait at a call, if that can be written: what was written is read again then.
func awaited(t testing.TB, s *script.Script, test *script.Test, c *script.Call) {
	t.Helper()
	if s.Writer.Poll == nil || c.Many || c.Last || c.Guarded || c.Hook || c.Once != "" || c.Method != "GET" {
		return
	}
	of := expr.Index{X: expr.Answer{Var: c.Var, Part: expr.JSON}, I: expr.Str{Value: "state"}}
	edits := s.Writer.Poll(s, test, script.Wait{Call: c, Atmost: time.Second, Every: 20 * time.Millisecond,
		Comment: "seen",
		Ready: expr.AllOf(expr.Cmp(expr.Answer{Var: c.Var}, expr.Eq, expr.Int(200)),
			expr.Same(of, expr.Str{Value: "done"}))})
	if len(edits) == 0 {
		return
	}
	text := script.Apply(s.Text, edits)
	again, err := s.Again(text)
	if err != nil {
		t.Fatalf("what waits is not read again: %v\n%s", err, text)
	}
	if len(again.Tests) != len(s.Tests) {
		t.Fatalf("of %d tests %d are left\n%s", len(s.Tests), len(again.Tests), text)
	}
}
