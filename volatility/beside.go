package volatility

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// explainBySibling judges again what says nothing by itself, and something beside what stands next to it in the same object: the
// name of a weekday beside a date that the clock explains, a number called pid beside the name of the machine.
func explainBySibling(o *mapfile.Operation) {
	var dated, machine []*mapfile.Field
	for _, f := range o.Fields {
		switch {
		case f.Judgement == mapfile.WouldMove && f.Category == mapfile.Time && len(f.Samples) == 1 &&
			(slices.Contains(f.Evidence, "near-clock:day") || slices.Contains(f.Evidence, "near-clock:week")):
			dated = append(dated, f)
		case f.Judgement == mapfile.WouldMove && f.Category == mapfile.Env && slices.Contains(f.Evidence, "environment"):
			machine = append(machine, f)
		}
	}
	for _, f := range o.Fields {
		if f.Judgement != mapfile.Stable && f.Judgement != mapfile.Hint || f.Protocol || len(f.Samples) != 1 || f.Place == exchange.PlaceStatus {
			continue
		}
		of := f.Place.Parent()
		if f.Place.Root() == "header" {
			of = exchange.PlaceBody
		}
		value := notation.ScalarOf(string(f.Samples[0]))
		calendar := 0
		for _, d := range dated {
			if d.Place.Parent() == of {
				calendar++
			}
		}
		for _, d := range dated {
			m, ok := notation.MomentOf(notation.ScalarOf(string(d.Samples[0])))
			if ok && m.Unit == notation.Day && d.Place.Parent() == of && (partOfDay(leaf(f.Place), value, m.At) || onDay(value, m.At) || calendar > 1 && countsDays(value, m.At)) {
				explained(f, mapfile.Time, "near-clock:day", "part-of:"+string(d.Place))
			}
		}
		for _, d := range machine {
			switch {
			case d.Place.Parent() != of:
			case isProcess(leaf(f.Place)) && value.Kind == notation.Integer:
				explained(f, mapfile.Env, "name:"+leaf(f.Place), "beside:"+string(d.Place))
			case len(d.Samples) == 1 && joined(value, notation.ScalarOf(string(d.Samples[0]))):
				explained(f, mapfile.Env, "beside:"+string(d.Place))
			}
		}
	}
}

// explained makes a would-move of a field. What it was a hint for is told no more.
func explained(f *mapfile.Field, c mapfile.Category, codes ...string) {
	if f.Judgement == mapfile.WouldMove {
		return
	}
	f.Judgement, f.Category = mapfile.WouldMove, c
	f.Evidence = append(slices.DeleteFunc(f.Evidence, func(code string) bool { return strings.HasPrefix(code, "looks:") }), codes...)
	f.Explanations = append(f.Explanations, mapfile.Explanation{Category: c, Weight: 1, Evidence: codes})
	f.Holds = mapfile.Holds{Type: f.Holds.Type, Optional: f.Holds.Optional}
}

// joined reports whether a text is made of a name and something after a colon, or before an at sign, as host:port and
// pid@host are. Of a name that is too short to be looked for anywhere else this tells enough.
func joined(v, name notation.Scalar) bool {
	return v.Kind == notation.String && name.Kind == notation.String && name.Text != "" &&
		(strings.HasPrefix(v.Text, name.Text+":") || strings.HasSuffix(v.Text, "@"+name.Text))
}

// onDay reports whether a value is a time of the day of a date, in any zone, to the minute: an appointment. To the second it
// would be the clock's own.
func onDay(v notation.Scalar, date time.Time) bool {
	m, ok := notation.MomentOf(v)
	after := m.At.Sub(date)
	return ok && !m.TimeOfDay && m.Unit < notation.Day && m.At.Equal(m.At.Truncate(time.Minute)) && after > -14*time.Hour && after < notation.Day+14*time.Hour
}

// countsDays reports whether a number is that of the days of the year until a date, or from it on. Beside one date alone it
// could be any number; where several things tell the day, it is a calendar.
func countsDays(v notation.Scalar, date time.Time) bool {
	n, err := strconv.Atoi(v.Raw)
	last := time.Date(date.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return v.Kind == notation.Integer && err == nil && n > 31 && (n == date.YearDay() || n == last-date.YearDay())
}

// isProcess reports whether a name is that of a process's number, of which there is another for each process.
func isProcess(name string) bool { return name == "pid" || name == "ppid" || name == "processid" }

// weekdays are the names of the days from Sunday on, in the languages that most interfaces speak that speak none of
// English: German, French, Spanish, Italian, Portuguese, Dutch.
var weekdays = [...]string{
	"sunday monday tuesday wednesday thursday friday saturday",
	"sonntag montag dienstag mittwoch donnerstag freitag samstag",
	"dimanche lundi mardi mercredi jeudi vendredi samedi",
	"domingo lunes martes miércoles jueves viernes sábado",
	"domenica lunedì martedì mercoledì giovedì venerdì sabato",
	"domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado",
	"zondag maandag dinsdag woensdag donderdag vrijdag zaterdag",
}

// partOfDay reports whether a value is a part of a date: the name of its weekday or month, by itself, or a number that is
// called what it is.
func partOfDay(name string, v notation.Scalar, date time.Time) bool {
	if v.Kind == notation.String {
		word, month := strings.ToLower(v.Text), strings.ToLower(date.Month().String())
		for _, names := range weekdays {
			if name := strings.Fields(names)[date.Weekday()]; word == name || len(word) == 3 && strings.HasPrefix(name, word) {
				return true
			}
		}
		return word == month || word == month[:3]
	}
	n, err := strconv.Atoi(v.Raw)
	if v.Kind != notation.Integer || err != nil {
		return false
	}
	_, week := date.ISOWeek()
	switch name {
	case "year":
		return n == date.Year()
	case "month":
		return n == int(date.Month())
	case "week", "weeknumber", "isoweek", "calendarweek":
		return n == week
	case "day", "dayofmonth":
		return n == date.Day()
	case "dayofyear":
		return n == date.YearDay()
	case "weekday", "dayofweek":
		// From 0 or 1, from Sunday or Monday.
		return n == int(date.Weekday()) || n == int(date.Weekday())+1 || n == 7 && date.Weekday() == time.Sunday
	}
	return false
}
