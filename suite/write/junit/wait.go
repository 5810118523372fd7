package junit

import (
	"slices"
	"strconv"
	"time"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// waits reports whether some step of a plan is sent again until its answer is ready.
func waits(p plan.Plan) bool {
	return slices.ContainsFunc(p.Tests, func(t plan.Test) bool {
		return slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Wait != nil && s.Left == "" })
	})
}

// answered writes the sending of a step's request, again and again by Awaitility where its answer is waited for. That
// is done in the thread of the test, as what answers gave one test is kept for its thread.
func (w *class) answered(s plan.Step) doc {
	request, a := w.request(s), s.Wait
	if a == nil {
		return request
	}
	duration := func(d time.Duration) doc {
		if d%time.Second == 0 {
			return w.call("Duration.ofSeconds", word(strconv.Itoa(int(d.Seconds()))))
		}
		return w.call("Duration.ofMillis", word(strconv.FormatInt(d.Milliseconds(), 10)))
	}
	w.use("Duration")
	return w.chain(w.call(w.use("await")),
		link{"pollInSameThread", nil},
		link{"pollDelay", []doc{word("Duration.ZERO")}},
		link{"pollInterval", []doc{duration(a.Pause())}},
		link{"atMost", []doc{duration(a.Patience)}},
		link{"until", []doc{w.function(request), w.says(a)}})
}

// says writes what an answer is waited for to say, and what ends that in vain.
func (w *class) says(a *plan.Wait) doc {
	says := w.call(w.use("says"), append([]doc{word(strconv.Itoa(a.Status))}, w.pairs(a.Values)...)...)
	if len(a.InVain) == 0 {
		return says
	}
	return w.chain(says, link{"orNever", w.pairs(a.InVain)})
}

// pairs writes values with their places.
func (w *class) pairs(values []plan.Awaited) []doc {
	var out []doc
	for _, v := range values {
		out = append(out, w.text(string(v.Place)), w.text(string(v.JSON)))
	}
	return out
}
