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
func stretches(begun []*Exchange) (all []stretch) {
	for _, e := range begun {
		end := e.Start.Add(e.Latency)
		if n := len(all); n > 0 && !e.Start.After(all[n-1].to) {
			if end.After(all[n-1].to) {
				all[n-1].to = end
			}
			continue
		}
		all = append(all, stretch{e.Start, end})
	}
	return all
}

// kind is what background calls have in common, as a scheduler asks the same again and again.
type kind struct{ scheme, addr, method, path string }

func kindOf(x *External) kind {
	path, _, _ := strings.Cut(x.Request.Target, "?")
	return kind{x.Scheme, x.Addr, x.Request.Method, path}
}

// background reports which calls are made in the background though an exchange was under way: those of a kind that
// the API asks in quiet times, too, and that came during exchanges no more often than these take of the time. By how
// much a count is beyond that by chance is taken for two of its standard deviations, its root, and one call. order is
// that of the externals by time.
func background(busy []stretch, externals []*External, order []int) func(*External) bool {
	if len(externals) == 0 {
		return func(*External) bool { return false }
	}
	type count struct{ quiet, during float64 }
	counts := map[kind]*count{}
	for _, x := range externals {
		c := counts[kindOf(x)]
		if c == nil {
			c = &count{}
			counts[kindOf(x)] = c
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
	quiet, taken := shares(busy, stretch{first, last})
	return func(x *External) bool {
		c := counts[kindOf(x)]
		if quiet < quietLeast || c.quiet < quietCalls {
			return false
		}
		expected := c.quiet * float64(taken) / float64(quiet)
		return c.during <= expected+2*math.Sqrt(expected)+1
	}
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
