package waiting

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/settle"
	"github.com/flaketap/flaketap/waits/tune"
)

// Panel is what is told of waits. Times are milliseconds. Secrets of the recording are tokens in it.
type Panel struct {
	Tests []Test        `json:"tests"` // of suites for browsers
	Reads []Read        `json:"reads"` // of an API that is ready later
	Tuned []tune.Report `json:"tuned"` // times that were looked for
	Left  Left          `json:"left_out"`
}

// New returns a panel in which nothing is told yet.
func New() *Panel { return &Panel{Tests: []Test{}, Reads: []Read{}, Tuned: []tune.Report{}} }

// Left is how much is not in a panel.
type Left struct {
	Tests int `json:"tests"`
	Reads int `json:"reads"`
}

// Test is what one test of a session did.
type Test struct {
	Name     string    `json:"name"`
	File     string    `json:"file,omitempty"` // that its commands came from
	Times    []Timing  `json:"times"`
	Session  string    `json:"session"`
	Run      int       `json:"run"` // that is told command by command, in that session
	Took     float64   `json:"took"`
	Commands []Command `json:"commands"`
	Requests []Request `json:"requests"`
	Changes  []Change  `json:"changes"`
	Pruned   []Pruned  `json:"pruned"`
	Left     int       `json:"left_out"` // commands, requests and changes that are not told one by one
}

// Timing is how long a test took in the runs of a session that were made in one way.
type Timing struct {
	Session string  `json:"session"`
	Way     string  `json:"way"`
	Passed  int     `json:"passed"` // runs, all of their tests, of
	Of      int     `json:"of"`
	Median  float64 `json:"median"`
}

// Command is one command of WebDriver. What is said of times counts from where the test begins.
type Command struct {
	Does   string  `json:"does"`
	Source string  `json:"source,omitempty"`
	Acts   bool    `json:"acts"`
	Start  float64 `json:"start"`
	First  float64 `json:"first"` // it was answered first
	Given  float64 `json:"given"` // the suite was given its answer
	Answer string  `json:"answer"`
	Wait   *Wait   `json:"wait"` // null where none is needed
}

// Wait is what a command has to wait for.
type Wait struct {
	Until   string  `json:"until"`
	Early   int     `json:"early"` // runs in which it came too early, of
	Of      int     `json:"of"`
	Median  float64 `json:"median"` // after the action before it
	Longest float64 `json:"longest"`
	Cap     float64 `json:"cap"`
}

// Request is one of a page.
type Request struct {
	What  string  `json:"what"`
	Start float64 `json:"start"`
	End   float64 `json:"end"` // the end of the test, where it did not end before
}

// Change is one of a property of an element.
type Change struct {
	Element  string      `json:"element"`
	Property string      `json:"property"`
	New      string      `json:"new"`
	At       float64     `json:"at"`
	Fate     oracle.Fate `json:"fate"`
}

// Pruned is what is not waited for.
type Pruned struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Times int    `json:"times"`
}

// Read is a read of an API that is ready later.
type Read struct {
	Operation string   `json:"operation"`
	Seqs      []uint64 `json:"seqs"` // some of the recorded ones
	Until     string   `json:"until"`
	Vain      []string `json:"in_vain"` // answers with which the wait is over
	N         int      `json:"n"`       // how often it was seen to be ready
	Median    float64  `json:"median"`
	Longest   float64  `json:"longest"`
	Every     float64  `json:"every"`
	Cap       float64  `json:"cap"`
	Trails    []Trail  `json:"trails"`
	Pruned    []Pruned `json:"pruned"`
	Left      int      `json:"left_out"` // trails
}

// Trail is what one execution was answered, one look after the other.
type Trail struct {
	Run   int    `json:"run"` // 0 is the recording
	Looks []Look `json:"looks"`
}

// Look is one answer.
type Look struct {
	After float64 `json:"after"` // the write was answered
	Says  string  `json:"says"`
	State State   `json:"state"`
}

// State is how far an API was.
type State string

// The states.
const (
	Early State = "early"
	Ready State = "ready"
	Vain  State = "in-vain"
)

// The bounds on what is told.
const (
	maxTests    = 200
	maxCommands = 60 // of a test
	maxRequests = 60
	maxChanges  = 200
	maxPruned   = 12
	maxReads    = 100
	maxTrails   = 30 // of a read
	maxLooks    = 60 // of a trail
	maxSeqs     = 5
	maxText     = 200 // columns of a text
)

// Empty reports whether nothing is told.
func (p *Panel) Empty() bool { return len(p.Tests)+len(p.Reads)+len(p.Tuned) == 0 }

// shower makes texts fit to be shown: without the secrets of the recording.
type shower struct{ exchange.Redactor }

func (s shower) text(text string) string { return report.Show(s.Show("", text), maxText) }

// value is a raw token at a place.
func (s shower) value(p exchange.Place, raw string) string {
	return report.Show(redact.Token(s.Redactor, p, raw), maxText)
}

// words says what is wanted of a value: "status is "done"".
func (s shower) words(v settle.Value) string {
	switch {
	case v.JSON != "":
		return string(v.Place) + " is " + s.value(v.Place, v.JSON)
	case v.Type == settle.Array && v.Least > 0:
		return string(v.Place) + " has " + report.Count(v.Least, "element") + " at least"
	}
	return string(v.Place) + " is of the type " + string(v.Type)
}
