package setup

import "github.com/flaketap/flaketap/exchange"

// Wanted is one call of a test of a suite, and what the suite wants of its answer: it came true once, in the session
// that the suite was generated from.
type Wanted struct {
	// Request is what the test sends, as an execution of the suite showed it or as its source says.
	Request exchange.Request
	// Seq is the exchange of the session that the call stems from; 0 where it is not known. [Finder.Locate] looks for
	// it.
	Seq uint64
	// Claims is what is wanted of the answer: without what moves from run to run (clocks, random values), which no
	// set-up brings about.
	Claims []exchange.Claim
	// Seen are answers that executions of the suite got, those of one on a fresh API first. A claim that one of them
	// contradicts is what a set-up is looked for; without any, every claim may be.
	Seen []*exchange.Response
	// Literal says that the suite has the path and the body of the call written out: no value of an earlier answer takes
	// its place in them when the test runs.
	Literal bool
	// Ahead says that the call is sent before any set-up of the test could be, by a hook that runs before the test's first
	// statement: a set-up comes too late for it.
	Ahead bool
	// Reachable says of a call that is ahead that a set-up can be sent before it all the same, where the hook is refused
	// without: [Graft].Early.
	Reachable bool
	// CleanUp says that the call only takes away what the test made: nothing is looked for on its behalf.
	CleanUp bool
}

// Graft is the part of a session that a test is given back, so that what it wants comes true on a fresh API: requests
// to send before its own calls, values of their answers to use in these, and requests that take away afterwards what
// was made. The test as a whole is then: Steps, its own calls, CleanUp.
type Graft struct {
	Steps []Step // in the order in which they are sent, before the test's first call
	// CleanUp is sent after the test's last call, whether the test passed or failed, in this order. Its answers matter
	// to nobody: what is to be taken away may be gone.
	CleanUp []Step
	Binds   []Bind
	// Early says that the steps are sent before the hooks that could be reached, as these need what they make.
	Early bool
	// Left are the paths of what the steps make and no clean-up may take away, since nothing but the recording says
	// that they made it: as [Session.Harmless] says.
	Left []string
	// Leaves are the paths of what the steps make each time that they are sent, by trials, and no clean-up takes away.
	Leaves []string
	// Proven says that trials on the API showed it: with the steps what is wanted came true, each time, and without any
	// one of them it did not. What was found in the recording alone is never proven.
	Proven bool
	// Why says in one line, for people, what the test depends on: "/news/4 was made by POST /news".
	Why string
	// Refused says why nothing is given back, and the test is to be weakened instead: "" where something is. Why and
	// Polluters may be set all the same; Steps, CleanUp and Binds are empty.
	Refused string
	// Takes are the requests of the session that it would take, for people, where nothing is given back though they are
	// known: "PUT /settings/theme".
	Takes []string
	// Foreign is the exchange of the session that what is wanted follows from and that no set-up may send, as
	// [Session.Harmless] says; 0 where there is none.
	Foreign uint64
	// Polluters are the earlier calls of the suite itself that keep the wanted from coming true.
	Polluters []Polluter
}

// The reasons for which a test is given nothing back since it needs nothing.
const (
	Uncontradicted   = "no answer contradicts it"
	HoldsAlone       = "it holds on a fresh start"
	DependsOnNothing = "it depends on nothing that the session did"
)

// CountsUp is the reason for which nothing is given back for the id of what a test makes itself: whatever is made
// before, it is another.
const CountsUp = "an id that the test itself makes differs at each start"

// Fresh lists the values that are another in each run.
func (g *Graft) Fresh() (out []Bind) {
	for _, b := range g.Binds {
		if b.Fresh != nil {
			out = append(out, b)
		}
	}
	return out
}

// Gives reports whether anything is written into the test.
func (g *Graft) Gives() bool { return len(g.Steps)+len(g.CleanUp)+len(g.Fresh()) > 0 }

// Needless reports whether nothing is given back since nothing is needed.
func (g *Graft) Needless() bool {
	return g.Refused == Uncontradicted || g.Refused == HoldsAlone || g.Refused == DependsOnNothing
}

// Step is one request of a set-up or of a clean-up.
type Step struct {
	Seq     uint64 // its exchange in the session
	Request exchange.Request
	// Status is what it was answered with, and has to be again for the test to mean anything; 0 where any answer will
	// do: what a DELETE takes away may be gone already.
	Status int
	// MayBeThere says that what the step makes may be there already, made by another test: the step is refused then, and
	// what the session's answer gave serves in the place of what its own would give. What takes it away is sent only where
	// the step made it.
	MayBeThere bool
	// Look is what is read first: the step is only sent where that does not show what it makes; nil where it always is.
	Look *Look
}

// Bind is a value that the answer to a step gives, and that takes the place of the one that the session's answer gave.
type Bind struct {
	Name string // a name for the value, fit for a variable, unique among those that are made in its way: "newsId"
	Step int    // the step of the set-up whose answer gives it, from 0; -1 where none does, as the value is fresh
	// Fresh says how the value is drawn that is another in each run, and Why for what, in a line for people; nil and ""
	// where a step gives it.
	Fresh *Fresh
	Why   string
	// where it stands in that answer, as [Value] reads it: /body/id, /header/location/path/1, /body
	Place exchange.Place
	Value string    // as the session's answer had it, unescaped
	Uses  []BindUse // at least one; in the order of the parts, and of their messages
}

// BindUse is a place where a value that was bound stands.
type BindUse struct {
	In Part
	At int // which step or call it is, from 0
	// Place is a place of that message, as the package comment says; the value may be a part of the text there.
	Place exchange.Place
}

// MadeBy is the step that may have made what a request of the clean-up takes away, or may have found it there; -1 for
// none.
func (g *Graft) MadeBy(in Part, at int) int {
	for _, b := range g.Binds {
		for _, u := range b.Uses {
			named := in == InCleanUp && u.In == in && u.At == at && u.Place.Root() == "path"
			if named && b.Step >= 0 && g.Steps[b.Step].MayBeThere {
				return b.Step
			}
		}
	}
	return -1
}

// Part says which messages of a test with a graft are meant.
type Part string

// The parts.
const (
	InSetUp   Part = "set-up"   // a request of Graft.Steps
	InCall    Part = "call"     // a request of the test's own
	InAnswer  Part = "answer"   // an answer to a request of the test's own: what it is held against is the new value
	InCleanUp Part = "clean-up" // a request of Graft.CleanUp
)

// Polluter is a call of a suite that leaves something behind which another test of the suite then trips over.
type Polluter struct {
	File    string // of the suite, and
	Test    string // the test in it that the call is of
	Call    int    // which of its calls, from 0
	Request string // for people: "POST /products/x"
}
