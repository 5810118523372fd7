package suite

import (
	"slices"

	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/settle"
)

// Unwaited is a read that came too early, and that its test does not come to send again: no wait can be written there.
type Unwaited struct {
	Line   int // of its request, in the file as it was given
	Test   string
	Failed int // executions in which it came too early, of
	Of     int
	Why    string // no wait is written
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
		if !seen.useful(c) {
			continue
		}
		one := Unwaited{Line: c.At.FirstLine, Test: w.t.Name, Why: w.unwritable(c)}
		one.Failed, one.Of = seen.early(c)
		out = append(out, one)
	}
	return out
}

// unwritable says why no wait is written at a read.
func (w *awaiting) unwritable(c *script.Call) string {
	switch {
	case w.script.Writer.Poll == nil:
		return "waits are written in Python and JavaScript alone"
	case c.Last:
		return "the loop around it ends before the API is ready"
	case c.Many:
		return "it is sent in a loop, or by a test that runs with several values"
	case c.Guarded:
		return "it is sent where it may fail, as in a try"
	case c.Hook, c.Once != "":
		return "a hook or a fixture sends it, not the test itself"
	case secretInURL(&w.matched[c].Exchange.Request):
		return "its address has a secret, and may be good for one request"
	}
	return "the statement that sends it has a form in which no wait can be written"
}
