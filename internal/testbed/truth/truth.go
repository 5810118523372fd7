package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Truth says of every place in an API's answers whether it moves, and why.
type Truth struct {
	About      []string    `json:"about"`      // how to read the file, for people
	Everywhere []Label     `json:"everywhere"` // what every operation has, where it has no label of its own for it
	Operations []Operation `json:"operations"`
}

// Operation is the truth about one operation with one status. The method and template "*" stand for any: refusals of
// one status look alike wherever they come from.
type Operation struct {
	Method   string  `json:"method"`
	Template string  `json:"template"`
	Status   int     `json:"status"`
	Places   []Label `json:"places"`
}

// Label is the truth about one place.
type Label struct {
	// Place is a place of an answer, with * for the elements of an array and the members of a map with data for keys.
	// What is said of such a place is said of the values that all of them have together, in any order.
	Place exchange.Place `json:"place"`
	// Label is Stable, Either, or the category of what moves: Time, Rand, Crypt, Unord, RunMsg, State, Env.
	Label string `json:"label"`
	// Needs says what must change for a moving place to be seen moving, where time and repetition alone do not do it.
	Needs Need `json:"needs,omitempty"`
	// List marks an array or a map whose membership moves: a verdict on what it holds is a verdict on it.
	List bool `json:"list,omitempty"`
	// Protocol marks a header that moves by the protocol's own rule; excluded from totals.
	Protocol bool `json:"protocol,omitempty"`
	// Note says why the place fools a mere look, or what its label rests on.
	Note string `json:"note,omitempty"`
}

// The labels that are no category.
const (
	Stable = "stable" // no repetition changes it
	// it follows from another place's moving: called stable or not, both are right; counts in no figure
	Either = "either"
)

// Need is a change that repetition alone does not bring.
type Need string

// The changes that some places need.
const (
	NeedMidnight  Need = "midnight"  // midnight, UTC, between the recording and the run
	NeedElsewhere Need = "elsewhere" // another machine, process or port
	NeedWeek      Need = "week"      // the end of a week, UTC, between the recording and the run
	NeedHours     Need = "hours"     // another part of the day than that of the recording
	NeedMinutes   Need = "minutes"   // some minutes between the recording and the run
	// a Saturday or a Sunday, UTC, where the recording is of another day, or the reverse
	NeedWeekend Need = "weekend"
	NeedMonth   Need = "month" // the end of a month, UTC, between the recording and the run
	// the last day of a month, UTC, where the recording is of another day, or the reverse
	NeedMonthEnd Need = "monthend"
	NeedYear     Need = "year"       // the end of a year, UTC, between the recording and the run
	NeedRepeats  Need = "repetition" // more of it than ten runs: what moves in fewer than one of a hundred answers
)

// Needs lists the needs, that of none first.
func Needs() []Need {
	return []Need{"", NeedMinutes, NeedHours, NeedMidnight, NeedWeek, NeedWeekend, NeedMonth, NeedMonthEnd, NeedYear,
		NeedElsewhere, NeedRepeats}
}

// Moves reports whether the label says that the place moves.
func (l Label) Moves() bool { return l.Label != Stable && l.Label != Either }

// Read reads a truth file. A member that it does not know is an error: a label that is misspelt says nothing.
func Read(file []byte) (Truth, error) {
	var t Truth
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t); err != nil {
		return t, fmt.Errorf("read truth file: %w", err)
	}
	return t, nil
}

// Labels returns the labels of an operation, those of everywhere included.
func (t *Truth) Labels(o *Operation) []Label {
	all := append([]Label{}, o.Places...)
	for _, e := range t.Everywhere {
		if !Has(o.Places, e.Place) {
			all = append(all, e)
		}
	}
	return all
}

// Has reports whether one of the labels is that of the place, as it is written.
func Has(labels []Label, p exchange.Place) bool {
	return slices.ContainsFunc(labels, func(l Label) bool { return l.Place == p })
}
