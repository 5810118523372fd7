package ahead

import (
	"errors"
	"iter"
	"testing"
)

// counted yields numbers from 0 on, each of them divisible by seven as an error, and says how many were taken.
func counted(n int, taken *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			*taken = i + 1
			var err error
			if i%7 == 0 {
				err = errors.New("seven")
			}
			if !yield(i, err) {
				return
			}
		}
	}
}

func TestOf(t *testing.T) {
	for _, n := range []int{0, 1, most, most + 1, 10 * most} {
		taken, next := 0, 0
		for v, err := range Of(counted(n, &taken), func(int) int { return 1 }) {
			if v != next || (err != nil) != (v%7 == 0) {
				t.Fatalf("of %d: %d, %v after %d values", n, v, err, next)
			}
			next++
		}
		if next != n || taken != n {
			t.Errorf("%d of %d values came, %d were taken", next, n, taken)
		}
	}
}

// Who takes no more ends the source, which was not much further.
func TestOfEnds(t *testing.T) {
	for weight, furthest := range map[int]int{1: 5 + 4*most, mostBytes: 5 + 4} {
		taken := 0
		for v := range Of(counted(1_000_000, &taken), func(int) int { return weight }) {
			if v == 5 {
				break
			}
		}
		if taken < 6 || taken > furthest+1 { // the goroutine has ended: reading taken is no race
			t.Errorf("weight %d: %d values were taken, want %d at most", weight, taken, furthest+1)
		}
	}
}
