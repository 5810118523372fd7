package suite

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/suite/align"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/slip"
)

// slips are what the calls of a test sent otherwise than the session, by the hand of the generator, and the assertions
// that fail for it: whatever else is there, they hold of what the session was answered, and of no execution.
type slips struct {
	calls     []slip.Slip
	explained map[*script.Assertion]bool
	answered  []expr.Scope // what the test's names stood for in the session, at each place where it may come from
}

// slipsOf returns the slips of a test that are proven by what it asserts; none where the recording is no execution of
// the suite, or the session is not known.
func (h *BoundScript) slipsOf(t *script.Test) *slips {
	if found, ok := h.slips[t]; ok {
		return found
	}
	found := h.findSlips(t)
	h.slips[t] = found
	return found
}

func (h *BoundScript) findSlips(t *script.Test) *slips {
	none := &slips{}
	if h.session == nil || !h.own || t.Skipped || t.HasSetUp() {
		return none
	}
	trials := h.trials(t)
	failing := failAlike(t, trials)
	if len(failing) == 0 {
		return none
	}
	windows := h.comesFrom(t)
	s := &slips{explained: map[*script.Assertion]bool{}}
	for _, w := range windows {
		s.answered = append(s.answered, scopeOf(t, w.At, recordedRun))
	}
	var altered []slip.Slip
	for i := range t.Calls {
		if x, ok := h.altered(t, i, windows); ok {
			altered = append(altered, x)
		}
	}
	for _, x := range altered {
		proven := false
		for _, a := range failing {
			if x.Call <= a.Call && s.explains(t, &x, a, trials) {
				s.explained[a], proven = true, true
			}
		}
		if proven {
			s.calls = append(s.calls, x)
		}
	}
	if len(s.calls) == 0 {
		return none
	}
	return s
}

// failAlike lists the assertions that are false in every execution that came to them, each of which had the same value:
// what moves is no slip.
func failAlike(t *script.Test, trials []expr.Scope) []*script.Assertion {
	var out []*script.Assertion
	for _, a := range t.Assertions {
		if a.Meaning == nil || a.Relation == "" || a.Ours || a.Reason == script.UnderCondition || a.Subject() == nil {
			continue
		}
		seen, failed := hold(a.Meaning, trials)
		if failed > 0 && failed == len(seen) && len(expr.Distinct(a.Subject(), seen)) <= 1 {
			out = append(out, a)
		}
	}
	return out
}

// maxOrigins bounds the places in a session that a test may come from.
const maxOrigins = 256

// comesFrom returns the places in the session that a test may come from: those where all of its calls were sent, and of
// them those whose answers satisfy most of its assertions. It returns none where they are too many to tell.
func (h *BoundScript) comesFrom(t *script.Test) []align.Window {
	if h.steps == nil {
		h.steps, h.index = make([]exchange.Step, len(h.session)), &match.Index{}
		for i, e := range h.session {
			h.steps[i].Exchange = e
			h.index.Add(&e.Request)
		}
	}
	calls := align.Sent([]align.Run{align.Whole(t)}, nil)
	windows := slices.DeleteFunc(align.Windows(calls, h.steps, h.index, align.Between), func(w align.Window) bool {
		return len(w.At) < len(t.Calls)
	})
	if len(windows) > maxOrigins {
		return nil
	}
	most, out := 0, []align.Window(nil)
	for _, w := range windows {
		n := holding(t, w.At)
		if n > most {
			most, out = n, nil
		}
		if n == most {
			out = append(out, w)
		}
	}
	return out
}

// altered returns what a call sends otherwise than the session did, at each place that it may come from; false where
// nothing is, where one of the places had it as the suite does, and where the dialect cannot write what was sent.
func (h *BoundScript) altered(t *script.Test, call int, windows []align.Window) (slip.Slip, bool) {
	c := t.Calls[call]
	var found slip.Slip
	for i, w := range windows {
		step := w.At[c]
		if step == nil || h.script.Writer.Graft == nil {
			return slip.Slip{}, false
		}
		x, ok := h.alteredBy(c, &step.Exchange.Request)
		if !ok || i > 0 && !x.Same(found) {
			return slip.Slip{}, false
		}
		found = x
	}
	found.Call = call
	return found, len(windows) > 0
}

// alteredBy returns what a call sent otherwise than a request of the session's, which asks for the same.
func (h *BoundScript) alteredBy(c *script.Call, r *exchange.Request) (slip.Slip, bool) {
	step := h.matched[c]
	if step == nil {
		return slip.Slip{}, false
	}
	payload, err := r.Payload()
	was, errWas := step.Exchange.Request.Payload()
	if err != nil || errWas != nil {
		return slip.Slip{}, false
	}
	out := slip.Slip{Was: string(was), Body: string(payload)}
	if c.Body != out.Body && (c.Dynamic || c.BodyAt.End == c.BodyAt.Start || !slip.SameBeyondASCII(c.Body, out.Body)) {
		return slip.Slip{}, false
	}
	for _, x := range c.Headers {
		name := strings.ToLower(x.Name)
		values, sent := r.Header.Values(x.Name), step.Exchange.Request.Header.Values(x.Name)
		_, twice := c.Header(name, 1)
		if slip.IsTransport(name) || twice || len(values) != 1 || len(sent) != 1 || values[0] == sent[0] {
			continue
		}
		place := exchange.HeaderPlace(name)
		if x.At.End == x.At.Start || strings.Contains(x.Value, "\x00") || h.src.Redactor.Secret(place) ||
			h.src.Redactor.Show(place, values[0]) != values[0] {
			return slip.Slip{}, false
		}
		out.Headers = append(out.Headers, slip.Header{Header: x, Was: sent[0], Sent: values[0]})
	}
	return out, out.Was != out.Body || len(out.Headers) > 0
}

// explains reports whether an assertion holds of all that the session was answered, and fails in the executions for
// what a call sends otherwise.
func (s *slips) explains(t *script.Test, x *slip.Slip, a *script.Assertion, trials []expr.Scope) bool {
	subject, c := a.Subject(), t.Calls[a.Call]
	seen, _ := hold(a.Meaning, trials)
	held, failed := hold(a.Meaning, s.answered)
	if failed > 0 || len(held) < len(s.answered) {
		return false
	}
	for _, was := range held {
		for _, is := range seen {
			if x.Call == a.Call && x.Negotiates(answerOf(was, c), answerOf(is, c)) {
				continue
			}
			before, err := was.Eval(subject)
			after, errAfter := is.Eval(subject)
			if err != nil || errAfter != nil || !x.Tells(before, after) {
				return false
			}
		}
	}
	return true
}

// answerOf returns what a call was answered; nil where it was not.
func answerOf(names expr.Scope, c *script.Call) *exchange.Response {
	if r, ok := names[c.Var].(*expr.Response); ok {
		return r.Message()
	}
	return nil
}
