package setup

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Givers lists the exchanges that one depends on for what its request says: those whose answers gave it values, and
// the sign-up of whom it logs in. One may be listed twice.
func (s *Session) Givers(seq uint64) []uint64 {
	var out []uint64
	if from, ok := s.SignUp(seq); ok {
		out = append(out, from)
	}
	for _, t := range s.takes[seq] {
		out = append(out, t.Producer.Seq)
	}
	return out
}

// DependsOn lists the earlier exchanges that one depends on by itself: its givers, what was done since to the resources
// that its values name, and to what they belong to if they are gone, and where it was refused, the same request that
// went well before.
func (s *Session) DependsOn(seq uint64) []uint64 {
	e := s.exchange(seq)
	out := s.Givers(seq)
	if e == nil || e.Response == nil {
		return out
	}
	for _, t := range s.takes[seq] {
		for _, other := range t.Uses {
			if w := s.exchange(other.Seq); w != nil && other.Seq < seq && s.changes(w, e, t, other.Place) {
				out = append(out, other.Seq)
			}
		}
	}
	if e.Response.Status == 404 || e.Response.Status == 410 {
		out = append(out, s.goneWith(seq)...)
	}
	if e.Response.Status >= 400 && !e.Request.Safe() {
		out = append(out, s.succeeded(seq)...)
	}
	return out
}

// goneWith lists the requests that took away what the things in the path of a request belonged to, as the bodies say by
// which they were made, where nothing took away these themselves: a member's loans go with the member.
func (s *Session) goneWith(seq uint64) []uint64 {
	var out []uint64
	for _, t := range s.takes[seq] {
		if t.Place.Root() != "path" || !s.Made(t.Binding) || len(s.deletedBetween(t.Binding, t.Producer.Seq, seq)) > 0 {
			continue
		}
		for _, owner := range s.takes[t.Producer.Seq] {
			if owner.Place.Root() == "body" {
				out = append(out, s.deletedBetween(owner.Binding, t.Producer.Seq, seq)...)
			}
		}
	}
	return out
}

// deletedBetween lists the requests between two that went well and took away what a value names.
func (s *Session) deletedBetween(v *exchange.Binding, after, before uint64) []uint64 {
	var out []uint64
	for _, u := range v.Uses {
		e := s.exchange(u.Seq)
		if u.Seq > after && u.Seq < before && e != nil && e.Request.Method == "DELETE" && u.Place.Root() == "path" &&
			accepted(e) && Unsendable(e) == "" {
			out = append(out, u.Seq)
		}
	}
	return out
}

// changes reports whether a write that used the same value as an exchange, at a place, changed what that is about: the
// resource that the value names in both paths; what is listed within it, where a POST to the whole collection names it
// in its body; or, for a credential, what lies at or below the same path. What a POST to a collection makes is no
// element of it that another request made.
func (s *Session) changes(w, e *exchange.Exchange, t Taken, at exchange.Place) bool {
	if Unsendable(w) != "" || !accepted(w) {
		return false
	}
	if at.Root() == "path" && t.Place.Root() == "path" {
		return true
	}
	own, path := pathKey(&w.Request), pathKey(&e.Request)
	if at.Root() == "body" && t.Place.Root() == "path" && w.Request.Method == "POST" && unnested(path) == own {
		return true
	}
	if !s.Credential(t.Binding) {
		return false
	}
	return own == path || below(own, path) || below(path, own) && (w.Request.Method != "POST" || !s.namesOther(e, w.Seq))
}

// namesOther reports whether the path of a request names what another request than that of seq made.
func (s *Session) namesOther(e *exchange.Exchange, seq uint64) bool {
	return slices.ContainsFunc(s.takes[e.Seq], func(t Taken) bool {
		return t.Place.Root() == "path" && t.Producer.Seq != seq && s.Made(t.Binding)
	})
}

// succeeded finds the request that did what a later one, the same again, was refused for: there is one already.
func (s *Session) succeeded(seq uint64) []uint64 {
	for _, earlier := range s.Same(seq) {
		if e := s.exchange(earlier); earlier < seq && e.Response.Status/100 == 2 {
			return []uint64{earlier}
		}
	}
	return nil
}

// asked is what makes two exchanges ones of the same request: what it asks for, and who asks. Somebody without a token
// is refused for that, and not for what happened before.
type asked struct {
	fp  exchange.Fingerprint
	who string
}

// asked returns what identifies a request. Of a credential that an answer gave it matters that it is one: each login
// gives another.
func (s *Session) asked(e *exchange.Exchange) asked {
	var who strings.Builder
	for _, f := range e.Request.Header {
		place := exchange.HeaderPlace(f.Name)
		if !s.redactor.Secret(place) {
			continue
		}
		value := f.Value
		given := func(t Taken) bool {
			return t.Place.Within(place) || place == "/header/cookie" && t.Place.Root() == "cookie"
		}
		if slices.ContainsFunc(s.takes[e.Seq], given) {
			value = ""
		}
		who.WriteString(string(place) + "\x00" + value + "\x00")
	}
	return asked{exchange.Exact(e), who.String()}
}

// Same lists the exchanges of the same request by the same asker, that of seq among them, in order. What cannot be sent
// again is left out.
func (s *Session) Same(seq uint64) []uint64 {
	e := s.exchange(seq)
	if e == nil {
		return nil
	}
	return s.sent[s.asked(e)]
}

// Writes lists the exchanges that went well and may have changed the resource of a path, or one below it, in order.
func (s *Session) Writes(path string) []uint64 { return s.accepted(s.history.written[path]) }

// WritesElsewhere lists the exchanges that went well and may have changed what a collection shows by another path to
// it: /books/3/reviews may list some of what /reviews lists.
func (s *Session) WritesElsewhere(path string) []uint64 {
	out := s.accepted(s.history.nested[path])
	if whole := unnested(path); whole != "" {
		out = append(out, s.Writes(whole)...)
	}
	return out
}

// Changes lists the exchanges that went well and changed or took away the very resource of a path: PUT, PATCH, DELETE;
// in order.
func (s *Session) Changes(path string) []uint64 { return s.accepted(s.history.changed[path]) }

func (s *Session) accepted(positions []int) []uint64 {
	var out []uint64
	for _, i := range positions {
		if e := s.history.session[i]; accepted(e) && Unsendable(e) == "" {
			out = append(out, e.Seq)
		}
	}
	return out
}

// accepted reports whether a request that may change something went well.
func accepted(e *exchange.Exchange) bool {
	return !e.Request.Safe() && e.Response != nil && e.Response.Status < 400
}

// Paths returns the path of a request, as Writes takes it, and the paths around it, the outermost first; nothing for
// the root.
func Paths(r *exchange.Request) []string {
	path := pathKey(r)
	if path == "" {
		return nil
	}
	return prefixes(path)
}

// Ends reports whether a request ends the session whose credential it uses: it says so, or the credential was refused
// ever since. That it may be sent follows from what it says alone, as [Session.Harmless] has it: where a credential
// is refused since, the account may be gone.
func (s *Session) Ends(seq uint64, credential *exchange.Binding) bool {
	e := s.exchange(seq)
	if e == nil || e.Request.Safe() || Unsendable(e) != "" {
		return false
	}
	if endsSession(&e.Request) {
		return true
	}
	refused, after := 0, 0
	for _, u := range credential.Uses {
		if x := s.exchange(u.Seq); x != nil && u.Seq > seq && x.Response != nil {
			after++
			if x.Response.Status == 401 || x.Response.Status == 403 {
				refused++
			}
		}
	}
	return after > 0 && refused == after
}

// wroteTo lists the positions of the writes to a resource, to what is below it, and of those that made it, in order.
func (s *Session) wroteTo(path string) []int {
	out := slices.Clone(s.history.written[path])
	if r := s.history.resources[path]; r != nil {
		for _, e := range r.events {
			if e.kind == wasMade && s.born[e.at] == path {
				out = append(out, e.at)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
