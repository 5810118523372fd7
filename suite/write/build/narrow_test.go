package build

import (
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

func TestBand(t *testing.T) {
	many := func(of ...float64) (out []float64) {
		for i := range minTimed {
			out = append(out, of[i%len(of)])
		}
		return out
	}
	for _, tt := range []struct {
		name      string
		values    []float64
		kind      string
		why       mapfile.Category
		low, high string
	}{
		{"last digits", many(0.6, 0.6000000000000001), "number", mapfile.Rand, "0.5999999988888888", "0.6000000011111112"},
		{"what is left", many(1799500, 1799990), "integer", mapfile.Time, "899750", "3599980"},
		{"a count", many(1001, 1002), "integer", mapfile.Rand, "", ""},
		{"a measured time", many(3, 900), "integer", mapfile.Time, "", ""},
		{"a temperature", many(21.4, 21.6), "number", mapfile.Rand, "", ""},
		{"about zero", many(0, 1e-9), "number", mapfile.Rand, "", ""},
		{"too few", []float64{0.6, 0.6000000000000001}, "number", mapfile.Rand, "", ""},
	} {
		low, high, ok := band(tt.values, tt.kind, tt.why)
		if ok != (tt.low != "") || len(low) > 10 && len(tt.low) > 10 && low[:10] != tt.low[:10] || len(low) <= 10 && low != tt.low || len(high) <= 10 && high != tt.high {
			t.Errorf("%s: %s to %s, %v", tt.name, low, high, ok)
		}
	}
}
