package oracle

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Session is what was recorded of a suite: its runs, in order.
type Session struct {
	Runs []Run `json:"runs"`
	// Files are the digests of the files that commands came from, by their names, where they could be read.
	Files map[string]string `json:"files,omitempty"`
}

// Passed reports whether some run passed, or some test in one, so that there is something to learn.
func (s *Session) Passed() bool {
	return slices.ContainsFunc(s.Runs, func(r Run) bool { return r.PassedInPart() })
}

// Browsers are the names and versions of those that its runs were recorded with, in order.
func (s *Session) Browsers() []string {
	all := map[string]bool{}
	for i := range s.Runs {
		for _, name := range s.Runs[i].Browsers {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Run is one execution of a suite. Times are milliseconds since it began.
type Run struct {
	Patience  string     `json:"patience"`           // how its reads were answered: see package waits/webdriver
	Status    int        `json:"status"`             // of the suite's command; 0 where all passed
	Failed    []Span     `json:"failed,omitempty"`   // of a run that failed: when no test is known to have passed
	Browsers  []string   `json:"browsers,omitempty"` // their names and versions, as the driver says: "chrome 140.0"
	Commands  []Command  `json:"commands"`
	Mutations []Mutation `json:"mutations,omitempty"`
	Requests  []Request  `json:"requests,omitempty"`
	Dropped   int        `json:"dropped,omitempty"` // mutations and requests that were too many to be kept
}

// Passed reports whether all tests of a run passed, as its command says.
func (r *Run) Passed() bool { return r.Status == 0 }

// PassedInPart reports whether a run passed, or some of what it did in pages belongs to a test that passed.
func (r *Run) PassedInPart() bool {
	of := func(c Command) bool { return c.Kind != Neither && r.PassedAt(c.Start) }
	return r.Passed() || slices.ContainsFunc(r.Commands, of)
}

// PassedAt reports whether what came at a time belongs to tests that passed. Where nothing is known of the tests of a
// run that failed, it does not.
func (r *Run) PassedAt(at float64) bool {
	within := func(s Span) bool { return s.From <= at && at <= s.To }
	return r.Passed() || len(r.Failed) > 0 && !slices.ContainsFunc(r.Failed, within)
}

// Span is a part of a run's time.
type Span struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// Command is one command of WebDriver.
type Command struct {
	Browser int    `json:"browser"`          // the session of WebDriver that it belongs to, from 1
	Kind    Kind   `json:"kind"`             // what it may do
	Does    string `json:"does"`             // its name, and what it is about, without what was typed: `text of css "#age"`
	Source  string `json:"source,omitempty"` // the place in the suite that sent it: file:line:column
	Driver  string `json:"driver,omitempty"` // by what name the driver is known there; "" is not known
	// Callers are the places in the suite from which that one was called, the nearest first, as far as they are known.
	Callers []Caller `json:"callers,omitempty"`
	// Globals says that the suite's runner is WebdriverIO's, which gives each file the names browser, $ and $$.
	Globals bool `json:"globals,omitempty"`
	// How the element was found that it is about, the outermost first; nil where it is about none.
	Found []Locator `json:"found,omitempty"`
	By    Locator   `json:"by,omitzero"`     // of one that looks for elements
	Reads string    `json:"reads,omitempty"` // what of the element is read: "text", "attribute href"
	Start float64   `json:"start"`           // it came
	Sent  float64   `json:"sent,omitempty"`  // it went to the driver, where that was later
	First Answer    `json:"first"`           // what it was answered at first
	// The answers that differed from the one before, where it was asked again.
	Later []Answer `json:"later,omitempty"`
	Given Answer   `json:"given"` // what the suite was given
	// Names are those that its element had when it was answered, and no other one: for each root around it, the
	// outermost first, the best first. nil: nobody looked.
	Names [][]Name `json:"names,omitempty"`
	// Unseen says that a window came with the last action that had begun before it was watched: what it changed by
	// itself may not be known.
	Unseen bool `json:"unseen,omitempty"`
	// What was under way when it was answered first.
	Requests int `json:"requests,omitempty"`
	Timers   int `json:"timers,omitempty"`
}

// Caller is a call that had not returned when a command was sent.
type Caller struct {
	Place  string `json:"place"`            // in the suite: file:line:column
	Driver string `json:"driver,omitempty"` // by what name the driver is known there; "" is not known
}

// Stack are the places in the suite from which a command came: that which sent it, and its callers.
func (c *Command) Stack() []Caller {
	if c.Source == "" {
		return nil
	}
	return append([]Caller{{c.Source, c.Driver}}, c.Callers...)
}

// Kind says what a command may do to a page.
type Kind string

// The kinds of commands.
const (
	Reads   Kind = "reads"   // it looks at a page, and may be asked again
	Acts    Kind = "acts"    // it does something to a page
	Neither Kind = "neither" // it is about the browser
)

// Answer is what a command was answered, and when.
type Answer struct {
	Error string  `json:"error,omitempty"` // of WebDriver: "no such element"
	Value string  `json:"value,omitempty"` // as JSON, without the ids of elements
	At    float64 `json:"at"`
}

// Same reports whether two answers say the same.
func (a Answer) Same(b Answer) bool { return a.Error == b.Error && a.Value == b.Value }

// Locator says how an element is found.
type Locator struct {
	Using string `json:"using,omitempty"` // a strategy of WebDriver, or "shadow" for the shadow root of what was found
	Value string `json:"value,omitempty"`
	Nth   int    `json:"nth,omitempty"` // of those that were looked for together, counted from 1; 0 for the first of all
}

// String is a locator as people read it.
func (l Locator) String() string {
	if l.Using == "shadow" {
		return "its shadow root"
	}
	text := strings.TrimSuffix(l.Using, " selector") + " " + strconv.Quote(l.Value)
	if l.Nth > 0 {
		text += " (" + strconv.Itoa(l.Nth) + ")"
	}
	return text
}

// Mutation is a change of one property of one element.
type Mutation struct {
	Browser  int     `json:"browser"`
	Element  string  `json:"element"`  // a selector of CSS; >>> leads into a shadow root
	Property string  `json:"property"` // "text", "children", "value", "checked", "shadow", "gone", or "@" and an attribute
	Old      string  `json:"old"`
	New      string  `json:"new"`
	At       float64 `json:"at"`
	Later    bool    `json:"later,omitempty"`   // neither a user's input nor the loading of the page brought it about directly
	Visible  bool    `json:"visible,omitempty"` // the element is within the body, and shown
	Plain    bool    `json:"plain,omitempty"`   // an attribute that has no meaning in HTML, and of which no rule of style speaks
	Cause    Cause   `json:"cause,omitempty"`   // what brought it about, where that is known
	Since    float64 `json:"since,omitempty"`   // with Cause: what was done before that moment alone can be behind it
}

// Cause is what may bring about a change that nobody asked for.
type Cause string

// The causes. Of all others nothing is said.
const (
	Timer  Cause = "timer"  // one that runs again and again, from before a user did anything in its document
	Socket Cause = "socket" // a message in a WebSocket, or of an EventSource
)

// Request is a request of a page, by its method and path.
type Request struct {
	Browser int     `json:"browser"`
	What    string  `json:"what"`
	Start   float64 `json:"start"`
	End     float64 `json:"end,omitempty"` // 0 where it had not ended
}

// Key names a command in every run: its browser, its place in the suite, what it does, and which of those it is.
type Key struct {
	browser      owner
	Source, Does string
	Turn         int
}

// owner tells browsers apart in whichever order they begin, as where a part of a suite runs, or another comes first: by
// the first command about a page of each, and which of the browsers with the same one it is.
type owner struct {
	source, does string
	turn         int
}

// Keys gives commands their keys, in the order in which they come. The zero value is ready.
type Keys struct {
	seen   map[Key]int
	owners map[int]owner // by the numbers of browsers
	begun  map[owner]int // how many of the same first command
}

// Next is the key of the next command.
func (k *Keys) Next(c *Command) Key {
	if k.seen == nil {
		k.seen, k.owners, k.begun = map[Key]int{}, map[int]owner{}, map[owner]int{}
	}
	key := k.Peek(c)
	k.seen[Key{browser: key.browser, Source: c.Source, Does: c.Does}] = key.Turn
	if _, known := k.owners[c.Browser]; !known && c.Kind != Neither {
		k.owners[c.Browser] = key.browser
		k.begun[owner{source: c.Source, does: c.Does}]++
	}
	return key
}

// Peek is what Next would give.
func (k *Keys) Peek(c *Command) Key {
	of, known := k.owners[c.Browser]
	if !known && c.Kind != Neither {
		of = owner{source: c.Source, does: c.Does}
		of.turn = k.begun[of] + 1
	}
	key := Key{browser: of, Source: c.Source, Does: c.Does}
	key.Turn = k.seen[key] + 1
	return key
}

// keyed are the commands of a run with their keys, in order.
func (r *Run) keyed() []keyed {
	var keys Keys
	out := make([]keyed, 0, len(r.Commands))
	for i := range r.Commands {
		c := &r.Commands[i]
		out = append(out, keyed{keys.Next(c), c})
	}
	return out
}

type keyed struct {
	Key
	*Command
}

// answers are all that a command was answered, in order.
func (c *Command) answers() []Answer { return append([]Answer{c.First}, slices.Clone(c.Later)...) }
