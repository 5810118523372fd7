package volatility

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

// movedClocks are where the steps lead to from moment0, a Thursday in January at 5:15.
var movedClocks = map[exchange.ClockStep]time.Time{
	exchange.ClockHour: moment0.Add(time.Hour), exchange.ClockHalfDay: moment0.Add(12 * time.Hour), exchange.ClockDay: moment0.AddDate(0, 0, 1),
	exchange.ClockWeekend: moment0.AddDate(0, 0, 2), exchange.ClockMonth: moment0.AddDate(0, 0, 4), exchange.ClockYear: moment0.AddDate(1, 0, -2),
	exchange.ClockLeapDay: time.Date(2028, 2, 29, 5, 15, 9, 0, time.UTC),
}

// underClocks is an API with three runs as recorded, within minutes, and one for each step of its clock.
func underClocks(says func(clock time.Time) string) api {
	a := api{runs: 3, steps: 1, perturb: map[int]string{}}
	at := map[int]time.Time{}
	for _, step := range exchange.ClockSteps() {
		if to, is := movedClocks[step]; is {
			a.runs++
			a.perturb[a.runs], at[a.runs] = "clock="+string(step), to
		}
	}
	a.answer = func(c call) answer {
		clock := c.at
		if to, is := at[c.run]; is {
			clock = to
		}
		return answer{body: says(clock)}
	}
	return a
}

// TestClockStep: what moves only when the clock is moved is of the clock, and the evidence says with what it moves, be
// it seen in one answer of each run.
func TestClockStep(t *testing.T) {
	for want, value := range map[exchange.ClockStep]func(time.Time) any{
		exchange.ClockHour: func(at time.Time) any { return at.Hour() },
		exchange.ClockHalfDay: func(at time.Time) any {
			return map[bool]string{true: "good morning", false: "good evening"}[at.Hour() < 12]
		},
		exchange.ClockDay: func(at time.Time) any { return at.Weekday().String() },
		exchange.ClockWeekend: func(at time.Time) any {
			return map[bool]string{true: "closed", false: "open"}[at.Weekday() == time.Saturday || at.Weekday() == time.Sunday]
		},
		exchange.ClockMonth:   func(at time.Time) any { return at.Month().String() },
		exchange.ClockYear:    func(at time.Time) any { return fmt.Sprintf("(c) %d", at.Year()) },
		exchange.ClockLeapDay: func(at time.Time) any { return fmt.Sprintf("leap: %t", at.Day() == 29 && at.Month() == time.February) },
	} {
		a := underClocks(func(clock time.Time) string {
			return fmt.Sprintf(`{"v":%q,"fixed":"Thursday"}`, fmt.Sprint(value(clock)))
		})
		m := a.judge(t)
		f := field(t, m, "/body/v")
		evidence := []string{"moved-only-by:clock", "clock-step:" + string(want)}
		if f.Judgement != mapfile.WouldMove || f.Category != mapfile.Time || !slices.Equal(f.Evidence, evidence) {
			t.Errorf("%s: %s %s %q, want would-move Time %q", want, f.Judgement, f.Category, f.Evidence, evidence)
		}
		if f := field(t, m, "/body/fixed"); f.Volatile() {
			t.Errorf("a fixed name of a day is %s %s %q", f.Judgement, f.Category, f.Evidence)
		}
	}
}

// A date that the clock would explain, but that stands still when the clock is moved, is none of the clock's.
func TestClockThatMovesNothingRefutes(t *testing.T) {
	for name, says := range map[string]func(time.Time) string{
		"a day":    func(time.Time) string { return `{"v":"2026-01-29"}` },
		"a minute": func(time.Time) string { return `{"v":"2026-01-29T05:15Z"}` },
	} {
		still, turned := underClocks(says), underClocks(says)
		still.runs = 1
		if f := field(t, still.judge(t), "/body/v"); f.Judgement == mapfile.Stable {
			t.Errorf("%s without a moved clock: %s %q", name, f.Judgement, f.Evidence)
		}
		if f := field(t, turned.judge(t), "/body/v"); f.Judgement != mapfile.Stable {
			t.Errorf("%s that stood still under moved clocks: %s %s %q", name, f.Judgement, f.Category, f.Evidence)
		}
	}
}

// What the clock explains, and moves when it is moved, says so first.
func TestClockStepOfDates(t *testing.T) {
	a := underClocks(func(clock time.Time) string {
		return fmt.Sprintf(`{"v":%q,"fixed":"2026-01-29"}`, clock.Format(time.DateOnly))
	})
	m := a.judge(t)
	if f := field(t, m, "/body/v"); !slices.Equal(f.Evidence, []string{"moved-only-by:clock", "clock-step:day", "near-clock:day"}) {
		t.Errorf("%s %s %q", f.Judgement, f.Category, f.Evidence)
	}
	if f := field(t, m, "/body/fixed"); f.Volatile() {
		t.Errorf("a date that stood still is %s %s %q", f.Judgement, f.Category, f.Evidence)
	}
}

// A weekday that any fixed one may be is a hint, and none once it stood still on another day.
func TestClockSettlesTheDoubtAboutAWeekday(t *testing.T) {
	says := func(time.Time) string { return `{"v":"Thursday"}` }
	still, turned := underClocks(says), underClocks(says)
	still.runs = 1
	if f := field(t, still.judge(t), "/body/v"); f.Judgement != mapfile.Hint {
		t.Errorf("without a moved clock it is %s %q", f.Judgement, f.Evidence)
	}
	if f := field(t, turned.judge(t), "/body/v"); f.Judgement != mapfile.Stable {
		t.Errorf("under moved clocks it is %s %q", f.Judgement, f.Evidence)
	}
}

// A run in which a credential was no longer valid tells nothing, of no place, and is told of.
func TestRefusedRunsTellNothing(t *testing.T) {
	a := underClocks(func(clock time.Time) string { return fmt.Sprintf(`{"year":%d}`, clock.Year()) })
	plain := a
	plain.runs = 3
	says := a.answer
	a.answer = func(c call) answer {
		if c.run > 3 {
			return answer{status: 401, body: `{"error":"token expired"}`}
		}
		return says(c)
	}
	a.refused = func(run int) int { return max(0, run-3) }
	m := a.judge(t)
	if diff := cmp.Diff(judgements(plain.judge(t)), judgements(m)); diff != "" {
		t.Errorf("what is said with refused runs beside three others (-want +got):\n%s", diff)
	}
	want := "run 4 is no evidence: a credential is not valid under clock=hour (401 in place of a success: 1)"
	if !slices.Contains(m.Warnings, want) {
		t.Errorf("warnings are %q, want %q among them", m.Warnings, want)
	}
}

// What moves under another clock and in another zone is of the clock, which the zone only shows otherwise.
func TestClockBeforeZone(t *testing.T) {
	a := api{runs: 5, steps: 2, perturb: map[int]string{4: "tz=Asia/Tokyo", 5: "clock=+9h"}, answer: func(c call) answer {
		return body(`{"v":"%s"}`, pick(c.run < 4, "good morning", "good evening"))
	}}
	for range 20 {
		if f := field(t, a.judge(t), "/body/v"); f.Category != mapfile.Time || f.Evidence[0] != "moved-only-by:clock" || f.Evidence[1] != "moved-only-by:tz" {
			t.Fatalf("it is %s %q", f.Category, f.Evidence)
		}
	}
}
