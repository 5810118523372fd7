package setup

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Graft returns the graft of a set-up that was found elsewhere: by trials. steps are exchanges of the session, in
// order; the calls of the test are located already. Why is left to the caller.
//
// Steps that may touch what the test did not make are left out, as [Finder.Permitted] says, and so are such clean-ups.
func (f *Finder) Graft(test []Wanted, steps []uint64) Graft { return f.graftBy(test, steps, 0) }

// graftBy is Graft with all steps sent by whom the login of an exchange logs in, 0 for by whom they were.
func (f *Finder) graftBy(test []Wanted, steps []uint64, login uint64) Graft {
	steps, _ = f.Permitted(steps)
	w := f.newBuilder(test, f.loginFirst(steps, login))
	w.bound()
	w.by(login)
	w.answers()
	w.cleanUp()
	w.graft.Binds = slices.DeleteFunc(w.graft.Binds, func(b Bind) bool { return len(b.Uses) == 0 })
	w.optionalSignUps()
	for _, n := range f.named(w.graft.exchanges()) { // so that it may be there already
		w.graft.Steps[n].Status = 0
	}
	for i := range w.graft.Binds {
		slices.SortStableFunc(w.graft.Binds[i].Uses, func(a, b BindUse) int {
			return cmp.Or(cmp.Compare(partOrder(a.In), partOrder(b.In)), cmp.Compare(a.At, b.At))
		})
	}
	return w.graft
}

// newBuilder begins a graft: its steps, and what their answers give to each other and to the calls of the test.
func (f *Finder) newBuilder(test []Wanted, steps []uint64) *graftBuilder {
	w := &graftBuilder{Finder: f, test: test, names: words.Namer{}, step: map[uint64]int{}, own: map[uint64]int{}}
	steps = slices.DeleteFunc(slices.Clone(steps), func(seq uint64) bool { _, known := f.position[seq]; return !known })
	for n, seq := range steps {
		pos := f.position[seq]
		e := f.history.session[pos]
		w.step[seq] = n
		s := Step{Seq: seq, Request: e.Request}
		if e.Response != nil && e.Request.Method != "DELETE" && e.Response.Status/100 == 2 {
			s.Status = e.Response.Status
		}
		w.graft.Steps = append(w.graft.Steps, s)
	}
	for i := range test {
		if test[i].Seq > 0 {
			w.own[test[i].Seq] = i
		}
	}
	return w
}

func partOrder(p Part) int {
	return slices.Index([]Part{InSetUp, InCall, InAnswer, InCleanUp}, p)
}

// graftBuilder puts a graft together.
type graftBuilder struct {
	*Finder
	test  []Wanted
	graft Graft
	names words.Namer
	step  map[uint64]int // by exchange of the session: which step it is
	own   map[uint64]int // by exchange of the session: which call it is
}

// bind returns the bind of a place of a step's answer; a new one where there was none.
func (w *graftBuilder) bind(step int, place exchange.Place, value, name string) *Bind {
	for i := range w.graft.Binds {
		if b := &w.graft.Binds[i]; b.Step == step && b.Value == value {
			return b
		}
	}
	w.graft.Binds = append(w.graft.Binds, Bind{Name: w.names.Variable(strings.TrimRight(name, "0123456789")), Step: step,
		Place: place, Value: value})
	return &w.graft.Binds[len(w.graft.Binds)-1]
}

func (b *Bind) use(u BindUse) {
	if !slices.Contains(b.Uses, u) {
		b.Uses = append(b.Uses, u)
	}
}

// bound takes over the bindings that lead from a step to a later step, or to a call of the test.
func (w *graftBuilder) bound() {
	for i := range w.bindings {
		b := &w.bindings[i]
		step, ok := w.step[b.Producer.Seq]
		if _, own := w.own[b.Producer.Seq]; own && !ok {
			w.again(b)
		}
		if !ok {
			continue
		}
		_, both := w.own[b.Producer.Seq] // it is sent ahead of the set-up, too, and gives the value to the test's calls
		for _, u := range b.Uses {
			if n, ok := w.step[u.Seq]; ok {
				w.bind(step, b.Producer.Place, b.Value, b.Name).use(BindUse{InSetUp, n, u.Place})
			}
			if n, ok := w.own[u.Seq]; ok && !both && !w.test[n].Ahead {
				w.bind(step, b.Producer.Place, b.Value, b.Name).use(BindUse{InCall, n, u.Place})
			}
		}
	}
}

// again takes over a binding from one call of the test to another that has its value written out, where a step gives
// the same value: the id of who signed up is what the login answers too.
func (w *graftBuilder) again(b *exchange.Binding) {
	for step := range w.graft.Steps {
		path, place := w.bornAt(step)
		if _, id := parentKey(path); place == "" || unescapeSlash(id) != b.Value {
			continue
		}
		for _, u := range b.Uses {
			n, ok := w.own[u.Seq]
			if root := u.Place.Root(); ok && w.test[n].Literal && !w.test[n].Ahead && root != "header" && root != "cookie" {
				w.bind(step, place, b.Value, b.Name).use(BindUse{InCall, n, u.Place})
			}
		}
		return
	}
}

// bornAt returns the path of what a step made, and where its answer names the id; the place is "" where the client
// named it.
func (w *graftBuilder) bornAt(step int) (string, exchange.Place) {
	m := w.made(w.position[w.graft.Steps[step].Seq])
	return m.path, m.place
}

// answers binds what the test holds answers against: the ids of what the steps made.
func (w *graftBuilder) answers() {
	for n := range w.graft.Steps {
		if path, place := w.bornAt(n); place != "" {
			parent, id := parentKey(path)
			w.bind(n, place, unescapeSlash(id), words.Singular(message.LastSegment(parent))+"-id")
		}
	}
	for i := range w.graft.Binds {
		b := &w.graft.Binds[i]
		for n := range w.test {
			if w.test[n].Ahead {
				continue
			}
			for _, c := range w.test[n].Claims {
				if w.mentions(b, c) {
					b.use(BindUse{InAnswer, n, c.Place})
				}
			}
		}
	}
}

// mentions reports whether a claim names the value of a bind: by the place an id, or what it is the id of ("project"),
// in a header a part of a URL, or anywhere a value that is too particular to be another.
func (w *graftBuilder) mentions(b *Bind, c exchange.Claim) bool {
	if Rebound(c, b.Value, b.Value+"0").Value == c.Value {
		return false
	}
	if words.Particular(b.Value) {
		return true
	}
	segments := c.Place.Segments()
	switch c.Place.Root() {
	case "header":
		return len(segments) == 2 && (segments[1] == "location" || segments[1] == "content-location")
	case "body":
		name := segments[len(segments)-1]
		kind, isID := words.IDOf(name)
		path, _ := w.bornAt(b.Step)
		parent, _ := parentKey(path)
		made := words.Singular(message.LastSegment(parent))
		refers := isID && (kind == "" || kind == made) || words.IsReference(name) && words.Flat(name) == words.Flat(made)
		return refers && c.Relation == exchange.Equal
	}
	return false
}

// cleanUp adds the requests that take away what the steps made, the last first, where the session shows how.
func (w *graftBuilder) cleanUp() {
	sent := Sent{Others: slices.Collect(maps.Keys(w.own))}
	for _, s := range w.graft.Steps {
		sent.Own = append(sent.Own, s.Seq)
	}
	all, left := w.CleanUps(&sent)
	all = slices.DeleteFunc(all, func(c CleanUp) bool { return c.By != 0 })
	for n, c := range all {
		for _, u := range c.Uses {
			step := w.step[u.From.Seq]
			name := u.Name
			if path, _ := w.bornAt(step); name == "" {
				parent, _ := parentKey(path)
				name = words.Singular(message.LastSegment(parent)) + "-id"
			}
			w.bind(step, u.From.Place, u.Value, name).use(BindUse{InCleanUp, n, u.Place})
		}
		w.graft.CleanUp = append(w.graft.CleanUp, Step{Seq: c.Exchange.Seq, Request: c.Exchange.Request})
	}
	w.graft.Left = left
}

// optionalSignUps asks nothing of the answer to a step that only signs up: whoever is there already can log in too, as
// where tests of a suite share an API. That the sign-up failed, the login tells.
func (w *graftBuilder) optionalSignUps() {
	for _, some := range []map[uint64]int{w.step, w.own} {
		for seq := range some {
			from, ok := w.SignUp(seq)
			if !ok {
				continue
			}
			n, ok := w.step[from]
			if ok && !slices.ContainsFunc(w.graft.Binds, func(b Bind) bool { return b.Step == n }) {
				w.graft.Steps[n].Status = 0
			}
		}
	}
}
