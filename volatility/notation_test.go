package volatility

import (
	"strings"
	"testing"
	"time"
)

// TestNotations proves that each notation is read as the moment that it is, whatever stands around it.
func TestNotations(t *testing.T) {
	noon := time.Date(2026, 6, 15, 12, 0, 3, 0, time.UTC)
	milli := noon.Add(123 * time.Millisecond)
	today := noon.Truncate(day)
	for text, want := range map[string]moment{
		`"15.06.2026"`:                           {at: today, unit: day},
		`"15.6.2026"`:                            {at: today, unit: day},
		`"am 15.06.2026."`:                       {at: today, unit: day, inText: true, rest: "am ."},
		`"15.06.2026 12:00:03"`:                  {at: noon, unit: time.Second},
		`"15.06.2026, 12:00:03.123"`:             {at: milli, unit: time.Millisecond},
		`"15.06.2026 12:00"`:                     {at: noon.Add(-3 * time.Second), unit: time.Minute},
		`"20260615120003.123+0200"`:              {at: milli.Add(-2 * time.Hour), unit: time.Millisecond, zoned: true},
		`"DTSTAMP:20260615T120003Z"`:             {at: noon, unit: time.Second, zoned: true, inText: true, rest: "DTSTAMP:"},
		`"report-20260615-120003.csv"`:           {at: noon, unit: time.Second, inText: true, rest: "report-.csv"},
		`"2026-W25"`:                             {at: today, unit: week},
		`"2026-W25-3"`:                           {at: today.Add(2 * day), unit: day},
		`"2020-W53-7"`:                           {at: time.Date(2021, 1, 3, 0, 0, 0, 0, time.UTC), unit: day},
		`"15-JUN-26 12.00.03.123000 PM"`:         {at: milli, unit: time.Microsecond},
		`"It is 12:00:03.12 now."`:               {at: time.Date(2000, 1, 1, 12, 0, 3, 120_000_000, time.UTC), unit: 10 * time.Millisecond, daily: true, inText: true, rest: "It is  now."},
		`"Tue, 16 Jun 2026 00:00:00 GMT"`:        {at: today.Add(day), unit: day},
		`"2ed6f400-68b3-11f1-9392-001b44113ab7"`: {at: time.Date(2026, 6, 15, 12, 0, 3, 0, time.UTC), unit: 100, zoned: true, rest: "-9392-001b44113ab7"},
		`61206`:                                  {at: today, unit: day, count: true},
		`46188`:                                  {at: today, unit: day, count: true},
		`20619`:                                  {at: today, unit: day, count: true},
	} {
		got, ok := momentOf(scalarOf(text))
		if strings.HasPrefix(text, `"2ed6f400`) {
			got.at = got.at.Truncate(day).Add(want.at.Sub(today)) // the day is enough
		}
		got.odd = want.odd // TestOddNotations looks at it
		if !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{
		`"1.2.2026.7"`, `"v15.06.20261"`, `"32.13.2026"`, `"2026-W54"`, `"12345678901234"`, `"3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`,
		`"15-XXX-26 12.00.03 PM"`, `"ratio 12:00"`, `"10.0.0.1"`, `"1.4.2"`,
	} {
		if m, ok := momentOf(scalarOf(text)); ok && m.unit < week {
			t.Errorf("%s is read as %+v", text, m)
		}
	}
}
