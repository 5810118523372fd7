package findings

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxChanges is how many changes are told one by one.
const maxChanges = 500

// Since is what changed since an earlier map.
type Since struct {
	Recorded time.Time `json:"recorded,omitzero"` // of the earlier one; a lock has none
	Volatile int       `json:"volatile"`          // places, then
	Began    int       `json:"began"`
	Unseen   int       `json:"unseen"` // moving places that the earlier map never saw, or too seldom
	Stopped  int       `json:"stopped"`
	Judged   int       `json:"judged"` // otherwise
	Changes  []Change  `json:"changes"`
	More     int       `json:"more"`
	Notes    []string  `json:"notes"`
}

// Change is what became of a place, or of an operation.
type Change struct {
	Kind      mapfile.ChangeKind `json:"kind"`
	Operation string             `json:"operation"` // "GET /orders/{id} 200"
	Place     exchange.Place     `json:"place"`     // "" for the operation itself
	PlaceID   string             `json:"place_id"`  // "" where the place moves no more
	Before    string             `json:"before"`
	After     string             `json:"after"`
}

// Compare puts beside the findings what changed since an earlier map, and marks the places that it did not know to
// move.
func (f *Findings) Compare(old *mapfile.Map) {
	d := mapfile.Diff(old, f.Map)
	s := &Since{Recorded: old.Recording.Started, Volatile: old.Summary.Volatile(), Changes: []Change{},
		Notes: append([]string{}, d.Notes...)}
	began := map[string]mapfile.ChangeKind{}
	for _, kind := range []mapfile.ChangeKind{mapfile.Began, mapfile.Unseen, mapfile.Stopped, mapfile.Judged, mapfile.Came,
		mapfile.Went} {
		for _, c := range d.Of(kind) {
			told := told(kind, c)
			if told.PlaceID != "" && (kind == mapfile.Began || kind == mapfile.Unseen) {
				began[told.PlaceID] = kind
			}
			if c.Place == "" || kind != mapfile.Came && kind != mapfile.Went { // a place that came tells little
				s.tell(told)
			}
		}
	}
	s.Began, s.Unseen = len(d.Of(mapfile.Began)), len(d.Of(mapfile.Unseen))
	s.Stopped, s.Judged = len(d.Of(mapfile.Stopped)), len(d.Of(mapfile.Judged))
	for i, p := range f.Places {
		f.Places[i].Since = began[p.ID]
		at := slices.IndexFunc(f.Common, func(c Place) bool { return c.ID == p.Common })
		if at >= 0 && f.Common[at].Since == "" {
			f.Common[at].Since = began[p.ID]
		}
	}
	f.Since = s
}

// Words says what moves now and did not, or no longer.
func (s *Since) Words() string {
	return fmt.Sprintf("%d began to move, %d seen to move for the first time, %d stopped", s.Began, s.Unseen, s.Stopped)
}

func (s *Since) tell(c Change) {
	if len(s.Changes) == maxChanges {
		s.More++
		return
	}
	s.Changes = append(s.Changes, c)
}

// told puts a change into words.
func told(kind mapfile.ChangeKind, c mapfile.Change) Change {
	out := Change{Kind: kind, Operation: report.ShowEnds(c.Operation.String(), maxText) + " " + strconv.Itoa(c.Status),
		Place: c.Place, Before: judged(c.Old), After: judged(c.New)}
	if c.New != nil && c.New.Volatile() {
		out.PlaceID = PlaceID(&mapfile.Operation{Operation: c.Operation, Status: c.Status}, c.Place)
	}
	return out
}

// judged is a judgement with its category, "" for none.
func judged(f *mapfile.Field) string {
	if f == nil {
		return ""
	}
	if f.Category == "" {
		return report.Verdict(f.Judgement)
	}
	return report.Verdict(f.Judgement) + ", " + string(f.Category)
}
