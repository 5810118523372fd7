package probe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Log is what a muted run says of itself. What mutes writes it as lines of JSON, each of them at once, since several
// processes may write:
//
//	{"test": NAME, "time": SECONDS}
//		a test begins; the time is that since 1970
//	{"failed": NAME, "time": SECONDS, "at": [{"file": FILE, "line": N}, …], "saw": TEXT, "expected": TEXT, "message": TEXT}
//		an assertion of it failed: where in the suite it stands, the innermost line first, and the lines that called
//		it; the two values, as JSON where they are such, which of them is which as far as the assertion tells; what
//		else is said of it. Each text is cut to [MaxText] bytes or so; those that are not to be had may be missing.
//		One that holds says nothing.
//	{"ended": NAME, "file": FILE, "line": N}
//		the test ended there, behind an assertion that failed
//
// Files are those of the copy of the suite, by their paths in its folder. A test is named alike in all of its lines.
type Log struct {
	Tests  int // that ran with their assertions muted
	Begun  []Begin
	Ended  []End // tests that ended before their end
	Failed []Failure
}

// Begin is the beginning of a test.
type Begin struct {
	Test string
	Time time.Time // zero where it is not said
}

// End is where a test ended behind an assertion that failed: what stands behind that was not reached.
type End struct {
	Test string `json:"test"`
	File string `json:"file"` // in the suite's folder
	Line int    `json:"line"`
}

// Failure is an assertion that failed.
type Failure struct {
	Test     string
	Time     time.Time // zero where it is not said
	At       []Line    // where it stands, and the lines that called it, outwards; at least one
	Saw      string    // "", as the others, where it is not to be had
	Expected string
	Message  string
}

// Line is a line of a file of the suite.
type Line struct {
	File string `json:"file"` // in the suite's folder, with slashes
	Line int    `json:"line"`
}

// The bounds on what is read of a log.
const (
	MaxText     = 1 << 10 // of a text, in bytes
	maxFailures = 1 << 16
	maxFrames   = 32
)

// logLine is a line of a log.
type logLine struct {
	Test     string  `json:"test"`
	Failed   string  `json:"failed"`
	Ended    string  `json:"ended"`
	Time     float64 `json:"time"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	At       []Line  `json:"at"`
	Saw      string  `json:"saw"`
	Expected string  `json:"expected"`
	Message  string  `json:"message"`
}

// Read reads the log of a run. One that is not there is empty: the runner did not load the probe.
func Read(path string) (l Log, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read log of probe: %w", err)
	}
	return parse(data)
}

// parse reads a log.
func parse(data []byte) (l Log, err error) {
	ended := map[End]bool{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var one logLine
		if json.Unmarshal(lines.Bytes(), &one) != nil {
			continue // cut off where a process was killed
		}
		if one.Test != "" {
			l.Tests++
			l.Begun = append(l.Begun, Begin{one.Test, since1970(one.Time)})
		}
		if end := (End{one.Ended, filepath.ToSlash(one.File), one.Line}); one.Ended != "" && !ended[end] {
			ended[end] = true
			l.Ended = append(l.Ended, end)
		}
		if f, ok := one.failure(); ok && len(l.Failed) < maxFailures {
			l.Failed = append(l.Failed, f)
		}
	}
	return l, lines.Err()
}

// failure is the failed assertion that a line tells of, if it does.
func (l logLine) failure() (Failure, bool) {
	var at []Line
	for _, where := range l.At[:min(len(l.At), maxFrames)] {
		where.File = filepath.ToSlash(where.File)
		if where.Line > 0 && where.File != "" && !slices.Contains(at, where) {
			at = append(at, where)
		}
	}
	return Failure{Test: l.Failed, Time: since1970(l.Time), At: at, Saw: short(l.Saw), Expected: short(l.Expected),
		Message: short(l.Message)}, l.Failed != "" && len(at) > 0
}

// since1970 is the time so many seconds after 1970; zero for what is none.
func since1970(seconds float64) time.Time {
	if !(seconds > 0 && seconds < 1e11) { // not a number, too
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6)).UTC()
}

// short cuts a text to [MaxText] bytes.
func short(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[:min(len(text), MaxText)], "")
}

// Which returns which of two values an assertion saw, and which it expected, by what it is written to compare with: the
// one that stands in its text is the latter.
func (f Failure) Which(text string) (saw, expected string) {
	written := func(value string) bool { return value != "" && strings.Contains(text, strings.Trim(value, `"`)) }
	if written(f.Saw) && !written(f.Expected) && f.Expected != "" {
		return f.Expected, f.Saw
	}
	return f.Saw, f.Expected
}
