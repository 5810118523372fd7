package notation

import "testing"

// FuzzMoment proves that any text at all may be read for a moment.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{"15.06.2026 12:00:03.1", "2026-W25-1", "15-JUN-26 10.00.03.1 AM", "a20260615T120003.5+0200", "at 12:00:03,5", "1.2.3.4.2026"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if m, ok := TextMoment(s); ok && m.Unit <= 0 {
			t.Errorf("%q is a moment to %v", s, m.Unit)
		}
	})
}
