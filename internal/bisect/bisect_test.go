package bisect

import (
	"errors"
	"testing"
)

func TestShortest(t *testing.T) {
	for all := 1; all < 40; all++ {
		for want := 1; want <= all; want++ {
			tries := 0
			got, err := Shortest(all, func(n int) (bool, error) {
				tries++
				return n >= want, nil
			})
			if got != want || err != nil || tries > 6 {
				t.Fatalf("of %d: %d in %d tries, want %d: %v", all, got, tries, want, err)
			}
		}
	}
	failed := errors.New("failed")
	if _, err := Shortest(3, func(int) (bool, error) { return false, failed }); !errors.Is(err, failed) {
		t.Errorf("the error of a try: %v", err)
	}
}
