package search

import (
	"context"
	"slices"

	"github.com/flaketap/flaketap/mock/search/pace"
)

// late reports whether an answer to one of the endpoints that were asked is held back.
func (s setting) late(asked []Endpoint) bool {
	return slices.ContainsFunc(asked, func(e Endpoint) bool {
		a := s[e]
		return a.Delay > 0 || a.Then != nil && a.Then.Delay > 0
	})
}

// attempt is a setting, and what a trial of it showed.
type attempt struct {
	sight   sight
	setting setting
}

// pace is a trial of a setting, as the paces of the request are told by it.
func (v sight) pace(set setting) pace.Trial[attempt] {
	return pace.Trial[attempt]{Of: attempt{v, set}, Size: len(set), Late: v.late, Took: v.took}
}

// paced keeps what is told from a known behavior by its pace alone. It runs in what the traces leave of the budget, and
// behind all else: nothing that a search finds otherwise depends on a clock.
func (s *searcher) paced(ctx context.Context) error {
	s.likely = nil
	known := len(s.found)
	for _, h := range s.hunts {
		for _, p := range h.paces.Pairs(func(a attempt) string { return h.key(a.sight) }) {
			i := slices.IndexFunc(s.found[:known], func(b *Behavior) bool {
				return b.hunt == h && h.key(b.sight) == h.key(p.Slow.Of.sight)
			})
			if i < 0 || s.o.Trials-s.done <= proofs {
				continue
			}
			if err := s.provePace(ctx, s.found[i], p); err != nil {
				return err
			}
		}
	}
	for _, b := range s.found[known:] {
		if err := s.minimize(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// provePace tries one of two paces of a behavior three times, that at which it is not known yet, with a trial of the
// other one between, and keeps it where they are as far apart each time.
func (s *searcher) provePace(ctx context.Context, known *Behavior, p pace.Pair[attempt]) error {
	s.purpose = toPace
	h, at := known.hunt, s.done+1
	b, is, other := *known, p.Class, p.Usual
	b.setting, b.Trial, b.Proofs = p.Slow.Of.setting, at, nil
	if h.paces.Of(known.sight.pace(known.setting)) == p.Class {
		b.setting, is, other = p.Usual.Of.setting, pace.Usual, p.Slow
	}
	ran := map[bool][]pace.Trial[attempt]{}
	for n, set := range []setting{b.setting, other.Of.setting, b.setting, b.setting} {
		seen, out, err := s.try(ctx, h, set)
		if err != nil || !known.is(seen, out, set) {
			return err
		}
		slow := (n == 1) == (is == pace.Usual)
		if ran[slow] = append(ran[slow], seen.pace(set)); !slow == (h.paces.Of(seen.pace(set)) != pace.Usual) {
			return nil
		}
		if n != 1 {
			b.sight, b.Calls, b.body, b.Proofs = seen, out.Calls, out.Body, withRecord(b.Proofs, out)
		}
	}
	if h.paces.Holds(p.Class, ran[true], ran[false]) {
		b.Pace, b.paced = is, true
		if s.found = append(s.found, &b); is == pace.Usual {
			known.Pace = p.Class
		}
	}
	return nil
}
