package align

import (
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// maxRedirects bounds how many redirects of one call are followed, as clients do.
const maxRedirects = 10

// Follow has the calls of a suite be answered with what their redirects led to, where its client followed them, as
// superagent and requests do unless they are told otherwise: the exchange behind the redirect asks for its location,
// and is of no call of the suite.
func Follow(steps []exchange.Step, matched map[*script.Call]*exchange.Step) {
	f := &following{steps: steps, matched: matched, calls: make([]*script.Call, len(steps))}
	position := make(map[uint64]int, len(steps))
	for i, s := range steps {
		position[s.Exchange.Seq] = i
	}
	for call, step := range matched {
		f.calls[position[step.Exchange.Seq]] = call
	}
	for at, call := range f.calls {
		if call != nil {
			f.follow(at)
		}
	}
}

// following is a recording and the calls of a suite that its steps are of, nil mostly.
type following struct {
	steps   []exchange.Step
	calls   []*script.Call
	matched map[*script.Call]*exchange.Step
}

// follow looks behind one step for what it led to.
func (f *following) follow(at int) {
	call, step := f.calls[at], &f.steps[at]
	for next := at + 1; next < len(f.steps) && next-at <= maxRedirects; next++ {
		to := &f.steps[next]
		if !leadsTo(&step.Exchange.Request, step.Exchange.Response, &to.Exchange.Request) || !f.free(next) {
			return
		}
		step = redirected(step, to)
		f.matched[call] = step
	}
}

// free reports whether a step is of no call of the suite. A call that it was taken for gives it back where the same
// request follows: a client goes where it is redirected before it sends anything else.
func (f *following) free(at int) bool {
	call := f.calls[at]
	if call == nil {
		return true
	}
	if at+1 == len(f.steps) || f.calls[at+1] != nil {
		return false
	}
	here, behind := &f.steps[at].Exchange.Request, &f.steps[at+1].Exchange.Request
	if here.Method != behind.Method || here.Target != behind.Target {
		return false
	}
	f.calls[at], f.calls[at+1] = nil, call
	f.matched[call] = &f.steps[at+1]
	return true
}

// leadsTo reports whether an answer sends its client on to a request.
func leadsTo(from *exchange.Request, answer *exchange.Response, to *exchange.Request) bool {
	if answer == nil || answer.Status < 301 || answer.Status > 308 || answer.Status > 303 && answer.Status < 307 {
		return false
	}
	base, err := url.Parse(from.Target)
	if err != nil {
		return false
	}
	location, err := base.Parse(answer.Header.Get("Location"))
	if err != nil || !answer.Header.Has("Location") {
		return false
	}
	target, _, _ := strings.Cut(location.RequestURI(), "#")
	return SameTarget(target, to.Target)
}

// redirected is a step with the answers that its redirects led to; in an execution that had no redirect, its own.
func redirected(from, to *exchange.Step) *exchange.Step {
	e := *from.Exchange
	e.Response, e.Fault = to.Exchange.Response, to.Exchange.Fault
	out := exchange.Step{Exchange: &e, Observations: slices.Clone(from.Observations)}
	for i, o := range out.Observations {
		for _, led := range to.Observations {
			if led.Run == o.Run && leadsTo(&from.Exchange.Request, o.Response, &to.Exchange.Request) {
				last := *led
				last.Seq = o.Seq
				out.Observations[i] = &last
			}
		}
	}
	return &out
}
