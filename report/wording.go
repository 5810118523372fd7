package report

import (
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The wording that the packages below share with this one, so that a thing is called the same wherever it is shown.

// Show returns s fit to be looked at, at most limit columns wide: a longer text ends in an ellipsis. What would not be
// seen, or would change how its neighbors are seen, is written as an escape.
func Show(s string, limit int) string { return show(s, limit) }

// ShowEnds is [Show] for texts whose end tells as much as their beginning: a longer text loses its middle.
func ShowEnds(s string, limit int) string { return showEnds(s, limit) }

// Percent returns a share, rounded up to two digits: "3.1 %".
func Percent(share float64) string { return percent(share) }

// Count returns a number with its noun: "1 run", "3 runs".
func Count(n int, noun string) string { return count(n, noun) }

// Clock returns a time to the second, in UTC; "unknown" for none.
func Clock(t time.Time) string { return clock(t) }

// Says says what a category means, as the end of a sentence that begins with "the value".
func Says(c mapfile.Category) string { return why(c) }

// Categories returns the categories in the order in which they are listed.
func Categories() []mapfile.Category { return categories() }

// Status names a recorded status: "200", "fault" where there was no answer.
func Status(code int) string { return status(code) }

// Volatile tells the places that move by their judgement: "2 jitter, 0 drift, 1 would move".
func Volatile(s mapfile.Summary) string {
	return fmt.Sprintf("%d jitter, %d drift, %d would move", s.Jitter, s.Drift, s.WouldMove)
}

// Verdict names a judgement in words.
func Verdict(j mapfile.Judgement) string { return verdict(j) }

// RunWords says how a run came about, and under which conditions: "replayed, after a reset, delay=2s".
func RunWords(r exchange.Run) string {
	return kind(r.Kind) + ", " + conditions(r.Conditions.Start, r.Conditions.Perturb)
}

// Target returns the scheme, host and path of a URL: user information and query may hold credentials.
func Target(url string) string { return address(url, maxName) }

// Took returns how long something lasted, and says where it never came to its end.
func Took(from, to time.Time) string { return took(from, to) }

// RestsOn says on how many operations a pooled bound rests, to follow the bound; "" for the bound of one.
func RestsOn(operations int) string { return restsOn(operations) }

// Indented returns JSON over several lines, its tokens as they are, and any other text as it is.
func Indented(s string) string { return indented(s) }
