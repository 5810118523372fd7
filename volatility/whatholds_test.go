package volatility

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/google/go-cmp/cmp"
)

// TestHonestHolds: nothing is stated that the values seen happen to satisfy and those to come will not.
func TestHonestHolds(t *testing.T) {
	length := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		runs, steps int
		value       func(c call) string
		want        mapfile.Holds
	}{
		"a fraction beyond a float64": {10, 3, func(c call) string { return fmt.Sprintf("0.30000000000000000%d", 1+c.rng.IntN(9)) },
			mapfile.Holds{Type: "number", Min: "0"}},
		"few numbers":  {4, 2, func(c call) string { return fmt.Sprint(c.rng.IntN(100) + 5) }, mapfile.Holds{Type: "integer"}},
		"many numbers": {10, 6, func(c call) string { return fmt.Sprint(10 + (c.run*7+c.step*3)%11) }, mapfile.Holds{Type: "integer", Min: "0", Max: "30"}},
		"hex without leading zeros": {10, 3, func(c call) string { return fmt.Sprintf(`"%x"`, c.rng.Uint64()|1<<63) },
			mapfile.Holds{Type: "string", Format: "hex"}},
		"hex with leading zeros": {10, 3, func(c call) string { return fmt.Sprintf(`"%016x"`, c.rng.Uint64()>>6) },
			mapfile.Holds{Type: "string", Format: "hex:16"}},
		"a digest":                        {3, 2, func(c call) string { return `"` + sha(uuid(c)) + `"` }, mapfile.Holds{Type: "string", Format: "hex:64"}},
		"codes of one length":             {10, 3, func(c call) string { return `"k` + strings.ToLower(fmt.Sprintf("%08o", c.rng.Uint32()>>8)) + `z"` }, mapfile.Holds{Type: "string", MinLength: length(1)}},
		"null or a number, seen twice":    {2, 1, func(c call) string { return pick(c.run == 1, "null", "17") }, mapfile.Holds{Type: "null|integer"}},
		"null or a number, and no others": {10, 3, func(c call) string { return pick(c.run%3 == 1, "null", "17") }, mapfile.Holds{Type: "null|integer", OneOf: []json.RawMessage{[]byte("17"), []byte("null")}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: c.runs, steps: c.steps, answer: func(k call) answer { return body(`{"v":%s}`, c.value(k)) }}
			f := field(t, a.judge(t), "/body/v")
			if !f.Volatile() {
				t.Fatalf("%s: %q", f.Judgement, f.Evidence)
			}
			if diff := cmp.Diff(c.want, f.Holds); diff != "" {
				t.Errorf("holds (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMeasuredTimes: of a time that was measured the largest seen says nothing of those that a slower machine measures.
// What never differed stands.
func TestMeasuredTimes(t *testing.T) {
	even := func(c call) string { return fmt.Sprint(10 + (c.run*7+c.step*3)%11) }
	signed := func(c call) string { return fmt.Sprint((c.run*7+c.step*3)%11 - 5) }
	for _, c := range []struct {
		name  string
		value func(c call) string
		want  [2]json.Number
	}{
		{"score", even, [2]json.Number{"0", "30"}},
		{"params", even, [2]json.Number{"0", "30"}},
		{"alarms", even, [2]json.Number{"0", "30"}},
		{"elapsed", even, [2]json.Number{"0", ""}},
		{"tookMs", even, [2]json.Number{"0", ""}},
		{"dauer_us", even, [2]json.Number{"0", ""}},
		{"latenz_ms", even, [2]json.Number{"0", ""}},
		{"waitedMillis", even, [2]json.Number{"0", ""}},
		{"query_duration", even, [2]json.Number{"0", ""}},
		{"drift_ms", signed, [2]json.Number{"", ""}},
		{"drift", signed, [2]json.Number{"-15", "15"}},
		{"latenz_ms", func(c call) string { return pick(c.run%3 == 1, "null", "17") }, [2]json.Number{"", ""}},
	} {
		a := &api{runs: 10, steps: 6, answer: func(k call) answer { return body(`{"%s":%s}`, c.name, c.value(k)) }}
		h := field(t, a.judge(t), exchange.Place("/body/"+c.name)).Holds
		if got := [2]json.Number{h.Min, h.Max}; got != c.want {
			t.Errorf("%s: %+v, want %q", c.name, h, c.want)
		}
		if (len(h.OneOf) > 0) != (h.Type == "null|integer") {
			t.Errorf("%s: one of %s", c.name, h.OneOf)
		}
	}
}

// TestBytes: bodies that are no text have a length in bytes, where they all have the same.
func TestBytes(t *testing.T) {
	for name, c := range map[string]struct {
		size func(c call) int
		low  int
		high bool
	}{
		"one length": {func(call) int { return 64 }, 64, true},
		"several":    {func(c call) int { return 60 + c.run }, 1, false},
	} {
		a := &api{runs: 10, steps: 3, answer: func(k call) answer {
			b := make([]byte, c.size(k))
			for i := range b {
				b[i] = byte(k.rng.Uint32())
			}
			b[0] = 0
			return answer{head: "X: y\r\n", body: string(b)}
		}}
		h := field(t, a.judge(t), exchange.PlaceBody).Holds
		if h.Format != "binary" || h.MinLength == nil || *h.MinLength != c.low || (h.MaxLength != nil) != c.high {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

// TestMadeUpKeys: an object whose keys are made up for each answer has members, not a list of keys.
func TestMadeUpKeys(t *testing.T) {
	key := func(c call) string { return sha(uuid(c))[:16] }
	for name, c := range map[string]struct {
		body func(c call) string
		maps bool
	}{
		"hex": {func(c call) string {
			return fmt.Sprintf(`{"%s":{"u":1,"at":%d},"%s":{"u":1,"at":2}}`, key(c), c.run, key(c))
		}, true},
		"uuid":   {func(c call) string { return fmt.Sprintf(`{"%s":{"u":1}}`, uuid(c)) }, true},
		"counts": {func(c call) string { return fmt.Sprintf(`{"job%d":{"u":1}}`, 100+c.run*7+c.rng.IntN(5)) }, true},
		"words": {func(c call) string {
			return fmt.Sprintf(`{"%s":{"u":1}}`, []string{"north", "south", "east"}[c.rng.IntN(3)])
		}, false},
		"sometimes": {func(c call) string { return pick(c.rng.IntN(3) == 0, `{"address2":{"u":1}}`, `{"name":{"u":1}}`) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 10, steps: 3, answer: func(k call) answer { return body(`{"map":%s,"list":[1,2]}`, c.body(k)) }}
			m := a.judge(t)
			var places []exchange.Place
			for _, f := range m.Operations[0].Fields {
				if f.Place.Within("/body/map") && f.Place != "/body/map" && f.Place.Parent() == "/body/map" {
					places = append(places, f.Place)
				}
			}
			if got := slices.Equal(places, []exchange.Place{"/body/map/*"}); got != c.maps {
				t.Fatalf("members: %q", places)
			}
			if f := field(t, m, "/body/map"); f.Volatile() || f.Holds.Type != "object" {
				t.Errorf("the object: %s %+v", f.Judgement, f.Holds)
			}
			if f := field(t, m, "/body/list/0"); f.Volatile() {
				t.Errorf("what is beside it: %s", f.Judgement)
			}
			if !c.maps {
				return
			}
			f := field(t, m, "/body/map/*")
			if f.Judgement != mapfile.Jitter || f.Category != mapfile.Rand || !f.Holds.Optional || f.Holds.Type != "object" || f.Of != 30 || f.Changed > 30 {
				t.Errorf("a member: %s %s %d/%d %q %+v", f.Judgement, f.Category, f.Changed, f.Of, f.Evidence, f.Holds)
			}
			if f := field(t, m, "/body/map/*/u"); string(f.Holds.Equal) != "1" || f.Volatile() {
				t.Errorf("within a member: %s %+v", f.Judgement, f.Holds)
			}
		})
	}
}

// TestAlongside: what is stated of the elements of a list is true of those, too, that only a run had.
func TestAlongside(t *testing.T) {
	a := &api{runs: 3, steps: 2, answer: func(c call) answer {
		more := ""
		if c.run == 2 {
			more = fmt.Sprintf(`,{"at":%q,"url":"http://elsewhere.example/"}`, c.at.Add(-40*time.Hour).Format(time.RFC3339Nano))
		}
		return body(`{"list":[{"at":%q,"url":"http://%s/1"}%s]}`, c.at.Format(time.RFC3339Nano), c.host, more)
	}}
	m := a.judge(t)
	if h := field(t, m, "/body/list/*/at").Holds; h.Clock < 40*3600 && h.Clock != 0 {
		t.Errorf("a time of 40 hours ago is said to be within %d s of the answer", h.Clock)
	}
	if h := field(t, m, "/body/list/*/url").Holds; h.Echo != "" {
		t.Errorf("the URL of elsewhere is said to hold %s", h.Echo)
	}
}

// TestStations: where every run begins anew, what stage something has come to is decided by the clock, though all runs
// were equally fast; and what comes and goes with the stage is too.
func TestStations(t *testing.T) {
	a := &api{runs: 5, steps: 4, start: exchange.StartReset, answer: func(c call) answer {
		if c.run > 0 || c.step < 2 {
			return body(`{"state":"pending","name":"x"}`)
		}
		return body(`{"state":"running","name":"x","worker":"w-1"}`)
	}}
	m := a.judge(t)
	for _, place := range []exchange.Place{"/body/state", "/body/worker"} {
		if f := field(t, m, place); f.Judgement != mapfile.Jitter || f.Category != mapfile.Time {
			t.Errorf("%s: %s %s %q", place, f.Judgement, f.Category, f.Evidence)
		}
	}
	if f := field(t, m, "/body/name"); f.Volatile() {
		t.Errorf("name: %s", f.Judgement)
	}
}

// A text that follows the clock may be shorter at another hour, unless it is padded: its length is stated of others alone.
func TestLengthsOfTimes(t *testing.T) {
	for _, c := range []struct {
		category mapfile.Category
		padded   bool
		most     string
	}{{mapfile.Rand, false, "10"}, {mapfile.Time, false, "none"}, {mapfile.Time, true, "10"}} {
		var h mapfile.Holds
		stateText(&h, &values{strings: notation.MinLengths, minLen: 10, maxLen: 10, padded: c.padded}, c.category)
		most := "none"
		if h.MaxLength != nil {
			most = fmt.Sprint(*h.MaxLength)
		}
		if most != c.most || h.MinLength == nil {
			t.Errorf("%+v: %s, at least %v", c, most, h.MinLength)
		}
	}
}
