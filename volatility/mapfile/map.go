package mapfile

import (
	"encoding/json"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/relation"
)

// Map is all judgements about one recording, by operation: the file that users export. In memory it always holds the
// stable places too.
type Map struct {
	Recording  exchange.Recording
	Runs       []exchange.Run
	Summary    Summary
	Warnings   []string // doubts about the whole: "no runs", "1 run only", "no reset"
	Operations []*Operation

	// Locked says that the map is a lock, or what one says of it: its fields have a judgement, a category and what
	// holds, in canonical words, and no figures, samples or fingerprints.
	Locked bool
}

// Summary counts places. Those that the protocol itself moves, and those that the user ignores, count in no figure.
type Summary struct {
	Places    int `json:"places"`
	Jitter    int `json:"jitter"`
	Drift     int `json:"drift"`
	WouldMove int `json:"would-move"`
	Hint      int `json:"hint"`
	Stable    int `json:"stable"`
}

// Volatile returns the number of places that moved or would move.
func (s Summary) Volatile() int { return s.Jitter + s.Drift + s.WouldMove }

// Operation is what an operation answered with one recorded status. That the status itself moves is a judgement about
// the place /status of the operation with the recorded one.
type Operation struct {
	exchange.Operation
	Status    int      // as recorded; 0 where the recording holds a fault
	Exchanges int      // recorded exchanges
	Fields    []*Field // in the order of their places

	index *node // finds the field of a concrete place; nil in a Map put together by hand
}

// Judgement says whether a place moves, and how that is known.
type Judgement string

// The judgements, the strongest first.
const (
	Jitter    Judgement = "jitter"     // moved, and the runs differ from each other
	Drift     Judgement = "drift"      // moved, but the runs agree with each other
	WouldMove Judgement = "would-move" // never moved, but what explains its value will: clock, environment, nonce
	Hint      Judgement = "hint"       // never moved and nothing explains it; it only looks like what moves elsewhere
	Stable    Judgement = "stable"
)

// Judgements lists the judgements, the strongest first.
func Judgements() []Judgement { return []Judgement{Jitter, Drift, WouldMove, Hint, Stable} }

// Category says why a place moves: the categories of the study of flaky fuzzer tests. A place that does not move has
// none.
type Category string

// The categories.
const (
	Time   Category = "Time"   // follows the clock
	Rand   Category = "Rand"   // differs between sends with nothing else changed
	Crypt  Category = "Crypt"  // digest, cipher, signature, token
	Unord  Category = "Unord"  // the same elements in another order
	RunMsg Category = "RunMsg" // addresses, threads, stack lines, names made at run time inside a message
	State  Category = "State"  // follows what was sent before
	Env    Category = "Env"    // host, port, process, locale, zone, file system
	GenErr Category = "GenErr" // the suite's own slip
	Unk    Category = "Unk"    // none of these
)

// Field is the judgement about one place.
type Field struct {
	Place     exchange.Place // array indexes are wildcards
	Judgement Judgement
	Category  Category // "" for Hint and Stable
	Changed   int      // observations that differ from the recorded value, of
	Of        int      // the observations beside the recording, pooled over the operation
	Bound     float64  // one-sided 95 % upper bound on the chance that the place moves
	Pooled    int      // the operations that the bound rests on, see [Map.PoolKinds]; 0 for this one alone

	Evidence []string // why, in the codes of [Evidence]: docs/map.md lists them
	// Explanations are the categories that something speaks for, the one that counts first, with the evidence for each.
	Explanations []Explanation
	Samples      []json.RawMessage // up to MaxSamples distinct values as raw JSON tokens, secrets redacted
	Holds        Holds             // what is true of every observation, and will be tomorrow

	// Fingerprints are those of the requests whose answers moved here, as hex digits. A Drift is said of these alone,
	// and of the whole operation where the list is empty because it grew past MaxFingerprints. For other judgements
	// they are examples.
	Fingerprints []string
	Protocol     bool     // moves by the protocol's own rule (Date, Age, framing): counted in no figure
	Warnings     []string // doubts about this judgement
	Rule         *Ruling  // the user's rule that decided; nil where none did
}

// The bounds on the lists of a Field.
const (
	MaxSamples      = 5
	MaxFingerprints = 10_000 // of a Drift
	MaxExamples     = 10     // fingerprints of any other judgement
)

// Volatile reports whether the place moved or would move.
func (f *Field) Volatile() bool {
	return f.Judgement == Jitter || f.Judgement == Drift || f.Judgement == WouldMove
}

// AppliesTo reports whether the judgement calls the place volatile in the answer to a request of that fingerprint. What
// jitters or would move does so in the whole operation; what drifted does so only where it was seen to. What the user
// ignores is taken for volatile in the whole operation, whatever it is judged to be.
func (f *Field) AppliesTo(fp exchange.Fingerprint) bool {
	if f.Ignored() {
		return true
	}
	switch f.Judgement {
	case Jitter, WouldMove:
		return true
	case Drift:
		return len(f.Fingerprints) == 0 || slices.Contains(f.Fingerprints, fp.String())
	}
	return false
}

// Holds is the strongest statement that is true of every observation of a place, the recording included, and is
// expected to stay true: generated tests assert it. Each member that is set is a statement of its own; a member that
// is not set states nothing. Values of secret places are never in it.
type Holds struct {
	// Type is a JSON type: "null", "boolean", "integer", "number", "string", "array", "object"; several are joined by
	// "|" in this order: "null|string". "integer" is a number written without fraction or exponent.
	Type string `json:"type,omitempty"`
	// the raw token that the place has in every exchange of the operation
	Equal json.RawMessage   `json:"equal,omitempty"`
	OneOf []json.RawMessage `json:"one_of,omitempty"`
	// Order is "any" where an array is the recorded multiset of elements, in any order; "set" where it is the recorded
	// set of them, each as often as may be.
	Order string `json:"order,omitempty"`
	// Format is what every value that is not null is written as: see docs/map.md.
	Format string `json:"format,omitempty"`
	// Pattern is an anchored regular expression that every string matches, readable to RE2 and to Python's re alike.
	Pattern   string      `json:"pattern,omitempty"`
	Min       json.Number `json:"min,omitempty"`
	Max       json.Number `json:"max,omitempty"`
	MinLength *int        `json:"min_length,omitempty"` // characters of a string, elements of an array
	MaxLength *int        `json:"max_length,omitempty"`
	Clock     int         `json:"clock,omitempty"` // the value is a time within so many seconds of the answer
	// the value is (or for /header/host holds) that of this place of the request
	Echo string `json:"echo,omitempty"`
	// the value is one that an earlier answer gave: "POST /orders /body/id"
	Bound string `json:"bound,omitempty"`
	// the place is not always there; the rest is said of it where it is
	Optional bool `json:"optional,omitempty"`
	// Monotone is "rising" for a number that was never smaller in a later exchange of the recording, nor in a later
	// run.
	Monotone string `json:"monotone,omitempty"`
	// Captures say what the gaps of Pattern hold, in their order.
	Captures []Capture `json:"captures,omitempty"`
	// Relations say how the value follows from those of other places of the same answer, at most eight.
	Relations []relation.Relation `json:"relations,omitempty"`
}

// Operation returns the operation with the given recorded status, nil where the map has none.
func (m *Map) Operation(op exchange.Operation, status int) *Operation {
	for _, o := range m.Operations {
		if o.Operation == op && o.Status == status {
			return o
		}
	}
	return nil
}

// Unsure returns the number of operations in which a stable status may change with a chance above bound: too few
// answers were seen, and what moves seldom in them may have been missed. It tells of maps that list stable places.
func (m *Map) Unsure(bound float64) int {
	n := 0
	for _, o := range m.Operations {
		if f := o.At(exchange.PlaceStatus); f != nil && !f.Volatile() && f.Bound > bound {
			n++
		}
	}
	return n
}

// At returns the field of a concrete place: the one of that very place, else the one whose wildcards match it; nil
// where there is none.
func (o *Operation) At(place exchange.Place) *Field {
	if o.index != nil {
		return o.index.find(place)
	}
	var found *Field
	for _, f := range o.Fields {
		if f.Place == place {
			return f
		}
		if found == nil && f.Place.Matches(place) {
			found = f
		}
	}
	return found
}

// Volatile returns the field that makes a concrete place volatile in the answer to a request of that fingerprint, and
// nil where nothing does. That is the field of the place itself; or of something it is a part of (an array that is
// reordered, an object that is not always there); or that of the status, without which nothing else can be relied on.
func (o *Operation) Volatile(place exchange.Place, fp exchange.Fingerprint) *Field {
	for p := place; p != ""; p = p.Parent() {
		if f := o.At(p); f != nil && f.AppliesTo(fp) {
			return f
		}
	}
	if f := o.At(exchange.PlaceStatus); f != nil && f.AppliesTo(fp) {
		return f
	}
	return nil
}

// Explanation is one answer to why a place moves, with what speaks for it.
type Explanation struct {
	Category Category `json:"category"`
	// Weight is the share of this category's evidence in all the evidence there is, from 0 to 1: how strong its
	// strongest code is beside the strongest ones of the others. It is no probability.
	Weight   float64  `json:"weight"`
	Evidence []string `json:"evidence"`
}

// Capture is a variable part of the texts that [Holds].Pattern describes. A pattern has as many as it has gaps, in
// their order.
type Capture struct {
	// Is says what the part was seen to hold: "number", "date", "time", "uuid", "hex", "duration", "word" (letters
	// alone), or "text".
	Is   string         `json:"is"`
	Echo exchange.Place `json:"echo,omitempty"` // the part is the value of this place of the request
}
