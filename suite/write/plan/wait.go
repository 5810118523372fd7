package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/settle"
)

// Wait says that an API may still be at work when a step is sent first: it is sent again, with a short pause between,
// until an answer has the status and the values, or one of those that nothing good follows, or Patience is over. The
// last answer is the step's.
type Wait struct {
	Status   int
	Values   []Awaited
	InVain   []Awaited     // with any of them, and the status, the wait is over too: see [settle.Oracle]
	Patience time.Duration // in whole seconds
	Every    time.Duration // the pause, in whole milliseconds; 0 for [DefaultPause]
	Seen     settle.Times  // how long it took where it was seen; none where it was not
}

// DefaultPause is how long a step that is waited for is left alone before it is sent again, where nothing says how long
// that takes.
const DefaultPause = 100 * time.Millisecond

// Pause is how long the step is left alone before it is sent again.
func (w *Wait) Pause() time.Duration { return cmp.Or(w.Every, DefaultPause) }

// Comment says how long it took where it was seen, for people; "" where it was not.
func (w *Wait) Comment() string {
	if w == nil || w.Seen.N == 0 {
		return ""
	}
	shown := func(d time.Duration) string { return d.Round(time.Millisecond).String() }
	reads := "reads"
	if w.Seen.N == 1 {
		reads = "read"
	}
	return fmt.Sprintf("Ready %s after the write, %s at most, in %d %s.", shown(w.Seen.Median), shown(w.Seen.Longest),
		w.Seen.N, reads)
}

// Tells reports whether a wait, which may be nil, ends with one value at a place.
func (w *Wait) Tells(place exchange.Place) bool {
	return w != nil && (place == exchange.PlaceStatus ||
		slices.ContainsFunc(w.Values, func(v Awaited) bool { return v.Place == place }))
}

// Most is how long a wait, which may be nil, may take.
func (w *Wait) Most() time.Duration {
	if w == nil {
		return 0
	}
	return w.Patience
}

// Awaited is a value that is waited for.
type Awaited struct {
	Place exchange.Place
	JSON  json.RawMessage // a scalar
}

// maxAwaited bounds the values that are waited for.
const maxAwaited = 8

// Learn adds to a wait what was seen of such reads, where that may be shown: how long it takes, the words of its end,
// and those that end it in vain. o may be nil.
func (w *Wait) Learn(o *settle.Oracle, shown func(Awaited) bool) {
	if o == nil {
		return
	}
	w.Seen, w.Every = o.Times, o.Every()
	for _, v := range o.Values {
		a := Awaited{Place: v.Place, JSON: json.RawMessage(v.JSON)}
		if settle.IsWord(v.JSON) && !w.Tells(v.Place) && len(w.Values) < maxAwaited && shown(a) {
			w.Values = append(w.Values, a)
		}
	}
	for _, v := range o.InVain {
		if a := (Awaited{Place: v.Place, JSON: json.RawMessage(v.JSON)}); w.Tells(v.Place) && shown(a) {
			w.InVain = append(w.InVain, a)
		}
	}
}
