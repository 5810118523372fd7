package volatility

import (
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// An answer that may be kept (Cache-Control, Expires) is the same while it is, however often it is asked for: of what
// is in it, ten quick runs say as much as one. What moves in it only once it has expired follows no clock for that; it
// is made anew then, from whatever it is made of.

// expiry counts the concrete places of all steps, in answers that may be kept, at which something moved.
type expiry struct {
	fits, broken int // it moved as what is made anew once it has expired does, or more often
	kept         time.Duration
}

// seeExpiry sees whether a place moved as what is cached does: it is the same within the time that the answer may be
// kept, and no two changes are nearer to each other than that. One change alone may have any reason, unless it came in
// a run that waited for it.
func (w *stepAnalysis) seeExpiry(c *change, views []*answerView) {
	if w.exchange.Response == nil || w.inRow || !w.rec.at.Known() {
		return
	}
	kept := w.exchange.Response.Freshness()
	if kept == 0 {
		return
	}
	last, at, stayed := "", w.rec.at.From, 0
	var changed []time.Time // the last moment before each change
	fits, waited := true, false
	for i, s := range views {
		if !s.at.Known() {
			return
		}
		switch {
		case c.after[i] != last:
			fits = fits && (len(changed) == 0 || s.at.To.Sub(changed[len(changed)-1]) >= kept)
			changed = append(changed, at)
			waited = waited || slices.Contains(movesTime, w.judge.runs.perturbed[s.run]) && s.at.From.Sub(at) >= kept
		case s.at.From.Sub(at) < kept:
			stayed++
		}
		last, at = c.after[i], s.at.From
	}
	x := &c.stats.expiry
	switch {
	case !fits:
		x.broken++
	case stayed > 0 && (waited || len(changed) > 1):
		x.fits++
		x.kept = max(x.kept, kept)
	}
}

// expires reports whether a place moved only once the answer had expired. What shows the clock is the clock's all the
// same.
func (t *fieldStats) expires(c conditions) bool {
	return t.expiry.fits > 0 && t.expiry.broken == 0 && len(followsClock(t, c)) == 0
}

// drawnForCache: it moved only once the answer had expired, between values that look drawn.
func drawnForCache(t *fieldStats, c conditions) []mapfile.Evidence {
	if !t.expires(c) || len(looksDrawn(t, c)) == 0 {
		return nil
	}
	return saysOf(mapfile.SignCached, t.expiry.kept.String())
}

// cached: the same, between values that do not.
func cached(t *fieldStats, c conditions) []mapfile.Evidence {
	if !t.expires(c) || len(looksDrawn(t, c)) > 0 {
		return nil
	}
	return saysOf(mapfile.SignCached, t.expiry.kept.String())
}

// lasting sees which answers of an operation may be kept for longer than any of its runs was later.
type lasting struct {
	longest time.Duration
	op      exchange.Operation
	more    int // operations of which that is so, beside this one
}

// stillKept says of which answers it was not seen what becomes of them; "" of none.
func stillKept(operations []*verdict.Operation) string {
	var all lasting
	for _, o := range operations {
		if o.Kept == 0 || o.Apart == 0 || o.Apart > o.Kept {
			continue
		}
		if all.longest > 0 {
			all.more++
		}
		if name := o.Key; o.Kept > all.longest || o.Kept == all.longest && name.String() < all.op.String() {
			all.longest, all.op = o.Kept, name
		}
	}
	if all.longest == 0 {
		return ""
	}
	of := all.op.String()
	if all.more > 0 {
		of += fmt.Sprintf(" and %d more", all.more)
	}
	return fmt.Sprintf("answers may be cached for longer than any run was later than the recording (%s: up to %s): "+
		"what changes when they expire was not seen", of, all.longest)
}
