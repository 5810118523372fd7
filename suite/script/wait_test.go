package script

import "testing"

// A sleep is for the first call behind it, where another was sent before it: nobody waits for what nobody began.
func TestSleepsBetween(t *testing.T) {
	test := &Test{}
	for _, start := range []int{10, 20, 30} {
		test.Calls = append(test.Calls, &Call{At: Span{Start: start}})
	}
	for _, tt := range []struct {
		at, call int
		want     bool
	}{
		{25, 2, true},
		{15, 1, true},
		{15, 2, false}, // for the one between
		{5, 0, false},  // before all
		{25, 1, false}, // behind it
	} {
		if got := test.SleepsBetween(tt.at, test.Calls[tt.call]); got != tt.want {
			t.Errorf("at %d, for call %d: %t", tt.at, tt.call, got)
		}
	}
}
