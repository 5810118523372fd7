package given

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The values of a request are those of its query, its path but for the first segment, and its body; where the body has a
// secret, none of the body are.
func TestOf(t *testing.T) {
	const target = "/v1/orders/a7?base=EUR&token=hush"
	for body, want := range map[string][]string{
		`{"city": "Oslo"}`:                     {"EUR", "orders", "a7", "Oslo"},
		`{"city": "Oslo", "password": "hush"}`: {"EUR", "orders", "a7"},
		`{"at": [7, "8.5", "NaN", "x"]}`:       {"EUR", "orders", "a7", "7", "8.5", "NaN"},
	} {
		if diff := cmp.Diff(want, Of(target, []byte(body)).Texts); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	got := Of("/v1/orders?n=7", []byte(`{"n": 8, "at": ["8.5", "NaN"]}`))
	if diff := cmp.Diff([]float64{7, 8.5, 8}, got.Numbers()); diff != "" {
		t.Error(diff)
	}
	if got.Named["n"] != "7" || !got.Echoes["8.5"] {
		t.Errorf("they are %+v", got)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("/v1/orders/a7?base=EUR", []byte(`{"city": ["Oslo", 7, "1e400"]}`))
	f.Fuzz(func(t *testing.T, target string, body []byte) {
		g := Of(target, body)
		if len(g.Texts) > maxGiven {
			t.Errorf("%d values", len(g.Texts))
		}
		if slices.ContainsFunc(g.Numbers(), func(n float64) bool { return math.IsNaN(n) || math.IsInf(n, 0) }) {
			t.Errorf("the numbers are %v", g.Numbers())
		}
	})
}
