package confidence

import (
	"math"
	"testing"
)

// TestBound holds bounds against the tables, and against the definition.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{
		{0, 0, 1}, {0, 1, 0.95}, {0, 10, 0.2589}, {0, 30, 0.0951}, {0, 100, 0.0296}, {1, 10, 0.3942}, {5, 10, 0.7776}, {9, 10, 0.9949},
		{10, 10, 1}, {1, 100, 0.0466}, {50, 100, 0.5864}, {3, 1000, 0.0078},
	} {
		if got := Bound(c.k, c.n); math.Abs(got-c.want) > 0.00011 {
			t.Errorf("%d of %d: %v want %v", c.k, c.n, got, c.want)
		}
	}
	// The bound is what it says: k or fewer changes come about in 5 % of cases at that chance.
	for n := 1; n <= 60; n++ {
		for k := range n {
			p := betaQuantile(0.95, float64(k+1), float64(n-k))
			sum := 0.0
			for i := 0; i <= k; i++ {
				a, _ := math.Lgamma(float64(n + 1))
				b, _ := math.Lgamma(float64(i + 1))
				c, _ := math.Lgamma(float64(n - i + 1))
				sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
			}
			if math.Abs(sum-0.05) > 1e-6 {
				t.Fatalf("%d of %d: %v", k, n, sum)
			}
		}
	}
}

// TestChiSquared holds the approximation against the tables: the quantiles of 99.9 %.
func TestChiSquared(t *testing.T) {
	for degrees, want := range map[float64]float64{1: 10.828, 5: 20.515, 20: 45.315, 100: 149.449} {
		if got := ChiSquared(degrees); got < want*0.96 || got > want*1.04 {
			t.Errorf("%v degrees: %v, want %v", degrees, got, want)
		}
	}
}
