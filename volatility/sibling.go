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

// explainBySiblings judges again what says nothing by itself, and something beside what stands next to it in the same
// object: the name of a weekday beside a date that the clock explains, a number called pid beside the name of the
// machine.
func explainBySiblings(_ *judge, o *operationDraft) {
	var dated, machine []*mapfile.Field
	for _, d := range o.drafts {
		f := d.field
		switch {
		case f.Judgement == mapfile.WouldMove && f.Category == mapfile.Time && len(f.Samples) == 1 &&
			(d.has(mapfile.NearClock(mapfile.UnitDay)) || d.has(mapfile.NearClock(mapfile.UnitWeek))):
			dated = append(dated, f)
		case f.Judgement == mapfile.WouldMove && f.Category == mapfile.Env && d.has(mapfile.SignEnvironment.Alone()):
			machine = append(machine, f)
		}
	}
	for _, d := range o.drafts {
		f := d.field
		if f.Judgement != mapfile.Stable && f.Judgement != mapfile.Hint || f.Protocol || len(f.Samples) != 1 ||
			f.Place == exchange.PlaceStatus {
			continue
		}
		within := f.Place.Parent()
		if f.Place.Root() == "header" {
			within = exchange.PlaceBody
		}
		siblings := func(all []*mapfile.Field) []*mapfile.Field {
			return slices.DeleteFunc(slices.Clone(all), func(s *mapfile.Field) bool { return s.Place.Parent() != within })
		}
		d.explainByDates(siblings(dated))
		d.explainByMachine(siblings(machine))
	}
}

// explainByDates explains a value by the dates beside it that the clock explains.
func (d *draft) explainByDates(dates []*mapfile.Field) {
	value := notation.ScalarOf(string(d.field.Samples[0]))
	for _, s := range dates {
		m, ok := notation.MomentOf(notation.ScalarOf(string(s.Samples[0])))
		if ok && m.Unit == notation.Day && (notation.TellsPartOf(leaf(d.field.Place), value, m.At) || onDay(value, m.At) ||
			len(dates) > 1 && countsDays(value, m.At)) {
			d.explained(mapfile.Time, mapfile.NearClock(mapfile.UnitDay), mapfile.SignPartOf.Of(string(s.Place)))
		}
	}
}

// explainByMachine explains a value by the names of the machine beside it.
func (d *draft) explainByMachine(names []*mapfile.Field) {
	value := notation.ScalarOf(string(d.field.Samples[0]))
	for _, s := range names {
		beside := mapfile.SignBeside.Of(string(s.Place))
		switch name := leaf(d.field.Place); {
		case isProcess(name) && value.Kind == notation.Integer:
			d.explained(mapfile.Env, mapfile.SignName.Of(name), beside)
		case len(s.Samples) == 1 && joined(value, notation.ScalarOf(string(s.Samples[0]))):
			d.explained(mapfile.Env, beside)
		}
	}
}

// explained makes a would-move of a field. What it was a hint for is told no more.
func (d *draft) explained(c mapfile.Category, by ...mapfile.Evidence) {
	f := d.field
	if f.Judgement == mapfile.WouldMove {
		return
	}
	f.Judgement, f.Category = mapfile.WouldMove, c
	isLook := func(e mapfile.Evidence) bool { return e.Sign == mapfile.SignLooks }
	d.evidence = append(slices.DeleteFunc(d.evidence, isLook), by...)
	d.explanations = append(d.explanations, explanation{Category: c, Weight: 1, Evidence: by})
	f.Holds = mapfile.Holds{Type: f.Holds.Type, Optional: f.Holds.Optional}
}

// joined reports whether a text is made of a name and something after a colon, or before an at sign, as host:port and
// pid@host are. Of a name that is too short to be looked for anywhere else this tells enough.
func joined(v, name notation.Scalar) bool {
	return v.Kind == notation.String && name.Kind == notation.String && name.Text != "" &&
		(strings.HasPrefix(v.Text, name.Text+":") || strings.HasSuffix(v.Text, "@"+name.Text))
}

// onDay reports whether a value is a time of the day of a date, in any zone, to the minute: an appointment. To the
// second it would be the clock's own.
func onDay(v notation.Scalar, date time.Time) bool {
	m, ok := notation.MomentOf(v)
	after := m.At.Sub(date)
	return ok && !m.TimeOfDay && m.Unit < notation.Day && m.At.Equal(m.At.Truncate(time.Minute)) &&
		after > -14*time.Hour && after < notation.Day+14*time.Hour
}

// countsDays reports whether a number is that of the days of the year until a date, or from it on. Beside one date
// alone it could be any number; where several things tell the day, it is a calendar.
func countsDays(v notation.Scalar, date time.Time) bool {
	n, err := strconv.Atoi(v.Raw)
	last := time.Date(date.Year(), 12, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return v.Kind == notation.Integer && err == nil && n > 31 && (n == date.YearDay() || n == last-date.YearDay())
}

// isProcess reports whether a name is that of a process's number, of which there is another for each process.
func isProcess(name string) bool { return name == "pid" || name == "ppid" || name == "processid" }
