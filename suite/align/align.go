package align

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/suite/script"
)

// maxCells bounds the table of an alignment: calls of the suite times exchanges of the recording, three bytes each.
const maxCells = 128 << 20

// What it is worth to take an exchange for a call's, and what it costs to leave one out. Agreement in all that is
// written out outweighs any agreement in less. A test sends its calls in one go, so that passing over an exchange, or
// a call, between two that are matched is dear; between tests and before them, where other files' exchanges stand, it
// is all but free. A test ends with the first assertion that fails: to go on behind an unexpected status is dear too.
const (
	worthExact = 32 << 6
	// WorthEqual is what it is worth that the body is the same JSON, written otherwise, or the same but for blanks.
	WorthEqual    = 31 << 6
	worthLoose    = 20 << 6 // the body is not wholly written out
	worthResolved = 12 << 6 // the path came from an answer: method and depth of the path agree
	worthStatus   = 3 << 6  // the answer has the status that the suite expects
	worthAccept   = 2 << 6
	costGoOn      = 16 << 6
	costStep      = 12 << 6 // an exchange passed over within a test
	costCall      = 4 << 6  // a call passed over within a test
	costBetween   = 1       // an exchange passed over between tests
	costFirst     = 1       // the first call of a test passed over: every test that runs comes to it
)

// SentCall is a call that the alignment looks for.
type SentCall struct {
	*script.Call
	test  *script.Test
	first bool // of its test, or of one of the runs of that
	marks Marks
}

// Sent lists the calls of runs, in order, as far as they can come to be sent. What is sent once for several tests, the
// first of them sends. marks say whose requests the recording has; nil where nothing is known of that.
func Sent(runs []Run, marks Marks) []SentCall {
	var out []SentCall
	once := map[string]bool{}
	for _, r := range runs {
		first := true
		for _, c := range r.Calls {
			if c.Unset != "" {
				break // Python stops here, and the calls after it are not sent either
			}
			if c.Once != "" && once[c.Once] {
				continue
			}
			out = append(out, SentCall{Call: c, test: r.Test, first: first || c.Anew, marks: marks})
			once[c.Once], first = true, false
		}
	}
	return out
}

// Share gives what was sent once for several tests to all of them.
func Share(tests []*script.Test, matched map[*script.Call]*exchange.Step) {
	once := map[string]*exchange.Step{}
	for c, step := range matched {
		once[c.Once] = step
	}
	for _, t := range tests {
		for _, c := range t.Calls {
			if step := once[c.Once]; c.Once != "" && step != nil && c.Unset == "" {
				matched[c] = step
			}
		}
	}
}

// The states of an alignment within a test: nothing of it matched yet, something matched, all matched that will be.
const (
	before = iota
	within
	after
	states
)

// The ways to come to a cell, in the low bits of its byte; the state that it was come from stands above them.
const (
	byCall  = iota // the call was passed over
	byStep         // the exchange was passed over
	byMatch        // the two were matched
	byEnd          // the test was taken to be over
)

type alignment struct {
	calls []SentCall
	steps []exchange.Step
	from  [states][]uint8
	again []bool // exchanges that agree with a call of the present test that stands for several requests
}

// A Lead is what it costs to leave out an exchange before the first that is matched.
type Lead int

const (
	// FreeLead and EqualLead are nothing, and as much as between tests.
	FreeLead  Lead = 0           // the exchanges of other files may stand there
	EqualLead Lead = costBetween // they are as any between tests, and of two places the earlier one is taken
)

// Calls finds the alignment of the greatest worth, and of several the one that is over first. Whole runs are
// aligned by package flow/align, which knows nothing of tests: here most exchanges are of other files, and what it
// costs to leave one out depends on where a test begins and ends.
func Calls(calls []SentCall, steps []exchange.Step,
	lead Lead) (matched map[*script.Call]*exchange.Step, worth int) {
	rows, cols := len(calls)+1, len(steps)+1
	if rows > maxCells/cols {
		return map[*script.Call]*exchange.Step{}, 0
	}
	a := &alignment{calls: calls, steps: steps, again: make([]bool, len(steps))}
	var prev, row [states][]int
	for s := range states {
		a.from[s] = make([]uint8, rows*cols)
		prev[s], row[s] = make([]int, cols), make([]int, cols)
		for j := range row[s] {
			if row[s][j] = math.MinInt32; s == before {
				row[s][j] = -j * int(lead)
			}
		}
	}
	for i := range calls {
		prev, row = row, prev
		a.row(i, prev, row)
	}
	best, state := 0, 0
	for s := range states {
		for j, w := range row[s] {
			if w > row[state][best] {
				best, state = j, s
			}
		}
	}
	return a.trace(best, state), row[state][best]
}

// row fills in the row of one call from the row before it.
func (a *alignment) row(i int, prev, row [states][]int) {
	call, cols := a.calls[i], len(a.steps)+1
	if i > 0 && a.calls[i-1].test != call.test {
		clear(a.again)
	}
	at := (i + 1) * cols
	set := func(state, j, worth, from, how int) {
		if worth > row[state][j] {
			row[state][j] = worth
			a.from[state][at+j] = uint8(from<<2 | how)
		}
	}
	for j := range cols {
		// A new test begins with nothing of it matched, however the one before it ended.
		for s := range states {
			row[s][j] = math.MinInt32
		}
		for s := range states {
			switch {
			case call.first:
				set(before, j, prev[s][j]-costFirst, s, byCall)
			case s == within:
				set(s, j, prev[s][j]-costCall, s, byCall)
			default:
				set(s, j, prev[s][j], s, byCall)
			}
		}
		if j > 0 {
			// Of equals the first counts: an exchange that may be left out is, so that the earlier one is the match.
			worth, expected := Agreement(call, a.steps[j-1].Exchange)
			a.again[j-1] = a.again[j-1] || call.Many && worth > 0
			for s, cost := range [states]int{before: costBetween, within: costStep, after: costBetween} {
				if a.again[j-1] && s != before { // it was sent by that call, too
					cost = 0
				}
				set(s, j, row[s][j-1]-cost, s, byStep)
			}
			matches(call, worth, expected, func(from, to, worth int) { set(to, j, prev[from][j-1]+worth, from, byMatch) })
		}
		set(after, j, row[within][j], within, byEnd)
	}
}

// matches tells between which states a call and an exchange can be matched that agree so much, and what that is worth.
func matches(call SentCall, agree int, expected bool, tell func(from, to, worth int)) {
	for s := range states {
		worth := agree
		switch {
		case agree == 0, s == after && !call.first:
			continue
		case s == before && !call.first:
			worth -= costCall // the calls before it come to be sent first
		}
		if expected {
			tell(s, within, worth)
		} else {
			tell(s, within, worth-costGoOn)
			tell(s, after, worth)
		}
	}
}

// trace goes back from the best cell of the last row.
func (a *alignment) trace(j, state int) map[*script.Call]*exchange.Step {
	out := make(map[*script.Call]*exchange.Step)
	for i := len(a.calls); i > 0; {
		from := a.from[state][i*(len(a.steps)+1)+j]
		switch from & 3 {
		case byCall:
			i--
		case byStep:
			j--
		case byMatch:
			out[a.calls[i-1].Call] = &a.steps[j-1]
			i, j = i-1, j-1
		}
		state = int(from >> 2)
	}
	return out
}

// Agreement is what it is worth to take an exchange for that of a call, 0 where it cannot be; expected is whether the
// test goes on behind it.
func Agreement(c SentCall, e *exchange.Exchange) (worth int, expected bool) {
	r := &e.Request
	if c.Method != r.Method || !c.marks.allow(c, e) {
		return 0, false
	}
	if !SameTarget(c.Target, r.Target) {
		if c.Location == "" || !sameDepth(c.Target, r.Target) {
			return 0, false
		}
		worth = worthResolved
	} else {
		body, _ := r.Payload()
		switch {
		case c.Dynamic || strings.Contains(c.Target, "\x00"):
			worth = worthLoose
		case c.Body == string(body):
			worth = worthExact
		case match.SameJSON([]byte(c.Body), body) || sameWords(c.Body, string(body)):
			worth = WorthEqual
		default:
			return 0, false
		}
	}
	if slices.Contains(r.Header.Values("Accept"), c.Accept) {
		worth += worthAccept
	}
	expected = c.Guarded || c.ExpectedStatus == "" ||
		e.Response != nil && c.ExpectedStatus == fmt.Sprint(e.Response.Status)
	if expected {
		worth += worthStatus
	}
	return worth, expected
}

// sameWords reports whether two texts are the same but for how much white space stands where there is some.
func sameWords(a, b string) bool {
	return a != "" && slices.Equal(strings.Fields(a), strings.Fields(b))
}
