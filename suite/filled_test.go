package suite

import (
	"math/big"
	"testing"
)

// Numbers that are further from zero than from each other are never said to be zero; of those near it nothing is said.
func TestNumbersFarFromNone(t *testing.T) {
	ints := func(ns ...int64) (out []any) {
		for _, n := range ns {
			out = append(out, big.NewInt(n))
		}
		return out
	}
	for _, tt := range []struct {
		claimed any
		seen    []any
		want    bool
	}{
		{big.NewInt(11048), ints(19208, 17444, 16470), true},
		{big.NewInt(3), ints(5, 1, 2, 2), false},
		{big.NewInt(44), ints(46, 47), false}, // too few to tell
		{big.NewInt(-44), ints(-46, -47, -45), false},
		{big.NewInt(44), append(ints(46, 47, 45), "45"), false},
		{"44", ints(46, 47, 45), false},
	} {
		if got := farFromNone(tt.claimed, tt.seen); got != tt.want {
			t.Errorf("%v, then %v: %t", tt.claimed, tt.seen, got)
		}
	}
}
