package suite

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/await"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/waits/settle"
)

// A test may read too early: the API is still at work on what the test wrote. Such a read is sent again until its
// answer is ready, and what the test asserts is held against that answer alone: what came before it says nothing of the
// API.

// ReadAfterWrite is a read of a test that follows a write of it.
type ReadAfterWrite struct {
	Seq       uint64 // of the recorded exchange
	Operation exchange.Operation
	Test      string // its name
	Early     bool   // an execution was answered what the test does not expect, as by an API that is not done yet
	Polled    bool   // the test itself sends it until it is ready: it needs no wait, but others may be held against it

	held *BoundScript
	test *script.Test
	call int
}

// Trial are the answers of one execution, by the number of the recorded exchange, in the order in which they came.
type Trial map[uint64][]*exchange.Observation

// Unwaited is a read that came too early, and at which no wait can be written.
type Unwaited = await.Unwaited

// wait is what one test waits for at one call, and the edits by which it does.
type wait struct {
	script.Wait
	edits       []script.Edit
	failed, of  int              // executions in which the read came too early
	tells       []exchange.Place // what tells that it is ready
	before, now string
}

// Reads lists the reads of the suite that could wait, and those that do.
func (h *BoundScript) Reads() []ReadAfterWrite {
	var out []ReadAfterWrite
	if h.script.Writer.Poll == nil || !h.own {
		return nil
	}
	for _, t := range h.script.Tests {
		for i, c := range t.Calls {
			polled := c.Last && readBehindWrite(h, t, i)
			if t.Skipped || !polled && !h.couldWait(t, i) {
				continue
			}
			seq := h.matched[c].Exchange.Seq
			r := ReadAfterWrite{Seq: seq, Operation: h.src.Operations[seq], Test: t.Name, Polled: polled,
				held: h, test: t, call: i}
			r.Early = !polled && slices.ContainsFunc(h.runs, func(run int) bool {
				all, told := r.judge(scopeOf(t, h.matched, run), responseIn(h.matched[c], run))
				return !all && !told
			})
			out = append(out, r)
		}
	}
	return out
}

// couldWait reports whether a call of a test is a read, sent once by the test itself behind a write of it.
func (h *BoundScript) couldWait(t *script.Test, call int) bool {
	c := t.Calls[call]
	sent := !c.Many && !c.Last && !c.Guarded && !c.Hook && c.Once == ""
	return sent && readBehindWrite(h, t, call) && !await.SecretInURL(&h.matched[c].Exchange.Request)
}

// readBehindWrite reports whether a call of a test is a read behind a write of it.
func readBehindWrite(h *BoundScript, t *script.Test, call int) bool {
	c := t.Calls[call]
	reads := h.matched[c] != nil && (c.Method == "GET" || c.Method == "HEAD")
	return reads && slices.ContainsFunc(t.Calls[:call], func(w *script.Call) bool {
		return h.matched[w] != nil && !h.matched[w].Exchange.Request.Safe()
	})
}

// Answered says of the answers of an execution that is under way, of which the last is to the read, whether all that
// the test asserts of it holds; and whether what does not hold of it is nothing that tells of an API at work.
func (r *ReadAfterWrite) Answered(trial Trial) (all, told bool) {
	matched := r.held.as(r.test, trial)
	return r.judge(scopeOf(r.test, matched, 1), responseIn(matched[r.test.Calls[r.call]], 1))
}

// judge is [ReadAfterWrite.Answered] for an answer, and what the names of the test stand for.
func (r *ReadAfterWrite) judge(names expr.Scope, answer *exchange.Response) (all, told bool) {
	all, told = true, true
	if answer == nil {
		return false, true
	}
	for _, a := range r.test.Assertions {
		if a.Meaning == nil || !r.looksAt(a) {
			continue
		}
		if holds, err := names.Holds(a.Meaning); err == nil && !holds {
			all = false
			told = told && !atWork(a, answer)
		}
	}
	return all, told
}

// looksAt reports whether an assertion is one about the answer to the read.
func (r *ReadAfterWrite) looksAt(a *script.Assertion) bool {
	if a.Relation != "" {
		return a.Call == r.call
	}
	return slices.Contains(r.test.Answers(a.Meaning), r.test.Calls[r.call])
}

// atWork reports whether an assertion may be false of an answer since the API is not done yet.
func atWork(a *script.Assertion, answer *exchange.Response) bool {
	return slices.ContainsFunc(differences(a, answer), await.Difference.AtWork)
}

// differences says in what an answer is otherwise than an assertion wants.
func differences(a *script.Assertion, answer *exchange.Response) []await.Difference {
	is, _ := compare.At(answer, a.Place)
	return await.Differences(a.Claim, is)
}

// responseIn is what a step was answered in a run; nil where that is not known.
func responseIn(step *exchange.Step, run int) *exchange.Response {
	if step == nil {
		return nil
	}
	if run == recordedRun {
		return step.Exchange.Response
	}
	for _, o := range step.Observations {
		if o.Run == run {
			return o.Response
		}
	}
	return nil
}

// as are the calls of a test with the last answers of an execution, as run 1.
func (h *BoundScript) as(t *script.Test, trials ...Trial) map[*script.Call]*exchange.Step {
	out := map[*script.Call]*exchange.Step{}
	for _, c := range t.Calls {
		step := h.matched[c]
		if step == nil {
			continue
		}
		one := &exchange.Step{Exchange: step.Exchange}
		for i, trial := range trials {
			if all := trial[step.Exchange.Seq]; len(all) > 0 {
				o := *all[len(all)-1]
				o.Run = i + 1
				one.Observations = append(one.Observations, &o)
			}
		}
		out[c] = one
	}
	return out
}

// Await has tests wait at the reads that came too early, in an execution or in a trial, as far as their dialect can
// write that. oracles say by the numbers of recorded exchanges what is waited for. From then on such a test is judged
// by the executions in which these reads were ready.
func (h *BoundScript) Await(oracles map[uint64]*settle.Oracle, trials []Trial) {
	if !h.own || len(h.runs) == 0 {
		return
	}
	h.waits = map[*script.Test][]wait{}
	executions, next := h.runs, slices.Max(h.runs)+1
	for _, t := range h.script.Tests {
		if t.Skipped {
			continue
		}
		w := &awaiting{BoundScript: h, t: t, oracles: map[*script.Call]*settle.Oracle{}, executions: executions,
			trials: trials, next: next}
		for i, c := range t.Calls {
			if o := oracles[h.seqOf(c)]; o != nil && h.script.Writer.Poll != nil && h.couldWait(t, i) {
				w.oracles[c] = o
			}
		}
		w.known = maps.Clone(w.oracles)
		waits := w.find()
		if h.unwaited = append(h.unwaited, w.unwaitedIn(oracles, waits)...); len(waits) > 0 {
			h.waits[t] = waits
			w.rebase()
		}
	}
	if len(h.waits) > 0 {
		for i := range trials {
			h.runs = append(h.runs, next+i)
		}
	}
}

// seqOf is the number of the recorded exchange of a call; 0 where there is none.
func (h *BoundScript) seqOf(c *script.Call) uint64 {
	if step := h.matched[c]; step != nil {
		return step.Exchange.Seq
	}
	return 0
}

// Waits reports whether a test was found to wait for something.
func (h *BoundScript) Waits(test string) bool {
	for t, waits := range h.waits {
		if t.Name == test && len(waits) > 0 {
			return true
		}
	}
	return false
}

// unwaitedIn lists the reads of a test that came too early, failed it, and are none of those that wait.
func (w *awaiting) unwaitedIn(oracles map[uint64]*settle.Oracle, waits []wait) (out []Unwaited) {
	for i, c := range w.t.Calls {
		o := oracles[w.seqOf(c)]
		if o == nil || !readBehindWrite(w.BoundScript, w.t, i) ||
			slices.ContainsFunc(waits, func(one wait) bool { return one.Call.At.Start == c.At.Start }) ||
			slices.ContainsFunc(out, func(one Unwaited) bool { return one.Line == c.At.FirstLine }) {
			continue
		}
		seen := *w
		seen.oracles = map[*script.Call]*settle.Oracle{c: o}
		if c.Last {
			seen.trials = nil // they say nothing of how long the test itself asks
		}
		if failed, of := seen.early(c); seen.useful(c) {
			why := await.Unwritable(c, await.Place{Dialect: w.script.Writer.Poll != nil,
				Secret: await.SecretInURL(&w.matched[c].Exchange.Request), Alone: w.writable(c)})
			out = append(out, Unwaited{Line: c.At.FirstLine, Test: w.t.Name, Failed: failed, Of: of, Why: why})
		}
	}
	return out
}

// writable reports whether the dialect has a wait for a read that may wait, whatever others of its place wait for.
func (w *awaiting) writable(c *script.Call) bool {
	if w.known[c] == nil {
		return false
	}
	said, ok := await.For(c, w.known[c], w.shown)
	return ok && len(w.script.Writer.Poll(w.script, w.t, said)) > 0
}

// awaiting is the search for what one test waits for.
type awaiting struct {
	*BoundScript
	t       *script.Test
	oracles map[*script.Call]*settle.Oracle // of reads that wait, once these are found
	known   map[*script.Call]*settle.Oracle // of reads that could wait
	// the runs that were seen, and the trials, which are counted on from next
	executions []int
	trials     []Trial
	next       int
}

// find finds the waits of the test, and leaves the oracles of those alone.
func (w *awaiting) find() []wait {
	for c := range w.oracles {
		if !w.useful(c) {
			delete(w.oracles, c)
		}
	}
	var out []wait
	for _, c := range w.t.Calls {
		if w.oracles[c] == nil || slices.ContainsFunc(out, func(one wait) bool { return w.samePlace(one, c) }) {
			continue
		}
		if one, ok := w.written(c); ok {
			out = append(out, one)
			continue
		}
		for _, other := range w.t.Calls {
			if other.At.Start == c.At.Start {
				delete(w.oracles, other)
			}
		}
		out = slices.DeleteFunc(out, func(one wait) bool { return one.Call.At.Start == c.At.Start })
	}
	return out
}

// samePlace reports whether a call stands where a wait is written, as one of another run of the test does, and not
// beside it in the same statement. Nothing need be known of that call: it may not have been sent, as the other failed.
func (w *awaiting) samePlace(one wait, c *script.Call) bool {
	if one.Call.At.Start != c.At.Start {
		return false
	}
	said, _ := await.For(c, w.oracles[one.Call], w.shown)
	return script.Overlap(c.At, one.edits, w.script.Writer.Poll(w.script, w.t, said))
}

// shown reports whether a value may stand in the suite.
func (w *awaiting) shown(p exchange.Place, _ string) bool { return !w.src.Redactor.Secret(p) }

// written writes the wait at a call: false where that cannot be written, or where the test's other runs wait otherwise
// at the same place.
func (w *awaiting) written(c *script.Call) (wait, bool) {
	said, ok := await.For(c, w.oracles[c], w.shown)
	if !ok {
		return wait{}, false
	}
	out := wait{Wait: said, edits: w.script.Writer.Poll(w.script, w.t, said)}
	if len(out.edits) == 0 {
		return wait{}, false
	}
	for _, other := range w.t.Calls {
		if other.At.Start != c.At.Start {
			continue
		}
		if !w.waitsAlike(c, other, said) && w.samePlace(out, other) {
			return wait{}, false
		}
	}
	out.failed, out.of = w.early(c)
	out.tells = w.told(c)
	out.before = w.script.Text[c.At.Start:c.At.End]
	var own []script.Edit
	for _, e := range out.edits {
		if e.Start >= c.At.Start && e.End <= c.At.End {
			own = append(own, script.Edit{Start: e.Start - c.At.Start, End: e.End - c.At.Start, Text: e.Text})
		}
	}
	out.now = script.Apply(out.before, own)
	return out, true
}

// waitsAlike reports whether another call would wait as a call does, also where it never came too early.
func (w *awaiting) waitsAlike(c, other *script.Call, said script.Wait) bool {
	if w.known[other] == nil {
		return false
	}
	same, ok := await.For(&script.Call{Var: c.Var}, w.known[other], w.shown)
	return ok && expr.Identical(same.Ready, said.Ready) && (w.oracles[other] != nil || w.passes(other))
}

// passes reports whether the API was ready at a read in an execution, and all held that is asserted of the read alone:
// what is asserted in all runs of a test with several values is taken apart.
func (w *awaiting) passes(c *script.Call) bool {
	return slices.ContainsFunc(w.executions, func(run int) bool {
		answer, names := responseIn(w.matched[c], run), scopeOf(w.t, w.matched, run)
		return answer != nil && w.known[c].Ready(answer) && await.HoldsAlone(w.t, c, names)
	})
}

// told are the places that tell that a read is ready.
func (w *awaiting) told(c *script.Call) []exchange.Place {
	out := []exchange.Place{exchange.PlaceStatus}
	for _, v := range w.oracles[c].Values {
		out = append(out, v.Place)
	}
	return out
}

// early counts the executions in which a read came too early.
func (w *awaiting) early(c *script.Call) (failed, of int) {
	for _, run := range w.executions {
		if r := responseIn(w.matched[c], run); r != nil {
			if of++; !w.oracles[c].Ready(r) {
				failed++
			}
		}
	}
	return failed, of
}

// useful reports whether a read came too early in an execution or a trial, in such a way that the test fails for it,
// and whether that asserts nothing which is false once the API is ready, of what tells that it is.
func (w *awaiting) useful(c *script.Call) bool {
	o, read := w.oracles[c], ReadAfterWrite{held: w.BoundScript, test: w.t, call: slices.Index(w.t.Calls, c)}
	fails, holds, seen := false, false, false
	judge := func(matched map[*script.Call]*exchange.Step, run int) {
		answer := responseIn(matched[c], run)
		if answer == nil {
			return
		}
		names := scopeOf(w.t, matched, run)
		if !o.Ready(answer) {
			_, told := read.judge(names, answer)
			fails = fails || !told
			return
		}
		seen = true
		holds = holds || w.holdsReady(&read, names, answer)
	}
	for _, run := range w.executions {
		judge(w.matched, run)
	}
	for _, trial := range w.trials {
		judge(w.as(w.t, trial), 1)
		judge(w.as(w.t, trial.until(w.seqOf(c))), 1)
	}
	return fails && seen && holds
}

// until is a trial up to the first answer to an exchange.
func (t Trial) until(seq uint64) Trial {
	out := Trial{}
	for s, all := range t {
		if out[s] = all; s == seq && len(all) > 0 {
			out[s] = all[:1]
		}
	}
	return out
}

// holdsReady reports whether what the test asserts of the status, and of the values that tell that the API is ready, is
// true of an answer that is. Of a number or a text that differs from answer to answer, it is enough that it is there.
func (w *awaiting) holdsReady(r *ReadAfterWrite, names expr.Scope, answer *exchange.Response) bool {
	told := w.told(w.t.Calls[r.call])
	drawn := func(d await.Difference) bool {
		return d.Wanted != "0" && d.Wanted != `""` && slices.ContainsFunc(w.oracles[w.t.Calls[r.call]].Values, func(v settle.Value) bool {
			return v.Place == d.Place && v.JSON == "" && (v.Type == settle.Number || v.Type == settle.String)
		})
	}
	return !slices.ContainsFunc(w.t.Assertions, func(a *script.Assertion) bool {
		if a.Meaning == nil || !r.looksAt(a) {
			return false
		}
		holds, err := names.Holds(a.Meaning)
		return err == nil && !holds && slices.ContainsFunc(differences(a, answer), func(d await.Difference) bool {
			return slices.Contains(told, d.Place) && (d.AtWork() || !drawn(d))
		})
	})
}

// rebase has the test judged by the executions in which all reads that it waits at were ready, trials among them. The
// first of them stands in the place of the recording where that is none.
func (w *awaiting) rebase() {
	played, next := w.as(w.t, w.trials...), w.next
	base := -1
	var good []int
	for run := range next + len(w.trials) {
		if slices.Contains(w.executions, run) && w.ready(w.matched, run) || run >= next && w.ready(played, run-next+1) {
			good = append(good, run)
			base = good[0]
		}
	}
	for c, step := range played {
		all := slices.Clone(w.matched[c].Observations)
		for _, o := range step.Observations {
			later := *o
			later.Run += next - 1
			all = append(all, &later)
		}
		e, known := *step.Exchange, base == recordedRun
		if !known {
			e.Response = nil
		}
		one := &exchange.Step{Exchange: &e}
		for _, o := range all {
			switch {
			case o.Run == base:
				e.Request, e.Response, e.Fault, e.Start, e.Latency = o.Sent, o.Response, o.Fault, o.Start, o.Latency
				known = true
			case slices.Contains(good, o.Run):
				one.Observations = append(one.Observations, o)
			}
		}
		if w.matched[c] = one; !known {
			delete(w.matched, c)
		}
	}
}

// ready reports whether all reads at which the test waits were ready in a run.
func (w *awaiting) ready(matched map[*script.Call]*exchange.Step, run int) bool {
	for c, o := range w.oracles {
		if !o.Ready(responseIn(matched[c], run)) {
			return false
		}
	}
	return true
}
