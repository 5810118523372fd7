package build

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/waits/settle"
)

// An API that has accepted a write may still be at work when it is read. Where replays had to ask a read again until it
// answered as recorded, a test asks again too; what it answered in the end is asserted. How it answers on the way
// depends on how fast everybody is: of that the types are left.

const (
	// a read is waited for where at most one in so many replays asked in vain: there the work ended otherwise
	waitSupport = 5
	// waitMargin is how many times as long a test waits as the slowest replay did, within these bounds.
	waitMargin  = 5
	minPatience = 5 * time.Second
	maxPatience = time.Minute
	maxAwaited  = 8  // values that are waited for
	maxStates   = 10 // that a thing goes through
)

// readSlow finds the reads that are asked again, by exchange: the last of those that ask for one thing while the API
// is at work on it.
func (b *builder) readSlow() map[uint64]*plan.Wait {
	out := map[uint64]*plan.Wait{}
	oracles := settle.Learn(b.src.Operations, b.src.Steps)
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		if e.Request.Method != "GET" || setup.Unsendable(e) != "" || e.Response.Status >= 400 || b.answers.InVain(e.Seq) {
			continue
		}
		alike := b.alike(e)
		longest, ok := b.settled(alike)
		if !ok || onTheWay(e, alike) || returns(alike) {
			continue
		}
		w := &plan.Wait{Status: e.Response.Status, Values: b.awaited(e, alike)}
		w.Patience = min(max(waitMargin*longest, minPatience), maxPatience).Round(time.Second)
		w.Learn(oracles[e.Seq], b.shown)
		out[e.Seq] = w
	}
	return out
}

// shown reports whether a value may stand in a suite: it is no secret.
func (b *builder) shown(v plan.Awaited) bool {
	return !b.src.Redactor.Secret(v.Place) && !b.holdsSecret(plan.TextOf(string(v.JSON)))
}

// settled reports whether replays found reads done after asking again, or further than they were recorded, and after
// how long the slowest did.
func (b *builder) settled(alike []*exchange.Exchange) (longest time.Duration, ok bool) {
	asked, done := 0, 0
	for _, e := range alike {
		for _, o := range b.steps[e.Seq].Observations {
			if o.Settling == nil {
				continue
			}
			if asked++; o.Settling.Settled || o.Settling.Early {
				done++
				longest = max(longest, o.Settling.After)
			}
		}
	}
	return longest, done > 0 && (asked-done)*waitSupport <= asked
}

// alike lists the exchanges that sent the same read while nobody changed what it asks for, in recorded order.
func (b *builder) alike(e *exchange.Exchange) []*exchange.Exchange {
	var changes []uint64
	if paths := setup.Paths(&e.Request); len(paths) > 0 {
		changes = b.session.Changes(paths[len(paths)-1])
	}
	var out []*exchange.Exchange
	for _, seq := range b.session.Same(e.Seq) {
		from, to := min(seq, e.Seq), max(seq, e.Seq)
		if !slices.ContainsFunc(changes, func(w uint64) bool { return from < w && w < to }) {
			out = append(out, b.steps[seq].Exchange)
		}
	}
	return out
}

// onTheWay reports whether an answer is one on the way: a later one to the same read says something else.
func onTheWay(e *exchange.Exchange, alike []*exchange.Exchange) bool {
	return slices.ContainsFunc(alike, func(later *exchange.Exchange) bool {
		return later.Seq > e.Seq && differ(later.Response, e.Response)
	})
}

// returns reports whether answers to the same read go back to what they said before: that is no progress.
func returns(alike []*exchange.Exchange) bool {
	var states []*exchange.Response
	for _, e := range alike {
		if n := len(states); n > 0 && !differ(states[n-1], e.Response) {
			continue
		}
		again := func(r *exchange.Response) bool { return !differ(r, e.Response) }
		if len(states) == maxStates || slices.ContainsFunc(states, again) {
			return true
		}
		states = append(states, e.Response)
	}
	return false
}

// differ reports whether two answers tell of two states of a thing.
func differ(r, other *exchange.Response) bool {
	return r.Status != other.Status || len(turned(r, other)) > 0
}

// turned lists the words that one answer says in the place of another's.
func turned(before, after *exchange.Response) []plan.Awaited {
	var out []plan.Awaited
	for _, d := range compare.Responses(before, after) {
		if _, _, part := d.Place.Text(); part || d.Place.Root() != "body" || d.Kind != compare.Changed ||
			!settle.IsWord(d.Before) || !settle.IsWord(d.After) {
			continue
		}
		out = append(out, plan.Awaited{Place: d.Place, JSON: json.RawMessage(d.After)})
	}
	return out
}

// awaited lists the values of an answer that tell that the API is done: the words that were others before, or where no
// earlier answer was recorded, all words that hold still.
func (b *builder) awaited(e *exchange.Exchange, alike []*exchange.Exchange) []plan.Awaited {
	var out []plan.Awaited
	for _, before := range alike {
		if before.Seq < e.Seq {
			out = append(out, turned(before.Response, e.Response)...)
		}
	}
	if len(out) == 0 {
		op := b.operation(e)
		compare.Walk(e.Response, func(place exchange.Place, raw string) {
			if place.Root() == "body" && settle.IsWord(raw) && (op == nil || op.At(place) == nil) {
				out = append(out, plan.Awaited{Place: place, JSON: json.RawMessage(raw)})
			}
		})
	}
	out = slices.DeleteFunc(out, func(v plan.Awaited) bool { return !b.shown(v) })
	slices.SortFunc(out, func(a, b plan.Awaited) int { return strings.Compare(string(a.Place), string(b.Place)) })
	out = slices.CompactFunc(out, func(a, b plan.Awaited) bool { return a.Place == b.Place })
	return out[:min(len(out), maxAwaited)]
}

// waitedFor lists the reads that the recording waited for before an exchange, of the same things that its session made:
// what came when these were done comes then in a test too.
func (b *builder) waitedFor(e *exchange.Exchange) []uint64 {
	last := map[*exchange.Binding]uint64{}
	for seq := range b.waits {
		if seq >= e.Seq {
			continue
		}
		for _, w := range b.session.Takes(seq) {
			if b.session.Made(w.Binding) {
				last[w.Binding] = max(last[w.Binding], seq)
			}
		}
	}
	var out []uint64
	for _, t := range b.session.Takes(e.Seq) {
		if seq, ok := last[t.Binding]; ok && !slices.Contains(out, seq) {
			out = append(out, seq)
		}
	}
	return out
}

// dependOnProgress weakens the answer to a read that another test, or another machine, finds further on, or less far.
func (b *builder) dependOnProgress(a *asserting, l *dependence) {
	if b.waits[a.e.Seq] != nil {
		return
	}
	alike := b.alike(a.e)
	if !slices.ContainsFunc(alike, func(e *exchange.Exchange) bool { return b.waits[e.Seq] != nil }) {
		return
	}
	for _, other := range alike {
		if other.Response.Status != a.e.Response.Status {
			l.statuses = append(l.statuses, other.Response.Status)
			continue
		}
		l.differ(a, refute.Differences(a.e.Response, other.Response))
	}
}
