package mapfile

import (
	"math/bits"
	"strconv"
	"time"
)

// SizeClass names the class of a body's size in bytes: each but the first reaches to four times the one before it.
func SizeClass(n int) string {
	if n == 0 {
		return "empty"
	}
	limit := 256
	for n >= limit && limit < 1<<40 {
		limit *= 4
	}
	return "below " + byteCount(limit)
}

func byteCount(n int) string {
	units := [...]string{" B", " KiB", " MiB", " GiB", " TiB"}
	i := (bits.Len(uint(n)) - 1) / 10
	return strconv.Itoa(n>>(10*i)) + units[i]
}

// AnotherSize reports whether two sizes are of classes apart: a class that is left by a few bytes is none.
func AnotherSize(a, b int) bool {
	return (a > 2*b || b > 2*a) && SizeClass(a) != SizeClass(b)
}

// TimingClass names the class of the time that an answer took: each reaches to ten times the one before it.
func TimingClass(d time.Duration) string {
	for limit := time.Millisecond; limit <= 100*time.Second; limit *= 10 {
		if d < limit {
			return "below " + limit.String()
		}
	}
	return "100s or more"
}

// AnotherTiming reports whether an answer took a time of another class, by far more than machines that do other things
// meanwhile account for.
func AnotherTiming(a, b time.Duration) bool {
	return (a-b).Abs() >= 100*time.Millisecond && (a > 5*b || b > 5*a) && TimingClass(a) != TimingClass(b)
}
