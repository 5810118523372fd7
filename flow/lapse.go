package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// Lapse is a credential that the API took when it was recorded and takes no more: it has expired, or was revoked. What
// is answered to it from then on tells that alone.
type Lapse struct {
	Place exchange.Place // where requests bear it: /header/authorization, /cookie/sid, /query/api_key
	Value string         // a secret
	First uint64         // the first exchange that bears it, of those that it was refused for
	// Expired is when it ended by its own word, the exp of a JSON Web Token; zero where refusals alone show the end.
	Expired time.Time
	Since   time.Time // from when on the answers to it are no evidence
	Refused int       // how many requests that had succeeded in the recording were answered 401 or 403
	Runs    []int     // the runs in which they were, ascending
	// Write is when each of these runs was first refused a request that changes something: what comes after it in that
	// run meets another state than the recorded one.
	Write map[int]time.Time
}

const (
	// minLapsed is how many recorded requests a credential without a word of its own must be refused for.
	minLapsed = 3
	// maxCandidates bounds how many credentials are weighed.
	maxCandidates = 1000
	// clockSkew is how much earlier than by our clock a token may end by that of the API.
	clockSkew = time.Minute
)

// Lapses finds the credentials that lapsed, in two passes over the steps of a recording: Look at all of them, and where
// Any says so, Weigh all of them. A recording in which no request was refused needs the first pass alone, which looks
// at statuses only.
//
// A refusal is an answer 401 or 403 in a run to a request that succeeded in the recording. A credential lapsed where it
// ended by its own word before it was refused; where the API says invalid_token (RFC 6750, section 3.1); or where it is
// refused for [minLapsed] recorded requests at least, and half of those that bear it. In each case none of these
// requests succeeded after the first refusal: an API that refuses by chance, or logs out and in again, takes the same
// credential again, and that is evidence. A 403 may be about permissions: without a single 401, nothing at all may have
// succeeded with the credential since. What an answer of the run itself gave, as a login, can lapse by its own word
// only.
type Lapses struct {
	aside map[int]bool // runs whose refusals tell nothing: they sent wrong values, or their API had another time
	begun map[int]time.Time
	bound map[exchange.Ref]bool // places of head and target whose values answers give
	found map[borne]*candidate
}

// borne is a credential where it stands.
type borne struct {
	place exchange.Place
	value string
}

// candidate is a credential that was refused, as far as it is weighed.
type candidate struct {
	Lapse
	bound, invalid, unauthorized bool
	steps, guarded               int       // recorded requests that bear it, and those of them that were refused
	taken, takenGuarded          time.Time // when it was last taken: for any request, for one that was also refused
}

// NewLapses returns the search for a recording with these runs, and the bindings that were found in it.
func NewLapses(runs []exchange.Run, bindings []exchange.Binding) *Lapses {
	l := &Lapses{aside: map[int]bool{}, begun: map[int]time.Time{}, bound: map[exchange.Ref]bool{},
		found: map[borne]*candidate{}}
	for _, r := range runs {
		l.aside[r.Number] = r.Misled() || r.Conditions.ClockStep() != ""
		l.begun[r.Number] = r.Started
	}
	for _, b := range bindings {
		for _, u := range b.Uses {
			if root := u.Place.Root(); root != "body" && root != "path" {
				l.bound[exchange.Ref{Seq: u.Seq, Place: credentialPlace(u.Place)}] = true
			}
		}
	}
	return l
}

// Look takes in a step: the credentials that were refused are those to be weighed.
func (l *Lapses) Look(s exchange.Step) {
	for _, o := range s.Observations {
		if !refused(s.Exchange, o) || l.aside[o.Run] {
			continue
		}
		for _, b := range credentialsIn(sent(s.Exchange, o)) {
			if l.found[b] == nil && len(l.found) < maxCandidates {
				l.found[b] = &candidate{Lapse: Lapse{Place: b.place, Value: b.value, First: s.Exchange.Seq,
					Write: map[int]time.Time{}}}
			}
		}
	}
}

// Any reports whether there is something to be weighed.
func (l *Lapses) Any() bool { return len(l.found) > 0 }

// Weigh takes in a step for the second time.
func (l *Lapses) Weigh(s exchange.Step) {
	if e := s.Exchange; e.Response == nil || e.Response.Status >= 400 {
		return
	}
	taken, first := map[*candidate]time.Time{}, map[*candidate]time.Time{}
	for _, o := range s.Observations {
		if l.aside[o.Run] || o.Response == nil {
			continue
		}
		at := l.at(o)
		for _, b := range credentialsIn(sent(s.Exchange, o)) {
			c := l.found[b]
			if c == nil {
				continue
			}
			if _, seen := taken[c]; !seen {
				taken[c] = time.Time{}
				c.steps++
			}
			switch {
			case refused(s.Exchange, o):
				l.refuse(c, s.Exchange, o)
				if known := first[c]; known.IsZero() || at.Before(known) {
					first[c] = at
				}
			case o.Response.Status < 400 && at.After(taken[c]):
				taken[c] = at
			}
		}
	}
	for c, last := range taken {
		c.taken = latest(c.taken, last)
		if _, guarded := first[c]; guarded {
			c.guarded++
			c.takenGuarded = latest(c.takenGuarded, last)
		}
	}
}

// refuse counts one refusal of a credential.
func (l *Lapses) refuse(c *candidate, e *exchange.Exchange, o *exchange.Observation) {
	at := l.at(o)
	c.Refused++
	c.bound = c.bound || l.bound[exchange.Ref{Seq: e.Seq, Place: c.Place}]
	c.unauthorized = c.unauthorized || o.Response.Status == 401
	c.invalid = c.invalid || saysInvalid(o.Response)
	if c.Since.IsZero() || at.Before(c.Since) {
		c.Since = at
	}
	if end, ok := Expiry(c.Value); ok && end.After(e.Start) && !end.After(at.Add(clockSkew)) {
		c.Expired = end
	}
	if !slices.Contains(c.Runs, o.Run) {
		c.Runs = append(c.Runs, o.Run)
	}
	if write, known := c.Write[o.Run]; !e.Request.Safe() && (!known || at.Before(write)) {
		c.Write[o.Run] = at
	}
}

// Found returns what lapsed, by the first exchange and the place that bear it. Of a request that bears several, those
// that ended by their own word explain its refusal, and no other need have lapsed.
func (l *Lapses) Found() []Lapse {
	var out []Lapse
	own := map[int]bool{} // runs that are explained by a token's own word
	for _, c := range l.found {
		if c.lapsed() && !c.Expired.IsZero() {
			for _, run := range c.Runs {
				own[run] = true
			}
		}
	}
	for _, c := range l.found {
		explained := c.Expired.IsZero() && !slices.ContainsFunc(c.Runs, func(run int) bool { return !own[run] })
		if !c.lapsed() || explained {
			continue
		}
		if c.Expired.Before(c.Since) && c.takenGuarded.Before(c.Expired) {
			c.Since = c.Expired
		}
		slices.Sort(c.Runs)
		out = append(out, c.Lapse)
	}
	slices.SortFunc(out, func(a, b Lapse) int {
		if a.First != b.First {
			return int(a.First) - int(b.First)
		}
		return strings.Compare(string(a.Place)+a.Value, string(b.Place)+b.Value)
	})
	return out
}

// lapsed decides; the doc of Lapses says how.
func (c *candidate) lapsed() bool {
	switch {
	case c.guarded == 0 || !c.takenGuarded.Before(c.Since):
		return false
	case !c.Expired.IsZero():
		return true
	case c.bound || !c.unauthorized && !c.taken.Before(c.Since):
		return false
	}
	return c.invalid || c.guarded >= minLapsed && 2*c.guarded >= c.steps
}

// LapsedValues returns the values of what lapsed, as a [Renewal] takes them.
func LapsedValues(found []Lapse) map[string]bool {
	out := map[string]bool{}
	for _, l := range found {
		out[l.Value] = true
	}
	return out
}

func (l *Lapses) at(o *exchange.Observation) time.Time {
	if o.Start.IsZero() {
		return l.begun[o.Run]
	}
	return o.Start
}

// Sieve takes from steps the answers that are no evidence, as a credential had lapsed.
type Sieve struct {
	*Lapses
	lapses map[borne]Lapse
	writes map[int]time.Time // by run, from when on all of it meets another state
}

// Sieve returns the one for what was found.
func (l *Lapses) Sieve(found []Lapse) *Sieve {
	s := &Sieve{Lapses: l, lapses: map[borne]Lapse{}, writes: map[int]time.Time{}}
	for _, f := range found {
		s.lapses[borne{f.Place, f.Value}] = f
		for run, at := range f.Write {
			if known, ok := s.writes[run]; !ok || at.Before(known) {
				s.writes[run] = at
			}
		}
	}
	return s
}

// Step returns a step without those answers. The step itself stays as it is.
func (s *Sieve) Step(step exchange.Step) exchange.Step {
	drop := func(o *exchange.Observation) bool { return s.drops(step.Exchange, o) }
	if !slices.ContainsFunc(step.Observations, drop) {
		return step
	}
	step.Observations = slices.DeleteFunc(slices.Clone(step.Observations), drop)
	return step
}

func (s *Sieve) drops(e *exchange.Exchange, o *exchange.Observation) bool {
	at := s.at(o)
	if from, ok := s.writes[o.Run]; ok && !at.Before(from) {
		return true
	}
	return slices.ContainsFunc(credentialsIn(sent(e, o)), func(b borne) bool {
		f, ok := s.lapses[b]
		return ok && !at.Before(f.Since)
	})
}

// refused reports whether an answer refuses what succeeded in the recording.
func refused(e *exchange.Exchange, o *exchange.Observation) bool {
	return e.Response != nil && e.Response.Status < 400 && o != nil && o.Response != nil &&
		(o.Response.Status == 401 || o.Response.Status == 403)
}

// saysInvalid reports whether an answer says of the token itself that it is over.
func saysInvalid(r *exchange.Response) bool {
	return r.Status == 401 && slices.ContainsFunc(r.Header.Values("WWW-Authenticate"),
		func(v string) bool { return strings.Contains(v, "invalid_token") })
}

// sent is the request of an observation: the recorded one where it was not kept.
func sent(e *exchange.Exchange, o *exchange.Observation) *exchange.Request {
	if len(o.Sent.Head) == 0 && o.Sent.Target == "" {
		return &e.Request
	}
	return &o.Sent
}

// credentialsIn lists the credentials that the target and the head of a request bear, by their names.
func credentialsIn(r *exchange.Request) []borne {
	var out []borne
	for _, s := range message.SitesInHead(r) {
		if s.Value != "" && exchange.Secret(s.Place) {
			out = append(out, borne{s.Place, s.Value})
		}
	}
	return out
}

// credentialPlace is the place of the header, cookie or parameter that a value stands in.
func credentialPlace(p exchange.Place) exchange.Place {
	s := p.Segments()
	if len(s) < 2 {
		return p
	}
	return exchange.Place("/" + s[0]).Key(s[1])
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
