package notation

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/lazy"
)

// NumbersIn returns the numbers in which two texts differ, where they differ in nothing else: 1042 and 1044 of
// /invoices/1042 and /invoices/1044. A text that is a number is one as a whole.
func NumbersIn(before, after string) (x, y string, ok bool) {
	x, y = varying(before, after, func(c byte) bool { return IsDigit(c) || c == '.' })
	_, okX := decimal(x)
	_, okY := decimal(y)
	return x, y, okX && okY && len(x) <= 18 && len(y) <= 18
}

// decimal reads a number in decimal digits. Of what is none it makes no error: most texts that are asked for are none.
func decimal(s string) (float64, bool) {
	if strings.Trim(s, "0123456789.+-eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// FirstOf returns the first of several numbers in which two texts differ, where they differ in numbers alone: 471 and
// 474 of 471-3 and 474-7, where a check digit follows what is counted.
func FirstOf(before, after string) (x, y string, ok bool) {
	if len(before) != len(after) || len(before) > 200 {
		return "", "", false
	}
	for i := 0; i < len(before); i++ {
		if n := digits(before[i:]); n > 0 {
			if digits(after[i:]) != n || n > 15 {
				return "", "", false
			}
			if !ok && before[i:i+n] != after[i:i+n] {
				x, y, ok = before[i:i+n], after[i:i+n], true
			}
			i += n - 1
		} else if before[i] != after[i] {
			return "", "", false
		}
	}
	return x, y, ok
}

// DurationsIn is the same for durations with their units, as in "for 392ms now" and "for 1.25s now", or "0h 01m 37.7s".
func DurationsIn(before, after string) (x, y time.Duration, ok bool) {
	a, b := varying(before, after, func(c byte) bool { return c > ' ' && c != ',' && c != ';' && c != '"' })
	x, okX := written(strings.TrimRight(a, "."))
	y, okY := written(strings.TrimRight(b, "."))
	if okX && okY {
		return x, y, true
	}
	a, b = varying(before, after, func(c byte) bool { return IsDigit(c) || strings.IndexByte(" .hmsu", c) >= 0 })
	if !strings.Contains(strings.TrimSpace(a), " ") && !strings.Contains(strings.TrimSpace(b), " ") {
		return 0, 0, false // the end of a word, as in 3f9c1s
	}
	x, okX = Duration(strings.ReplaceAll(a, " ", ""))
	y, okY = Duration(strings.ReplaceAll(b, " ", ""))
	return x, y, okX && okY
}

// written reads a duration with its units, or as a clock shows one.
func written(s string) (time.Duration, bool) {
	if d, ok := Duration(s); ok {
		return d, true
	}
	return clockLike(s)
}

var isoDuration = lazy.Regexp(
	`^P(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$`)

// Duration reads a duration with its units: 1m2.5s, or PT1M2.5S as ISO 8601 has it, without months and years.
func Duration(s string) (time.Duration, bool) {
	if len(s) < 2 || len(s) > 40 {
		return 0, false
	}
	if s[0] != 'P' {
		if s[0] > '9' || strings.IndexByte("smh", s[len(s)-1]) < 0 { // an error takes longer
			return 0, false
		}
		d, err := time.ParseDuration(s)
		return d, err == nil
	}
	p := isoDuration().FindStringSubmatch(s)
	if p == nil || !IsDigit(s[len(s)-2]) {
		return 0, false
	}
	sum := 0.0
	for i, unit := range []time.Duration{Day, time.Hour, time.Minute, time.Second} {
		n, _ := strconv.ParseFloat(p[i+1], 64)
		sum += n * float64(unit)
	}
	return time.Duration(sum), true
}

// varying returns the parts in which two texts differ, widened as far as in reports that a byte belongs to them.
func varying(a, b string, in func(byte) bool) (x, y string) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for head > 0 && in(a[head-1]) {
		head--
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && in(a[len(a)-tail]) {
		tail--
	}
	return a[head : len(a)-tail], b[head : len(b)-tail]
}

// Numbered returns by how much a value has grown, and what its last digit is worth: a number, or the only number in
// which two texts differ, decimal or hexadecimal, or a duration.
func Numbered(before, after Scalar) (grown, digit float64, ok bool) {
	switch {
	case before.Numeric() && after.Numeric():
		return grownBy(before.Raw, after.Raw)
	case before.Kind != String || after.Kind != String:
		return 0, 0, false
	}
	if x, y, ok := DurationsIn(before.Text, after.Text); ok {
		return float64(y - x), float64(time.Millisecond), true
	}
	// Two hexadecimal numbers may differ in decimal digits alone: what letters stand beside them tells which they are.
	if grown, ok := hexGrownBy(varying(before.Text, after.Text, hexDigit)); ok {
		return grown, 1, true
	}
	x, y := varying(before.Text, after.Text, func(c byte) bool { return IsDigit(c) || c == '.' })
	return grownBy(strings.Trim(x, "."), strings.Trim(y, "."))
}

// hexGrownBy subtracts hexadecimal numbers of one length, from 8 to 16 digits, one of which has a letter.
func hexGrownBy(x, y string) (grown float64, ok bool) {
	if len(x) != len(y) || len(x) < 8 || len(x) > 16 || AllDigits(x) && AllDigits(y) {
		return 0, false
	}
	m, errX := strconv.ParseUint(x, 16, 64)
	n, errY := strconv.ParseUint(y, 16, 64)
	return float64(int64(n - m)), errX == nil && errY == nil
}

// grownBy subtracts decimal numbers; long whole ones keep their last digits.
func grownBy(x, y string) (grown, digit float64, ok bool) {
	f, okX := decimal(x)
	g, okY := decimal(y)
	if !okX || !okY {
		return 0, 0, false
	}
	decimals := max(decimals(x), decimals(y)) // the other may end in zeros that are not written
	if decimals == 0 && len(x) > 15 && len(x) == len(y) && len(x) <= 19 && x[0] != '-' && y[0] != '-' {
		m, _ := strconv.ParseInt(x, 10, 64)
		n, _ := strconv.ParseInt(y, 10, 64)
		return float64(n - m), 1, true
	}
	// A float64 has 15 digits.
	return g - f, max(math.Pow10(-decimals), math.Abs(g)*1e-15), true
}

// decimals counts the digits after the point.
func decimals(s string) int {
	_, after, _ := strings.Cut(s, ".")
	return len(after)
}
