package volatility

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

func TestClasses(t *testing.T) {
	for n, want := range map[int]string{0: "empty", 1: "below 256 B", 255: "below 256 B", 256: "below 1 KiB", 1 << 20: "below 4 MiB", 1 << 45: "below 1 TiB"} {
		if got := mapfile.SizeClass(n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "below 1ms", time.Millisecond: "below 10ms", time.Second: "below 10s", time.Hour: "100s or more"} {
		if got := mapfile.TimingClass(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for _, c := range []struct {
		a, b time.Duration
		want bool
	}{
		{time.Millisecond, 11 * time.Millisecond, false}, // a busy machine
		{9 * time.Millisecond, 900 * time.Millisecond, true},
		{900 * time.Millisecond, 1100 * time.Millisecond, false},
		{5 * time.Second, 20 * time.Millisecond, true},
	} {
		if mapfile.AnotherTiming(c.a, c.b) != c.want || mapfile.AnotherTiming(c.b, c.a) != c.want {
			t.Errorf("%v and %v: not %v", c.a, c.b, c.want)
		}
	}
}

// TestMeasures: a body that is now small and now large is said to be, in no figure, and by the body's own category.
func TestMeasures(t *testing.T) {
	a := &api{runs: 6, steps: 4, answer: func(c call) answer {
		n := 1
		if c.run > 0 && c.rng.IntN(2) == 0 {
			n = 200
		}
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"id":%d}`, i)
		}
		return body(`{"items":[%s]}`, strings.Join(items, ","))
	}}
	m := a.judge(t)
	size, items := field(t, m, mapfile.PlaceSize), field(t, m, "/body/items")
	if size.Judgement != items.Judgement || size.Category != items.Category || !size.Protocol {
		t.Errorf("size is %s %s, the items are %s %s", size.Judgement, size.Category, items.Judgement, items.Category)
	}
	if f := field(t, m, mapfile.PlaceTiming); f.Judgement != mapfile.Stable || !f.Protocol {
		t.Errorf("timing is %s", f.Judgement)
	}
	quiet := &api{runs: 6, steps: 4, answer: func(c call) answer { return body(`{"n":%d}`, c.rng.IntN(100000)) }}
	if f := field(t, quiet.judge(t), mapfile.PlaceSize); f.Judgement != mapfile.Stable {
		t.Errorf("a digit more or less: size is %s", f.Judgement)
	}
}
