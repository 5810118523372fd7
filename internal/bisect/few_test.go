package bisect

import (
	"slices"
	"testing"
)

// The few of many that bring a result about are found, wherever they stand; where it takes more, it is given up.
func TestFew(t *testing.T) {
	all := make([]int, 60)
	for i := range all {
		all[i] = i
	}
	for _, want := range [][]int{{0}, {59}, {3, 41}, {7, 8, 9}} {
		tries := 0
		got, err := Few(all, 3, func(some []int, _ [][]int) (bool, error) {
			tries++
			return !slices.ContainsFunc(want, func(n int) bool { return !slices.Contains(some, n) }), nil
		})
		slices.Sort(got)
		if !slices.Equal(got, want) || err != nil || tries > 30 {
			t.Errorf("found %v in %d tries, want %v: %v", got, tries, want, err)
		}
	}
	got, err := Few(all, 3, func(some []int, _ [][]int) (bool, error) { return len(some) >= 10, nil })
	if len(got) != 4 || err != nil {
		t.Errorf("of ten that are needed %v are found: %v", got, err)
	}
}
