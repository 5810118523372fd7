package exchange

import "strings"

// PerturbClock names the condition under which an API has another time.
const PerturbClock = "clock"

// ClockStep names the moment that a clock was moved to, by what a step to it from the recorded time changes and the
// steps before it in [ClockSteps] leave alone.
type ClockStep string

// The steps of a clock.
const (
	ClockHour     ClockStep = "hour"       // another hour of the same half of the day
	ClockHalfDay  ClockStep = "half-day"   // the other half of the same day
	ClockDay      ClockStep = "day"        // another day of the month, a working day where the recorded one is
	ClockWeekend  ClockStep = "weekend"    // a day at the weekend, or a working day where the recorded one is not
	ClockMonthEnd ClockStep = "month-end"  // the last day of the month
	ClockMonth    ClockStep = "month"      // another month of the year
	ClockYear     ClockStep = "year"       // another year, in the same month
	ClockDSTBegin ClockStep = "dst-begins" // the day on which daylight saving time begins
	ClockDSTEnd   ClockStep = "dst-ends"   // the day on which it ends
	ClockLeapDay  ClockStep = "leap-day"   // the 29th of February
)

// ClockSteps lists the steps. What moves with one of them moves with most of those after it too, so the first at which
// a value moves says what the value follows.
func ClockSteps() []ClockStep {
	return []ClockStep{ClockHour, ClockHalfDay, ClockDay, ClockWeekend, ClockMonthEnd, ClockMonth, ClockYear,
		ClockDSTBegin, ClockDSTEnd, ClockLeapDay}
}

// ClockStep is what follows clock= among the conditions, "" where the clock was not moved. It is one of [ClockSteps]
// unless the user gave a time or an offset.
func (c Conditions) ClockStep() ClockStep {
	for _, p := range c.Perturb {
		if step, moved := strings.CutPrefix(p, PerturbClock+"="); moved {
			return ClockStep(step)
		}
	}
	return ""
}
