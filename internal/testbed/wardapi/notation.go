package wardapi

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// The notations of time that hospitals' systems use. All take a time in UTC.

// germanDate is the layout of a date as 15.06.2026.
const germanDate = "02.01.2006"

// epochText returns the seconds of the Unix epoch as a text.
func epochText(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// hl7 returns a time as version 2 of HL7 writes it, to the second.
func hl7(t time.Time) string { return t.Format("20060102150405") }

// berlin returns the time at +02:00.
func berlin(t time.Time) time.Time { return t.In(time.FixedZone("", 2*60*60)) }

// isoWeek returns the week as 2026-W25.
func isoWeek(t time.Time) string {
	year, week := t.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// isoWeekday returns the day as 2026-W25-1.
func isoWeekday(t time.Time) string { return fmt.Sprintf("%s-%d", isoWeek(t), (t.Weekday()+6)%7+1) }

// isoDuration returns a duration as ISO 8601 writes it, to the millisecond: P1DT2H3M4.567S.
func isoDuration(d time.Duration) string {
	d = max(0, d)
	days, d := d/(24*time.Hour), d%(24*time.Hour)
	s := "P"
	if days > 0 {
		s += fmt.Sprintf("%dD", days)
	}
	s += "T"
	if h := d / time.Hour; h > 0 {
		s += fmt.Sprintf("%dH", h)
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		s += fmt.Sprintf("%dM", m)
	}
	return s + fmt.Sprintf("%.3fS", (d%time.Minute).Seconds())
}

// age returns the full years between a birth date and a day.
func age(born, now time.Time) int {
	years := now.Year() - born.Year()
	if now.Month() < born.Month() || now.Month() == born.Month() && now.Day() < born.Day() {
		years--
	}
	return years
}

// weekday returns the German name of the day.
func weekday(t time.Time) string {
	return []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}[t.Weekday()]
}

// shift returns the shift that works at the hour, and how one greets then.
func shift(t time.Time) (name, greeting string) {
	switch h := t.Hour(); {
	case h < 6 || h >= 22:
		return "Nachtdienst", "Gute Nacht"
	case h < 14:
		return "Frühdienst", "Guten Morgen"
	}
	return "Spätdienst", "Guten Abend"
}

// julian returns the Julian date.
func julian(t time.Time) float64 { return float64(t.UnixMilli())/86400000 + 2440587.5 }

// beats returns the time of day in thousandths of a day, by Biel's clock.
func beats(t time.Time) string {
	local := t.Add(time.Hour)
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	return fmt.Sprintf("@%.5f", local.Sub(midnight).Seconds()/86.4)
}

// round returns v with the given number of decimals.
func round(v float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(v*p) / p
}
