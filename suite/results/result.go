package results

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Outcome is how one execution of a test went.
type Outcome string

// The outcomes.
const (
	Pass  Outcome = "pass"
	Fail  Outcome = "fail"  // an assertion of it did not hold
	Error Outcome = "error" // it broke off: an exception, a time-out, a file that could not be loaded
	Skip  Outcome = "skip"
)

// Result is one execution of one test.
type Result struct {
	Suite    string // the class, module or file that it stands in; "" where the runner names none
	Name     string // unique within its suite: further ones of a name have "#2", "#3", … behind it
	Outcome  Outcome
	Message  string        // why it failed, MaxMessage bytes at most; "" where it did not
	Duration time.Duration // 0 where the runner does not say
}

// ID names a test among those of all suites.
type ID struct{ Suite, Name string }

// String returns the name as people write it: "module.Class › test_orders".
func (id ID) String() string {
	if id.Suite == "" {
		return id.Name
	}
	return id.Suite + " › " + id.Name
}

// ID returns the name of the test that was executed.
func (r Result) ID() ID { return ID{r.Suite, r.Name} }

// Is reports whether it may be the name of a test that is written with another, as [SameName] says: runners leave the
// titles around to the suite, or to the name.
func (id ID) Is(written string) bool {
	return SameName(id.Name, written) || SameName(id.Suite+" "+id.Name, written)
}

// Among reports whether a test that is written with a name may be one of those that a runner names.
func Among(some []ID, written string) bool {
	return slices.ContainsFunc(some, func(id ID) bool { return id.Is(written) })
}

// SameName reports whether a runner's name of a test may be that of a test in a file: the former may have parameters,
// or the titles around.
func SameName(ran, written string) bool {
	bare := strings.TrimSuffix(ran, "()")
	if i := strings.IndexAny(bare, "[("); i > 0 {
		bare = bare[:i]
	}
	return ran == written || bare == written || strings.HasSuffix(ran, " "+written)
}

// Failed reports whether the test failed or broke off.
func (r Result) Failed() bool { return r.Outcome == Fail || r.Outcome == Error }

// The bounds on what is read.
const (
	MaxFile    = 256 << 20 // of one file, in bytes
	MaxTests   = 1 << 20   // of one file
	MaxMessage = 4 << 10   // of one message, in bytes
	maxTrace   = 64 << 10  // of all that a runner says of one failure, in bytes: its beginning and its end
	maxName    = 1 << 10   // of one name, in bytes
	maxDepth   = 64        // of elements of XML within each other
)

// FromStatus is the one result of a command that left none: a test of that name, which passed where the command's exit
// status is 0.
func FromStatus(name string, status int, took time.Duration) Result {
	r := Result{Name: name, Outcome: Pass, Duration: took}
	if status != 0 {
		r.Outcome, r.Message = Fail, "exit status "+strconv.Itoa(status)
	}
	return r
}

// Detailed is a [Result] with what else its runner says of it.
type Detailed struct {
	Result
	Trace string // all that it says of why the test failed, maxTrace bytes at most; "" where it did not
	Where Where  // the line that failed; zero where the runner names none
	// Start and End are when the test ran; zero where the runner does not say. They are rough where they are put
	// together of how long the tests took.
	Start, End time.Time
	Rough      bool
}

// list gathers results, and gives those that share a name a number each.
type list struct {
	results []Detailed
	seen    map[ID]int
}

// add takes a result in, of which there is no more to say than its message. It reports false where there is no room.
func (l *list) add(r Result) bool { return l.addDetailed(Detailed{Result: r, Trace: r.Message}) }

// addDetailed takes a result in. It reports false where there is no room.
func (l *list) addDetailed(r Detailed) bool {
	if len(l.results) >= MaxTests {
		return false
	}
	if l.seen == nil {
		l.seen = map[ID]int{}
	}
	r.Suite, r.Name = short(r.Suite, maxName), short(r.Name, maxName)
	r.Message, r.Trace = short(strings.TrimSpace(r.Message), MaxMessage), ends(strings.TrimSpace(r.Trace))
	if r.Failed() {
		r.Where = locate(r.Suite, r.Trace)
	}
	id := r.ID()
	l.seen[id]++
	for n := l.seen[id]; n > 1; n++ {
		numbered := ID{id.Suite, id.Name + "#" + strconv.Itoa(n)}
		if l.seen[numbered] == 0 {
			l.seen[numbered], l.seen[id] = 1, n
			r.Name = numbered.Name
			break
		}
	}
	l.results = append(l.results, r)
	return true
}

// Join returns the results of several files as those of one execution: tests that share a name get a number each.
func Join(files ...[]Result) []Result {
	var l list
	for _, file := range files {
		for _, r := range file {
			l.add(r)
		}
	}
	return Plain(l.results)
}

// Details are what a result says by itself: all of its message, and the line that this names.
func (r Result) Details() Detailed {
	var l list
	l.add(r)
	return l.results[0]
}

// Plain leaves the details out.
func Plain(all []Detailed) []Result {
	if all == nil {
		return nil
	}
	out := make([]Result, len(all))
	for i, r := range all {
		out[i] = r.Result
	}
	return out
}

// short cuts a text to so many bytes at most, between two characters.
func short(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// ends is the beginning and the end of a text that is longer than maxTrace.
func ends(s string) string {
	if len(s) <= maxTrace {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:maxTrace/2]+"\n"+s[len(s)-maxTrace/2+4:], "?")
}

// seconds reads a number of seconds as runners write it, with commas for thousands as Surefire does.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), ",", ""), 64)
	if err != nil {
		return 0
	}
	return duration(f)
}

// duration is so many seconds; 0 for what is no time.
func duration(f float64) time.Duration {
	if !(f > 0 && f < 1e8) { // not a number, too
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
