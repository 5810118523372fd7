package volatility

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// saying answers with one text, whatever is asked. 29 January 2026, when the recordings begin, is a Thursday.
func saying(format string, args ...any) func(call) answer {
	raw, _ := json.Marshal(fmt.Sprintf(format, args...))
	return func(call) answer { return body(`{"v":%s}`, raw) }
}

// TestDatesOfToday: what tells the day of the answer would move, in whichever language and order, and what it is said to
// hold is true of the same text on another day.
func TestDatesOfToday(t *testing.T) {
	for name, at := range map[string]func(time.Time) string{
		"day first":         func(d time.Time) string { return d.Format("02/01/2006") },
		"month first":       func(d time.Time) string { return d.Format("01/02/2006") },
		"dots":              func(d time.Time) string { return d.Format("2.1.2006") },
		"two digits":        func(d time.Time) string { return d.Format("02-01-06") },
		"version-like":      func(d time.Time) string { return d.Format("06.1.2") },
		"short month":       func(d time.Time) string { return d.Format("02 Jan 06") },
		"no year":           func(d time.Time) string { return d.Format("Jan 2") },
		"English":           func(d time.Time) string { return d.Format("Monday, January 2, 2006") },
		"in a sentence":     func(d time.Time) string { return d.Format("You signed up on January 2, 2006. Welcome!") },
		"Japanese":          func(d time.Time) string { return d.Format("2006年1月2日") },
		"Korean":            func(d time.Time) string { return d.Format("2006년 1월 2일") },
		"Arabic digits":     func(d time.Time) string { return "٢٩ يناير ٢٠٢٦" },
		"French":            func(d time.Time) string { return "jeudi 29 janvier 2026" },
		"Polish":            func(d time.Time) string { return "czwartek, 29 stycznia 2026" },
		"Russian":           func(d time.Time) string { return "29 января 2026 г." },
		"Hindi":             func(d time.Time) string { return "29 जनवरी 2026" },
		"Vietnamese":        func(d time.Time) string { return "29 tháng 1, 2026" },
		"in an id":          func(d time.Time) string { return d.Format("INV-20060102-0007") },
		"short in an id":    func(d time.Time) string { return d.Format("INV-060102-0007") },
		"month":             func(d time.Time) string { return d.Format("2006-01") },
		"month before year": func(d time.Time) string { return d.Format("01/2006") },
		"month by name":     func(d time.Time) string { return d.Format("January 2006") },
		"week":              func(d time.Time) string { return "2026-W05" },
		"day of the year":   func(d time.Time) string { return d.Format("2006-002") },
	} {
		t.Run(name, func(t *testing.T) {
			text := at(moment0)
			a := &api{runs: 4, steps: 3, answer: saying("%s", text)}
			f := field(t, a.judge(t), "/body/v")
			if f.Judgement != mapfile.WouldMove || f.Category != mapfile.Time {
				t.Fatalf("%q: %s %s: %q", text, f.Judgement, f.Category, f.Evidence)
			}
			tomorrow := at(moment0.AddDate(0, 8, 3))
			raw, _ := json.Marshal(tomorrow)
			if p := f.Holds.Pattern; f.Holds.Equal != nil || p != "" && !regexp.MustCompile(p).MatchString(tomorrow) {
				t.Errorf("%s does not hold of %q", raw, p)
			}
			if err := f.Holds.Satisfied(string(raw), moment0.AddDate(0, 8, 3)); err != nil {
				t.Errorf("%s: %v: %+v", raw, err, f.Holds)
			}
		})
	}
}

// TestDatesThatStay: what looks like a date and does not follow the clock is none.
func TestDatesThatStay(t *testing.T) {
	for name, text := range map[string]string{
		"born":              "29/01/1984",
		"released":          "January 12, 2021",
		"in a title":        "The night of 4 November 2020",
		"in French":         "Le 14 juillet 1789",
		"last week":         "Thursday, January 22, 2026",
		"minutes ago":       "3 minutes ago",
		"long ago":          "il y a 2 ans",
		"opening hours":     "Monday to Friday, 9 to 5",
		"an article":        "SKU-20240817-88",
		"a short one":       "SKU-240817-88",
		"a version":         "26.1.29.4",
		"an address":        "10.1.29.26",
		"last month":        "2025-12",
		"copyright of old":  "(c) 2024",
		"yesterday's month": "December",
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 4, steps: 3, gap: 3 * time.Hour, answer: saying("%s", text)}
			if f := field(t, a.judge(t), "/body/v"); f.Judgement == mapfile.WouldMove {
				t.Errorf("%q: %s %s: %q", text, f.Judgement, f.Category, f.Evidence)
			}
		})
	}
}

// TestListsOfDates: of months, days or ids in a row one is the present one, and follows nothing.
func TestListsOfDates(t *testing.T) {
	for name, form := range map[string]func(n int) string{
		"months":   func(n int) string { return fmt.Sprintf("2026-%02d", 1+n%12) },
		"weekdays": func(n int) string { return time.Weekday(n % 7).String() },
		"counted":  func(n int) string { return fmt.Sprintf("ORD-2601%02d", n) },
		"years":    func(n int) string { return fmt.Sprintf("annual report %d", 2015+n) },
		"ids":      func(n int) string { return moment0.AddDate(0, 0, -n).Format("INV-20060102") },
		"days":     func(n int) string { return moment0.AddDate(0, 0, 5-n).Format("02/01/2006") },
	} {
		a := &api{runs: 4, steps: 30, answer: func(c call) answer { return body(`{"v":"%s"}`, form(c.step)) }}
		if f := field(t, a.judge(t), "/body/v"); f.Judgement == mapfile.WouldMove || f.Judgement == mapfile.Hint {
			t.Errorf("%s: %s %s: %q", name, f.Judgement, f.Category, f.Evidence)
		}
	}
}

// TestCoincidences: a weekday, an hour or a year is the present one too often by chance: it is a hint, and says so, until
// another day tells.
func TestCoincidences(t *testing.T) {
	for name, text := range map[string]string{
		"weekday": `"See you on Thursday"`, "in French": `"À jeudi"`, "short": `"Thu"`, "month": `"January"`, "year": `"(c) 2026"`,
		"hour": `"it is 5 o'clock"`, "quarter": `"Q1 2026"`,
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 4, steps: 3, answer: func(call) answer { return body(`{"v":%s}`, text) }}
			f := field(t, a.judge(t), "/body/v")
			if f.Judgement != mapfile.Hint || len(f.Warnings) == 0 || string(f.Holds.Equal) != text {
				t.Errorf("%s: %s %q %q", text, f.Judgement, f.Evidence, f.Warnings)
			}
		})
	}
	for name, say := range map[string]func(time.Time) string{
		"weekday":   func(d time.Time) string { return d.Format("See you on Monday") },
		"month":     func(d time.Time) string { return d.Format("January") },
		"hour":      func(d time.Time) string { return d.Format("it is 3 o'clock") },
		"day first": func(d time.Time) string { return d.Format("02/01/2006") },
		"minute":    func(d time.Time) string { return d.Format("as of 3:04 PM") },
		"with time": func(d time.Time) string { return d.Format("January 2, 2006 at 3:04 PM") },
		"fraction":  func(d time.Time) string { return d.Format("Mon Jan 2 15:04:05.000") },
	} {
		t.Run(name+" of other days", func(t *testing.T) {
			a := &api{runs: 4, steps: 3, gap: 73 * time.Hour, answer: func(c call) answer { return body(`{"v":"%s"}`, say(c.at)) }}
			if f := field(t, a.judge(t), "/body/v"); f.Category != mapfile.Time {
				t.Errorf("%s %s: %q %s", f.Judgement, f.Category, f.Evidence, f.Samples)
			}
		})
	}
}

// TestEachExchangeByItself: another language, or no date, in another exchange of the operation takes nothing away.
func TestEachExchangeByItself(t *testing.T) {
	for name, others := range map[string]string{"French": "jeudi 29 janvier 2026", "no date": "sign in to see more", "Japanese": "2026年1月29日"} {
		a := &api{runs: 4, steps: 4, answer: func(c call) answer {
			return body(`{"v":"%s"}`, pick(c.step%2 == 0, "Thursday, January 29, 2026", others))
		}}
		if f := field(t, a.judge(t), "/body/v"); f.Judgement != mapfile.WouldMove || f.Category != mapfile.Time {
			t.Errorf("%s: %s %s: %q", name, f.Judgement, f.Category, f.Evidence)
		}
	}
	a := &api{runs: 4, steps: 20, answer: func(c call) answer {
		return body(`{"v":"%s"}`, moment0.AddDate(0, 0, -300*c.step).Format("January 2, 2006")) // of old, and one today
	}}
	if f := field(t, a.judge(t), "/body/v"); f.Judgement == mapfile.WouldMove {
		t.Errorf("a release of today among others: %s: %q", f.Judgement, f.Evidence)
	}
}
