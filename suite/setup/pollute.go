package setup

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup/listing"
)

// Ran is a call of a suite as an execution sent it.
type Ran struct {
	File     string // the file of the suite that the test is in
	Test     string
	Call     int // which of the test's calls, from 0
	Exchange *exchange.Exchange
	Expected string // the status that the test expects of the answer, as a token; "" where it expects none
}

// Makes reports whether a call makes what another request does, as far as the test says.
func (r Ran) Makes(like *exchange.Request) bool {
	own, _ := exchange.SplitTarget(r.Exchange.Request.Target)
	other, _ := exchange.SplitTarget(like.Target)
	return r.Exchange.Request.Method == like.Method && own == other && (r.Expected == "" || strings.HasPrefix(r.Expected, "2"))
}

// pollute looks for the calls of other tests that keep a call from being answered as it was in the session: what made
// the elements of a list that ought not to be there, what took away those that ought to; and, where the session's state
// would be there on a fresh API by itself, what else changed the resource that is asked for.
func (p *plan) pollute(call int, before []Ran, alone bool) {
	w := &p.test[call]
	if len(w.Seen) == 0 || len(before) == 0 {
		return
	}
	pos := p.own[call]
	asked := *p.history.session[pos]
	wanted, isList := listing.Of(&asked)
	asked.Response = w.Seen[0]
	got, gotList := listing.Of(&asked)
	path := p.history.paths[pos]
	if isList && gotList {
		p.strangers(path, wanted.Keys, got.Keys, before)
		p.missing(path, wanted.Keys, got.Keys, before)
		return
	}
	if !alone {
		return
	}
	for _, ran := range slices.Backward(before) {
		own := pathKey(&ran.Exchange.Request)
		if wrote(ran.Exchange) && (own == path || below(path, own) && own != firstSegment(own) || below(own, path)) {
			p.polluted(ran)
			return
		}
	}
}

// strangers finds what made the elements of a list that were not wanted, and that are not those of a fresh API.
func (p *plan) strangers(path string, wanted, got []string, before []Ran) {
	for _, key := range got {
		if key == "" || slices.Contains(wanted, key) {
			continue
		}
		child := path + "/" + segmentKey(key)
		for _, ran := range slices.Backward(before) {
			if !wrote(ran.Exchange) || ran.Exchange.Request.Method == "DELETE" {
				continue
			}
			own := pathKey(&ran.Exchange.Request)
			born, _ := bornOf(ran.Exchange)
			if own == child || born == child || own == path && holds(&ran.Exchange.Request, key) {
				p.polluted(ran)
				break
			}
		}
	}
}

// missing finds what took away elements of a list that a fresh API has.
func (p *plan) missing(path string, wanted, got []string, before []Ran) {
	for _, key := range wanted {
		child := path + "/" + segmentKey(key)
		r := p.history.resources[child]
		if key == "" || slices.Contains(got, key) || r == nil || r.base == 0 {
			continue
		}
		for _, ran := range slices.Backward(before) {
			if wrote(ran.Exchange) && ran.Exchange.Request.Method == "DELETE" && pathKey(&ran.Exchange.Request) == child {
				p.polluted(ran)
				break
			}
		}
	}
}

// polluted notes a polluter. What it leaves behind is not taken away: by the id that the recording has of it, which may
// be another's where the suite runs.
func (p *plan) polluted(ran Ran) {
	r := &ran.Exchange.Request
	target, _ := exchange.SplitTarget(r.Target)
	x := Polluter{File: ran.File, Test: ran.Test, Call: ran.Call, Request: r.Method + " " + target}
	if slices.ContainsFunc(p.polluters, func(o Polluter) bool {
		return o.File == x.File && o.Test == x.Test &&
			o.Call == x.Call
	}) {
		return
	}
	p.polluters = append(p.polluters, x)
}
