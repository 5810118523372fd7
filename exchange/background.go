package exchange

import (
	"math"
	"sort"
	"strings"
	"time"
)

const (
	// quietAfter is how long after an answer what the API asks may still be that exchange's doing.
	quietAfter = 250 * time.Millisecond
	// quietMost bounds what counts of one quiet time: the API may not have run in all of it, as between two passes.
	quietMost = time.Minute
	// quietLeast is how much quiet time tells something.
	quietLeast = time.Second
	// quietCalls is how many calls in it do.
	quietCalls = 3
)

// stretch is a time from which to which exchanges were under way.
type stretch struct{ from, to time.Time }

// stretches are the times in which exchanges, sorted by their beginning, were under way.
func stretches(begun []*Incoming) (all []stretch) {
	for _, e := range begun {
		if n := len(all); n > 0 && !e.Start.After(all[n-1].to) {
			if e.End.After(all[n-1].to) {
				all[n-1].to = e.End
			}
			continue
		}
		all = append(all, stretch{e.Start, e.End})
	}
	return all
}

// kind is what background calls have in common, as a scheduler asks the same again and again.
type kind struct{ scheme, addr, method, path string }

func kindOf(x *External) kind {
	path, _, _ := strings.Cut(x.Request.Target, "?")
	return kind{x.Scheme, x.Addr, x.Request.Method, path}
}

// background is what quiet times show of the externals that came in them.
type background struct {
	counts       map[kind]*kindCount
	quiet, taken time.Duration // how much of the time was quiet, and how much exchanges took
}

// kindCount is how many externals of a kind came in quiet times, and how many during exchanges.
type kindCount struct{ quiet, during float64 }

// newBackground counts externals; order is that of them by time.
func newBackground(busy []stretch, externals []Outgoing, order []int) *background {
	b := &background{counts: map[kind]*kindCount{}}
	if len(externals) == 0 {
		return b
	}
	for _, x := range externals {
		c := b.counts[kindOf(x.External)]
		if c == nil {
			c = &kindCount{}
			b.counts[kindOf(x.External)] = c
		}
		i := sort.Search(len(busy), func(i int) bool { return busy[i].from.After(x.Start) })
		switch {
		case i == 0 || x.Start.Sub(busy[i-1].to) >= quietAfter:
			c.quiet++
		case !x.Start.After(busy[i-1].to):
			c.during++
		}
	}
	first, last := externals[order[0]].Start, externals[order[len(order)-1]].Start
	b.quiet, b.taken = shares(busy, stretch{first, last})
	return b
}

// inQuiet reports whether externals like this one came in quiet times.
func (b *background) inQuiet(x *Outgoing) bool { return b.counts[kindOf(x.External)].quiet > 0 }

// apart reports whether an external is made in the background though an exchange was under way: one of a kind that the
// API asks in quiet times, too, and that came during exchanges no more often than these take of the time. By how much a
// count is beyond that by chance is taken for two of its standard deviations, its root, and one call.
func (b *background) apart(x *Outgoing) bool {
	c := b.counts[kindOf(x.External)]
	if b.quiet < quietLeast || c.quiet < quietCalls {
		return false
	}
	expected := c.quiet * float64(b.taken) / float64(b.quiet)
	return c.during <= expected+2*math.Sqrt(expected)+1
}

// shares are how much of a time is quiet, and how much exchanges take.
func shares(busy []stretch, of stretch) (quiet, taken time.Duration) {
	from := of.from
	for _, s := range append(busy[:len(busy):len(busy)], stretch{of.to, of.to}) {
		quiet += min(max(of.clamped(s.from).Sub(from), 0), quietMost)
		taken += of.clamped(s.to).Sub(of.clamped(s.from))
		from = s.to.Add(quietAfter)
	}
	return quiet, taken
}

// clamped is a moment, or the end of the time that it is out of.
func (s stretch) clamped(at time.Time) time.Time {
	if at.Before(s.from) {
		return s.from
	}
	if at.After(s.to) {
		return s.to
	}
	return at
}
