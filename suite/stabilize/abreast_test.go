package stabilize

import (
	"testing"
	"time"
)

// What is told of the time that is left: runs under way, and those behind them.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		underway         []time.Duration
		further, runners int
		want             time.Duration
	}{
		{nil, 5, 1, 50},
		{nil, 5, 2, 30},
		{[]time.Duration{4}, 0, 1, 6},
		{[]time.Duration{4, 4, 4}, 0, 4, 6},
		{[]time.Duration{4, 4, 4}, 1, 4, 10},
		{[]time.Duration{4, 12}, 2, 2, 16},
	} {
		if got := timeLeft(10, c.underway, c.further, c.runners); got != c.want {
			t.Errorf("%v under way, %d further, %d runners: %d, want %d", c.underway, c.further, c.runners, got, c.want)
		}
	}
}

// Of runs that went side by side each moment counts once; of those that are kept without their begin each counts.
func TestElapsed(t *testing.T) {
	at := func(second int64, wall time.Duration) execution {
		return execution{Began: time.Unix(second, 0), Wall: wall * time.Second}
	}
	for _, c := range []struct {
		runs []execution
		want time.Duration
	}{
		{nil, 0},
		{[]execution{at(100, 5), at(100, 5)}, 5},
		{[]execution{at(103, 5), at(100, 5)}, 8},
		{[]execution{at(100, 9), at(102, 3)}, 9},
		{[]execution{at(100, 5), at(200, 5)}, 10},
		{[]execution{{Wall: time.Second}, {Wall: time.Second}, at(200, 5)}, 7},
	} {
		if got := elapsed(c.runs); got != c.want*time.Second {
			t.Errorf("%v: %s, want %d s", c.runs, got, c.want)
		}
	}
}
