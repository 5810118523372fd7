package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// goEvent is a line of go test -json, as cmd/test2json documents it.
type goEvent struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
	Time    time.Time
}

// isGoTest reports whether the first JSON line has an action: the go command prints lines of its own before.
func isGoTest(data []byte) bool {
	n := 0
	for line := range linesOf(data) {
		var e goEvent
		if bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &e) == nil && e.Action != "" {
			return true
		}
		if n++; n > 100 {
			break
		}
	}
	return false
}

// running is a Go test that has begun, or a package.
type running struct {
	output  strings.Builder
	begun   time.Time
	settled bool
}

// readGoTest reads go test -json. A test with subtests is a test like them. A package that fails though none of its
// tests does (it does not compile, TestMain exits) is one by itself, and a test that never ends, as in a panic, broke
// off.
func readGoTest(data []byte, l *list) error {
	all, order, broken := map[ID]*running{}, []ID{}, map[string]bool{} // packages of which a test failed
	for line := range linesOf(data) {
		var e goEvent
		if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil || e.Package == "" {
			continue // a program that is tested prints what it likes
		}
		id := ID{e.Package, e.Test}
		t := all[id]
		if t == nil {
			if len(all) > MaxTests {
				return errFull
			}
			t = &running{}
			all[id], order = t, append(order, id)
		}
		if !t.event(e) {
			continue
		}
		t.settled = true
		if e.Action == "fail" && e.Test != "" {
			broken[e.Package] = true
		}
		if !l.addGo(e, t, broken[e.Package]) {
			return errFull
		}
	}
	for _, id := range order {
		if t := all[id]; id.Name != "" && !t.settled {
			if !l.add(Result{Suite: id.Suite, Name: id.Name, Outcome: Error, Message: "it never ended\n" + t.output.String()}) {
				return errFull
			}
			l.results[len(l.results)-1].Start = t.begun
		}
	}
	return nil
}

// event takes an event in, and reports whether it ends the test or package.
func (t *running) event(e goEvent) bool {
	switch e.Action {
	case "run": // again, as with -count
		if t.settled {
			*t = running{}
		}
		t.begun = e.Time
	case "output":
		if t.output.Len() < maxTrace {
			t.output.WriteString(e.Output)
		}
	case "pass", "fail", "skip":
		return !t.settled
	}
	return false
}

// addGo takes in the end of a test, or that of a package which says more than its tests do: none of them failed.
func (l *list) addGo(e goEvent, t *running, failed bool) bool {
	r := Detailed{Start: t.begun, End: e.Time,
		Result: Result{Suite: e.Package, Name: e.Test, Duration: duration(e.Elapsed)}}
	switch e.Action {
	case "pass":
		r.Outcome = Pass
	case "skip":
		r.Outcome = Skip
	default:
		r.Outcome, r.Message = Fail, t.output.String()
		r.Trace = r.Message
	}
	if e.Test == "" {
		if r.Outcome != Fail || failed {
			return true
		}
		r.Name, r.Outcome = "(package)", Error
	}
	return l.addDetailed(r)
}

// jestFile is one file of what jest --json writes.
type jestFile struct {
	Name             string  `json:"name"`
	Status           string  `json:"status"`
	Message          string  `json:"message"`
	StartTime        float64 `json:"startTime"` // milliseconds since 1970
	EndTime          float64 `json:"endTime"`
	AssertionResults []struct {
		AncestorTitles  []string `json:"ancestorTitles"`
		Title           string   `json:"title"`
		FullName        string   `json:"fullName"`
		Status          string   `json:"status"`
		FailureMessages []string `json:"failureMessages"`
		Duration        *float64 `json:"duration"` // milliseconds
		StartAt         float64  `json:"startAt"`  // milliseconds since 1970; from Jest 30 on
	} `json:"assertionResults"`
}

// isJest reports whether a text begins with an object that is no line of its own, or has the member that Jest's has.
func isJest(data []byte) bool {
	return bytes.HasPrefix(data, []byte("{")) && bytes.Contains(data, []byte(`"testResults"`)) && !isGoTest(data)
}

func readJest(data []byte, l *list) error {
	var in struct {
		TestResults []jestFile `json:"testResults"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&in); err != nil { // what npm prints may follow
		return fmt.Errorf("line %d: %w", 1+bytes.Count(data, []byte("\n")), err)
	}
	for _, f := range in.TestResults {
		suite, failed, begun := base(f.Name), false, len(l.results)
		for _, a := range f.AssertionResults {
			failed = failed || a.Status == "failed"
			r := Detailed{Result: Result{Suite: suite, Name: a.FullName, Message: strings.Join(a.FailureMessages, "\n")}}
			r.Trace = r.Message
			if r.Name == "" {
				r.Name = strings.Join(append(a.AncestorTitles, a.Title), " ")
			}
			if a.Duration != nil {
				r.Duration = duration(*a.Duration / 1000)
				if r.Start = since1970(a.StartAt); !r.Start.IsZero() {
					r.End = r.Start.Add(r.Duration + time.Millisecond) // both are rounded down
				}
			}
			switch a.Status {
			case "passed":
				r.Outcome = Pass
			case "failed":
				r.Outcome = Fail
			default: // pending, skipped, todo, disabled
				r.Outcome, r.Message, r.Trace = Skip, "", ""
			}
			if !l.addDetailed(r) {
				return errFull
			}
		}
		if start := since1970(f.StartTime); !start.IsZero() {
			s := testsuite{begun: start, took: max(0, since1970(f.EndTime).Sub(start))}
			s.time(l.results[begun:])
		}
		if f.Status == "failed" && !failed { // it could not be loaded, or what cleans up behind its tests failed
			if !l.add(Result{Suite: suite, Name: "(file)", Outcome: Error, Message: f.Message}) {
				return errFull
			}
		}
	}
	return nil
}

// since1970 is the time so many milliseconds after 1970; zero for what is none.
func since1970(milliseconds float64) time.Time {
	if !(milliseconds > 0 && milliseconds < 1e14) { // not a number, too
		return time.Time{}
	}
	return time.UnixMilli(int64(milliseconds)).UTC()
}

// base is the last part of a path: the folder of a suite differs from copy to copy.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// isTAP reports whether one of the first lines is a version, or a test point with a number, or a line anywhere is a
// plan: go test and others begin lines with "ok" too.
func isTAP(data []byte) bool {
	n := 0
	for line := range linesOf(data) {
		text := string(line)
		if _, is := planned(text); is {
			return true
		}
		if n++; n > 100 {
			continue
		}
		if _, rest, ok := testPoint(text); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' ||
			strings.HasPrefix(text, "TAP version ") {
			return true
		}
	}
	return false
}

// planned reads a line such as 1..N, which may have a comment behind it.
func planned(line string) (n int, is bool) {
	rest, ok := strings.CutPrefix(line, "1..")
	if !ok {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, "#")
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	return n, err == nil && n >= 0
}

// testPoint splits a line of TAP: "ok 1 - description".
func testPoint(line string) (ok bool, rest string, is bool) {
	rest, failed := strings.CutPrefix(line, "not ok")
	if !failed {
		if rest, is = strings.CutPrefix(line, "ok"); !is {
			return false, "", false
		}
	}
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return false, "", false
	}
	return !failed, strings.TrimSpace(rest), true
}

// readTAP reads the Test Anything Protocol. The points of a subtest, which are indented, stand for their parent's.
// Fewer points than were planned are a test run that broke off.
func readTAP(data []byte, l *list) error {
	plan, traces := -1, tapTraces{list: l, failed: -1}
	for line := range linesOf(data) {
		text := string(line)
		if text == "" || text[0] == ' ' || text[0] == '\t' {
			traces.add(text)
			continue
		}
		traces.end(text)
		if n, is := planned(text); is && plan < 0 {
			plan = n
		}
		if reason, bailed := strings.CutPrefix(text, "Bail out!"); bailed {
			l.add(Result{Name: "(bail out)", Outcome: Error, Message: reason})
			return nil
		}
		ok, rest, is := testPoint(text)
		if !is {
			continue
		}
		number, name, _ := strings.Cut(rest, " ")
		if strings.Trim(number, "0123456789") != "" {
			number, name = "", rest
		}
		name, directive, _ := strings.Cut(" "+name, " # ")
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "- "))
		if name == "" {
			name = "test " + number
		}
		r := Result{Name: name, Outcome: Pass}
		switch word := strings.ToUpper(directive); {
		case strings.HasPrefix(word, "SKIP"), strings.HasPrefix(word, "TODO"):
			r.Outcome = Skip
		case !ok:
			r.Outcome, r.Message = Fail, text
		}
		if !l.add(r) {
			return errFull
		}
		traces.begin(r)
	}
	traces.end("")
	if n := len(l.results); n < plan &&
		!l.add(Result{Name: "(plan)", Outcome: Error, Message: fmt.Sprintf("%d tests were planned, %d ran", plan, n)}) {
		return errFull
	}
	return nil
}

// tapTraces gathers what TAP says of failures: the indented lines behind a test point, in YAML mostly, and those of its
// subtests before it.
type tapTraces struct {
	*list
	failed int // the result that the lines are of; -1: one that is still to come
	passed bool
	text   strings.Builder
}

// begin takes in a test point, the last result.
func (t *tapTraces) begin(r Result) {
	if t.passed = !r.Failed(); t.passed {
		t.text.Reset()
		return
	}
	t.failed = len(t.results) - 1
}

// add takes in an indented line.
func (t *tapTraces) add(line string) {
	if !t.passed && t.text.Len() < maxTrace {
		t.text.WriteString(line + "\n")
	}
}

// end takes in a line that is not indented: what was gathered is of the failure before, or, as of subtests, of the one
// to come, unless a comment says that another one begins.
func (t *tapTraces) end(line string) {
	if t.passed = false; t.failed < 0 {
		if strings.HasPrefix(line, "#") {
			t.text.Reset()
		}
		return
	}
	r := &t.results[t.failed]
	r.Trace = ends(r.Trace + "\n" + t.text.String())
	r.Where = locate(r.Suite, r.Trace)
	t.failed = -1
	t.text.Reset()
}

// linesOf yields the lines of a text without their ends.
func linesOf(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(data) {
			if !yield(bytes.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}
