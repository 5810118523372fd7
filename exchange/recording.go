package exchange

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Recording describes the exchanges of one client, in order, in one or more passes.
type Recording struct {
	Started time.Time `json:"started"` // when the first pass began, UTC
	Passes  []Pass    `json:"passes"`
	Count   uint64    `json:"exchanges"` // the number of exchanges
	Key     []byte    `json:"-"`         // the random key of the database's [Redactor]
}

// Redacted reports whether tokens are stored in the place of secrets: a recording that was begun so stays so.
func (r *Recording) Redacted() bool {
	return slices.ContainsFunc(r.Passes, func(p Pass) bool { return p.Redacted })
}

// Pass is one execution of the client while it was recorded.
type Pass struct {
	Number  int       `json:"number"` // from 1
	Label   string    `json:"label,omitempty"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`   // zero while it runs, or where the recorder was killed
	Target  string    `json:"target,omitempty"` // the target's URL; "" for a forward proxy
	// the address that the recorder listened on, in the target's place where there is one
	Listen string `json:"listen,omitempty"`
	Source string `json:"source,omitempty"` // "record", or the format it was imported from ("har")
	// the client's program, where flaketap started it; never its arguments, which may hold credentials
	Command []string `json:"command,omitempty"`
	Start   Start    `json:"start"` // the state that the API was in
	// Redacted says that tokens were stored in the place of secrets; Secrets is what its user named as secret besides.
	Redacted bool     `json:"redacted,omitempty"`
	Secrets  []string `json:"secrets,omitempty"`

	// exchanges that were not stored, because the recorder was told to drop them when overloaded
	Dropped int `json:"dropped,omitempty"`

	// Marks are those whose names begin with [OwnMark], in their order.
	Marks []PassMark `json:"marks,omitempty"`

	// Origin is where the pass was recorded, in a recording that was collected from several recorders; nil elsewhere.
	Origin *Origin `json:"origin,omitempty"`
}

// OwnMark begins the names of marks that flaketap has a suite set: see package waits/marked.
const OwnMark = "flaketap:"

// PassMark is a mark that a client set while it was recorded.
type PassMark struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"` // when the recorder was asked to set it
}

// Origin is which pass of which recorder a collected pass is, and how far it was collected.
type Origin struct {
	Recorder string `json:"recorder"`          // the identity of the recorder's file
	Machine  string `json:"machine,omitempty"` // the name of its machine
	Pass     int    `json:"pass"`              // the number that the pass has there
	Through  uint64 `json:"through"`           // the position there of the last exchange that was collected
	State    string `json:"state"`             // a digest of what was known of the pass there
	// exchanges up to Through that cannot be had: they are damaged in the recorder's file
	Missing uint64 `json:"missing,omitempty"`
}

// Start is the state that an API was in when a pass or a run began.
type Start string

// The states of an API at the start.
const (
	StartFresh     Start = "fresh"     // a new instance
	StartReset     Start = "reset"     // the user's reset ran just before
	StartContinued Start = "continued" // it still held what came before
	StartUnknown   Start = "unknown"
)

// Run is one further execution of a recording, under stated conditions.
type Run struct {
	Number     int        `json:"number"` // from 1
	Kind       RunKind    `json:"kind"`
	Label      string     `json:"label,omitempty"`
	Started    time.Time  `json:"started"`
	Ended      time.Time  `json:"ended,omitzero"` // zero where the run was cut off
	Target     string     `json:"target,omitempty"`
	Conditions Conditions `json:"conditions"`
	Steps      int        `json:"steps"`           // the observations it gave
	Lost       int        `json:"lost,omitempty"`  // recorded exchanges that the run has no counterpart of
	Added      int        `json:"added,omitempty"` // exchanges of the run that the recording has no counterpart of
	// Refused is how many requests were answered 401 that had succeeded in the recording, in a run whose condition may
	// make credentials invalid.
	Refused int `json:"refused,omitempty"`
	// Plan names the command that planned the run, and Part says which of its Parts runs it is, from 1: what is left of
	// a plan that was cut off can be done later.
	Plan  string `json:"plan,omitempty"`
	Part  int    `json:"part,omitempty"`
	Parts int    `json:"parts,omitempty"`
	// Dependences are what a search found, in so many further runs that are not stored, to depend on the order in which
	// this run played the sequences.
	Dependences []Dependence `json:"dependences,omitempty"`
	Trials      int          `json:"trials,omitempty"`
	// Machines are those that played the run, where workers did: its conditions are those of each.
	Machines []Played `json:"machines,omitempty"`
}

// Dependence says that how one sequence goes depends on what was played before it. Sequences are named by their first
// exchange.
type Dependence struct {
	Victim uint64   `json:"victim"`
	Step   uint64   `json:"step"`  // the first exchange of the victim that went otherwise
	After  []uint64 `json:"after"` // the fewest sequences found that make the difference, usually one
	// the victim goes differently after them; else it goes as recorded only after them
	Polluted bool `json:"polluted"`
}

// RunKind says how the observations of a run came about.
type RunKind string

// The kinds of run.
const (
	RunReplay RunKind = "replay" // flaketap sent the recorded requests
	RunClient RunKind = "rerun"  // the client itself ran again
	RunImport RunKind = "import" // recorded elsewhere, aligned on import
	// RunRepeat is a replay that sends requests several times in a row, so that one step has several observations. It
	// tells what moves between answers to one request at one time, and no more: what one request too many did to the
	// API shows in all that come after it.
	RunRepeat RunKind = "repeat"
)

// Conditions are what is known of the circumstances of a run. Only what was arranged or is certain is stated.
type Conditions struct {
	Start   Start    `json:"start"`
	Perturb []string `json:"perturb,omitempty"` // the perturbations, as the user named them
	// the names of the bindings that were left out, to see whether they are needed
	Without []string `json:"without,omitempty"`
	Workers int      `json:"workers,omitempty"` // how many sequences were played at once; 0 is one
	Pace    string   `json:"pace,omitempty"`    // as the user named it; "" is as fast as answers come
}

// PerturbBindings names the condition under which a run sends recorded values where others would be carried over.
const PerturbBindings = "bindings"

// PerturbLoad names the condition under which requests are sent many times at once. Before that they are sent SentAlone
// times one after the other: the first answers of a step tell what the API says without the others.
const (
	PerturbLoad = "load"
	SentAlone   = 2
)

// PerturbClient names the condition under which somebody else asks: with FreshClients, a request is sent once more by
// each of some clients that the API has not seen before, AsksOfClient times each. The answers come one client after the
// other.
const (
	PerturbClient = "client"
	FreshClients  = PerturbClient + "=fresh"
	OtherAgent    = PerturbClient + "=agent"
	OtherAddress  = PerturbClient + "=address"
	AsksOfClient  = 2
)

// PerturbExternals names the conditions under which the external services that an API asks are others than usual: they
// answer as they did when the API was recorded, one value of an answer is another one, they end all connections, or
// they answer late.
const (
	PerturbExternals = "externals"
	ExternalsFrozen  = PerturbExternals + "=frozen"
	ExternalsChanged = PerturbExternals + "=changed"
	ExternalsDown    = PerturbExternals + "=down"
	ExternalsSlow    = PerturbExternals + "=slow"
)

// AtOnce is how many times a request was sent at the same instant, in a run whose condition that is; else 0.
func (c Conditions) AtOnce() int {
	for _, p := range c.Perturb {
		if n, crowded := strings.CutPrefix(p, PerturbLoad+"="); crowded {
			number, _ := strconv.Atoi(n)
			return number
		}
	}
	return 0
}

// Misled reports whether a run sent values that mean nothing to the API: on purpose, to see whether a value is to be
// carried over, or because its condition made credentials invalid. Its answers tell nothing of what the API says to
// requests that are right.
func (r *Run) Misled() bool {
	return r.Refused > 0 || slices.Contains(r.Conditions.Perturb, PerturbBindings)
}

// Observation is what one step of a recording answered in one run: exactly one of Response and Fault is set.
type Observation struct {
	Run     int    // the run's number
	Seq     uint64 // the recorded exchange that this step repeats
	Start   time.Time
	Latency time.Duration
	Sent    Request // the request as it was sent; bound values and the authority may differ from the recorded one

	Response *Response
	Fault    *Fault

	// Settling is how a read that did not answer as recorded went on, where it was asked again to see that; else nil.
	Settling *Settling
}

// Settling is what became of a read that followed a write and did not answer as recorded at once: whether the API was
// not done yet, or differs for good.
type Settling struct {
	Settled bool // it answered as recorded in the end
	// it answered at once, or when it was asked again, what the recording has as the answer to a later such request: the
	// API was further
	Early bool
	After time.Duration // from the first request to the last answer
	Looks int           // how often it was asked again
	// what it answered in the end, where it settled; nil where that was too large to be stored beside the first answer,
	// and in files of older versions
	End *Response
}

// Step is one recorded exchange together with what it answered in each run that has it, in the order of the runs.
type Step struct {
	Exchange     *Exchange
	Observations []*Observation
}

// Size is about how many bytes of memory the messages of a step take.
func (s Step) Size() int {
	n := s.Exchange.Size()
	for _, o := range s.Observations {
		n += len(o.Sent.Head) + len(o.Sent.Body)
		if o.Response != nil {
			n += len(o.Response.Head) + len(o.Response.Body)
		}
	}
	return n
}

// Sequence is a list of exchanges that must be replayed in order.
type Sequence struct {
	Name  string // telling, unique within a recording
	Steps []uint64
}
