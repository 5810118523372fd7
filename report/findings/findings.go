package findings

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/report/waiting"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Findings is all that a report shows. Secrets are tokens in it.
type Findings struct {
	Flaketap   string             `json:"flaketap"` // "report"
	Version    int                `json:"version"`
	Title      string             `json:"title"`
	Recorded   time.Time          `json:"recorded"`
	Exchanges  int                `json:"exchanges"`
	Headline   Headline           `json:"headline"`
	Warnings   []string           `json:"warnings"`
	Summary    mapfile.Summary    `json:"summary"`
	Categories []CategoryCount    `json:"categories"` // of volatile places
	Runs       []Run              `json:"runs"`
	Operations []Operation        `json:"operations"`
	Common     []Place            `json:"common"` // that most operations share: once for all of them
	Places     []Place            `json:"places"` // the volatile ones, by operation; of the common ones only their id
	Hints      []Hint             `json:"hints"`
	Sequences  []Sequence         `json:"sequences"` // those that went otherwise first, then those at risk
	Left       Left               `json:"left_out"`
	Tests      []Test             `json:"tests"`     // of the suite; none where no suite was read, and no runs of one
	Since      *Since             `json:"since"`     // null without an earlier map
	Rates      *Rates             `json:"rates"`     // null where nothing ran the suite
	Services   *inspect.Externals `json:"services"`  // null where the API asked none
	Behaviors  []Behavior         `json:"behaviors"` // that a search found; null where none is told of
	Waits      *waiting.Panel     `json:"waits"`     // null where nothing is known of any

	Map *mapfile.Map `json:"-"` // the whole judgement, for the forms that have room for it

	redactor exchange.Redactor // of the recording
}

// AddWaits puts beside the findings what waits record or waits tune wrote to files.
func (f *Findings) AddWaits(paths []string) error {
	for _, path := range paths {
		if f.Waits == nil {
			f.Waits = waiting.New()
		}
		if err := f.Waits.AddFile(path, f.redactor); err != nil {
			return err
		}
	}
	return nil
}

// Headline is what is read first.
type Headline struct {
	// Unit is what the next three count: "test" where a suite was read or run, else "sequence".
	Unit          string   `json:"unit"`
	AtRisk        int      `json:"at_risk"`
	Of            int      `json:"of"`
	NotReproduced int      `json:"not_reproduced"` // sequences that went otherwise in some run
	Sequences     int      `json:"sequences"`
	Actions       []Action `json:"actions"` // what to do, what helps most first
}

// Action is one thing to be done, and what it would help.
type Action struct {
	report.Advice
	Places    int  `json:"places"`
	Sequences int  `json:"sequences"` // in the answers of which such a place is
	outcome   bool // one of the places is a status
}

// CategoryCount is how many places move for one reason.
type CategoryCount struct {
	Category mapfile.Category `json:"category"`
	Says     string           `json:"says"`
	Places   int              `json:"places"`
}

// Run is one further execution of the recording, under its conditions.
type Run struct {
	Number        int       `json:"number"`
	Words         string    `json:"words"` // "replayed, after a reset, delay=2s"
	Label         string    `json:"label,omitempty"`
	Started       time.Time `json:"started,omitzero"`
	Ended         time.Time `json:"ended,omitzero"`
	Target        string    `json:"target"`
	Answers       int       `json:"answers"`
	Lost          int       `json:"lost"`
	Added         int       `json:"added"`
	Moved         int       `json:"moved"`          // volatile places that differed from the recording in it
	NotReproduced int       `json:"not_reproduced"` // sequences that went otherwise in it
	// Aside says why a run counts in nothing that is told run by run: it repeats requests, or sent values on purpose
	// that mean nothing; "" for a run that counts.
	Aside string `json:"aside,omitempty"`
}

// Operation is what an operation answered with one recorded status.
type Operation struct {
	ID        string  `json:"id"`
	Operation string  `json:"operation"` // "GET /orders/{id}"
	Status    int     `json:"status"`    // as recorded; 0: a fault
	Exchanges int     `json:"exchanges"`
	Volatile  int     `json:"volatile"`
	Steady    int     `json:"steady"` // places that did not move
	Bound     float64 `json:"bound"`  // the largest among those
	ByRun     []InRun `json:"by_run"`
}

// InRun is what became of an operation in a run.
type InRun struct {
	Run       int `json:"run"`
	Answers   int `json:"answers"`
	Moved     int `json:"moved"`     // places that differed in some answer
	Otherwise int `json:"otherwise"` // answers with another status than the recorded one
}

// Place is the judgement about a place that moves or would, with what was seen of it.
type Place struct {
	ID        string            `json:"id"`
	Operation string            `json:"operation"` // the id of its operation; "" for a common place
	Place     exchange.Place    `json:"place"`
	Common    string            `json:"common,omitempty"` // the id of the common place that says all of this one
	Judgement mapfile.Judgement `json:"judgement,omitempty"`
	Category  mapfile.Category  `json:"category,omitempty"`
	Changed   int               `json:"changed,omitempty"`
	Of        int               `json:"of,omitempty"`
	Bound     float64           `json:"bound,omitempty"`
	Pooled    int               `json:"pooled,omitempty"` // operations that the bound rests on; 0: this one
	Reasons   []report.Reason   `json:"reasons,omitempty"`
	// Rivals are other categories that something speaks for.
	Rivals     []report.Explanation `json:"rivals,omitempty"`
	Holds      []string             `json:"holds,omitempty"` // in words
	Do         report.Advice        `json:"do,omitzero"`
	Settle     []report.Experiment  `json:"settle,omitempty"` // what would settle what is in doubt
	Conditions []Condition          `json:"conditions,omitempty"`
	ByRun      []report.WhyRun      `json:"by_run,omitempty"`
	Seen       []Seen               `json:"seen,omitempty"`    // some exchanges in which it moved
	Samples    []string             `json:"samples,omitempty"` // values seen, where it did not move
	Warnings   []string             `json:"warnings,omitempty"`
	Ruled      string               `json:"ruled,omitempty"`  // the kind of the user's rule that decided
	Since      mapfile.ChangeKind   `json:"since,omitempty"`  // began, unseen or came, where an earlier map was given
	Except     []string             `json:"except,omitempty"` // operations that lack a common place
	Folded     int                  `json:"folded,omitempty"` // operations that a common place speaks for
}

// Condition is how often a place moved in the runs under one condition.
type Condition struct {
	Words string `json:"words"`
	Runs  []int  `json:"runs"`
	Moved int    `json:"moved"` // answers, of
	Of    int    `json:"of"`
}

// Seen is what one exchange had at a place, recorded and in each run.
type Seen struct {
	Seq      uint64         `json:"seq"`
	Request  string         `json:"request"`
	Place    exchange.Place `json:"place"`    // without wildcards
	Recorded string         `json:"recorded"` // a JSON token; "" where nothing was there
	Runs     []SeenRun      `json:"runs"`
}

// SeenRun is what one run had there.
type SeenRun struct {
	Run       int    `json:"run"`
	Moved     bool   `json:"moved"`
	Value     string `json:"value"`               // "" where nothing was there
	Otherwise string `json:"otherwise,omitempty"` // the other status with which it was answered: not compared
}

// Hint is a place that did not move, but looks as if it might. It disables nothing.
type Hint struct {
	Operation string         `json:"operation"`
	Place     exchange.Place `json:"place"`
	Looks     []string       `json:"looks"`
	Samples   []string       `json:"samples"`
}

// Risk says what a sequence has to fear.
type Risk string

// The risks, the worst first.
const (
	NotReproduced Risk = "not-reproduced" // in some run it was answered with another status, or could not be sent on
	AtRisk        Risk = "at-risk"        // a status or a part of a body that it was answered moves
	Steady        Risk = "steady"
)

// Sequence is exchanges that belong together: one test case, or one session of the client.
type Sequence struct {
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Pass       int                `json:"pass"`
	Risk       Risk               `json:"risk"`
	Exchanges  int                `json:"exchanges"`
	Places     int                `json:"places"` // that move in its answers, in status and body
	Categories []mapfile.Category `json:"categories"`
	Otherwise  []int              `json:"otherwise"` // the runs in which it went otherwise
	Do         string             `json:"do"`
	Steps      []SequenceStep     `json:"steps"` // the first of them
	Bindings   []Binding          `json:"bindings"`
}

// SequenceStep is one exchange of a sequence.
type SequenceStep struct {
	Seq     uint64  `json:"seq"`
	Request string  `json:"request"` // "GET /orders/7"
	Outcome string  `json:"outcome"` // the status, or the kind of a fault
	Begins  float64 `json:"begins_ms"`
	Took    float64 `json:"took_ms"`
	Places  int     `json:"places"` // that move in its answer, in status and body
	Runs    []Went  `json:"runs"`
}

// Went is how an exchange went in a run.
type Went struct {
	Run int `json:"run"`
	// How is "same", "moved" (a part of the answer differed), "otherwise" (another status or a fault), or "missing".
	How     string `json:"how"`
	Outcome string `json:"outcome,omitempty"` // where that was another
}

// Binding is a value that one answer of a sequence gave and a later request of it used.
type Binding struct {
	Name  string         `json:"name"`
	Value string         `json:"value"`
	From  uint64         `json:"from"`
	Place exchange.Place `json:"place"`
	Uses  []exchange.Ref `json:"uses"`
}

// Left is how much of long lists is left out.
type Left struct {
	Operations int `json:"operations"`
	Places     int `json:"places"`
	Hints      int `json:"hints"`
	Sequences  int `json:"sequences"`
	Runs       int `json:"runs"` // the oldest, in what is told run by run
}

// Test is a test of a suite that is at risk, or failed.
type Test struct {
	Name   string  `json:"name"`
	File   string  `json:"file"`
	Line   int     `json:"line"`   // 0: not known
	Before *Failed `json:"before"` // null where it did not run, or did not fail
	After  *Failed `json:"after"`
	Why    string  `json:"why"`
	Claims []Claim `json:"claims"` // that executions contradict, or that are about a place that moves
}

// Failed is how often a test failed.
type Failed struct {
	Failed int `json:"failed"`
	Of     int `json:"of"`
}

// Claim is an assertion that some execution contradicts.
type Claim struct {
	File      string           `json:"file"`
	Line      int              `json:"line"`
	Statement string           `json:"statement"`
	Place     exchange.Place   `json:"place"`    // "": none
	PlaceID   string           `json:"place_id"` // of the place that moves; "": none
	Category  mapfile.Category `json:"category"`
	Failed    int              `json:"failed"`
	Of        int              `json:"of"`
	Reason    string           `json:"reason"`
}
