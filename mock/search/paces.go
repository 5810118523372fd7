package search

import (
	"context"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search/pace"
)

// late reports whether an answer to one of the endpoints that were asked is held back.
func (s setting) late(asked []Endpoint) bool {
	return slices.ContainsFunc(asked, func(e Endpoint) bool {
		a := s[e]
		return a.Delay > 0 || a.Then != nil && a.Then.Delay > 0
	})
}

// pace is a trial of a setting, as the paces of the request are told by it.
func (v sight) pace(set setting) pace.Trial[setting] {
	return pace.Trial[setting]{Behavior: v.full(), Setting: set, Size: len(set), Late: v.late, Took: v.took}
}

// named is what tells a full sight from others of the request.
func (h *hunt) named(full string) string {
	if sign, _, _ := strings.Cut(full, "\x00"); h.quiet {
		return sign
	}
	return full
}

// paced keeps what is told from a known behavior by its pace alone. It runs in what the traces leave of the budget, and
// behind all else: nothing that a search finds otherwise depends on a clock.
func (s *searcher) paced(ctx context.Context) error {
	s.likely = nil
	known := len(s.found)
	for _, h := range s.hunts {
		for _, p := range h.paces.Pairs(h.named) {
			i := slices.IndexFunc(s.found[:known], func(b *Behavior) bool {
				return b.hunt == h && h.named(b.sight.full()) == h.named(p.Slow.Behavior)
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
func (s *searcher) provePace(ctx context.Context, known *Behavior, p pace.Pair[setting]) error {
	s.purpose = toPace
	h, at := known.hunt, s.done+1
	b, is, other := *known, p.Class, p.Usual
	b.setting, b.Trial, b.Proofs = p.Slow.Setting, at, nil
	if h.paces.Of(known.sight.pace(known.setting)) == p.Class {
		b.setting, is, other = p.Usual.Setting, pace.Usual, p.Slow
	}
	ran := map[bool][]pace.Trial[setting]{}
	for n, set := range []setting{b.setting, other.Setting, b.setting, b.setting} {
		seen, out, err := s.try(ctx, h, set)
		if err != nil || !known.is(seen, out) {
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
