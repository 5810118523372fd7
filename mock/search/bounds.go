package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/mock/search/bound"
)

// proveBounds waits longer for what had no answer within the patience, once for each request and the services that it
// waits for: an answer that comes then is told as slow. It runs beyond the budget, and behind all else.
func (s *searcher) proveBounds(ctx context.Context) error {
	s.purpose = toOutwait
	groups, long := s.hanging(), bound.Long(s.o.Patience)
	for allowed := bound.Allow(long); len(groups) > 0; groups = groups[1:] {
		left := allowed.Left(long)
		if left == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		t := groups[0][0].outwaited(long)
		t.Likely = func(most int) (next []Trial) {
			for _, others := range groups[1:min(len(groups), left, most+1)] {
				next = append(next, others[0].outwaited(long))
			}
			return next
		}
		out, err := s.api.Try(ctx, t)
		if err != nil {
			return err
		}
		w := bound.Wait{Waited: cmp.Or(out.Took, long), Status: out.Status, Broke: out.End == Broke}
		allowed.Spend(w)
		for _, b := range groups[0] {
			b.outwait(w)
		}
	}
	return nil
}

// hanging are the behaviors without an answer, those together that wait for the same in the same request.
func (s *searcher) hanging() (groups [][]*Behavior) {
	at := map[string]int{}
	for _, b := range s.found {
		if b.End != Hung {
			continue
		}
		key := b.waitsFor()
		if i, known := at[key]; known {
			groups[i] = append(groups[i], b)
			continue
		}
		at[key] = len(groups)
		groups = append(groups, []*Behavior{b})
	}
	return groups
}

// waitsFor is a request with the endpoints that it waits for: those that are late, or else all that have an answer.
func (b *Behavior) waitsFor() string {
	late := slices.DeleteFunc(b.setting.endpoints(), func(e Endpoint) bool { return !b.setting.late([]Endpoint{e}) })
	if len(late) == 0 {
		late = b.setting.endpoints()
	}
	path, _, _ := strings.Cut(b.Request.Target, "?")
	key := b.Request.Method + " " + path
	for _, e := range late {
		key += "\n" + e.String()
	}
	return key
}

// outwaited is a trial that waits so long for a behavior, and for which services that are late are later than that.
func (b *Behavior) outwaited(long time.Duration) Trial {
	set := b.setting
	for _, e := range set.endpoints() {
		if set.late([]Endpoint{e}) {
			set = set.with(e, set[e].later(lateBy(long)))
		}
	}
	t := b.hunt.trial(set)
	t.Wait, t.Extra, t.Purpose = long, true, toOutwait
	return t
}

// later is an answer that is held back so long wherever it is held back.
func (a Answer) later(by time.Duration) Answer {
	if a.Delay > 0 {
		a.Delay = by
	}
	if a.Then != nil && a.Then.Delay > 0 {
		return a.then(a.Then.later(by))
	}
	return a
}

// outwait says what came of the wait for a behavior.
func (b *Behavior) outwait(w bound.Wait) {
	b.Wait = w
	if i := slices.Index(b.Findings, HangFinding); i >= 0 && w.Ended() {
		b.Findings = slices.Clone(b.Findings)
		b.Findings[i] = Slow
	}
}
