package triage

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Verdict says whose fault a failure is.
type Verdict string

// The verdicts, those first that somebody has to look at.
const (
	Regression Verdict = "regression" // the API answered what it never did before
	Unknown    Verdict = "unknown"    // what is missing to tell is said
	Slip       Verdict = "slip"       // the suite's own: no answer can satisfy it
	State      Verdict = "state"      // state that was left over from earlier requests
	Volatile   Verdict = "volatile"   // a place that is known to move, within what holds of it
)

// Verdicts lists them in that order.
func Verdicts() []Verdict { return []Verdict{Regression, Unknown, Slip, State, Volatile} }

// Report is what is said of a CI run. Secrets are redacted. docs/triage.md documents its JSON.
type Report struct {
	Basis  Basis           `json:"basis"`
	Counts map[Verdict]int `json:"counts"` // of the tests, with all verdicts
	Tests  []Test          `json:"tests"`  // that failed, in the order of the verdicts
	// Unnoticed are answers of the run that are out of all that was seen, in tests that passed or in none: MaxUnnoticed
	// at most. They change no verdict.
	Unnoticed []Evidence `json:"unnoticed"`
	More      int        `json:"more_unnoticed"` // that are not listed
}

// MaxUnnoticed bounds the answers that are listed though no failed test has them.
const MaxUnnoticed = 20

// Basis is what the verdicts rest on.
type Basis struct {
	Recorded   bool `json:"run_recorded"` // the answers of the run are known
	Executions int  `json:"executions"`   // earlier ones, the recording among them; 0: none
	Map        bool `json:"map"`          // a map that was written earlier judges, or adds to the judgement
	// Doubt says why the run may be of another API than what it is judged by; "" where nothing says so.
	Doubt string `json:"doubt"`
}

// Test is a failed test with its verdict.
type Test struct {
	Test     string     `json:"test"`
	Suite    string     `json:"suite"` // the class, module or file; "": not known
	Failed   int        `json:"failed"`
	Of       int        `json:"of"`      // executions in this run's results
	Failure  string     `json:"failure"` // what its runner says first
	Where    string     `json:"where"`   // file:line; "": not known
	Verdict  Verdict    `json:"verdict"`
	Reason   string     `json:"reason"`  // why, as a sentence
	TiedBy   string     `json:"tied_by"` // how its exchanges were found, as of flaketap why; ""
	Tie      string     `json:"tie"`
	Evidence []Evidence `json:"evidence"` // what decided first; MaxEvidence at most
	Missing  []string   `json:"missing"`  // what would tell, where the verdict is unknown
	Next     []string   `json:"next"`     // what to do
}

// MaxEvidence bounds the evidence that is listed of a test.
const MaxEvidence = 5

// Evidence is one place of one answer.
type Evidence struct {
	Kind     string           `json:"kind"`     // as of [breach.Kind], or as of [suite.Finding] for a statement of the suite
	KnownBy  string           `json:"known_by"` // what ties it to the failure, as of flaketap why
	Method   string           `json:"method"`
	Target   string           `json:"target"`
	Status   int              `json:"status"`   // of the answer in this run, else as recorded; 0: none
	Exchange uint64           `json:"exchange"` // its number in the recording; 0: it has none there
	Place    exchange.Place   `json:"place"`
	Category mapfile.Category `json:"category"` // "" for a steady place
	Was      string           `json:"was"`      // raw tokens; "" for none
	Is       string           `json:"is"`
	Of       int              `json:"of"`   // answers in which a steady place never moved
	Says     string           `json:"says"` // as a sentence
	// Unsure says that these answers are too few to tell.
	Unsure bool `json:"unsure"`
}
