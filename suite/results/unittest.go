package results

import (
	"bytes"
	"regexp"
	"strings"
)

// What Python's unittest prints with -v: a line for each test, "test_a (shop.Orders.test_a) ... ok", with its description
// on a line of its own before the dots where it has one, and, at the end, a block for each failure. Before Python 3.11
// the parentheses have the class alone.
var (
	unittestHead = regexp.MustCompile(`^( *)([^\s():]+) \(([^\s()]+)\)(?:.*?)(?: \.\.\. (.*))?$`)
	unittestRule = strings.Repeat("=", 70)
	unittestLine = strings.Repeat("-", 70)
)

// maxOnLine bounds how many tests are looked for on one line.
const maxOnLine = 100

// isUnittest reports whether a line, or a line and its description, begins a test of unittest's.
func isUnittest(data []byte) bool {
	if !bytes.Contains(data, []byte(" ... ")) && !bytes.Contains(data, []byte(" ...\n")) {
		return false
	}
	for line := range linesOf(data) {
		if m := unittestHead.FindSubmatch(line); m != nil && len(m[1]) == 0 && bytes.Contains(m[3], []byte(".")) {
			return true
		}
	}
	return false
}

// unittestRun is what has been read of a run of unittest.
type unittestRun struct {
	tests   []Detailed
	at      map[ID]int // the latest test of each name
	open    int        // the test that runs, in tests; -1 where none does
	failed  *Detailed  // whose block is read; nil where none is
	text    strings.Builder
	told    bool // the block's text has begun
	settled bool // the test that runs has an outcome
	over    bool // the end of the run was told
}

// readUnittest reads the lines of unittest -v. A test that has no outcome on its line, as where it prints something
// there, failed where a block says so, and passed where the run came to its end; else the run broke off within it.
func readUnittest(data []byte, l *list) error {
	r := unittestRun{at: map[ID]int{}, open: -1}
	for line := range linesOf(data) {
		if len(r.tests) >= MaxTests {
			return errFull
		}
		r.line(string(line))
	}
	r.endBlock()
	for _, t := range r.tests {
		if t.Outcome == "" {
			t.Outcome = Pass
			if !r.over {
				t.Outcome, t.Message = Error, "it never ended"
			}
		}
		if !l.addDetailed(t) {
			return errFull
		}
	}
	return nil
}

// line takes in one line.
func (r *unittestRun) line(line string) {
	switch {
	case line == unittestRule:
		r.endBlock()
		r.open = -1
		return
	case r.failed != nil:
		r.block(line)
		return
	case strings.HasPrefix(line, "FAIL: "), strings.HasPrefix(line, "ERROR: "):
		if r.open < 0 {
			r.beginBlock(line)
			return
		}
	case strings.HasPrefix(line, "Ran ") && strings.Contains(line, " test"):
		r.over = true
		return
	}
	for range maxOnLine {
		m := unittestHead.FindStringSubmatch(line)
		if m == nil || !strings.Contains(m[3], ".") {
			break
		}
		if m[1] == "" {
			r.begin(idOfUnittest(m[2], m[3]))
		}
		line = m[4] // before Python 3.11 the next test stands there, behind one with subtests that failed
	}
	if i := strings.LastIndex(line, " ... "); i >= 0 { // behind a description
		line = line[i+len(" ... "):]
	}
	r.outcome(line)
}

// idOfUnittest is the name of a test that unittest writes as name (where).
func idOfUnittest(name, where string) ID {
	return ID{strings.TrimSuffix(where, "."+name), name}
}

// begin takes in that a test begins.
func (r *unittestRun) begin(id ID) {
	r.open, r.at[id], r.settled = len(r.tests), len(r.tests), false
	r.tests = append(r.tests, Detailed{Result: Result{Suite: id.Suite, Name: id.Name}})
}

// outcome takes in what may be how the test that runs has ended: the first that is such counts, but for subtests, of
// which one that fails does.
func (r *unittestRun) outcome(text string) {
	if r.open < 0 {
		return
	}
	out := Outcome("")
	switch {
	case text == "ok", text == "expected failure":
		out = Pass
	case text == "FAIL", text == "unexpected success":
		out = Fail
	case text == "ERROR":
		out = Error
	case strings.HasPrefix(text, "skipped "):
		out = Skip
	}
	t := &r.tests[r.open]
	if out == "" || r.settled && !(Result{Outcome: out}).Failed() {
		return
	}
	t.Outcome, r.settled = out, true
	if text == "unexpected success" {
		t.Message = text
	}
}

// beginBlock takes in the head of a failure's block.
func (r *unittestRun) beginBlock(line string) {
	word, rest, _ := strings.Cut(line, ": ")
	m := unittestHead.FindStringSubmatch(rest)
	if m == nil {
		return
	}
	id := idOfUnittest(m[2], m[3])
	i, known := r.at[id]
	if !known { // a module or a class that could not be set up
		r.begin(id)
		i, r.open = r.open, -1
	}
	r.failed, r.told = &r.tests[i], false
	if r.failed.Outcome = Fail; word == "ERROR" {
		r.failed.Outcome = Error
	}
}

// block takes in a line of a failure's block.
func (r *unittestRun) block(line string) {
	switch {
	case line == unittestLine && !r.told:
		r.told = true
	case line == unittestLine: // the end of the run follows
		r.endBlock()
	case r.told && r.text.Len() < maxTrace:
		r.text.WriteString(line + "\n")
	}
}

// endBlock gives a test what its block says. Of several, as of subtests, the first counts.
func (r *unittestRun) endBlock() {
	if t := r.failed; t != nil && t.Trace == "" {
		t.Trace = strings.TrimSpace(r.text.String())
		t.Message = raised(t.Trace)
	}
	r.failed = nil
	r.text.Reset()
}

// raised is what the last traceback of a text ends with: the exception, and what it says. All of it where there is
// none.
func raised(text string) string {
	const begins = "Traceback (most recent call last):\n"
	i := strings.LastIndex(text, begins)
	if i < 0 {
		return text
	}
	rest := text[i+len(begins):]
	for line := range strings.Lines(rest) {
		if line[0] != ' ' {
			break
		}
		rest = rest[len(line):]
	}
	return rest
}
