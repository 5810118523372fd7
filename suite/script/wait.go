package script

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/suite/expr"
)

// Wait is what a test is to wait for at one of its calls, a read: the read is sent again until its answer is ready, has
// come to a bad end, or the time is over; in both of these the test fails.
type Wait struct {
	Call    *Call
	Ready   expr.Expr     // of the answer
	Body    expr.Expr     // the same of its body alone; nil where that does not tell
	Early   []int         // other statuses of answers that were not ready
	Failed  expr.Expr     // of an answer from which none went on; nil where none is known
	Atmost  time.Duration // in tenths of a second
	Every   time.Duration // the pause between two reads, in milliseconds
	Comment string        // how long it took where it was seen
}

// PollRemark is said above the function that sends reads again.
const PollRemark = "sends a read again until the API is ready"

// Seconds writes a time as a number of seconds.
func Seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// Pieces takes a condition apart where it is several, and gives the word that joins them: that for and, or that for or.
func Pieces(x expr.Expr, and, or string) (parts []expr.Expr, word string) {
	switch x := x.(type) {
	case expr.And:
		return x.Xs, and
	case expr.Or:
		return x.Xs, or
	}
	return []expr.Expr{x}, ""
}

// OfBody is the wait as far as it speaks of the body of the answer, for a read that is given as something made of that;
// false where that does not tell whether it is ready.
func (w Wait) OfBody() (Wait, bool) {
	w.Ready = w.Body
	return w, w.Body != nil
}

// Overlap reports whether two lists of edits of a statement cannot be made both: some of them replace the same text of
// it, or one has none.
func Overlap(of Span, some, others []Edit) bool {
	within := func(e Edit) bool { return of.Start <= e.Start && e.Start < e.End && e.End <= of.End }
	if len(some) == 0 || len(others) == 0 {
		return true
	}
	return slices.ContainsFunc(some, func(a Edit) bool {
		return within(a) && slices.ContainsFunc(others, func(b Edit) bool {
			return within(b) && a.Start < b.End && b.Start < a.End
		})
	})
}

// SleepsBetween reports whether a call is the first behind a place in the text of its test, in bytes, and another
// stands before that: what a sleep there lets pass is for this call alone.
func (t *Test) SleepsBetween(at int, c *Call) bool {
	behind := false
	for _, other := range t.Calls {
		if other.At.Start > at && other.At.Start < c.At.Start {
			return false
		}
		behind = behind || other.At.Start < at
	}
	return behind && at < c.At.Start
}

// WithoutLine takes away the line that a statement stands in, and the blank one behind it where there is one before it
// too; false where the statement has no line of its own.
func (s *Script) WithoutLine(at Span) (Edit, bool) {
	rest, ok := s.behind(at)
	if !ok || !s.BeginsLine(at) || strings.Contains(s.Text[at.Start:at.End], "\n") {
		return Edit{}, false
	}
	start := strings.LastIndexByte(s.Text[:at.Start], '\n') + 1
	end := min(at.End+len(rest)+1, len(s.Text))
	if BlankBefore(s.Text, start) {
		if line, _, more := strings.Cut(s.Text[end:], "\n"); more && strings.TrimSpace(line) == "" {
			end += len(line) + 1
		}
	}
	return Edit{Start: start, End: end, Once: true}, true
}

// BlankBefore reports whether the line before the one that begins at a place of a text is blank.
func BlankBefore(text string, at int) bool {
	if at == 0 {
		return false
	}
	begin := strings.LastIndexByte(text[:at-1], '\n') + 1
	return strings.TrimSpace(text[begin:at]) == ""
}
