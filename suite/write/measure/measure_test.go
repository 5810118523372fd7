package measure_test

import (
	"math/rand/v2"
	"testing"

	"github.com/flaketap/flaketap/suite/write/measure"
)

// What is no longer the longer its answer took is not measured, nor what chance may have ordered.
func TestGrowsWith(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	series := func(n int, value func(took float64) float64) (values, took []float64) {
		for range n {
			d := rng.Float64()
			values, took = append(values, value(d)), append(took, d)
		}
		return values, took
	}
	for name, tt := range map[string]struct {
		n     int
		value func(took float64) float64
		want  bool
	}{
		"the time itself": {40, func(d float64) float64 { return d }, true},
		"most of it":      {300, func(d float64) float64 { return d/2 + rng.Float64()/2 }, true},
		"in whole units":  {60, func(d float64) float64 { return float64(int(3 * d)) }, true},
		"too few":         {19, func(d float64) float64 { return d }, false},
		"drawn":           {300, func(float64) float64 { return rng.Float64() }, false},
		"one for all":     {60, func(float64) float64 { return 4 }, false},
		"the shorter":     {60, func(d float64) float64 { return -d }, false},
		"hardly":          {2000, func(d float64) float64 { return 0.17*d + 0.83*rng.Float64() }, false},
		"few at the top":  {20, func(d float64) float64 { return float64(int(d + 0.1)) }, false},
	} {
		rng = rand.New(rand.NewPCG(3, 4)) // whatever comes before
		if got := measure.GrowsWith(series(tt.n, tt.value)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestLargest(t *testing.T) {
	for _, tt := range []struct {
		tokens []string
		want   float64
		ok     bool
	}{{[]string{`"9"`, "-2", "7.5", "3", "null"}, 7.5, true}, {[]string{"-3", "-2"}, -2, true}, {[]string{`"9"`}, 0, false}, {nil, 0, false}} {
		if n, ok := measure.Largest(tt.tokens); n != tt.want || ok != tt.ok {
			t.Errorf("of %q: %v, %v", tt.tokens, n, ok)
		}
	}
}

func TestBand(t *testing.T) {
	many := func(of ...float64) (out []float64) {
		for i := range measure.MinTimed {
			out = append(out, of[i%len(of)])
		}
		return out
	}
	for _, tt := range []struct {
		name      string
		values    []float64
		kind      string
		timed     bool
		low, high string
	}{
		{"last digits", many(0.6, 0.6000000000000001), "number", false, "0.5999999993999999", "0.6000000006000001"},
		{"ten times as far as it moved", many(1, 1+1.0/(1<<20)), "number", false, "0.9999904632568359", "1.0000104904174805"},
		{"what is left", many(1799500, 1799990), "integer", true, "899750", "3599980"},
		{"a count", many(1001, 1002), "integer", false, "", ""},
		{"a measured time", many(3, 900), "integer", true, "", ""},
		{"a temperature", many(21.4, 21.6), "number", false, "", ""},
		{"about zero", many(0, 1e-9), "number", false, "", ""},
		{"too few", []float64{0.6, 0.6000000000000001}, "number", false, "", ""},
	} {
		low, high, ok := measure.Band(tt.values, tt.kind, tt.timed)
		if ok != (tt.low != "") || low != tt.low || high != tt.high {
			t.Errorf("%s: %s to %s, %v", tt.name, low, high, ok)
		}
	}
}
