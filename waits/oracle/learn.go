package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/settle"
)

// Wait is what a command has to wait for.
type Wait struct {
	Key
	Command *Command // as a passing run has it
	// Answer is what it was answered in every passing run. Varies says that these differ: then any answer will
	// do that is no error, unless it was one in some of them.
	Answer Answer
	Varies bool
	After  []Mutation // of an action: what has to have changed before it, at most three properties
	// Times are how long it took from the last action to the answer, or until what it waits for had changed.
	Times settle.Times
	Early int // in how many runs it came too early
	Runs  int // of how many in which it came
	// Later says that what it was answered came to be there by itself, after the last action: it may come too
	// early, though it did not in these runs.
	Later bool
	// Rest is what a read is answered before and after what it waits for, where that is there for a while only; nil
	// elsewhere. Steps says that there was something else on the way.
	Rest  *Answer
	Steps bool
	// Finder is the command that looked for the element, where that was after the last action; nil elsewhere.
	Finder *Command
	// Action is the last one before it, nil where there was none, and Since tells what came between that and the next one
	// from all else.
	Action *Command
	Since  Key
	// Names are what its element may be found by: those of [Command] that it had in each passing run in which somebody
	// looked, without what moves.
	Names [][]Name
	// Covers says that a sleep before it is needless once the waits behind that are waited for.
	Covers bool
}

// Says tells of the times, for people: "312ms after the action before it, 340ms at most, in 5 runs".
func (w *Wait) Says() string {
	runs := "1 run"
	if w.Times.N != 1 {
		runs = strconv.Itoa(w.Times.N) + " runs"
	}
	return fmt.Sprintf("%s after the action before it, %s at most, in %s", w.Times.Median.Round(time.Millisecond),
		w.Times.Longest.Round(time.Millisecond), runs)
}

// Finds is how what a command finds is found.
func (c *Command) Finds() []Locator { return append(slices.Clone(c.Found), c.By) }

// Prone reports whether a command may come too early.
func (w *Wait) Prone() bool { return w.Early > 0 || w.Later || len(w.After) > 0 }

// Ready reports whether an answer is as in passing runs.
func (w *Wait) Ready(a Answer) bool {
	if w.Varies {
		return a.Error == "" || w.Answer.Error != ""
	}
	return a.Same(w.Answer)
}

// Reached reports whether changes lead to what the command waits for.
func (w *Wait) Reached(changes []Mutation) bool {
	last := map[property]string{}
	for _, m := range changes {
		last[m.property()] = m.New
	}
	for _, want := range w.After {
		if is, ok := last[want.property()]; !ok || is != want.New {
			return false
		}
	}
	return true
}

// Cap is how long the command may be held: five times the longest that it took, and a second at least.
func (w *Wait) Cap() time.Duration { return max(time.Second, 5*w.Times.Longest) }

// Model has the waits of a suite's commands.
type Model struct {
	waits map[Key]*Wait
	order []*Wait
	files map[string]string // digests of the suite's files
	// aside are the properties that nothing is to wait for, with the reason: see [Session.aside].
	aside map[property]Fate
}

// Wait is what a command has to wait for; nil where nothing is known of it.
func (m *Model) Wait(k Key) *Wait { return m.waits[k] }

// Waits lists all, in the order in which they came first.
func (m *Model) Waits() []*Wait { return m.order }

// Learn finds what the commands of a suite wait for, in the runs that passed, and in the tests that passed of others.
func Learn(s *Session) *Model {
	m := &Model{waits: map[Key]*Wait{}, files: s.Files, aside: s.aside()}
	runs := make([][]window, len(s.Runs))
	for i := range s.Runs {
		runs[i] = s.Runs[i].windows()
		for _, w := range runs[i] {
			if w.passed {
				m.add(w)
				m.waits[w.Key].name(w.Command)
			}
		}
	}
	times := map[Key][]time.Duration{}
	for i := range s.Runs {
		for _, w := range runs[i] {
			if wait := m.waits[w.Key]; wait != nil {
				wait.see(w)
				wait.pass(w.Command)
				if at, later := w.settled(m.aside); w.passed {
					times[w.Key] = append(times[w.Key], w.took(at))
					wait.Later = wait.Later || later && w.Kind == Reads && w.act != nil
				}
			}
		}
	}
	for k, took := range m.machines(s, runs) {
		times[k] = took
	}
	for k, w := range m.waits {
		w.Times = settle.TimesOf(times[k])
	}
	m.cover(s, runs)
	m.steady(s)
	return m
}

// add adds what a passing run answered.
func (m *Model) add(w window) {
	have := m.waits[w.Key]
	switch {
	case have == nil:
		have = &Wait{Key: w.Key, Command: w.Command, Answer: w.Given, Finder: w.found.by,
			Action: w.act, Since: w.since}
		m.waits[w.Key] = have
		m.order = append(m.order, have)
	case !have.Answer.Same(w.Given):
		have.Varies = true
		if w.Given.Error != "" {
			have.Answer = w.Given
		}
	}
}

// see counts a command of a run, and whether it came too early.
func (w *Wait) see(in window) {
	w.Runs++
	if !w.Ready(in.First) {
		w.Early++
	}
}

// pass sees whether what a read waits for came and went while it was asked again.
func (w *Wait) pass(c *Command) {
	if !c.passes() || w.Answer.Same(c.First) {
		return
	}
	w.Rest = &c.First
	for _, a := range c.answers() {
		w.Steps = w.Steps || !a.Same(c.First) && !w.Ready(a)
	}
}

// bears reports whether a mutation brings about what an answer shows.
func (m Mutation) bears(c *Command, shown string) bool {
	switch {
	case c.Reads == "text":
		return m.Property == "text" && m.New != "" && (strings.Contains(shown, m.New) || strings.Contains(m.New, shown))
	case c.Reads == "":
		return m.Property == "children" && c.names(m.Element)
	}
	_, name, _ := strings.Cut(c.Reads, " ")
	return (m.Property == name || m.Property == "@"+name) && m.New == shown
}

// names reports whether a command's locators name an element that a mutation names.
func (c *Command) names(element string) bool {
	for _, l := range c.Finds() {
		if l.Value != "" && strings.Contains(l.Value, element) {
			return true
		}
	}
	return false
}
