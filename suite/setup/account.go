package setup

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
)

// A login depends on the sign-up though no answer gave it anything: the client made up the name and the password, and
// sends them again.

const (
	// minIdentity is the least length of what names who logs in.
	minIdentity = 3
	// maxMakers bounds the requests that sent a password, the latest first, among which is looked for a sign-up.
	maxMakers = 50
)

// credentials are what a request says, in its query and body, of who sends it.
type credentials struct {
	passwords []string // the secrets that the client made up, each once
	names     []string // the other values that may name somebody
}

func (s *Session) credentialsOf(e *exchange.Exchange) credentials {
	var c credentials
	sites := message.SitesOutsideHeader(&e.Request)
	secret := func(x message.Site) bool { return x.Form != message.InPath && s.redactor.Secret(x.Place) }
	for _, x := range sites {
		given := slices.ContainsFunc(s.takes[e.Seq], func(t Taken) bool { return t.Place == x.Place })
		if secret(x) && !given && x.Value != "" && !slices.Contains(c.passwords, x.Value) {
			c.passwords = append(c.passwords, x.Value)
		}
	}
	for _, x := range sites {
		if x.Form != message.InPath && !secret(x) && len(x.Value) >= minIdentity && !slices.Contains(c.passwords, x.Value) {
			c.names = append(c.names, x.Value)
		}
	}
	return c
}

// readSignUps finds, for each request that logs somebody in, the one that made the account: the last write before it,
// to another path, that went well, sent the same passwords, and tells of the one who logs in. What logs in is itself no
// sign-up, so that a second login does not depend on the first; nor is what gives a credential without making anything.
func (s *Session) readSignUps() map[int]int {
	out := map[int]int{}
	sent := map[string][]int{} // by password, the writes that sent it
	for i, e := range s.history.session {
		if Unsendable(e) != "" {
			continue
		}
		c := s.credentialsOf(e)
		if len(c.passwords) == 0 {
			continue
		}
		if from := s.signUpOf(i, c, sent[c.passwords[0]]); from >= 0 {
			out[i] = from
			continue
		}
		login := slices.ContainsFunc(s.gives[e.Seq], s.Credential) && s.born[i] == "" && e.Response.Status != 201
		if !accepted(e) || login {
			continue
		}
		for _, p := range c.passwords {
			all := sent[p]
			sent[p] = append(all[max(0, len(all)+1-maxMakers):], i)
		}
	}
	return out
}

// signUpOf finds among writes that sent the first of the passwords the last one that sent all of them, and tells of one
// whom the request names; -1 where there is none. One to the same path is the same request again.
func (s *Session) signUpOf(pos int, c credentials, writes []int) int {
	for _, i := range slices.Backward(writes) {
		own := s.credentialsOf(s.history.session[i])
		lacks := func(p string) bool { return !slices.Contains(own.passwords, p) }
		if s.history.paths[i] != s.history.paths[pos] && !slices.ContainsFunc(c.passwords, lacks) && s.tells(i, c.names) {
			return i
		}
	}
	return -1
}

// tells reports whether a write says one of some names: itself, or by the id of what a request that said it had made,
// as a change of password does.
func (s *Session) tells(pos int, names []string) bool {
	e := s.history.session[pos]
	says := func(e *exchange.Exchange) bool {
		return slices.ContainsFunc(message.SitesOutsideHeader(&e.Request), func(x message.Site) bool {
			return slices.ContainsFunc(names, func(n string) bool { return len(message.Apart(x.Value, n)) > 0 })
		})
	}
	return says(e) || slices.ContainsFunc(s.takes[e.Seq], func(t Taken) bool {
		p := s.exchange(t.Producer.Seq)
		return p != nil && t.Place.Root() == "path" && says(p)
	})
}

// SignUp returns the exchange that signed up whom the request of one logs in; false where none is known.
func (s *Session) SignUp(seq uint64) (uint64, bool) {
	if from := s.signUp(seq); from >= 0 {
		return s.history.session[from].Seq, true
	}
	return 0, false
}

// Account reports whether an exchange signed up somebody whom a request logs in.
func (s *Session) Account(seq uint64) bool {
	pos, ok := s.position[seq]
	return ok && slices.Contains(slices.Collect(maps.Values(s.signUps)), pos)
}

// signUp is SignUp by position, -1 where there is none.
func (s *Session) signUp(seq uint64) int {
	if pos, ok := s.position[seq]; ok {
		if from, ok := s.signUps[pos]; ok {
			return from
		}
	}
	return -1
}

// ChangesAccount reports whether a request takes away the account that a sign-up made, or changes its password.
func (s *Session) ChangesAccount(seq, signUp uint64) bool {
	e := s.exchange(seq)
	if e == nil || seq == signUp || e.Request.Safe() ||
		e.Request.Method != "DELETE" && len(s.credentialsOf(e).passwords) == 0 {
		return false
	}
	return slices.ContainsFunc(s.takes[seq], func(t Taken) bool {
		return t.Place.Root() == "path" && t.Producer.Seq == signUp
	})
}
