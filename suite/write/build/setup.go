package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// test makes one test of a draft: what it needs, what it is about, what it leaves.
func (b *builder) test(d draft) plan.Test {
	t := plan.Test{Name: d.name, Group: d.group}
	own := sendable(d)
	needs, refused := b.session.Harmless(b.needs(d), own)
	once := b.shared(d, needs)
	for _, seq := range refused {
		t.About = append(t.About, b.operationName(b.steps[seq].Exchange)+
			" is not sent before: it may touch what the test did not make")
	}
	ctx := newContext(b)
	ctx.test = t.Name
	for _, seq := range needs {
		t.Steps = append(t.Steps, b.setUp(b.steps[seq], ctx, once))
	}
	for _, step := range d.tested {
		if once[step.Exchange.Seq] {
			t.Steps = append(t.Steps, b.setUp(step, ctx, once))
		} else {
			t.Steps = append(t.Steps, b.tested(step, ctx))
		}
	}
	t.Steps = b.withCleanUps(t.Steps, slices.Concat(needs, own), once)
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Role != plan.CleanUp {
			s.Captures = append(s.Captures, ctx.kept[s.Seq]...)
		}
	}
	b.mustBeGiven(t.Steps)
	keepUsed(&t)
	return t
}

// sendable lists what a draft is about and can be sent again.
func sendable(d draft) []uint64 {
	var out []uint64
	for _, s := range d.tested {
		if setup.Unsendable(s.Exchange) == "" {
			out = append(out, s.Exchange.Seq)
		}
	}
	return out
}

// setUp is a step that makes what a test depends on; shared are those that are sent once for all tests.
func (b *builder) setUp(step *exchange.Step, ctx *context, shared map[uint64]bool) plan.Step {
	e := step.Exchange
	once := shared[e.Seq]
	s := plan.Step{Role: plan.SetUp, Once: once, Seq: e.Seq, Title: b.operationName(e)}
	b.send(&s, e, b.usesOf(e))
	ownKey(&s, ctx.test)
	s.Wait = b.waits[e.Seq]
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
	e = b.answeredInstead(e)
	a := &asserting{builder: b, context: ctx, step: step, e: e, op: b.operation(e), fp: exchange.Exact(e)}
	a.dependence = &dependence{}
	if b.mode != suite.Exact && !once && s.Wait == nil && !ctx.named(e) && len(b.answers.SetUps(e.Seq)) < minTrials {
		b.dependStatus(a, a.dependence)
	}
	for _, r := range b.answers.SetUps(e.Seq) {
		if b.mode != suite.Exact && r.Status != e.Response.Status {
			a.dependence.statuses = append(a.dependence.statuses, r.Status)
		}
	}
	a.status()
	s.Checks = a.out
	s.Ends = len(s.Captures) > 0 && slices.ContainsFunc(s.Checks[0].Statuses, func(n int) bool { return n >= 400 }) &&
		s.Checks[0].Statuses[0] < 400
	ctx.after(e)
	if !once {
		ctx.order = append(ctx.order, e.Seq)
	}
	return s
}

// answeredInstead is a set-up with another answer than it had in the recording where it had that in no trial.
func (b *builder) answeredInstead(e *exchange.Exchange) *exchange.Exchange {
	all := b.answers.SetUps(e.Seq)
	if b.mode == suite.Exact || len(all) < minTrials || len(withStatus(all, e.Response.Status)) > 0 {
		return e
	}
	out := *e
	out.Response = all[0].Response
	return &out
}

// tested is a step that a test is about.
func (b *builder) tested(step *exchange.Step, ctx *context) plan.Step {
	e := step.Exchange
	s := plan.Step{Role: plan.Tested, Seq: e.Seq, Title: b.operationName(e), Left: setup.Unsendable(e)}
	if s.Left != "" {
		return s
	}
	b.send(&s, e, b.usesOf(e))
	s.Wait = b.waits[e.Seq]
	b.capture(&s)
	own, _ := b.ownAnswer(step)
	ctx.after(own.Exchange)
	s.Checks = b.checks(step, ctx)
	ctx.order = append(ctx.order, e.Seq)
	return s
}

func (b *builder) capture(s *plan.Step) {
	for _, v := range b.session.Gives(s.Seq) {
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
			for _, text := range slices.Concat([]plan.Text{c.Text, c.Name}, c.Lines, c.Given) {
				note(text)
			}
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
		if setup.Unsendable(s.Exchange) == "" {
			queue = append(queue, s.Exchange)
		}
	}
	var out []uint64
	for ; len(queue) > 0; queue = queue[1:] {
		for _, seq := range b.dependsOn(queue[0], back) {
			step := b.steps[seq]
			if step == nil || own[seq] || seq >= queue[0].Seq || setup.Unsendable(step.Exchange) != "" ||
				len(out) > 10*maxSetUp {
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

// dependsOn lists the earlier exchanges that one depends on by itself: as the options say, or the recording.
func (b *builder) dependsOn(e *exchange.Exchange, back reach) []uint64 {
	list, ok := b.setUps[e.Seq]
	switch {
	case ok:
		return list
	case back == givers, e.Response != nil && illFormed(e.Response.Status):
		return b.session.Givers(e.Seq)
	}
	return append(b.session.DependsOn(e.Seq), b.waitedFor(e)...)
}

// illFormed reports whether a status says that a request is refused for what it is, whatever the state of the resource
// (RFC 9110, sections 15.5.1, 15.5.12 to 15.5.16 and 15.5.21): what changed the resource before is not sent then.
func illFormed(status int) bool {
	return noMethod(status) || slices.Contains([]int{400, 411, 413, 414, 415, 422}, status)
}

// readAccounts finds the requests that made the accounts which logins of the recording need, and what else can be made
// but once. Signing up is what no test can do for itself: the second time it is refused, for the name is taken. Such an
// account is made once for all tests, before the login, where its making depends on nothing itself, and what is
// asserted of it is asserted there.
func (b *builder) readAccounts() map[uint64]bool {
	out := map[uint64]bool{}
	for seq, s := range b.steps {
		maker, ok := b.session.SignUp(seq)
		if !ok && b.madeOnce(s.Exchange) {
			maker, ok = seq, true
		}
		if ok {
			out[maker] = len(b.dependsOn(b.steps[maker].Exchange, history)) == 0
		}
	}
	return out
}

// madeOnce reports whether a request made something that others use, and is refused where it is sent again: the
// recording saw that, or a trial.
func (b *builder) madeOnce(e *exchange.Exchange) bool {
	used := func(v *exchange.Binding) bool { return len(v.Uses) > 0 && b.session.Made(v) }
	if e.Request.Safe() || setup.Unsendable(e) != "" || e.Response.Status >= 300 ||
		!slices.ContainsFunc(b.session.Gives(e.Seq), used) {
		return false
	}
	return slices.ContainsFunc(b.session.Same(e.Seq), func(seq uint64) bool {
		return seq > e.Seq && taken(b.steps[seq].Exchange.Response.Status)
	}) || slices.ContainsFunc(slices.Concat(b.answers.SetUps(e.Seq), b.answers.Tested(e.Seq)),
		func(r play.Answer) bool { return taken(r.Status) })
}

// taken reports whether a status may say that there is such a thing already (RFC 9110, sections 15.5.1, 15.5.10 and
// 15.5.21).
func taken(status int) bool { return status == 400 || status == 409 || status == 422 }

// common reports whether an exchange makes an account, or another thing, that a test which sends these can share with
// others: none takes it away, or changes its password. Of what is no account none changes anything.
func (b *builder) common(maker uint64, sends []uint64) bool {
	account := b.session.Account(maker)
	return b.accounts[maker] && !slices.ContainsFunc(sends, func(seq uint64) bool {
		if account {
			return b.session.ChangesAccount(seq, maker)
		}
		return seq != maker && !b.steps[seq].Exchange.Request.Safe() &&
			slices.ContainsFunc(b.session.Takes(seq), func(t setup.Taken) bool {
				return t.Place.Root() == "path" && t.Producer.Seq == maker
			})
	})
}

// shared says which set-ups need be sent once for all tests: those that give credentials and nothing else, and what
// these depend on; but not in a test that ends their session. Accounts too, also where the test is about the
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
		maker, account := b.session.SignUp(seq)
		ok, used := !account || once[maker], false
		for _, v := range b.session.Gives(seq) {
			for _, later := range steps[i+1:] {
				uses := slices.ContainsFunc(b.session.Takes(later), func(t setup.Taken) bool { return t.Binding == v })
				used = used || uses
				ok = ok && (!uses || once[later] || b.session.Credential(v) && !b.session.Ends(later, v))
			}
		}
		once[seq] = ok && used
	}
	return once
}
