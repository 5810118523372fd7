package volatility

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// eventual counts what became of reads after a write that did not answer as recorded at once: a replay asks them again
// for a while, and sends nothing else meanwhile.
type eventual struct {
	settled int // they answered as recorded in the end
	early   int // they answered at once what the recording has later
	vain    int // they did not come to answer so
	longest time.Duration
}

// see takes in an observation that differs.
func (e *eventual) see(s *exchange.Settling) {
	switch {
	case s == nil:
	case s.Early:
		e.early++
	case s.Settled:
		e.settled++
		e.longest = max(e.longest, s.After)
	default:
		e.vain++
	}
}

// settles: whether something is there, and which word of a few, came right by itself when the same read was asked
// again. Only time passed in between, so it is the clock's, and no state that a request left behind.
func settles(t *fieldStats, _ conditions) []mapfile.Evidence {
	if e := t.eventual; e.settled == 0 || e.vain > 0 || !t.isStage() {
		return nil
	}
	within := 10 * time.Millisecond // in classes, as the time itself is another each time
	for within < t.eventual.longest {
		within *= 10
	}
	return saysOf(mapfile.SignEventual, within.String())
}

// isStage reports whether a place tells how far an API is: by the status, by what is there, or by words.
func (t *fieldStats) isStage() bool {
	k := t.kinds
	if t.place == exchange.PlaceStatus || k.added+k.removed+k.resized+k.retyped > 0 {
		return true
	}
	return t.values.shapes&notation.ShapeRandom == 0 && t.values.only(notation.String, notation.Boolean)
}
