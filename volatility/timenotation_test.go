package volatility

import (
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestOddNotations: how far a time is from its answer is stated only where a suite can read it, and what a date happens to
// look like today is no format.
func TestOddNotations(t *testing.T) {
	for layout, stated := range map[string]bool{"2006-01-02T15:04:05Z07:00": true, "02.01.2006 15:04:05": false, "20060102T150405Z": true} {
		a := &api{runs: 5, steps: 3, answer: func(c call) answer { return body(`{"at":"%s"}`, c.at.Format(layout)) }}
		f := field(t, a.judge(t), "/body/at")
		if f.Category != mapfile.Time || (f.Holds.Clock > 0) != stated {
			t.Errorf("%s: %s, clock %d", layout, f.Category, f.Holds.Clock)
		}
	}
	a := &api{runs: 5, steps: 3, gap: 24 * time.Hour, answer: func(c call) answer {
		return body(`{"on":"%s"}`, c.at.AddDate(0, 0, -8).Format("02.01.2006")) // from the 21st on
	}}
	if f := field(t, a.judge(t), "/body/on"); f.Holds.Format != "" {
		t.Errorf("a date is a %s", f.Holds.Format)
	}
}

// A time in hexadecimal digits follows the clock, be the runs days apart or at once.
func TestHexSecondsFollowTheClock(t *testing.T) {
	for _, gap := range []time.Duration{time.Second, 24 * time.Hour} {
		a := &api{runs: 5, steps: 3, gap: gap, answer: func(c call) answer { return body(`{"at":"%x"}`, c.at.Unix()) }}
		if f := field(t, a.judge(t), "/body/at"); f.Category != mapfile.Time {
			t.Errorf("%v apart: %s %s %q", gap, f.Judgement, f.Category, f.Evidence)
		}
	}
}

// TestWhatADayBeginsWith: a midnight that comes next lies nearer to the answers of an afternoon than to those of a night.
func TestWhatADayBeginsWith(t *testing.T) {
	midnight := func(at time.Time) time.Time { return at.Truncate(24*time.Hour).AddDate(0, 0, 1) }
	a := &api{runs: 5, steps: 3, answer: func(c call) answer { return body(`{"at":"%s"}`, midnight(c.at).Format(time.RFC1123)) }}
	f := field(t, a.judge(t), "/body/at")
	if f.Category != mapfile.Time || f.Holds.Clock < 24*60*60 {
		t.Errorf("%s, within %d seconds of the clock, want a day at least", f.Category, f.Holds.Clock)
	}
}
