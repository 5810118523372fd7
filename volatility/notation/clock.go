package notation

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Moment is a value read as a point in time, in whichever notation.
type Moment struct {
	At         time.Time     // UTC where the notation has no zone
	Unit       time.Duration // the last digit's worth: what the value may be off by
	Zoned      bool          // the notation says which zone, or is a count since the epoch
	TimeOfDay  bool          // a time of day without a date
	InText     bool          // the notation is a part of a longer text
	SinceEpoch bool          // a number since the epoch, be it written as a string
	Unusual    bool          // a notation that suites do not read
	Cycle      time.Duration // after how long the notation is the same again, where it has no year: a week of "Sunday"
	Weak       bool          // read because it is near: what is written so and is not near is no moment
	Rest       string        // the text around it, without the names of weekdays
}

// The units of dates, in their longest.
const (
	Day     = 24 * time.Hour
	Week    = 7 * Day
	Month   = 31 * Day
	quarter = 92 * Day
	Year    = 366 * Day
)

var (
	compact   = lazy.Regexp(`^(\d{4})(\d\d)(\d\d)(?:[Tt]?(\d\d)(\d\d)(\d\d)(Z)?)?$`)
	timeOfDay = lazy.Regexp(`^(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz])?$`)
	httpDate  = lazy.Regexp(`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, ` +
		`\d\d?[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ -]\d{2,4} \d\d:\d\d:\d\d(?: (?:GMT|UTC|[+-]\d{4}))?`)
	unixDate = lazy.Regexp(`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ` +
		`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d (?:[A-Z]{3,4} )?\d{4}`)
)

// MomentOf reads a scalar token as a moment. Numbers, and strings of digits, are counts since the epoch by their
// length; only those between 2001 and 2100 are.
func MomentOf(v Scalar) (m Moment, ok bool) { return MomentAt(v, Span{}) }

// MomentAt is MomentOf for a value of an answer that was made within a span. Of notations that may be read in several
// ways, 3/11/2026, the reading counts that is nearest to it; some that many other things look like as well, 261103 and
// "Sunday", are read where they are near to it only. Of an unknown span neither is.
func MomentAt(v Scalar, at Span) (m Moment, ok bool) {
	switch v.Kind {
	case Integer, Number:
		if m, ok = epoch(v.Raw); !ok && len(v.Raw) == len("20261103") && v.Kind == Integer && at.Known() {
			return weaklyNear(compactDates(v.Raw), at)
		}
		return m, ok
	case String:
		return textMoment(v.Text, at)
	}
	return m, false
}

// maxMomentText bounds the texts that are searched for a date.
const maxMomentText = 2000

// TextMoment reads the first moment that a text holds. One that is midnight to the second is a day.
func TextMoment(s string) (m Moment, ok bool) { return textMoment(s, Span{}) }

func textMoment(s string, at Span) (m Moment, ok bool) {
	if len(s) < 2 || len(s) > maxMomentText {
		return m, false
	}
	if len(s) >= 5 {
		m, ok = anyMoment(s)
	}
	if !ok {
		m, ok = looseMoment(s, at)
	}
	if !ok {
		m, ok = hexSeconds(s, at)
	}
	if ok && m.Unit < Day && !m.TimeOfDay && !m.SinceEpoch && m.At.Equal(m.At.Truncate(Day)) {
		m.Unit, m.Zoned = Day, false
	}
	if ok && m.Rest != "" && m.Cycle != Week && !m.TimeOfDay {
		m.Rest = withoutWeekdays(m.Rest)
	}
	return m, ok
}

// anyMoment reads the notations that are the same moment whenever they are read.
func anyMoment(s string) (m Moment, ok bool) {
	if m, ok = imfDate(s); ok { // every answer has one
		return m, ok
	}
	if IsDigit(s[0]) {
		if m, ok = digitMoment(s); ok {
			return m, ok
		}
	}
	if m, ok = uuidMoment(s); ok {
		m.Unusual = true
		return m, ok
	}
	if i := DateAt(s); i >= 0 {
		if p, n := isoParts(s[i:]); n > 0 && !WordByteAt(s, i-1) {
			m, ok = partsOf(p[:])
			if end := i + n; i > 0 || end < len(s) && s[end] != '[' {
				m.InText, m.Rest = true, s[:i]+s[end:]
			}
			return m, ok
		}
	}
	if m, ok = notated(s); ok {
		m.Unusual = true
		return m, ok
	}
	if strings.Count(s, ":") < 2 {
		return m, false
	}
	if loc := httpDate().FindStringIndex(s); loc != nil {
		return layouts(s, loc, time.RFC1123, time.RFC1123Z, "Mon, _2 Jan 2006 15:04:05 MST",
			"Mon, 02-Jan-2006 15:04:05 MST", "Mon, 02-Jan-06 15:04:05 MST", time.RFC850, "Mon, 02 Jan 2006 15:04:05")
	}
	if loc := unixDate().FindStringIndex(s); loc != nil {
		return layouts(s, loc, time.ANSIC, time.UnixDate)
	}
	return m, false
}

// digitMoment reads texts that are a moment from their first digit to their last.
func digitMoment(s string) (m Moment, ok bool) {
	if s[2] != ':' && (len(s) < 8 || !AllDigits(s[:8])) {
		return epoch(s)
	}
	if p := timeOfDay().FindStringSubmatch(s); p != nil {
		m, ok = partsOf([]string{"2000", "01", "01", p[1], p[2], p[3], p[4], p[5]})
		m.TimeOfDay = true
		return m, ok
	}
	if p := compact().FindStringSubmatch(s); p != nil {
		if m, ok = partsOf([]string{p[1], p[2], p[3], p[4], p[5], p[6], "", p[7]}); ok {
			return m, true
		}
	}
	return epoch(s)
}

// DateAt returns where something of the form 2026-01-29 begins, -1 where nothing does: cheaper than an expression.
func DateAt(s string) int {
	for i := 4; i+6 <= len(s); i++ {
		if (s[i] == '-' || s[i] == '/' || s[i] == '.') && s[i+3] == s[i] && AllDigits(s[i-4:i]) && AllDigits(s[i+1:i+3]) &&
			AllDigits(s[i+4:i+6]) {
			return i - 4
		}
	}
	return -1
}

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

func WordByteAt(s string, i int) bool {
	return i >= 0 && (IsDigit(s[i]) || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z')
}

// partsOf makes a moment of year, month, day, hour, minute, second, fraction, zone; what is "" is not written.
func partsOf(p []string) (m Moment, ok bool) {
	n := make([]int, 6)
	for i := range n {
		n[i], _ = strconv.Atoi(p[i])
	}
	if n[0] < 1900 || n[0] > 2200 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 24 || n[4] > 59 ||
		n[5] > 60 {
		return m, false
	}
	nanos, _ := strconv.Atoi((p[6] + "000000000")[:9])
	switch {
	case p[3] == "":
		m.Unit = Day
	case p[5] == "":
		m.Unit = time.Minute
	default:
		m.Unit = time.Duration(math.Pow10(9 - len(p[6])))
	}
	m.At = time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], nanos, time.UTC)
	m.Zoned = p[7] != ""
	if len(p[7]) > 1 && (p[7][0] == '+' || p[7][0] == '-') {
		digits := strings.ReplaceAll(p[7][1:], ":", "") + "00"
		h, _ := strconv.Atoi(digits[:2])
		min, _ := strconv.Atoi(digits[2:4])
		offset := time.Duration(h)*time.Hour + time.Duration(min)*time.Minute
		if p[7][0] == '-' {
			offset = -offset
		}
		m.At = m.At.Add(-offset)
	}
	return m, true
}

// layouts reads the part of a text that loc bounds in the first of several forms that fits.
func layouts(s string, loc []int, forms ...string) (m Moment, ok bool) {
	for _, form := range forms {
		// An abbreviated zone is read as UTC: what it is short for depends on where this runs.
		t, err := time.ParseInLocation(form, s[loc[0]:loc[1]], time.UTC)
		if err != nil {
			continue
		}
		rest := s[:loc[0]] + s[loc[1]:]
		zoned := strings.Contains(form, "MST") || strings.Contains(form, "-0700")
		return Moment{At: t.UTC(), Unit: time.Second, Zoned: zoned, InText: rest != "", Rest: rest}, true
	}
	return m, false
}

// daysBefore returns the day of 1970 in the count of days that a number of five digits is of this century: the Unix
// epoch's own, that of spreadsheets since 1899, or the modified Julian one since 1858.
func daysBefore(n int64) int64 {
	switch {
	case n < 40_000:
		return 0
	case n < 57_000:
		return 25_569
	}
	return 40_587
}

// ticks is the number of 100 ns steps from the year 1 to 1970, as .NET counts.
const ticks = 621_355_968_000_000_000

// epoch reads a count since 1970 in days, seconds, milli-, micro- or nanoseconds, or .NET's ticks, by its number of
// digits.
func epoch(s string) (m Moment, ok bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if !AllDigits(whole) || len(whole) > 19 || len(fraction) > 9 || point && fraction == "" {
		return m, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return m, false
	}
	switch len(whole) {
	case 5:
		m.At, m.Unit, m.Unusual = time.Unix((n-daysBefore(n))*86_400, 0), Day, daysBefore(n) != 0
	case 10:
		m.At, m.Unit = time.Unix(n, 0), time.Second
	case 13:
		m.At, m.Unit = time.UnixMilli(n), time.Millisecond
	case 16:
		m.At, m.Unit = time.UnixMicro(n), time.Microsecond
	case 18:
		m.At, m.Unit = time.Unix(0, (n-ticks)*100), 100
	case 19:
		m.At, m.Unit = time.Unix(0, n), 1
	default:
		return m, false
	}
	if point {
		f, err := strconv.ParseFloat("0."+fraction, 64)
		if err != nil {
			return m, false
		}
		m.At = m.At.Add(time.Duration(f * float64(m.Unit)))
		m.Unit = max(1, time.Duration(float64(m.Unit)*math.Pow10(-len(fraction))))
	}
	m.At, m.Zoned, m.SinceEpoch = m.At.UTC(), m.Unit < Day, true
	return m, m.At.Year() >= 2001 && m.At.Year() < 2100
}

// Span is the time in which an answer was made.
type Span struct{ From, To time.Time }

// Known reports whether the source of the answer kept its time.
func (s Span) Known() bool { return !s.From.IsZero() }

// Distance is how far a moment lies from the span: 0 within it, negative before. A notation without a zone may be of
// any: what is left over of whole half hours counts, up to 14 hours. A date alone is 0 away where it was that day
// somewhere on earth.
func (m Moment) Distance(s Span) time.Duration {
	if m.Unit > Day || m.Unit == Day && !m.Zoned {
		return outside(m.At, s.From.Add(-m.Unit-12*time.Hour), s.To.Add(14*time.Hour))
	}
	if m.TimeOfDay && m.Unit >= time.Hour { // of UTC alone: each hour is the present one somewhere
		return outside(m.At, s.From.Add(-m.Unit), s.To)
	}
	d := outside(m.At, s.From, s.To)
	if m.TimeOfDay {
		d = m.At.Sub(s.To) % Day
		d -= d.Round(Day)
	}
	if (m.TimeOfDay || !m.Zoned) && d.Abs() <= 14*time.Hour+time.Minute {
		d -= d.Round(30 * time.Minute)
	}
	return d
}

func outside(t, from, to time.Time) time.Duration {
	switch {
	case t.Before(from):
		return t.Sub(from)
	case t.After(to):
		return t.Sub(to)
	}
	return 0
}

// Slack is how far a value that is read off the clock may lie from the answer: the clocks of two machines, and work
// that was done before the answer was sent.
const Slack = 5 * time.Second

// Near reports whether the moment is what a clock showed while the answer was made.
func (m Moment) Near(s Span) bool {
	return s.Known() && m.Distance(s).Abs() <= Slack+min(m.Unit, time.Minute)
}

// roundSteps are the times from now that terms, deadlines and expiries are set at.
var roundSteps = [...]time.Duration{
	time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 8 * time.Hour, 12 * time.Hour,
	Day, 2 * Day, 3 * Day, 5 * Day, 7 * Day, 10 * Day, 14 * Day, 15 * Day, 21 * Day, 28 * Day, 30 * Day, 60 * Day,
	90 * Day, 180 * Day, 365 * Day,
}

// RoundTimeAhead reports whether the moment is what a clock showed, and a round time more: the expiry of a token. Of
// dates alone tomorrow's is such; of others one in twenty would be by chance.
func (m Moment) RoundTimeAhead(s Span) bool {
	if m.Unit == Day {
		return m.aheadBy(s, Day, Day)
	}
	return m.aheadBy(s, 0, roundSteps[len(roundSteps)-1])
}

// RoundDateAhead is RoundTimeAhead for dates that the API made up: an invoice's due date may be any round number of
// days ahead.
func (m Moment) RoundDateAhead(s Span) bool {
	return m.Unit == Day && m.aheadBy(s, Day, roundSteps[len(roundSteps)-1])
}

// aheadBy reports whether the moment lies ahead of a span by a round time from least to most.
func (m Moment) aheadBy(s Span, least, most time.Duration) bool {
	if !s.Known() || m.Unit > time.Second && m.Unit != Day || m.TimeOfDay || m.Cycle > 0 || m.SinceEpoch && m.Unit == Day {
		return false
	}
	for _, step := range roundSteps {
		if step < least || step > most {
			continue
		}
		sooner := m
		sooner.At = m.At.Add(-step)
		if d := sooner.Distance(s); d == 0 || m.Unit <= time.Second && d.Abs() <= 2*time.Second {
			return true
		}
	}
	return false
}

// During reports whether the moment lies within a span, as something does that was made then.
func (m Moment) During(s Span) bool {
	if !s.Known() || m.Unit > time.Second {
		return false
	}
	return m.Distance(s).Abs() <= Slack
}
