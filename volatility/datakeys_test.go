package volatility

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestMapsOfTheRecording: where each answer has keys of its own that look made up, they are data, though no run had others;
// where words are keys, or every answer has the same, they are not.
func TestMapsOfTheRecording(t *testing.T) {
	for _, c := range []struct {
		name   string
		key    func(step, i int) string
		folded bool
	}{
		{"ids of each answer's own", func(step, i int) string { return fmt.Sprintf("b%07x-77f3-4c1e-9c4e-%012x", 31*step+i, 977*step+i) }, true},
		{"dates", func(step, i int) string { return fmt.Sprintf("2026-01-%02d", 1+3*step+i) }, true},
		{"the same ids", func(_, i int) string { return fmt.Sprintf("b%07x-77f3-4c1e-9c4e-%012x", i, i) }, false},
		{"words", func(step, i int) string {
			return []string{"north", "south", "east", "west", "up", "down"}[(step+i)%6]
		}, false},
	} {
		a := &api{runs: 3, steps: 5, answer: func(x call) answer {
			return body(`{"of":{"%s":{"n":1},"%s":{"n":2}}}`, c.key(x.step, 0), c.key(x.step, 1))
		}}
		m := a.judge(t)
		folded := false
		for _, f := range m.Operations[0].Fields {
			folded = folded || f.Place == "/body/of/*/n"
			if f.Volatile() {
				t.Errorf("%s: %s is %s", c.name, f.Place, f.Judgement)
			}
		}
		if folded != c.folded {
			t.Errorf("%s: folded %v", c.name, folded)
		}
	}
}

// TestOneMadeUpKey: where some keys of an object are made up and others chosen, the chosen ones stay apart.
func TestOneMadeUpKey(t *testing.T) {
	a := &api{runs: 4, steps: 3, answer: func(c call) answer {
		return body(`{"name":"x","total":%d,"%s":{"n":1},"%s":{"n":2}}`, c.rng.IntN(1000), uuid(c), uuid(c))
	}}
	m := a.judge(t)
	if f := field(t, m, "/body/name"); f.Judgement != mapfile.Stable || f.Place != "/body/name" {
		t.Errorf("%s is %s", f.Place, f.Judgement)
	}
	if f := field(t, m, "/body/total"); f.Category != mapfile.Rand || f.Place != "/body/total" {
		t.Errorf("%s is %s", f.Place, f.Category)
	}
	if f := field(t, m, "/body/*/n"); !f.Holds.Optional && !field(t, m, "/body/*").Holds.Optional {
		t.Errorf("%s is not optional", f.Place)
	}
}
