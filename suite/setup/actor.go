package setup

import (
	"slices"

	"github.com/flaketap/flaketap/flow/message"
)

// A session of many people has each of them do a part of what a test depends on, and to have them all sign up and log
// in again takes more requests than what they did. Mostly it does not matter who did it: so a set-up is tried with one
// of them in the place of all.

// logins lists the logins that may stand for those of a set-up, each by its exchange: one from before the test of whom
// the test logs in itself, and those of the set-up.
func (f *Finder) logins(test []Wanted, steps []uint64) []uint64 {
	var out []uint64
	first := uint64(0)
	for _, w := range test {
		if w.Seq > 0 && (first == 0 || w.Seq < first) {
			first = w.Seq
		}
	}
	for _, w := range test {
		if !f.logsIn(w.Seq) {
			continue
		}
		for _, same := range slices.Backward(f.Same(w.Seq)) {
			if same < first && f.logsIn(same) {
				out = append(out, same)
				break
			}
		}
	}
	for _, seq := range steps {
		if f.logsIn(seq) && !slices.Contains(out, seq) {
			out = append(out, seq)
		}
	}
	return out
}

// logsIn reports whether the answer to a request gives a credential: to it, or to the same request another time.
func (f *Finder) logsIn(seq uint64) bool {
	return f.credentials[seq] || slices.ContainsFunc(f.Same(seq), func(same uint64) bool { return f.credentials[same] })
}

// alikeLogins reports whether two logins give credentials of the same kind.
func (f *Finder) alikeLogins(one, other uint64) bool {
	a, b := f.exchange(one), f.exchange(other)
	return a != nil && b != nil && f.logsIn(one) && f.logsIn(other) && a.Request.Method == b.Request.Method &&
		f.history.paths[f.position[one]] == f.history.paths[f.position[other]]
}

// withLogin returns steps with one login, and what it needs, in the place of all that are like it and of what only
// those need.
func (f *Finder) withLogin(test []Wanted, steps []uint64, login uint64) []uint64 {
	other := func(seq uint64) bool { return seq != login && f.alikeLogins(seq, login) }
	kept := slices.DeleteFunc(slices.Clone(steps), other)
	needed := func(seq uint64) bool { // by a step, or by a call of the test
		return slices.ContainsFunc(kept, func(k uint64) bool { return slices.Contains(f.Givers(k), seq) }) ||
			slices.ContainsFunc(test, func(w Wanted) bool { return slices.Contains(f.Givers(w.Seq), seq) })
	}
	kept = slices.DeleteFunc(kept, func(seq uint64) bool {
		account := slices.ContainsFunc(steps, func(l uint64) bool {
			from, ok := f.SignUp(l)
			return ok && from == seq && other(l)
		})
		return account && !needed(seq)
	})
	kept = append(kept, login)
	for i := len(kept) - 1; i < len(kept); i++ { // those that it needs are added behind it
		for _, need := range f.Givers(kept[i]) {
			if !slices.Contains(kept, need) {
				kept = append(kept, need)
			}
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// loginFirst puts a login, and what it needs, before all other steps.
func (f *Finder) loginFirst(steps []uint64, login uint64) []uint64 {
	if !slices.Contains(steps, login) {
		return steps
	}
	first := []uint64{login}
	for i := 0; i < len(first); i++ {
		for _, need := range f.Givers(first[i]) {
			if slices.Contains(steps, need) && !slices.Contains(first, need) {
				first = append(first, need)
			}
		}
	}
	slices.Sort(first)
	rest := slices.DeleteFunc(slices.Clone(steps), func(seq uint64) bool { return slices.Contains(first, seq) })
	return append(first, rest...)
}

// by has the steps send the credential of one login in the place of those of logins that are like it.
func (w *graftBuilder) by(login uint64) {
	from, ok := w.step[login]
	if !ok {
		return
	}
	for i := range w.bindings {
		b := &w.bindings[i]
		if b.Producer.Seq == login || !w.alikeLogins(b.Producer.Seq, login) || !w.Credential(b) {
			continue
		}
		value, ok := message.Value(w.exchange(login).Response, b.Producer.Place)
		if !ok {
			continue
		}
		for _, u := range b.Uses {
			n, ok := w.step[u.Seq]
			if !ok || n <= from {
				continue
			}
			s := &w.graft.Steps[n]
			s.Request = message.Filled(&s.Request, message.Fill{Place: u.Place, Before: b.Value, After: value})
			w.graft.unuse(BindUse{InSetUp, n, u.Place})
			w.bind(from, b.Producer.Place, value, b.Name).use(BindUse{InSetUp, n, u.Place})
		}
	}
}

// unuse forgets that a value stands at a place.
func (g *Graft) unuse(u BindUse) {
	for i := range g.Binds {
		g.Binds[i].Uses = slices.DeleteFunc(g.Binds[i].Uses, func(x BindUse) bool { return x == u })
	}
}
