package search

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// glimpse is what a trial showed that nobody looked at: what looks wrong though all else is that of a known behavior,
// as a success after an answer that says no; or calls as none was known with, once nothing was looked for any more.
type glimpse struct {
	hunt     *hunt
	setting  setting
	sight    sight
	findings []Finding
	trial    int
}

// mostGlimpses is how many are kept in mind, and looked at in the end.
const mostGlimpses = 60

// glimpse keeps in mind what a trial of a setting showed, the first of each kind.
func (s *searcher) glimpse(h *hunt, set setting, seen sight, findings []Finding) {
	g := glimpse{h, set, seen, findings, s.done}
	if len(findings) == 0 && !s.over || g.busy() || slices.ContainsFunc(s.beside, g.like) || s.has(g) {
		return
	}
	if len(s.beside) >= mostGlimpses { // most have been looked at meanwhile
		s.beside = slices.DeleteFunc(s.beside, s.has)
	}
	if len(s.beside) < mostGlimpses {
		s.beside = append(s.beside, g)
	}
}

// busy reports whether the API asked one thing after the other when it was given up, and none of it over and over: it
// may have been about to end, so that this is how busy the machine is.
func (g glimpse) busy() bool {
	return g.sight.end == Hung && !slices.Contains(g.findings, Endless) &&
		slices.ContainsFunc(slices.Collect(maps.Values(g.sight.times)), func(times int) bool { return times >= manyTimes })
}

// like reports whether two show the same, whatever the API says: that may be a value that it gives back.
func (g glimpse) like(o glimpse) bool {
	return g.hunt == o.hunt && g.sight.rest == o.sight.rest && slices.Equal(g.findings, o.findings)
}

// has reports whether a behavior is found that is what was glimpsed.
func (s *searcher) has(g glimpse) bool {
	return slices.ContainsFunc(s.found, func(b *Behavior) bool {
		return g.like(glimpse{hunt: b.hunt, sight: b.sight, findings: b.Findings})
	})
}

// keepGlimpses finds the behaviors that were glimpsed, those first that look wrong, and that were not found since.
func (s *searcher) keepGlimpses(ctx context.Context) error {
	s.likely, s.purpose = nil, toConfirm
	all := s.beside
	s.beside = nil
	slices.SortStableFunc(all, func(a, b glimpse) int {
		return cmp.Compare(min(len(b.findings), 1), min(len(a.findings), 1))
	})
	for _, g := range all {
		if s.used() >= 1-s.kept || s.o.Trials-s.done < proofs {
			return nil
		}
		if s.has(g) {
			continue
		}
		if err := s.keep(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// keep tries what was glimpsed again, and finds its behavior if it is seen each time.
func (s *searcher) keep(ctx context.Context, g glimpse) error {
	var b *Behavior
	var records [][]*exchange.Exchange
	for range proofs {
		seen, out, err := s.tryAnew(ctx, g.hunt, g.setting)
		if err != nil || !g.like(glimpse{hunt: g.hunt, sight: seen, findings: findings(out, g.setting)}) {
			return err
		}
		records = withRecord(records, out)
		b = g.hunt.behavior(g.setting, seen, out, g.trial, records)
	}
	s.found = append(s.found, b)
	return nil
}
