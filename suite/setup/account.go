package setup

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// A login depends on the sign-up though no answer gave it anything: the client made up the name and the password, and
// sends them again. So what repeats the values of an earlier write may depend on it.

const (
	// maxOrigins bounds the writes, the latest first, that a value is looked for in.
	maxOrigins = 16
	// enoughRepeated is how much has to be repeated, as weight counts it.
	enoughRepeated = 2
)

// origin is a write that went well, and that had sent what a later request repeats.
type origin struct {
	pos     int
	account bool // a secret is among what is repeated: it signed up whom the later one logs in
}

// originsOf returns, by the position of what repeats values, the writes that had sent them, the nearest first. What
// repeats values is itself the origin of none: a second login does not depend on the first.
func originsOf(session []*exchange.Exchange, paths []string, bindings []exchange.Binding) map[int][]origin {
	given := map[exchange.Ref]bool{}
	for _, b := range bindings {
		for _, u := range b.Uses {
			given[u] = true
		}
	}
	out := map[int][]origin{}
	sent := map[string][]int{} // by value: the writes that sent it
	for i, e := range session {
		own := ownSites(e, given)
		if found := origins(own, sent, paths, i); len(found) > 0 {
			out[i] = found
			continue
		}
		if e.Request.Method != "POST" && e.Request.Method != "PUT" || e.Response == nil || e.Response.Status/100 != 2 {
			continue
		}
		for _, s := range own {
			if all := sent[s.Value]; len(all) == 0 || all[len(all)-1] != i {
				sent[s.Value] = append(all[max(0, len(all)+1-maxOrigins):], i)
			}
		}
	}
	return out
}

// ownSites returns the values of a request, in its query and its body, that the client made up and that tell something.
func ownSites(e *exchange.Exchange, given map[exchange.Ref]bool) []message.Site {
	return slices.DeleteFunc(message.SitesOutsideHeader(&e.Request), func(s message.Site) bool {
		return s.Form == message.InPath || s.Value == "" || jsontree.IsNumber(s.Value) && !exchange.Secret(s.Place) ||
			given[exchange.Ref{Seq: e.Seq, Place: s.Place}]
	})
}

// origins returns the writes that sent enough of what a request at a position repeats. One to the same path is none: it
// is the same request again.
func origins(own []message.Site, sent map[string][]int, paths []string, pos int) []origin {
	weight, account := map[int]int{}, map[int]bool{}
	for _, s := range own {
		for _, i := range sent[s.Value] {
			if paths[i] == paths[pos] {
				continue
			}
			if weight[i]++; words.Particular(s.Value) {
				weight[i] = enoughRepeated
			}
			account[i] = account[i] || exchange.Secret(s.Place)
		}
	}
	maps.DeleteFunc(weight, func(_, n int) bool { return n < enoughRepeated })
	var out []origin
	for i := range weight {
		out = append(out, origin{i, account[i]})
	}
	slices.SortFunc(out, func(a, b origin) int { return cmp.Compare(b.pos, a.pos) })
	return out
}

// repeats is relation of a request that repeats the values of a write: 0 where it does not.
func (f *Finder) repeats(i, pos int) int {
	if !slices.ContainsFunc(f.origins[pos], func(o origin) bool { return o.pos == i }) {
		return 0
	}
	return (together - 1) * relationUnit
}

// signUp returns the position of the last write that signed up whom a request logs in, -1 where there is none.
func (f *Finder) signUp(pos int) int {
	if n := slices.IndexFunc(f.origins[pos], func(o origin) bool { return o.account }); n >= 0 {
		return f.origins[pos][n].pos
	}
	return -1
}

// signed chooses the sign-up of whom a call logs in.
func (p *plan) signed(pos int) {
	if from := p.signUp(pos); from >= 0 && from < p.first {
		p.choose(from)
		p.note("%s uses the account that %s signed up", p.name(pos), p.name(from))
	}
}

// carried binds what steps give the next request of the clean-up beside its path, which the exchange shows: the token
// of a login, or of another that said the same.
func (w *graftBuilder) carried(seq uint64, r exchange.Request) exchange.Request {
	for _, n := range w.producers[seq] {
		b := &w.bindings[n]
		step, value, ok := w.gives(b)
		for _, u := range b.Uses {
			if !ok || u.Seq != seq || u.Place.Root() == "path" {
				continue
			}
			r = message.Filled(&r, message.Fill{Place: u.Place, Before: b.Value, After: value})
			w.bind(step, b.Producer.Place, value, b.Name).use(BindUse{InCleanUp, len(w.graft.CleanUp), u.Place})
		}
	}
	return r
}

// gives returns a step that sends what the producer of a binding sent, and the value that it was answered with.
func (w *graftBuilder) gives(b *exchange.Binding) (step int, value string, ok bool) {
	pos, ok := w.position[b.Producer.Seq]
	if !ok {
		return 0, "", false
	}
	producer := &w.history.session[pos].Request
	for n, s := range w.graft.Steps {
		if s.Request.Method != producer.Method || s.Request.Target != producer.Target || !match.SameBody(&s.Request, producer) {
			continue
		}
		if value, ok := message.Value(w.history.session[w.position[s.Seq]].Response, b.Producer.Place); ok {
			return n, value, true
		}
	}
	return 0, "", false
}

// optionalSignUps asks nothing of the answer to a step that only signs up: whoever is there already can log in too, as
// where tests of a suite share an API. That the sign-up failed, the login tells.
func (w *graftBuilder) optionalSignUps() {
	for _, some := range []map[uint64]int{w.step, w.own} {
		for seq := range some {
			pos, ok := w.position[seq]
			if !ok || w.signUp(pos) < 0 {
				continue
			}
			n, ok := w.step[w.history.session[w.signUp(pos)].Seq]
			if ok && !slices.ContainsFunc(w.graft.Binds, func(b Bind) bool { return b.Step == n }) {
				w.graft.Steps[n].Status = 0
			}
		}
	}
}
