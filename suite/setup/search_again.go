package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
)

// Where other tests of a suite make what a set-up makes, or have the same set-up, the API may mind: the name is taken.
// A set-up that is refused for that is one in a single order of the tests. Trials find what it takes: that the refusal
// does not matter, since what is there serves as well, or another name in each run.

// again has a set-up that was proven hold where all of it was sent before. Where nothing helps, or the
// trials are used up, it stays as it is.
func (q *inquiry) again(ctx context.Context, found Found) (Found, error) {
	if !slices.ContainsFunc(found.Steps, func(s Step) bool { return s.Status != 0 && changes(s.Request.Method) }) {
		return found, nil
	}
	before := q.Finder.sent(q.test, found.Graft)
	for g := found.Graft; ; {
		r, answers, err := q.rehearse(ctx, g, before)
		if err != nil {
			return found, unlessUsedUp(err)
		}
		step := refusedStep(r, answers)
		if step < 0 {
			g.Leaves = q.Finder.leaves(r, answers)
			found.Leaves = g.Leaves
			same := slices.EqualFunc(g.Steps, found.Steps, sameStatus) && len(g.Binds) == len(found.Binds)
			if same || !q.hit(attempt{missed: r.Missed(answers)}) {
				return found, nil
			}
			return q.confirmed(ctx, found, g)
		}
		next, ok, err := q.accepted(ctx, g, step, before)
		if err != nil || !ok {
			return found, unlessUsedUp(err)
		}
		g = next
	}
}

// tooLate says that a hook is answered otherwise than in the session, and sends its request before a set-up could be
// sent that would change that, and which requests of the session that would be.
func (f *Finder) tooLate(test []Wanted, alone []*exchange.Response) (why string, takes []string) {
	i := f.otherwise(test, alone)
	if i < 0 {
		return "", nil
	}
	return fmt.Sprintf("a hook sends %s before a set-up could be sent, and is answered %d",
		f.name(f.position[test[i].Seq]), alone[i].Status), f.names(f.Givers(test[i].Seq))
}

// otherwise is the first call ahead of a set-up that is answered otherwise alone than in the session; -1 for none.
func (f *Finder) otherwise(test []Wanted, alone []*exchange.Response) int {
	for i, w := range test {
		pos, ok := f.position[w.Seq]
		if !ok || !w.Ahead || alone[i] == nil {
			continue
		}
		if was := f.history.session[pos].Response; was != nil && was.Status/100 != alone[i].Status/100 {
			return i
		}
	}
	return -1
}

// early has a set-up be sent before the hooks that it can be sent before, where one of these is refused without; false
// where none is.
func (f *Finder) early(test []Wanted, alone []*exchange.Response) ([]Wanted, bool) {
	i := f.otherwise(test, alone)
	if i < 0 || !test[i].Reachable || alone[i].Status < 400 {
		return nil, false
	}
	out := slices.Clone(test)
	for i := range out {
		out[i].Ahead = out[i].Ahead && !out[i].Reachable
	}
	return out, true
}

func sameStatus(a, b Step) bool { return a.Status == b.Status }

// unlessUsedUp is an error, but for that of trials that are used up.
func unlessUsedUp(err error) error {
	if errors.Is(err, errNoTrials) {
		return nil
	}
	return err
}

// sent are the exchanges of a set-up behind the same hooks, as other tests send them who keep what they make.
func (f *Finder) sent(test []Wanted, g Graft) (out []*exchange.Exchange) {
	for _, w := range test {
		if pos, ok := f.position[w.Seq]; ok && w.Ahead {
			out = append(out, f.history.session[pos])
		}
	}
	for _, s := range g.Steps {
		e := *f.history.session[f.position[s.Seq]]
		e.Request = s.Request
		out = append(out, &e)
	}
	return out
}

// refusedStep is the first step that is to succeed and was refused as if what it names were there already; -1 for none.
func refusedStep(r *Rehearsal, answers []*exchange.Response) int {
	for i, s := range r.graft.Steps {
		if s.Status != 0 && changes(s.Request.Method) && refusesName(answers[r.steps+i]) {
			return i
		}
	}
	return -1
}

// leaves are the paths of what the steps of a trial made, and its clean-up does not take away.
func (f *Finder) leaves(r *Rehearsal, answers []*exchange.Response) (paths []string) {
	for i, s := range r.graft.Steps {
		if f.leavesBehind(r, answers, i) {
			paths = append(paths, f.born[f.position[s.Seq]])
		}
	}
	return paths
}

// leaving is the first step of a trial that made something, some aside, where no clean-up takes that away; -1 for none.
func (f *Finder) leaving(r *Rehearsal, answers []*exchange.Response, but map[int]bool) int {
	for i := range r.graft.Steps {
		if !but[i] && f.leavesBehind(r, answers, i) {
			return i
		}
	}
	return -1
}

// leavesBehind reports whether a step of a trial made something that its clean-up does not take away.
func (f *Finder) leavesBehind(r *Rehearsal, answers []*exchange.Response, step int) bool {
	s := r.graft.Steps[step]
	path := f.born[f.position[s.Seq]]
	taken := slices.ContainsFunc(r.graft.CleanUp, func(c Step) bool { return pathKey(&c.Request) == path })
	a := answers[r.steps+step]
	return path != "" && !taken && !s.looks() && a != nil && a.Status/100 == 2
}

// accepted has a graft bear that a step is refused, or draw a name for it; false where neither is of use.
func (q *inquiry) accepted(ctx context.Context, g Graft, step int, before []*exchange.Exchange) (Graft, bool, error) {
	ways := []func(context.Context, Graft, int, []*exchange.Exchange) (Graft, bool, error){q.borne, q.redrawn}
	if q.IfMissing != nil && q.IfMissing(g) {
		slices.Reverse(ways)
	}
	for _, way := range ways {
		if next, ok, err := way(ctx, g, step, before); ok || err != nil {
			return next, ok, err
		}
	}
	return g, false, nil
}

// borne has a graft bear that a step is refused; false where that is of no use.
func (q *inquiry) borne(ctx context.Context, g Graft, step int, before []*exchange.Exchange) (Graft, bool, error) {
	g = bearing(g, step)
	if q.Able != nil && !q.Able(g) {
		return g, false, nil
	}
	t, err := q.try(ctx, g, before)
	return g, err == nil && q.hit(t), err
}

// redrawn has a graft draw a name for a step; false where that is of no use.
func (q *inquiry) redrawn(ctx context.Context, g Graft, step int, before []*exchange.Exchange) (Graft, bool, error) {
	if q.Draw == nil {
		return g, false, nil
	}
	for _, n := range namesOf(&g.Steps[step].Request) {
		for _, form := range formsOf(n.value) {
			drawn := q.drawing(g, n, form)
			if q.Able != nil && !q.Able(drawn) || q.leansOn(drawn.Binds[len(drawn.Binds)-1]) {
				continue
			}
			hit, err := q.holdsDrawn(ctx, &drawn, before)
			if err != nil || hit {
				return drawn, hit, err
			}
		}
	}
	return g, false, nil
}

// bearing is a graft that bears that a step is refused.
func bearing(g Graft, step int) Graft {
	g.Steps = slices.Clone(g.Steps)
	g.Steps[step].Status, g.Steps[step].MayBeThere = 0, true
	return g
}

// drawing is a graft that draws a value of its steps, wherever steps, calls and claims speak of it.
func (q *inquiry) drawing(g Graft, n name, form Fresh) Graft {
	names := words.Namer{}
	for _, b := range slices.Concat(g.Binds, q.fresh) {
		names.Variable(b.Name)
	}
	b := Bind{Name: names.Variable(n.as), Step: -1, Value: n.value, Fresh: &form,
		Why: "the set-up was refused where all of it had been sent before"}
	for i, s := range g.Steps {
		b.Uses = append(b.Uses, usesOf(&s.Request, n.value, InSetUp, i)...)
	}
	for i, w := range q.test {
		if pos, ok := q.Finder.position[w.Seq]; ok && !w.CleanUp && !w.Ahead {
			b.Uses = append(b.Uses, usesOf(&q.Finder.history.session[pos].Request, n.value, InCall, i)...)
			for _, c := range w.Claims {
				if renewed(c, n.value, form.With("x")).Value != c.Value {
					b.Uses = append(b.Uses, BindUse{InAnswer, i, c.Place})
				}
			}
		}
	}
	for i, s := range g.CleanUp {
		b.Uses = append(b.Uses, usesOf(&s.Request, n.value, InCleanUp, i)...)
	}
	g.Binds = append(slices.Clone(g.Binds), b)
	return g
}

// leansOn reports whether a test of the suite leans on a call of this one to make what has a value.
func (q *inquiry) leansOn(b Bind) bool {
	return q.Leans != nil && slices.ContainsFunc(b.Uses, func(u BindUse) bool {
		return u.In == InCall && makes(&q.test[u.At]) && q.Leans(&q.test[u.At].Request, b.Value) != ""
	})
}

// holdsDrawn tries a graft whose last bind is a drawn value. A claim that comes true with the value as it was recorded
// does not speak of it.
func (q *inquiry) holdsDrawn(ctx context.Context, g *Graft, before []*exchange.Exchange) (bool, error) {
	r, answers, err := q.rehearse(ctx, *g, before)
	if err != nil || refusedStep(r, answers) >= 0 {
		return false, err
	}
	last := &g.Binds[len(g.Binds)-1]
	for _, m := range r.Missed(answers) {
		last.Uses = slices.DeleteFunc(slices.Clone(last.Uses), func(u BindUse) bool {
			return u == BindUse{InAnswer, m.Call, m.Claim.Place}
		})
	}
	for i := range r.graft.Binds {
		if r.graft.Binds[i].Name == last.Name {
			r.graft.Binds[i].Uses = last.Uses
		}
	}
	return q.hit(attempt{missed: r.Missed(answers)}), nil
}

// confirmed proves a graft on fresh starts, as often as any.
func (q *inquiry) confirmed(ctx context.Context, found Found, g Graft) (Found, error) {
	var trials []Trial
	for len(trials) < confirmed {
		t, err := q.try(ctx, g, nil)
		if err != nil || !q.hit(t) {
			return found, unlessUsedUp(err)
		}
		trials = append(trials, t.Trial)
	}
	found.Graft, found.Trials = g, trials
	return found, nil
}
