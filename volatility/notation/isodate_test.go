package notation

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestISOParts holds the reading of dates against the expression that says what they are.
func TestISOParts(t *testing.T) {
	iso := regexp.MustCompile(`^(\d{4})([-/.])(\d\d)([-/.])(\d\d)` +
		`(?:(?:[Tt]| )(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?([Zz]|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d\b)?)?`)
	piece := rapid.SampledFrom([]string{"2026", "-", "/", ".", ",", "01", "29", "T", "t", " ", "12", ":", "9", "123456789", "Z", "z", "UTC", "GMT", "+", "07", "+07:00", "_", "x", "é"})
	prefix := rapid.SampledFrom([]string{"", "2026-01-29", "2026-01-29T12:15", "2026-01-29 12:15:09", "2026.01.29t12:15:09.5", "2026-01-29T12:15:09,123456789+07"})
	rapid.Check(t, func(t *rapid.T) {
		s := prefix.Draw(t, "prefix") + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		var want [8]string
		length := 0
		if p := iso.FindStringSubmatch(s); p != nil {
			want, length = [8]string{p[1], p[3], p[5], p[6], p[7], p[8], p[9], p[10]}, len(p[0])
		}
		if got, n := isoParts(s); got != want || n != length {
			t.Fatalf("%q: %q %d, want %q %d", s, got, n, want, length)
		}
	})
}

// TestIMFDate: what is read quickly is what is read slowly, in a longer text.
func TestIMFDate(t *testing.T) {
	for s, ok := range map[string]bool{
		"Thu, 29 Jan 2026 12:15:09 GMT": true, "thu, 29 Jan 2026 12:15:09 GMT": false, "Fri, 29 Jan 2026 12:15:09 GMT": false,
		"Thu, 31 Feb 2026 12:15:09 GMT": false, "Thu, 29 Jan 2026 12:15:09 UTC": false, "Thu, 29 Jan 2026 12:15:09": false,
	} {
		m, got := imfDate(s)
		if got != ok {
			t.Errorf("%q: %v", s, got)
		}
		if !ok {
			continue
		}
		slow, _ := TextMoment("at " + s)
		if !slow.At.Equal(m.At) || slow.Unit != m.Unit || slow.Zoned != m.Zoned || m.At.Location() != time.UTC || m.InText {
			t.Errorf("%q: %+v, and in a text %+v", s, m, slow)
		}
	}
}

// TestRFC3339 holds the reading of that notation against the expression for it.
func TestRFC3339(t *testing.T) {
	form := regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`)
	piece := rapid.SampledFrom([]string{"", "Z", "z", ".", ",", ".5", ".123456789012", "+", "-", "07", ":", "00", "+07:00", "-7:00", "+0700", "x", "é", "\n"})
	prefix := rapid.SampledFrom([]string{"", "2026-01-29", "2026-01-29T12:15:09", "2026-01-29t12:15:09", "2026-01-29 12:15:09", "2026-01/29T12:15:09", "2026-01-29T12:15:0x", "2026-01-29T12:15:09.1"})
	rapid.Check(t, func(t *rapid.T) {
		s := prefix.Draw(t, "prefix") + strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "")
		if got := isRFC3339(s); got != form.MatchString(s) {
			t.Fatalf("%q: %v", s, got)
		}
	})
}

// TestShapesAmong: who wants but some of the notations is told the same of them.
func TestShapesAmong(t *testing.T) {
	piece := rapid.SampledFrom([]string{"2026-01-29", "T12:15:09", "Z", "Thu, 29 Jan 2026 12:15:09 GMT", "a3bb189e-8bf9-4888-9912-ace4e6543002", "eyJhbGciOiJIUzI1NiJ9", ".",
		"deadbeef", "0123456789", "@", "example.org", "http://", "/tmp/x", "0x7ffe1234", "Main.java:12", "aB9+/", "==", " ", "10.0.0.1", "1.2.3", "P1D", "00:1b:44:11:3a:b7", "::1", "$2b$12$"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "")
		wanted := Shapes(rapid.Uint32().Draw(t, "wanted"))
		if got, want := ShapesAmong(s, wanted)&wanted, ShapesOf(s)&wanted; got != want {
			t.Fatalf("%q: %b of %b, want %b", s, got, wanted, want)
		}
	})
}
