package suite

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/align"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/graft"
	"github.com/flaketap/flaketap/suite/script"
)

// enoughMatched is the share of calls that an order of the tests must find for the recording to be one of the suite,
// and moreFound the share by which a search may find more than that all the same: of a long session, any order finds a
// lot.
const (
	enoughMatched = 0.6
	moreFound     = 0.15
)

// matchCalls finds for each call of a script the recorded step that it sent. In a recording of the suite itself the
// order tells: the tests ran one after the other, in an order that the suite's runner has, and the recording may hold
// other files' exchanges before, between and after. Any other recording, the fuzzing session's say, is searched for
// each test by itself. A call that never came to be sent has no step. own reports whether the recording is one of the
// suite itself.
func matchCalls(s *script.Script, src Source) (matched map[*script.Call]*exchange.Step, own bool) {
	steps := src.Steps
	if src.Session {
		return dropUnreached(s, align.Search(s, steps, align.Between, nil, holding)), false
	}
	marks := align.MarksOf(s, steps)
	best, calls := inOrder(s, steps, marks)
	align.Shuffled(s.Tests, steps, best)
	own = true
	if have, all := ownMatched(best), len(align.Own(calls)); have < all {
		found := align.Search(s, steps, align.Between, marks, holding)
		more := float64(ownMatched(found)-have) / float64(all)
		if more > moreFound || more > 0 && float64(have) < enoughMatched*float64(all) {
			best, own = found, false
			align.Place(s.Tests, calls, steps, best)
		}
	}
	best = dropUnreached(s, best)
	align.Last(s.Tests, marks, steps, best)
	if own {
		align.Follow(steps, best)
	}
	align.Share(s.Tests, best)
	return best, own
}

// ownMatched is how many of the calls that have a step are a test's own, not sent once for several.
func ownMatched(matched map[*script.Call]*exchange.Step) int {
	n := 0
	for c := range matched {
		if c.Once == "" {
			n++
		}
	}
	return n
}

// inOrder aligns the calls of a script with the steps in the order of a runner that is worth the most, and lists them
// in it.
func inOrder(s *script.Script, steps []exchange.Step,
	marks align.Marks) (best map[*script.Call]*exchange.Step, calls []align.SentCall) {
	var aligned []align.SentCall // those of the best that were aligned, the others having been placed
	most := -1
	all := align.Orders(s)
	for i := 0; i < len(all); i++ {
		sent := align.Sent(all[i], marks)
		ways := [][]align.SentCall{sent}
		if own := align.Own(sent); len(own) < len(sent) {
			ways = append(ways, own) // what is sent once may have been sent for another file
		}
		for _, way := range ways {
			matched, worth := align.Calls(way, steps, align.FreeLead)
			worth += align.Place(s.Tests, sent, steps, matched)
			if worth > most || worth == most && allHolding(s, matched) > allHolding(s, best) {
				best, most, aligned, calls = matched, worth, way, sent
			}
		}
		if i+1 == len(all) && len(best) < len(calls) && i < align.MaxForward {
			all = append(all, align.Backward(all)...)
		}
	}
	return earlier(s, aligned, calls, steps, best), calls
}

// earlier is another alignment of some calls, of all that were sent, that begins at an exchange before the first of a
// given one, where more of what the suite asserts holds of it; else the one that was given. A test that sends more than
// its source shows lets the tests before it be taken for later ones.
func earlier(s *script.Script, calls, sent []align.SentCall, steps []exchange.Step,
	found map[*script.Call]*exchange.Step) map[*script.Call]*exchange.Step {
	first := slices.IndexFunc(calls, func(c align.SentCall) bool { return found[c.Call] != nil })
	if first < 0 {
		return found
	}
	begins := slices.IndexFunc(steps, func(e exchange.Step) bool {
		worth, _ := align.Agreement(calls[first], e.Exchange)
		return worth > 0
	})
	if &steps[begins] == found[calls[first].Call] {
		return found
	}
	other, _ := align.Calls(calls, steps, align.EqualLead)
	align.Place(s.Tests, sent, steps, other)
	if len(other) < len(found) {
		return found
	}
	if allHolding(s, other) > allHolding(s, found) {
		return other
	}
	return found
}

// allHolding counts the assertions of a suite that hold of what its calls are matched with.
func allHolding(s *script.Script, matched map[*script.Call]*exchange.Step) (n int) {
	for _, t := range s.Tests {
		n += holding(t, matched)
	}
	return n
}

// holding counts the assertions of a test that hold of what its calls are matched with.
func holding(t *script.Test, matched map[*script.Call]*exchange.Step) (n int) {
	names := scopeOf(t, matched, recordedRun)
	for _, a := range t.Assertions {
		if a.Meaning == nil {
			continue
		}
		if ok, err := names.Holds(a.Meaning); err == nil && ok {
			n++
		}
	}
	return n
}

// dropUnreached takes back the matches of calls that cannot have been sent: those after a line that reads what the
// answer did not have, and those whose path is not what the location resolves to.
func dropUnreached(s *script.Script, matched map[*script.Call]*exchange.Step) map[*script.Call]*exchange.Step {
	for _, t := range s.Tests {
		names := scopeOf(t, matched, recordedRun)
		end := len(s.Lines) + 1
		for _, k := range t.Extractions {
			if r, ok := names[k.Name].(expr.Failure); ok && expr.IsRaised(r.Err) {
				end = min(end, r.Line)
			}
		}
		for _, c := range t.Calls {
			step := matched[c]
			if step == nil {
				continue
			}
			if c.Follows && redirects(step.Exchange.Response) {
				delete(matched, c) // what the test sees is the answer of another exchange
				continue
			}
			location, known := names[c.Location].(string)
			if c.Line > end || known && !align.SameTarget(align.Resolved(location, c.Target), step.Exchange.Request.Target) {
				delete(matched, c)
			}
		}
	}
	return matched
}

// redirects reports whether an answer sends a client elsewhere (RFC 9110, section 15.4).
func redirects(r *exchange.Response) bool {
	return r != nil && slices.Contains([]int{301, 302, 303, 307, 308}, r.Status) && r.Header.Has("Location")
}

// recordedRun is the number under which the recording itself stands among its runs.
const recordedRun = 0

// scopeOf returns the names of a test as they were in one run: the answers, and what was taken from them.
func scopeOf(t *script.Test, matched map[*script.Call]*exchange.Step, run int) expr.Scope {
	names := make(expr.Scope)
	for _, c := range t.Calls {
		step := matched[c]
		if step == nil {
			continue
		}
		if run == recordedRun {
			names[c.Var] = expr.NewResponse(step.Exchange.Response, c.Client)
		}
		for _, o := range step.Observations {
			if o.Run == run && run != recordedRun {
				names[c.Var] = expr.NewResponse(o.Response, c.Client)
			}
		}
	}
	maps.Copy(names, graft.Drawn(t, func(c *script.Call) *exchange.Request { return sentIn(matched[c], run) }))
	maps.Copy(names, passedIn(t, matched, run))
	for _, k := range t.Extractions {
		names.Take(k.Name, k.Value, k.At.FirstLine)
	}
	return names
}

// sentIn is the request of a step in one run; nil where that has none.
func sentIn(step *exchange.Step, run int) *exchange.Request {
	switch {
	case step == nil:
		return nil
	case run == recordedRun:
		return &step.Exchange.Request
	}
	for i := range step.Observations {
		if step.Observations[i].Run == run {
			return &step.Observations[i].Sent
		}
	}
	return nil
}

// runsOf lists the runs that a source has observations of, the recording first.
func runsOf(steps []exchange.Step) []int {
	seen := map[int]bool{recordedRun: true}
	for _, s := range steps {
		for _, o := range s.Observations {
			seen[o.Run] = true
		}
	}
	runs := make([]int, 0, len(seen))
	for r := range seen {
		runs = append(runs, r)
	}
	slices.Sort(runs)
	return runs
}
