package notation

import (
	"slices"
	"strconv"
	"time"
)

// partNames are what parts of a date are called, without case and separators.
var partNames = [...]string{"year", "month", "week", "weeknumber", "isoweek", "calendarweek", "day", "dayofmonth",
	"dayofyear", "weekday", "dayofweek", "hour", "hourofday"}

// IsPartOfDate reports whether a name, in small letters and without separators, is that of a part of a date.
func IsPartOfDate(name string) bool { return slices.Contains(partNames[:], name) }

// partOfDay reports whether a number is the part of a date that it is called, and the moment that it then is.
func partOfDay(name string, n int, date time.Time) (m Moment, ok bool) {
	day := date.Truncate(Day)
	weekday := int(date.Weekday())
	_, week := date.ISOWeek()
	switch name {
	case "year":
		return Moment{At: day.AddDate(0, 0, 1-day.YearDay()), Unit: Year}, n == date.Year()
	case "month":
		return Moment{At: day.AddDate(0, 0, 1-day.Day()), Unit: Month, Cycle: Year}, n == int(date.Month())
	case "week", "weeknumber", "isoweek", "calendarweek":
		return Moment{At: day.AddDate(0, 0, -(weekday+6)%7), Unit: Week, Cycle: Year}, n == week
	case "day", "dayofmonth":
		return Moment{At: day, Unit: Day, Cycle: Month}, n == date.Day()
	case "dayofyear":
		return Moment{At: day, Unit: Day, Cycle: Year}, n == date.YearDay()
	case "weekday", "dayofweek":
		// From 0 or 1, from Sunday or Monday.
		return Moment{At: day, Unit: Day, Cycle: Week}, n == weekday || n == weekday+1 || n == 7 && weekday == 0
	}
	return m, false
}

// PartOfDate reads a whole number, of an answer that was made within a span, as the part of the date that it is called,
// where it is the present one: of the day in any zone, and of the hour in UTC.
func PartOfDate(name, raw string, at Span) (m Moment, ok bool) {
	n, err := strconv.Atoi(raw)
	if err != nil || n < 0 {
		return m, false
	}
	now := at.From.UTC()
	if name == "hour" || name == "hourofday" {
		m = Moment{At: now.Truncate(time.Hour), Unit: time.Hour, TimeOfDay: true, Cycle: Day, Unusual: true}
		return m, n == now.Hour()
	}
	for _, off := range []int{0, -1, 1} {
		if m, ok = partOfDay(name, n, now.AddDate(0, 0, off)); ok {
			m.Unusual = true
			return m, m.Near(at)
		}
	}
	return m, false
}

// TellsPartOf reports whether a value tells a part of a date: the name of its weekday or month, by itself, in whichever
// language, or a number that is called what it is.
func TellsPartOf(name string, v Scalar, date time.Time) bool {
	if v.Kind == String {
		return isDayOrMonth(v.Text, date.Weekday(), date.Month())
	}
	n, err := strconv.Atoi(v.Raw)
	_, ok := partOfDay(name, n, date)
	return v.Kind == Integer && err == nil && ok
}
