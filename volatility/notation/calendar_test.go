package notation_test

import (
	"regexp"
	"testing"

	"github.com/flaketap/flaketap/volatility/notation"
)

// TestCalendarPattern: dates in words match on any day, and half of one, or another text, does not.
func TestCalendarPattern(t *testing.T) {
	for _, tt := range []struct {
		texts, also, not []string
	}{
		{[]string{"Monday"}, []string{"Sunday", "Wednesday"}, []string{"Mon", "monday", "~", ""}},
		{[]string{"Prices of 23 November 2026", "Prices of 4 May 2026"}, []string{"Prices of 1 March 2031"},
			[]string{"Prices of 23", "~", "Prices of 23 Nov 2026", "Prices of  2026"}},
		{[]string{"Mon Nov 23 08:06:06 UTC 2026"}, []string{"Tue Dec  1 08:06:06 CEST 2026"}, []string{"Mon Nov 23 08:"}},
		{[]string{"May 23rd, 9:05 pm"}, []string{"August 1st, 11:05 am", "Aug 1st, 11:05 am"}, []string{"May"}},
	} {
		pattern := notation.CalendarPattern(tt.texts)
		re := regexp.MustCompile(`\A(?:` + pattern + `)\z`)
		for _, s := range append(tt.texts, tt.also...) {
			if !re.MatchString(s) {
				t.Errorf("%s does not match %q", pattern, s)
			}
		}
		for _, s := range tt.not {
			if re.MatchString(s) {
				t.Errorf("%s matches %q", pattern, s)
			}
		}
	}
	for _, texts := range [][]string{nil, {""}, {"2026-11-23"}, {"lundi 23 novembre"}, {"Monday", "today"}, {"a Monk"}} {
		if got := notation.CalendarPattern(texts); got != "" {
			t.Errorf("%q: %s", texts, got)
		}
	}
}
