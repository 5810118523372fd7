package experiment

import (
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
)

// clock moves the clock of an API that is started here: to a time or by an offset that the user gives, or, without one,
// in a run each to the moments that tell what a value follows: the hour, the day, the weekend, the end of daylight
// saving time.
func clock(c service.Condition) Experiment {
	return Experiment{Name: c.Name, Value: "TIME or STEP", Starts: true,
		Help: "another time such as +1d, midnight or weekend, by {clock} in the command or libfaketime; " +
			"else a run for each step of the calendar, from hour to leap-day",
		make: func(value string, s situation) (Condition, error) {
			if slices.Contains(exchange.ClockSteps(), exchange.ClockStep(value)) {
				return clockAt(exchange.ClockStep(value), s)
			}
			return environment(c.Name, value, s)
		},
		several: withoutValue(func(s situation) ([]Condition, error) {
			var out []Condition
			for _, step := range exchange.ClockSteps() {
				if _, possible := moment(step, s); !possible {
					continue
				}
				one, err := clockAt(step, s)
				if err != nil {
					return nil, err
				}
				out = append(out, one)
			}
			return out, nil
		})}
}

// clockAt makes the condition of a run at the moment of a step.
func clockAt(step exchange.ClockStep, s situation) (Condition, error) {
	at, possible := moment(step, s)
	if !possible {
		return Condition{}, impossible{noStep{step}}
	}
	c, err := environment(exchange.PerturbClock, at.Format(time.RFC3339), s)
	c.Name, c.what = exchange.PerturbClock+"="+string(step), at.Format("Mon 2006-01-02 15:04 MST")
	c.credentials = true
	return c, err
}

// noStep is why a clock cannot be moved by a step.
type noStep struct{ step exchange.ClockStep }

func (e noStep) Error() string {
	switch e.step {
	case exchange.ClockDSTBegin, exchange.ClockDSTEnd:
		return "the API's time zone has no daylight saving time; set TZ for the API, as in --start 'TZ=Europe/Berlin CMD'"
	}
	return "the recording is of that moment"
}

// moment is what time a step leads to from the recorded one, in the API's zone; not possible where there is none.
// What comes before it among the steps stays as it was recorded as far as the calendar allows: another day is one of
// the same month and a working day if the recorded one is, another month is one of the same year and the same side of
// daylight saving time.
func moment(step exchange.ClockStep, s situation) (at time.Time, possible bool) {
	zone := time.Local
	if s.service != nil {
		zone = s.service.Zone()
	}
	was := calendar{s.load.from.In(zone)}
	var is func(time.Time) bool
	switch step {
	case exchange.ClockHour:
		return was.otherHour(), true
	case exchange.ClockHalfDay:
		return was.on(was.Day(), (was.Hour()+12)%24), true
	case exchange.ClockDay:
		is = func(t time.Time) bool { return was.sameMonth(t) && was.working(t) == was.working(was.Time) }
	case exchange.ClockWeekend:
		is = func(t time.Time) bool { return was.sameMonth(t) && was.working(t) != was.working(was.Time) }
	case exchange.ClockMonthEnd:
		is = func(t time.Time) bool { return was.sameMonth(t) && t.AddDate(0, 0, 1).Day() == 1 }
	case exchange.ClockMonth:
		is = func(t time.Time) bool {
			return t.Month() != was.Month() && t.Year() == was.Year() && was.working(t) == was.working(was.Time)
		}
	case exchange.ClockYear:
		is = func(t time.Time) bool {
			return t.Month() == was.Month() && t.Year() != was.Year() && was.working(t) == was.working(was.Time)
		}
	case exchange.ClockDSTBegin, exchange.ClockDSTEnd:
		return was.turn(step == exchange.ClockDSTBegin)
	case exchange.ClockLeapDay:
		const longest = 8*366 + 1 // from one to the next, as around 2100
		return was.first(longest, func(t time.Time) bool { return t.Month() == time.February && t.Day() == 29 })
	}
	return was.nearest(is)
}

// calendar finds days from the recorded time on.
type calendar struct{ time.Time }

// on is a time of day in the month.
func (c calendar) on(day, hour int) time.Time {
	return time.Date(c.Year(), c.Month(), day, hour, c.Minute(), c.Second(), 0, c.Location())
}

// otherHour is the next hour, or the one before where the next is of the other half of the day.
func (c calendar) otherHour() time.Time {
	if c.Hour()%12 == 11 {
		return c.on(c.Day(), c.Hour()-1)
	}
	return c.on(c.Day(), c.Hour()+1)
}

func (c calendar) sameMonth(t time.Time) bool { return t.Month() == c.Month() && t.Year() == c.Year() }

// working reports whether a day is none of a weekend.
func (calendar) working(t time.Time) bool {
	return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday
}

// sameOffset reports whether a time is on the same side of daylight saving time.
func (c calendar) sameOffset(t time.Time) bool {
	_, was := c.Zone()
	_, is := t.Zone()
	return was == is
}

// first is the first day of a kind among so many to come, at the recorded time of day.
func (c calendar) first(days int, is func(time.Time) bool) (time.Time, bool) {
	for n := 1; n <= days; n++ {
		if t := c.on(c.Day()+n, c.Hour()); is(t) {
			return t, true
		}
	}
	return time.Time{}, false
}

// nearest is the next day of a kind, or the last one where none is to come within a year and a month; on the other side
// of daylight saving time only where there is no other.
func (c calendar) nearest(is func(time.Time) bool) (time.Time, bool) {
	const far = 396
	for _, wanted := range []func(time.Time) bool{
		func(t time.Time) bool { return is(t) && c.sameOffset(t) }, is,
	} {
		if t, found := c.first(far, wanted); found {
			return t, true
		}
		for n := 1; n <= far; n++ {
			if t := c.on(c.Day()-n, c.Hour()); wanted(t) {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// turn is the next day on which daylight saving time begins or ends, after it did.
func (c calendar) turn(begins bool) (time.Time, bool) {
	for at := c.Time; ; {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.Sub(c.Time) > 400*24*time.Hour {
			return time.Time{}, false
		}
		if next.IsDST() == begins {
			day := time.Date(next.Year(), next.Month(), next.Day(), c.Hour(), c.Minute(), c.Second(), 0, c.Location())
			if day.Before(next) {
				day = next.Add(30 * time.Minute)
			}
			return day, true
		}
		at = next
	}
}
