package notation

import (
	"regexp"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/lazy"
)

// timeUnit is how names write units of time: of viewsSinceReset there is none, which counts views.
const timeUnit = `(nanos|micros|millis|ns|us|ms|seconds|secs|minutes|mins|hours|days)`

var (
	// reElapsed is what such numbers are called, reOwn those of them that tell of the answer itself, and reNamedUnit
	// the units in which durations of any name are measured rather than agreed on.
	reElapsed = lazy.Regexp(`elapsed|took|latency|uptime|responsetime|processingtime|servertiming|` +
		timeUnit + `(since|ago)|since.*` + timeUnit + `$`)
	reOwn       = lazy.Regexp(`elapsed|took|latency|responsetime|processingtime|servertiming|duration`)
	reNamedUnit = lazy.Regexp(`duration(in)?(ms|millis|us|micros|ns|nanos)$`)
)

// elapsedUnits are the units that names have, the first that a name holds counts.
var elapsedUnits = [...]struct {
	re   func() *regexp.Regexp
	unit time.Duration
}{
	{lazy.Regexp(`nano|ns$`), time.Nanosecond}, {lazy.Regexp(`micro|us$`), time.Microsecond},
	{lazy.Regexp(`milli|ms$|msec`), time.Millisecond}, {lazy.Regexp(`minute|mins?$`), time.Minute},
	{lazy.Regexp(`hour`), time.Hour}, {lazy.Regexp(`day`), Day},
	{lazy.Regexp(`second|secs?$|uptime`), time.Second},
}

// ElapsedName tells by a name, in small letters and without separators, whether it is that of a number that counts the
// time which passed, in which unit, and whether that is the time that the answer itself took. Where no unit is named,
// it is taken to be a millisecond.
func ElapsedName(name string) (unit time.Duration, own, ok bool) {
	if !reElapsed().MatchString(name) && !reNamedUnit().MatchString(name) {
		return 0, false, false
	}
	own = reOwn().MatchString(name) && !strings.Contains(name, "since")
	for _, u := range elapsedUnits {
		if u.re().MatchString(name) {
			return u.unit, own, true
		}
	}
	return time.Millisecond, own, true
}

// measuredUnits are the words for units in which one measures times rather than agrees on them.
var measuredUnits = lazy.Regexp(`(^|[-_. ])(ms|msecs?|millis|milliseconds?|us|usecs?|µs|micros|microseconds?|` +
	`ns|nsecs?|nanos|nanoseconds?|secs?|seconds)$`)

var camelHump = lazy.Regexp(`([a-z0-9])([A-Z])`)

// InTimeUnit tells by the last word of a name, as it is written, whether it is that of a number of small units of time:
// latenz_ms, waitedMillis, and not params.
func InTimeUnit(name string) bool {
	return measuredUnits().MatchString(strings.ToLower(camelHump().ReplaceAllString(name, "${1}_$2")))
}
