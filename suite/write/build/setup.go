package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// test makes one test of a draft: what it needs, what it is about, what it leaves.
func (b *builder) test(d draft) plan.Test {
	t := plan.Test{Name: d.name, Group: d.group}
	if d.sequence != "" {
		t.About = append(t.About, "Sequence "+d.sequence+".")
	}
	needs, refused := b.harmless(b.needs(d), d)
	once := b.shared(d, needs)
	for _, seq := range refused {
		t.About = append(t.About, b.operationName(b.steps[seq].Exchange)+
			" is not sent before: it may touch what the test did not make")
	}
	ctx := newContext(b)
	for _, seq := range needs {
		t.Steps = append(t.Steps, b.setUp(b.steps[seq], ctx, once))
	}
	for _, step := range d.tested {
		if once[step.Exchange.Seq] {
			t.Steps = append(t.Steps, b.setUp(step, ctx, once))
		} else {
			t.Steps = append(t.Steps, b.tested(step, ctx))
		}
		if e := step.Exchange; unsendable(e) == "" {
			t.About = append(t.About, fmt.Sprintf("%s gives %d", b.operationName(e), e.Response.Status))
		}
	}
	t.Steps = append(t.Steps, b.cleanUps(d, needs, once, ctx)...)
	b.mustBeGiven(t.Steps)
	keepUsed(&t)
	return t
}

// setUp is a step that makes what a test depends on; shared are those that are sent once for all tests.
func (b *builder) setUp(step *exchange.Step, ctx *context, shared map[uint64]bool) plan.Step {
	e := step.Exchange
	once := shared[e.Seq]
	s := plan.Step{Role: plan.SetUp, Once: once, Seq: e.Seq, Title: b.operationName(e)}
	b.send(&s, e, nil)
	b.capture(&s)
	if _, account := b.accounts[e.Seq]; account && once {
		s.Single = true
		alone := newContext(b)
		alone.single = true
		s.Checks = b.checks(step, alone)
		ctx.after(e)
		ctx.common[e.Seq] = true
		return s
	}
	a := &asserting{builder: b, context: ctx, step: step, e: e, op: b.operation(e), fp: exchange.Exact(e)}
	a.dependence = &dependence{}
	if b.mode != suite.Exact && !once && !ctx.named(e) {
		b.dependStatus(a, a.dependence)
	}
	for _, r := range b.answers.setUps[e.Seq] {
		if b.mode != suite.Exact && r.Status != e.Response.Status {
			a.dependence.statuses = append(a.dependence.statuses, r.Status)
		}
	}
	a.status()
	s.Checks = a.out
	s.Ends = len(s.Captures) > 0 && len(s.Checks[0].Statuses) > 1
	ctx.after(e)
	return s
}

// tested is a step that a test is about.
func (b *builder) tested(step *exchange.Step, ctx *context) plan.Step {
	e := step.Exchange
	s := plan.Step{Role: plan.Tested, Seq: e.Seq, Title: b.operationName(e), Left: unsendable(e)}
	if s.Left != "" {
		return s
	}
	b.send(&s, e, nil)
	b.capture(&s)
	before := ctx.fresh(e)
	ctx.after(e)
	s.Checks = b.checks(step, ctx)
	s.Ends = len(s.Checks[0].Statuses) > 1 && (before || len(s.Captures) > 0)
	return s
}

func (b *builder) capture(s *plan.Step) {
	for _, v := range b.producers[s.Seq] {
		s.Captures = append(s.Captures, plan.Capture{Name: v.Name, Place: v.Producer.Place, Find: strongList(v)})
	}
}

// keepUsed drops the captures that nothing in the test uses, but for those of shared set-ups, which other tests use.
func keepUsed(t *plan.Test) {
	used := map[string]bool{}
	note := func(text plan.Text) {
		for _, p := range text {
			used[p.Bound] = true
		}
	}
	for i := len(t.Steps) - 1; i >= 0; i-- {
		s := &t.Steps[i]
		for _, c := range s.Checks {
			note(c.Text)
		}
		if !s.Once {
			s.Captures = slices.DeleteFunc(s.Captures, func(c plan.Capture) bool { return !used[c.Name] })
			s.Ends = s.Ends && i+1 < len(t.Steps) && t.Steps[i+1].Role != plan.CleanUp
		}
		note(s.Target)
		for _, h := range s.Headers {
			note(h.Value)
		}
		if s.Body != nil {
			note(s.Body.Text)
		}
	}
}

// reach says how far set-ups go back.
type reach int

const (
	givers  reach = iota // what gave the values that a request uses
	history              // and what has changed since what those values name
)

// needs lists what a test has to send before what it is about, in recorded order.
func (b *builder) needs(d draft) (needs []uint64) {
	for _, back := range []reach{history, givers} {
		if needs = b.gather(d, back); len(needs) <= maxSetUp {
			break
		}
	}
	return needs
}

// gather collects what the tested exchanges depend on, and what that depends on; how far that goes back is for reach to
// say.
func (b *builder) gather(d draft, back reach) []uint64 {
	own := map[uint64]bool{}
	var queue []*exchange.Exchange
	for _, s := range d.tested {
		own[s.Exchange.Seq] = true
		if unsendable(s.Exchange) == "" {
			queue = append(queue, s.Exchange)
		}
	}
	var out []uint64
	for ; len(queue) > 0; queue = queue[1:] {
		for _, seq := range b.dependsOn(queue[0], back) {
			step := b.steps[seq]
			if step == nil || own[seq] || seq >= queue[0].Seq || unsendable(step.Exchange) != "" || len(out) > 10*maxSetUp {
				continue
			}
			own[seq] = true
			out = append(out, seq)
			queue = append(queue, step.Exchange)
		}
	}
	slices.Sort(out)
	return out
}

// dependsOn lists the earlier exchanges that one depends on by itself: those that gave the values of its request, and
// what was done since to the resource that such a value names.
func (b *builder) dependsOn(e *exchange.Exchange, back reach) []uint64 {
	if list, ok := b.setUps[e.Seq]; ok {
		return list
	}
	var out []uint64
	if maker, ok := b.accountOf[e.Seq]; ok {
		out = append(out, maker)
	}
	for _, u := range b.uses[e.Seq] {
		out = append(out, u.binding.Producer.Seq)
		if back == givers {
			continue
		}
		for _, other := range u.binding.Uses {
			if w := b.steps[other.Seq]; w != nil && other.Seq < e.Seq && b.changes(w.Exchange, e, u, other.Place) {
				out = append(out, other.Seq)
			}
		}
	}
	if back == history && e.Response.Status >= 400 && !e.Request.Safe() {
		out = append(out, b.succeeded(e)...)
	}
	return out
}

// changes reports whether a write that used the same value as an exchange changed what that is about: the resource
// that the value names in both paths, or, for a credential, what lies at or below the same path. What a POST to a
// collection makes is no element of it that another request made.
func (b *builder) changes(w, e *exchange.Exchange, u use, at exchange.Place) bool {
	if unsendable(w) != "" || w.Request.Safe() || w.Response.Status >= 400 {
		return false
	}
	if at.Root() == "path" && u.place.Root() == "path" {
		return true
	}
	if !b.secretBinding(u.binding) {
		return false
	}
	x, y := strings.Join(pathOf(w), "/")+"/", strings.Join(pathOf(e), "/")+"/"
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) && (w.Request.Method != "POST" || !b.namesOther(e, w.Seq))
}

// namesOther reports whether the path of a request names what another request than that of seq made.
func (b *builder) namesOther(e *exchange.Exchange, seq uint64) bool {
	return slices.ContainsFunc(b.uses[e.Seq], func(u use) bool {
		return u.place.Root() == "path" && u.binding.Producer.Seq != seq && b.makes(u.binding)
	})
}

// succeeded finds the request that did what a later one, the same again, was refused for: there is one already.
func (b *builder) succeeded(e *exchange.Exchange) []uint64 {
	request := b.asked(e)
	for status := 200; status < 205; status++ {
		if r := b.state.repeats[repeated{request, status}]; r != nil && r.seqs[0] < e.Seq {
			return r.seqs[:1]
		}
	}
	return nil
}

// shared says which set-ups need be sent once for all tests: those that give credentials and nothing else, and what
// these dependenceOf on; but not in a test that ends their session. Accounts too, also where the test is about the
// making of one.
func (b *builder) shared(d draft, needs []uint64) map[uint64]bool {
	steps := slices.Clone(needs)
	for _, s := range d.tested {
		steps = append(steps, s.Exchange.Seq)
	}
	once := map[uint64]bool{}
	for _, seq := range steps {
		once[seq] = b.common(seq, steps)
	}
	for i, seq := range slices.Backward(needs) {
		if once[seq] {
			continue
		}
		maker, account := b.accountOf[seq]
		ok, used := !account || once[maker], false
		for _, v := range b.producers[seq] {
			for _, later := range steps[i+1:] {
				uses := slices.ContainsFunc(b.uses[later], func(u use) bool { return u.binding == v })
				used = used || uses
				ok = ok && (!uses || once[later] || b.secretBinding(v) && !b.ends(b.steps[later].Exchange, v))
			}
		}
		once[seq] = ok && used
	}
	return once
}

// ends reports whether a request ends the session whose credential it uses: it says so, or the credential was refused
// ever since.
func (b *builder) ends(e *exchange.Exchange, v *exchange.Binding) bool {
	if e.Request.Safe() || unsendable(e) != "" {
		return false
	}
	if setup.EndsSession(&e.Request) {
		return true
	}
	refused, after := 0, 0
	for _, u := range v.Uses {
		if s := b.steps[u.Seq]; s != nil && u.Seq > e.Seq && s.Exchange.Response != nil {
			after++
			if s.Exchange.Response.Status == 401 || s.Exchange.Response.Status == 403 {
				refused++
			}
		}
	}
	return after > 0 && refused == after
}
