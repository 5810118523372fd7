package notation

import "testing"

// FuzzMoment proves that any text at all may be read for a moment, with the day of the answer known or not, and that what
// is read of it is a part of it.
func FuzzMoment(f *testing.F) {
	for _, s := range []string{"15.06.2026 12:00:03.1", "2026-W25-1", "15-JUN-26 10.00.03.1 AM", "a20260615T120003.5+0200", "at 12:00:03,5", "1.2.3.4.2026",
		"22/11/2026", "22-11-26", "INV-261122-7", "dimanche 22 novembre 2026", "2026年11月22日日曜日", "٢٢ نوفمبر ٢٠٢٦", "Q4 2026", "2026-326", "See you on Sunday, at 9 o'clock", "(c) 2026",
		"Nov 22 9:23:11.5 PM", "segunda-feira", "22 tháng 11, 2026", "3 minutes ago", "il y a 3 minutes", "1d 02:03:04", "P1DT2H", "\xff22\xfe/11/2026", "İ 22 Nov 26"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, at := range []Span{{}, sunday} {
			m, ok := textMoment(s, at)
			if !ok {
				continue
			}
			if m.Unit <= 0 || len(m.Rest) > len(s) && !featuresOf(s).foreign {
				t.Errorf("%q is a moment to %v beside %q", s, m.Unit, m.Rest)
			}
			if c := m.Coincidence(); c <= 0 || c > 1 {
				t.Errorf("%q is near by a chance of %v", s, c)
			}
		}
	})
}
