package mapfile

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestKindBoundHolds: whatever the chances of a kind's operations are, the expected share of those above the bound, times
// the probability that none of them is seen to move, is 5 % at most.
func TestKindBoundHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		of := make([]int, 2+rng.IntN(60))
		for i := range of {
			of[i] = 1 + rng.IntN(1+rng.IntN(400))
		}
		bound := kindBound(slices.Clone(of))
		above, still := 0, 1.0
		bad := rng.Float64()
		few := rng.IntN(2) == 0 // those that were observed least often are the bad ones
		if slices.Sort(of); !few {
			rng.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		}
		for i, n := range of {
			p := bound * rng.Float64()
			if float64(i) < bad*float64(len(of)) {
				p = min(1, bound+1e-6+0.01*rng.Float64()*rng.Float64())
				above++
			}
			still *= math.Pow(1-p, float64(n))
		}
		if share := float64(above) / float64(len(of)) * still; share > 0.05 {
			t.Fatalf("bound %v of %v: a share of %v is above it", bound, of, share)
		}
	}
	for _, c := range []struct {
		of   []int
		want float64
	}{
		{[]int{10, 10}, 0.2057}, {[]int{0, 1000}, 1}, {[]int{3, 1000}, 0.5359}, {slices.Repeat([]int{10}, 20), 0.036}, {slices.Repeat([]int{0}, 30), 1},
	} {
		if got := kindBound(c.of); math.Abs(got-c.want) > 0.00011 {
			t.Errorf("%v: %v, want %v", c.of, got, c.want)
		}
	}
}

// TestPoolKinds: places of one kind share their observations where none of them ever moved.
func TestPoolKinds(t *testing.T) {
	const own = 0.2589 // 0 of 10
	m := &Map{}
	for _, name := range []string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"} {
		o := &Operation{Operation: exchange.Operation{Method: "GET", Template: name}, Status: 200}
		for _, place := range []exchange.Place{"/status", "/header/server", "/header/x-cache", "/header/date", "/body/at", "/body" + exchange.Place(name) + "/id",
			"/body" + exchange.Place(name) + "/mail", "/body" + exchange.Place(name) + "/name", "/body/two/id", "/body/two/name"} {
			o.Fields = append(o.Fields, &Field{Place: place, Judgement: Stable, Of: 10, Bound: own})
		}
		m.Operations = append(m.Operations, o)
	}
	cache := m.Operations[3].At("/header/x-cache")
	cache.Judgement, cache.Changed = Jitter, 1
	m.Operations[0].Fields = append(m.Operations[0].Fields, &Field{Place: "/header/alone", Judgement: Stable, Of: 10, Bound: own})
	m.PoolKinds()
	for place, want := range map[exchange.Place]int{
		"/header/server": 8, "/body/a/name": 8, "/body/a/id": 8,
		"/status": 0, "/header/x-cache": 0, "/header/date": 0, "/header/alone": 0, "/body/at": 0, "/body/two/id": 0,
	} {
		f := m.Operations[0].At(place)
		if f.Pooled != want || (f.Bound < own) != (want > 0) {
			t.Errorf("%s: bound %v pooled over %d operations, want %d", place, f.Bound, f.Pooled, want)
		}
	}
	var b strings.Builder
	if err := m.Encode(&b, EncodeOptions{All: true}); err != nil || !strings.Contains(b.String(), `"pooled": 8`) || strings.Contains(b.String(), `"pooled": 0`) {
		t.Errorf("written as %s, %v", &b, err)
	}
	read, err := Decode(strings.NewReader(b.String()))
	if err != nil || read.Operations[5].At("/header/server").Pooled != 8 {
		t.Errorf("read again: %+v, %v", read, err)
	}
}
