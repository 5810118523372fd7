package replay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestParsePace(t *testing.T) {
	for s, want := range map[string]Pace{"asap": 0, "recorded": 1, "x2": 2, "x0.5": 0.5, "x1e3": 1000} {
		got, err := ParsePace(s)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", s, got, err)
		}
		if again, err := ParsePace(got.String()); err != nil || again != want {
			t.Errorf("%s: reads back as %v, %v", got, again, err)
		}
	}
	for _, s := range []string{"", "x", "x0", "x-1", "xNaN", "xInf", "2", "fast", "x1e7", "x1e-9"} {
		if got, err := ParsePace(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func TestMetronome(t *testing.T) {
	recorded := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for pace, want := range map[Pace][]time.Duration{
		0:   {0, 0, 0, 0, 0},
		1:   {0, time.Second, time.Second, 3 * time.Second, 3 * time.Second},
		2:   {0, time.Second / 2, time.Second / 2, 1500 * time.Millisecond, 1500 * time.Millisecond},
		0.5: {0, 2 * time.Second, 2 * time.Second, 6 * time.Second, 6 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := metronome{pace: pace}
			begun := time.Now()
			for i, at := range []time.Time{recorded, recorded.Add(time.Second), recorded.Add(time.Second / 2), recorded.Add(3 * time.Second), {}} {
				if err := m.wait(context.Background(), at); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(begun); got != want[i] {
					t.Errorf("%s: request %d after %s, want %s", pace, i, got, want[i])
				}
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := m.wait(ctx, recorded.Add(time.Hour)); pace != 0 && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", pace, err)
			}
		})
	}
}
