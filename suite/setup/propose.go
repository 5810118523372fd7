package setup

import (
	"context"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// rounds is how often a proposal is made anew by what the last one was answered.
const rounds = 3

// proposed tries what the recording proposes, and what it proposes further for what that is answered: a test of which
// one call fails shows only then what the next one depends on. It returns what brings the wanted about, or some of it.
func (q *inquiry) proposed(ctx context.Context) ([]uint64, error) {
	test := q.test
	steps, _ := q.Finder.Proposed(test)
	for n := 0; len(steps) > 0; n++ {
		t, err := q.steps(ctx, steps)
		if err != nil {
			return nil, err
		}
		if q.gained(t) {
			q.never = t.missed
			return steps, nil
		}
		if n == rounds {
			return nil, nil
		}
		test = answered(test, t.Answers)
		more, _ := q.Finder.Proposed(test)
		all, _ := q.Finder.Permitted(slices.Compact(slices.Sorted(slices.Values(slices.Concat(steps, more)))))
		if len(all) == len(steps) {
			return nil, nil
		}
		steps = all
	}
	return nil, nil
}

// reached has a test seen a trial's answers to the calls that no execution of the suite came to; false where there are
// none: a call that fails ends a test.
func reached(test []Wanted, answers []*exchange.Response) ([]Wanted, bool) {
	out, some := slices.Clone(test), false
	for i := range out {
		if len(out[i].Seen) == 0 && answers[i] != nil {
			out[i].Seen, some = []*exchange.Response{answers[i]}, true
		}
	}
	return out, some
}

// answered has a test seen a trial's answers and no others.
func answered(test []Wanted, answers []*exchange.Response) []Wanted {
	out := slices.Clone(test)
	for i := range out {
		out[i].Seen = nil
		if answers[i] != nil {
			out[i].Seen = []*exchange.Response{answers[i]}
		}
	}
	return out
}

// byOne tries steps that are too many with one login in the place of all. It returns them as they are where that is of
// no use.
func (q *inquiry) byOne(ctx context.Context, steps []uint64) ([]uint64, error) {
	for _, login := range q.Finder.logins(q.test, steps) {
		fewer := q.Finder.withLogin(q.test, steps, login)
		if len(fewer) >= len(steps) {
			continue
		}
		q.login = login
		t, err := q.steps(ctx, fewer)
		if err != nil {
			return nil, err
		}
		if q.hit(t) {
			return q.fewest(ctx, fewer)
		}
	}
	q.login = 0
	return steps, nil
}

// overwrites sends each step that makes what the client names once more behind all steps, and returns one that is not
// refused then, as it may write over what is there; "" where each is.
func (q *inquiry) overwrites(ctx context.Context, g Graft) (string, error) {
	for _, n := range q.Finder.named(g.exchanges()) {
		twice := loose(g)
		twice.CleanUp, twice.Steps = nil, append(twice.Steps, g.Steps[n])
		r, answers, err := q.rehearse(ctx, twice, nil)
		if err != nil {
			return "", err
		}
		if again := answers[r.steps+len(g.Steps)]; again == nil || again.Status/100 != 4 {
			path, _ := exchange.SplitTarget(g.Steps[n].Request.Target)
			return g.Steps[n].Request.Method + " " + path, nil
		}
	}
	return "", nil
}
