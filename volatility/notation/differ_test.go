package notation

import (
	"testing"
	"time"
)

func TestNumbersIn(t *testing.T) {
	for _, c := range []struct {
		before, after string
		x, y          string // "" where no numbers differ
	}{
		{"/invoices/1042", "/invoices/1044", "1042", "1044"},
		{"1.5", "2.5", "1.5", "2.5"},
		{"took 12 ms", "took 9 ms", "12", "9"},
		{"1e3", "1e4", "3", "4"},
		{"1", "2e5", "1", "2e5"},
		{"nan", "inf", "", ""},
		{"Infinity", "0x1p-2", "", ""},
		{"a", "b", "", ""},
		{"1234567890123456789", "2", "", ""},
	} {
		x, y, ok := NumbersIn(c.before, c.after)
		if ok != (c.x != "") || ok && (x != c.x || y != c.y) {
			t.Errorf("%q, %q: %q, %q, %v", c.before, c.after, x, y, ok)
		}
	}
}

func TestDurationsIn(t *testing.T) {
	for _, c := range []struct {
		before, after string
		x, y          time.Duration // 0 where no durations differ
	}{
		{"for 392ms now", "for 1.25s now", 392 * time.Millisecond, 1250 * time.Millisecond},
		{"up 1m2s.", "up 3h.", 62 * time.Second, 3 * time.Hour},
		{"PT1M2.5S", "PT3S", 62500 * time.Millisecond, 3 * time.Second},
		{"12µs", "15µs", 12 * time.Microsecond, 15 * time.Microsecond},
		{"-2s", "+.5s", -2 * time.Second, 500 * time.Millisecond},
		{"2:03:04", "02:03:04.5", 2*time.Hour + 3*time.Minute + 4*time.Second, 2*time.Hour + 3*time.Minute + 4500*time.Millisecond},
		{"12.00:00:01", "0.00:00:02", 12*Day + time.Second, 2 * time.Second},
		{"3f9c1s", "3f9c2s", 0, 0},
		{"others", "6s", 0, 0},
		{"up 0h 01m 37.7s", "up 0h 02m 09s", 97700 * time.Millisecond, 129 * time.Second},
		{"12:03", "12:04", 0, 0},
		{"1:02:03:04", "1:02:03:05", 0, 0},
		{":02:03", ":02:04", 0, 0},
	} {
		x, y, ok := DurationsIn(c.before, c.after)
		if ok != (c.x != 0) || ok && (x != c.x || y != c.y) {
			t.Errorf("%q, %q: %v, %v, %v", c.before, c.after, x, y, ok)
		}
	}
}
