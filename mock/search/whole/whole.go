package whole

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/mappings"
	"github.com/flaketap/flaketap/mock/search/shape"
)

// Purpose is that of the trials that run for this.
const Purpose search.Purpose = "answers made whole"

const (
	// proofs is how often a behavior is seen with the stubs that it is kept with.
	proofs = 3
	// perBehavior is how many trials look for what can be added to the stubs of one behavior, at most.
	perBehavior = 6
)

// filler fills the stubs of behaviors, by so many trials at most.
type filler struct {
	api        search.API
	found      search.Result
	done, most int
	progress   func(done, total int)
	goods      map[string][]file // those of behaviors that are good, by requests
	// answers are the good answers, by the names of stubs.
	answers map[string][]any
}

// Fill sets [search.Behavior.Whole] of the behaviors of a search, as far as so many trials reach: first of those with
// findings, then of failures, and of these of those that ask most. Their API is the one that was searched. When the
// context ends, or the API fails, what was proven until then stays, and the error is returned. progress is told how
// many trials are done; nil tells nobody.
func Fill(ctx context.Context, api search.API, found search.Result, most int, progress func(done, total int)) error {
	f := &filler{api: api, found: found, most: most, progress: progress, goods: map[string][]file{},
		answers: map[string][]any{}}
	for _, b := range found.Behaviors {
		if isGood(b) {
			if err := f.learn(b); err != nil {
				return err
			}
		}
	}
	order := slices.Clone(found.Behaviors)
	slices.SortStableFunc(order, func(a, b *search.Behavior) int {
		return cmp.Or(cmp.Compare(lateness(a), lateness(b)), cmp.Compare(len(b.Calls), len(a.Calls)))
	})
	for _, b := range order {
		if b.End != search.Answered || b.Pace != "" || len(b.Proofs) == 0 {
			continue // nothing of an answer says whether it is still this behavior
		}
		if err := f.fill(ctx, b); err != nil {
			return fmt.Errorf("make answers whole: %w", err)
		}
	}
	return nil
}

// learn takes the answers of a behavior that is good.
func (f *filler) learn(b *search.Behavior) error {
	stubs, err := read(b.Stubs)
	if err != nil {
		return err
	}
	f.goods[key(b.Request)] = append(f.goods[key(b.Request)], stubs)
	for _, s := range stubs {
		if s.isPlain() {
			f.answers[s.name()] = append(f.answers[s.name()], s.json())
		}
	}
	return nil
}

// isGood reports whether all went well, as far as anybody can see.
func isGood(b *search.Behavior) bool {
	return b.End == search.Answered && b.Status/100 == 2 && len(b.Findings) == 0
}

// lateness is how late it is the turn of a behavior.
func lateness(b *search.Behavior) int {
	switch {
	case len(b.Findings) > 0:
		return 0
	case b.Status/100 != 2:
		return 1
	}
	return 2
}

// key tells requests apart.
func key(r search.Request) string {
	return fmt.Sprintf("%q", []any{r.Method, r.Target, r.Header, r.Body})
}

// fill fills the stubs of one behavior.
func (f *filler) fill(ctx context.Context, b *search.Behavior) error {
	own, err := read(b.Stubs)
	if err != nil {
		return err
	}
	good, unlike := own.nearest(f.goods[key(b.Request)])
	g := growth{filler: f, of: b, stubs: own, tries: perBehavior}
	for _, more := range together(own.additions(good, b.Calls, f.answers, f.found.Fields), unlike) {
		if err := g.add(ctx, more); err != nil {
			return err
		}
	}
	if g.record == nil {
		return nil
	}
	w := &search.Whole{Stubs: mappings.File(g.stubs), Proofs: [][]*exchange.Exchange{g.record}}
	for len(w.Proofs) < proofs {
		record, err := f.try(ctx, b, g.stubs)
		if err != nil || record == nil {
			return err
		}
		w.Proofs = append(w.Proofs, record)
	}
	b.Whole = w
	return nil
}

// together are additions that are likely to leave a behavior as it is together. Where nothing is other than in a good
// answer, what that has besides leads away from the behavior: a single one is left out.
func together(all []addition, unlike int) [][]addition {
	if unlike > 0 {
		return [][]addition{all}
	}
	far := slices.DeleteFunc(slices.Clone(all), func(a addition) bool { return a.near })
	near := slices.DeleteFunc(all, func(a addition) bool { return !a.near })
	if len(near) == 1 {
		near = nil
	}
	return [][]addition{far, near}
}

// growth is what a behavior stays with.
type growth struct {
	*filler
	of     *search.Behavior
	stubs  file
	record []*exchange.Exchange // of the trial with these stubs; nil: they are those of the search
	tries  int                  // that are left
}

// add adds what may be added together, or halves of it, for the behavior to stay.
func (g *growth) add(ctx context.Context, more []addition) error {
	if len(more) == 0 || g.tries == 0 || g.most-g.done < proofs {
		return nil
	}
	g.tries--
	with := g.stubs.with(more)
	record, err := g.try(ctx, g.of, with)
	if err != nil {
		return err
	}
	if record != nil {
		g.stubs, g.record = with, record
		return nil
	}
	if len(more) == 1 {
		return nil
	}
	if err := g.add(ctx, more[:len(more)/2]); err != nil {
		return err
	}
	return g.add(ctx, more[len(more)/2:])
}

// try runs a trial with stubs, and returns its record if it shows a behavior; nil where it does not.
func (f *filler) try(ctx context.Context, b *search.Behavior, stubs file) ([]*exchange.Exchange, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := search.Trial{Request: b.Request, Stubs: mappings.File(stubs), Anew: true, Extra: true, Purpose: Purpose}
	out, err := f.api.Try(ctx, t)
	if f.done++; f.progress != nil {
		f.progress(f.done, f.most)
	}
	if err != nil || !shows(out, b) {
		return nil, err
	}
	return out.Record, nil
}

// shows reports whether an outcome is that of a behavior, as its client and its services see it.
func shows(out search.Outcome, b *search.Behavior) bool {
	if out.End != b.End || out.Status != b.Status || !slices.Equal(asked(out.Calls), asked(b.Calls)) {
		return false
	}
	response := b.Proofs[0][0].Response
	if response == nil {
		return false
	}
	body, err := response.Payload()
	return err == nil && shape.Of(body, nil) == shape.Of(out.Body, nil)
}

// asked are calls without the values in their targets, in an order of their own.
func asked(calls []search.Call) (out []string) {
	for _, c := range calls {
		out = append(out, fmt.Sprint(c.Service, c.Method, shape.Path(c.Target, nil), c.Status, c.Times))
	}
	slices.Sort(out)
	return out
}
