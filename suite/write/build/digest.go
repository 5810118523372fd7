package build

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/compare"
)

// A value that moves may be the digest of what a test knows: a tag that of the body, a member that of another member,
// or of what the request sent. Chance makes no digest, so two executions with different ones are enough, where all that
// there are bear it out. A digest of what never differs is asserted as any value that does not move.

// minDigests is how many different digests must have been seen. Of an answer, and of a request, the digests of so many
// texts are looked for as maxHashed says; a text of the request is written into the test up to maxGiven bytes.
const (
	minDigests = 2
	maxHashed  = 100
	maxGiven   = 400
)

// sight is an exchange as one execution had it: the recording, a run, or a trial, of which the request is not kept.
type sight struct {
	response *exchange.Response
	sent     map[exchange.Place]string // the values of the request, its body as a whole at /body; nil for a trial
	trial    play.Answer
}

// sights lists the executions of which the answer has the status that is asserted.
func (a *asserting) sights() []sight {
	var all []sight
	add := func(r *exchange.Response, sent *exchange.Request, trial play.Answer) {
		if r == nil || r.Status != a.e.Response.Status {
			return
		}
		s := sight{response: r, trial: trial}
		if sent != nil {
			payload, _ := sent.Payload()
			s.sent = map[exchange.Place]string{}
			for _, site := range message.SitesOutsideHeader(sent) {
				s.sent[site.Place] = site.Value
			}
			s.sent[exchange.PlaceBody] = string(payload)
		}
		all = append(all, s)
	}
	recorded := a.steps[a.e.Seq] // a.e may have the answer of a trial
	add(recorded.Exchange.Response, &recorded.Exchange.Request, play.Answer{})
	for _, o := range recorded.Observations {
		add(o.Response, &o.Sent, play.Answer{})
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		add(r.Response, nil, r)
	}
	return all
}

// hashed is what may have been digested: a place of the answer, or a text that is given; and what it was in an
// execution, "" where that is not known.
type hashed struct {
	of    []exchange.Place
	given []plan.Text
	in    func(sight) string
}

// digests asserts of values that move that they are digests.
func (a *asserting) digests() {
	if a.mode != suite.Relax || a.context == nil {
		return
	}
	var all []sight
	var known []hashed
	for _, c := range slices.Clone(a.out) {
		raw, ok := compare.At(a.e.Response, c.Place)
		if c.Kind != plan.CheckHolds || c.Optional || !ok || !isValue(c.Place, raw) || a.secretPlace(c.Place) ||
			!plan.MayBeDigest(plan.TextOf(raw)) {
			continue
		}
		if all == nil {
			all, known = a.sights(), slices.Concat(a.hashedHere(), a.hashedSent())
		}
		if found := digestAt(c.Place, all, known); found != nil {
			found.If = c.If
			a.out = append(a.out, *found)
		}
	}
}

// digestAt finds what a value is the digest of; nil where executions do not bear anything out.
func digestAt(place exchange.Place, all []sight, known []hashed) *plan.Check {
	texts, told := textsIn(all, hashedAt(place).in), map[string]bool{}
	for _, text := range texts {
		told[text] = true
	}
	if told[""] || len(told) < minDigests {
		return nil
	}
	for _, h := range known {
		contents := textsIn(all, h.in)
		if slices.Contains(contents, "") {
			continue
		}
		for _, d := range plan.Digests() {
			if digits, ok := alwaysDigest(d, texts, contents); ok {
				return &plan.Check{Kind: plan.CheckHash, Place: place, Hash: d, Of: h.of, Given: h.given, Length: digits,
					Why: fmt.Sprintf("so in %d of %d", len(all), len(all))}
			}
		}
	}
	return nil
}

func textsIn(all []sight, in func(sight) string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = in(s)
	}
	return out
}

// alwaysDigest reports whether each text holds the digest of its content, and how many digits of it all of them hold.
func alwaysDigest(d plan.Digest, texts, contents []string) (digits int, ok bool) {
	for i, text := range texts {
		n, found := plan.DigitsIn(text, d.Of([]byte(contents[i])))
		if !found || i > 0 && n != digits {
			return 0, false
		}
		digits = n
	}
	return digits, true
}

// hashedHere lists the body of the answer, and the values in it.
func (a *asserting) hashedHere() []hashed {
	out := []hashed{{of: []exchange.Place{exchange.PlaceBody}, in: func(s sight) string {
		payload, err := s.response.Payload()
		if err != nil || s.response.Cut > 0 {
			return ""
		}
		return string(payload)
	}}}
	a.eachValue(func(place exchange.Place, raw string) bool {
		if place.Root() == "body" && isValue(place, raw) && a.writable(place) && len(out) < maxHashed {
			out = append(out, hashedAt(place))
		}
		return true
	})
	return out
}

// hashedAt is a value of the answer.
func hashedAt(place exchange.Place) hashed {
	return hashed{of: []exchange.Place{place}, in: func(s sight) string {
		raw, ok := compare.At(s.response, place)
		if !ok || raw == "null" {
			return ""
		}
		return plan.TextOf(raw)
	}}
}

// hashedSent lists the values of the request, and its body.
func (a *asserting) hashedSent() []hashed {
	fills := a.fills(a.e, a.usesOf(a.e))
	var out []hashed
	for _, site := range message.SitesOutsideHeader(&a.e.Request) {
		text := plan.Text{{Literal: site.Value}}
		within := func(f fill) bool { return f.place.Within(site.Place) }
		switch i := slices.IndexFunc(fills, within); {
		case i >= 0 && fills[i].place == site.Place && fills[i].value == site.Value:
			text = plan.Text{fills[i].piece}
		case i >= 0:
			continue
		}
		out = append(out, a.hashedGiven(site.Place, text))
	}
	marked := mark(a.e, fills)
	if len(marked.Body) > 0 {
		out = append(out, a.hashedGiven(exchange.PlaceBody, a.builder.body(&marked, fills).Text))
	}
	out = slices.DeleteFunc(out, func(h hashed) bool { return !a.sayable(h.given[0]) })
	return out[:min(len(out), maxHashed)]
}

// hashedGiven is what stands at a place of the request, written as the test writes it.
func (a *asserting) hashedGiven(place exchange.Place, text plan.Text) hashed {
	return hashed{given: []plan.Text{text}, in: func(s sight) string {
		if s.sent == nil {
			return play.Filled(text, s.trial.Values, nil)
		}
		return s.sent[place]
	}}
}

// sayable reports whether a text can be written once more into a test: it is short, no secret, and not empty.
func (a *asserting) sayable(text plan.Text) bool {
	size := 0
	for _, p := range text {
		if size += len(p.Literal) + len(p.Bound); p.Secret != "" || a.holdsSecret(p.Literal) || !utf8.ValidString(p.Literal) {
			return false
		}
	}
	return size > 0 && size <= maxGiven
}
