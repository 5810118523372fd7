package suite

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// timeMeasured is why an assertion on a time that its test measures is not understood, and what a person would do.
const timeMeasured = "it compares a time that the test measures itself, which no answer holds; " +
	"give it room for a slow machine, or measure elsewhere"

var (
	// clocks are what tests take the time by, in any language, and what their clients measure.
	clocks = regexp.MustCompile(`\.elapsed\b|\b(?:responseTime|perf_counter|monotonic|process_time|nanoTime|currentTimeMillis|` +
		`performance\.now|Date\.now|time\.(?:Since|Now|time)|timeIn|getTime|hrtime|measureTimeMillis|markNow)\b|\.time\(|^duration\b`)
	// spans are names of such times that are compared with a bound.
	spans  = regexp.MustCompile(`(?i)\b(?:elapsed|duration|took|latency|(?:response|total)_?time|elapsed_?\w+|duration_?\w+)\b`)
	bounds = regexp.MustCompile(`(?i)[^-=]<|>[^=>]|>=|less|below|under|within|greater|above|more`)
)

// tellMeasured says of assertions that are not understood, because they compare a time that the test measures, that
// they do.
func tellMeasured(s *script.Script) {
	for _, t := range s.Tests {
		for _, a := range t.Assertions {
			if !a.Understood() && a.Meaning == nil && a.Reason != script.UnderCondition && isMeasured(a.Text) {
				a.Reason = timeMeasured
			}
		}
	}
}

// isMeasured reports whether an assertion, as it is written, compares a time that was measured.
func isMeasured(text string) bool {
	return bounds.MatchString(text) && (clocks.MatchString(text) || spans.MatchString(text))
}

// about says what an assertion looks at that makes no claim about one place, and what it was seen to be where it fails.
func (w *weakening) about(failed string) (about, says string) {
	if subject := w.watched(); subject != nil {
		of, a := *w, *w.a // whose place tells what is secret
		if of.a = &a; (script.Claims{Test: w.t}).Place(&a, subject) {
			if seen := shortened(of.seenOf(subject), maxValues); len(seen) > 0 {
				failed += ", seen " + strings.Join(seen, ", ")
			}
			return fmt.Sprintf("%s: as written", a.Place), failed
		}
	}
	if isMeasured(w.a.Text) {
		return "a time that the test measures itself, which no answer holds: give it room for a slow machine", failed
	}
	return "", failed
}
