package rewrite

import (
	"bytes"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/read"
)

// jvm tells how a time is written in Java and Kotlin, where numbers are whole.
func (f *form) jvm(src []byte, w read.Wait, expr string) {
	if n := leadingNumber(expr); n > 0 && n < len(expr) { // 5.seconds
		name, _, _ := strings.Cut(expr[n+1:], ".")
		if unit := kotlinUnits[name]; unit > 0 {
			f.span.End = f.span.Start + n
			f.text = func(t time.Duration) string { return in(t, unit) }
			return
		}
	}
	from := strings.LastIndex(expr, ".of")
	switch {
	case w.Typed && from >= 0: // Duration.ofSeconds(5)
		open := strings.IndexByte(expr[from:], '(')
		end := closing(expr, from+open)
		if open > 0 && end > 0 {
			f.span = read.Span{Start: f.span.Start + from, End: f.span.Start + end}
		}
		f.text = durationOf(".of")
	case w.Typed && !strings.Contains(expr, "("): // a constant
		of := "java.time.Duration.of"
		if bytes.Contains(src, []byte("import java.time.Duration")) || bytes.Contains(src, []byte("import java.time.*")) {
			of = "Duration.of"
		}
		f.text = durationOf(of)
	default:
		f.number(src, w, expr)
	}
}

// number tells how a whole number is written, in a unit that the call takes or another argument names.
func (f *form) number(src []byte, w read.Wait, expr string) {
	suffix := ""
	if strings.HasSuffix(expr, "L") && leadingNumber(expr) == len(expr) {
		suffix = "L"
	}
	unit := w.Unit()
	f.step = max(unit, time.Millisecond)
	apart := w.UnitAt.End <= w.At.Start || w.UnitAt.Start >= w.At.End
	if apart {
		f.unit = millis(src, w.UnitAt)
	}
	if f.unit == "" {
		f.text = func(t time.Duration) string { return in(t, unit) + suffix }
		return
	}
	f.step = time.Millisecond
	f.text = func(t time.Duration) string {
		if t%unit == 0 {
			return in(t, unit) + suffix
		}
		return in(t, time.Millisecond) + suffix
	}
}

// millis is the name of the millisecond that can stand in the place of a unit's; "" where there is none that the file
// is known to have.
func millis(src []byte, at read.Span) string {
	before := src[:at.Start]
	switch {
	case at.End == 0:
		return ""
	case bytes.HasSuffix(before, []byte("ChronoUnit.")):
		return "MILLIS"
	case bytes.HasSuffix(before, []byte("TimeUnit.")), bytes.Contains(src, []byte("TimeUnit.*")),
		bytes.Contains(src, []byte("TimeUnit.MILLISECONDS")):
		return "MILLISECONDS"
	}
	return ""
}

// durationOf writes a Duration by its methods, whose names begin so.
func durationOf(of string) func(time.Duration) string {
	return func(t time.Duration) string {
		if t%time.Second == 0 {
			return of + "Seconds(" + in(t, time.Second) + ")"
		}
		return of + "Millis(" + in(t, time.Millisecond) + ")"
	}
}

// kotlinUnits are the properties that make a time of a number, whole or not.
var kotlinUnits = map[string]time.Duration{"milliseconds": time.Millisecond, "seconds": time.Second, "minutes": time.Minute}

// leadingNumber is how many bytes of a text are the number that it begins with.
func leadingNumber(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '_' || s[n] == 'L' ||
		s[n] == '.' && n+1 < len(s) && s[n+1] >= '0' && s[n+1] <= '9') {
		n++
	}
	return n
}

// closing is the place behind the bracket that closes one; 0 where none does.
func closing(s string, open int) int {
	depth := 0
	for i := max(0, open); i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
