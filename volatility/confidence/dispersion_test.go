package confidence

import (
	"slices"
	"testing"
)

// TestBoundOfTheWorst: the bound of a place that some requests move more than others is no lower than that of any of them,
// however seldom it was asked.
func TestBoundOfTheWorst(t *testing.T) {
	var s Dispersion
	k, n := 0, 0
	for _, x := range []share{{20, 30}, {0, 300}, {3, 100}, {0, 3}, {9, 20}} {
		s.Add(x.changed, x.of)
		k, n = k+x.changed, n+x.of
	}
	bound, pooled := s.Bound(k, n)
	for _, x := range []share{{20, 30}, {3, 100}, {0, 3}} {
		if own := Bound(x.changed, x.of); pooled || bound < own {
			t.Errorf("bound %v, pooled %t: %d of %d alone have %v", bound, pooled, x.changed, x.of, own)
		}
	}
	var apart, joined Dispersion
	apart.Add(5, 10)
	joined.Add(0, 4)
	joined.Absorb(apart)
	if joined.exchanges != 2 || joined.still != 4 || !slices.Equal(joined.worst, []share{{5, 10}}) {
		t.Errorf("joined to %+v", joined)
	}
}
