package volatility

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// beside judges again what says nothing by itself, and something beside what stands next to it in the same object: the
// name of a weekday beside a date that the clock explains, a number called pid beside the name of the machine.
func (o *Operation) beside() {
	var dated, machine []*Field
	for _, f := range o.Fields {
		switch {
		case f.Judgement == WouldMove && f.Category == Time && slices.Contains(f.Evidence, "near-clock:day") && len(f.Samples) == 1:
			dated = append(dated, f)
		case f.Judgement == WouldMove && f.Category == Env && slices.Contains(f.Evidence, "environment"):
			machine = append(machine, f)
		}
	}
	for _, f := range o.Fields {
		if f.Judgement != Stable && f.Judgement != Hint || f.Protocol || len(f.Samples) != 1 || f.Place.Root() != "body" {
			continue
		}
		value := scalarOf(string(f.Samples[0]))
		for _, d := range dated {
			m, ok := momentOf(scalarOf(string(d.Samples[0])))
			if ok && d.Place.Parent() == f.Place.Parent() && partOfDay(leaf(f.Place), value, m.at) {
				f.explained(Time, "near-clock:day", "part-of:"+string(d.Place))
			}
		}
		for _, d := range machine {
			switch {
			case d.Place.Parent() != f.Place.Parent():
			case isProcess(leaf(f.Place)) && value.kind == isInteger:
				f.explained(Env, "name:"+leaf(f.Place), "beside:"+string(d.Place))
			case len(d.Samples) == 1 && joined(value, scalarOf(string(d.Samples[0]))):
				f.explained(Env, "beside:"+string(d.Place))
			}
		}
	}
}

// explained makes a would-move of a field. What it was a hint for is told no more.
func (f *Field) explained(c Category, codes ...string) {
	if f.Judgement == WouldMove {
		return
	}
	f.Judgement, f.Category = WouldMove, c
	f.Evidence = append(slices.DeleteFunc(f.Evidence, func(code string) bool { return strings.HasPrefix(code, "looks:") }), codes...)
	f.Explanations = append(f.Explanations, Explanation{Category: c, Weight: 1, Evidence: codes})
	f.Holds = Holds{Type: f.Holds.Type, Optional: f.Holds.Optional}
}

// joined reports whether a text is made of a name and something after a colon, or before an at sign, as host:port and
// pid@host are. Of a name that is too short to be looked for anywhere else this tells enough.
func joined(v, name scalar) bool {
	return v.kind == isString && name.kind == isString && name.text != "" &&
		(strings.HasPrefix(v.text, name.text+":") || strings.HasSuffix(v.text, "@"+name.text))
}

// isProcess reports whether a name is that of a process's number, of which there is another for each process.
func isProcess(name string) bool { return name == "pid" || name == "ppid" || name == "processid" }

// partOfDay reports whether a value is a part of a date: the name of its weekday or month, by itself, or a number that is
// called what it is.
func partOfDay(name string, v scalar, date time.Time) bool {
	if v.kind == isString {
		word, weekday, month := strings.ToLower(v.text), strings.ToLower(date.Weekday().String()), strings.ToLower(date.Month().String())
		return len(word) >= 3 && (word == weekday || word == weekday[:3] || word == month || word == month[:3])
	}
	n, err := strconv.Atoi(v.raw)
	if v.kind != isInteger || err != nil {
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
