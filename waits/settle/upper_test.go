package settle_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/settle"
)

// Of times that are lognormal, the bound holds 99.9 % in 95 of 100 cases, or nearly so, and is not much longer than it
// has to be.
func TestUpper(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, sigma float64) settle.Times {
		var all []time.Duration
		for range n {
			all = append(all, time.Duration(2e8*math.Exp(sigma*r.NormFloat64())))
		}
		slices.Sort(all)
		return settle.Times{N: n, Median: all[n/2], Longest: all[n-1], All: all}
	}
	for _, sigma := range []float64{0.1, 0.3, 0.6} {
		for _, n := range []int{20, 30, 100} {
			true999 := 2e8 * math.Exp(3.0902*sigma)
			holds, ratio := 0, 0.0
			for range 1000 {
				upper := float64(draw(n, sigma).Upper(settle.In999))
				if upper >= true999 {
					holds++
				}
				ratio += math.Log(upper/true999) / 1000
			}
			if holds < 930 || ratio > 1.8*sigma {
				t.Errorf("sigma %v, %d reads: the bound holds in %d of 1000, and is %.2f times as long", sigma, n, holds, math.Exp(ratio))
			}
		}
	}
	if few := draw(settle.EnoughReads-1, 0.3).Upper(settle.In999); few != 0 {
		t.Errorf("too few reads have a bound of %s", few)
	}
	same := settle.Times{N: 30, Median: 5, Longest: 5, All: slices.Repeat([]time.Duration{5}, 30)}
	if got := same.Upper(settle.In999); got != 5 {
		t.Errorf("what always takes the same has a bound of %s", got)
	}
	outlier := settle.Times{N: 100, Median: 5, Longest: 5e9, All: append(slices.Repeat([]time.Duration{5}, 99), 5e9)}
	if got := outlier.Upper(settle.In999); got != outlier.Longest {
		t.Errorf("the bound is %s, and one read took %s", got, outlier.Longest)
	}
}
