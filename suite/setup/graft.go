package setup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Graft returns the graft of a set-up that was found elsewhere: by trials. steps are exchanges of the session, in
// order; the calls of the test are located already. Why is left to the caller.
//
// Steps that may touch what the test did not make are left out, as [Bystanders] says, and so are such clean-ups.
func (f *Finder) Graft(test []Wanted, steps []uint64) Graft {
	steps, _ = f.allowed(test, steps)
	w := f.newBuilder(test, steps)
	w.answers()
	w.cleanUp()
	w.graft.Binds = slices.DeleteFunc(w.graft.Binds, func(b Bind) bool { return len(b.Uses) == 0 })
	w.optionalSignUps()
	for i := range w.graft.Binds {
		slices.SortStableFunc(w.graft.Binds[i].Uses, func(a, b BindUse) int {
			return cmp.Or(cmp.Compare(partOrder(a.In), partOrder(b.In)), cmp.Compare(a.At, b.At))
		})
	}
	return w.graft
}

// allowed returns the steps that touch nothing but what the test makes, and the first that does not. What one step
// makes another may touch, so one is left out at a time.
func (f *Finder) allowed(test []Wanted, steps []uint64) (kept []uint64, refused uint64) {
	for kept = steps; ; {
		n := f.newBuilder(test, kept).touching()
		if n < 0 {
			return kept, refused
		}
		refused = cmp.Or(refused, kept[n])
		kept = slices.Delete(slices.Clone(kept), n, n+1)
	}
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
	w.bound()
	w.born()
	return w
}

// touching returns the first step that may touch what the test did not make, -1 where there is none. Those before it
// are noted as sent.
func (w *graftBuilder) touching() int {
	for n, s := range w.graft.Steps {
		x := Sending{w.exchange(s.Seq), w.gifts(InSetUp, n)}
		if !w.bystanders.May(&w.possessions, x) {
			return n
		}
		w.bystanders.Sent(&w.possessions, x)
	}
	return -1
}

func (f *Finder) exchange(seq uint64) *exchange.Exchange {
	return f.history.session[f.position[seq]]
}

// gifts lists what steps give a message of the graft.
func (w *graftBuilder) gifts(in Part, at int) map[exchange.Place]Gift {
	out := map[exchange.Place]Gift{}
	for _, b := range w.graft.Binds {
		for _, u := range b.Uses {
			if u.In == in && u.At == at {
				out[u.Place] = Gift{exchange.Ref{Seq: w.graft.Steps[b.Step].Seq, Place: b.Place}, b.Value}
			}
		}
	}
	return out
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

	possessions Possessions
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
		if !ok {
			continue
		}
		for _, u := range b.Uses {
			if n, ok := w.step[u.Seq]; ok {
				w.bind(step, b.Producer.Place, b.Value, b.Name).use(BindUse{InSetUp, n, u.Place})
			}
			if n, ok := w.own[u.Seq]; ok {
				w.bind(step, b.Producer.Place, b.Value, b.Name).use(BindUse{InCall, n, u.Place})
			}
		}
	}
}

// born binds the ids of what the steps made where later paths name them.
func (w *graftBuilder) born() {
	for n := range w.graft.Steps {
		for m := n + 1; m < len(w.graft.Steps); m++ {
			w.bindPath(n, &w.graft.Steps[m].Request, InSetUp, m)
		}
		for m := range w.test {
			w.bindPath(n, &w.test[m].Request, InCall, m)
		}
	}
}

// bornAt returns the path of what a step made, and where its answer names the id; the place is "" where the client
// named it.
func (w *graftBuilder) bornAt(step int) (string, exchange.Place) {
	pos := w.position[w.graft.Steps[step].Seq]
	path := w.Finder.born[pos]
	if path == "" {
		return "", ""
	}
	for _, e := range w.history.resources[path].events {
		if e.at == pos && e.kind == wasMade {
			return path, e.place
		}
	}
	return path, ""
}

// bindPath binds the id of what a step made where the path of a message names it.
func (w *graftBuilder) bindPath(step int, r *exchange.Request, in Part, at int) {
	path, place := w.bornAt(step)
	if own := pathKey(r); place != "" && (own == path || below(own, path)) {
		parent, id := parentKey(path)
		index := len(prefixes(path)) - 1
		w.bind(step, place, id, words.Singular(message.LastSegment(parent))+"-id").use(BindUse{in, at,
			exchange.Place("/path").Index(index)})
	}
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
			for _, c := range w.test[n].Claims {
				if w.mentions(b, c) {
					b.use(BindUse{InAnswer, n, c.Place})
				}
			}
		}
	}
}

// mentions reports whether a claim names the value of a bind: by the place an id, in a header a
// part of a URL, or anywhere a value that is too particular to be another.
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
		return isID && (kind == "" || kind == words.Singular(message.LastSegment(parent))) && c.Relation == exchange.Equal
	}
	return false
}

// cleanUp adds the requests that take away what the steps made, the last first, where the session shows how. What the
// steps or the test itself take away is left out, and what is there before the steps where the test runs may be
// touched by none.
func (w *graftBuilder) cleanUp() {
	w.possessions = Possessions{}
	w.touching()
	for n := len(w.graft.Steps) - 1; n >= 0; n-- {
		path, _ := w.bornAt(n)
		if path == "" || w.takenAway(path) {
			continue
		}
		pos, r, ok := w.removal(path)
		if !ok {
			continue
		}
		before := w.graft.Binds
		for i := range before {
			before[i].Uses = slices.Clip(before[i].Uses)
		}
		w.graft.Binds = slices.Clone(before)
		e := *w.history.session[pos]
		e.Request = w.carried(e.Seq, r)
		for m := range w.graft.Steps {
			w.bindPath(m, &e.Request, InCleanUp, len(w.graft.CleanUp))
		}
		if !w.bystanders.May(&w.possessions, Sending{&e, w.gifts(InCleanUp, len(w.graft.CleanUp))}) {
			w.graft.Binds = before
			w.graft.Left = append(w.graft.Left, path)
			continue
		}
		w.graft.CleanUp = append(w.graft.CleanUp, Step{Seq: e.Seq, Request: e.Request})
	}
}

// takenAway reports whether a step or a call of the test removes a resource.
func (w *graftBuilder) takenAway(path string) bool {
	for _, e := range w.history.resources[path].events {
		seq := w.history.session[e.at].Seq
		_, step := w.step[seq]
		_, own := w.own[seq]
		if (e.kind == wasRemoved || e.kind == wasSwept) && (step || own) {
			return true
		}
	}
	return false
}

// removal returns a request that takes a resource away, and the exchange that shows it: of that very resource, else of
// one like it, with its path put in; best of all one that went well, else one that found nothing to take away.
func (f *Finder) removal(path string) (pos int, r exchange.Request, ok bool) {
	if known := f.history.resources[path]; known != nil {
		for _, e := range known.events {
			if e.kind == wasRemoved {
				return e.at, f.history.session[e.at].Request, true
			}
		}
	}
	want := prefixes(path)
	pos = -1
	for i, e := range f.history.session {
		if e.Request.Method != "DELETE" || e.Response == nil {
			continue
		}
		status := e.Response.Status
		if good := status/100 == 2; !good && (pos >= 0 || status != 404 && status != 410) ||
			!alikePaths(prefixes(f.history.paths[i]), want) {
			continue
		}
		if pos = i; status/100 == 2 {
			break
		}
	}
	if pos < 0 {
		return 0, exchange.Request{}, false
	}
	var fills []message.Fill
	for n, own := range prefixes(f.history.paths[pos]) {
		_, before := parentKey(own)
		_, after := parentKey(want[n])
		if before != after {
			fills = append(fills, message.Fill{Place: exchange.Place("/path").Index(n), Before: unescapeSlash(before),
				After: unescapeSlash(after)})
		}
	}
	return pos, message.Filled(&f.history.session[pos].Request, fills...), true
}

// alikePaths reports whether two paths, as lists of those around them, are as long, and the same but for segments that
// are no words; the last may be any.
func alikePaths(own, want []string) bool {
	if len(own) != len(want) || len(own) < 2 {
		return false
	}
	for n := range own {
		_, a := parentKey(own[n])
		_, b := parentKey(want[n])
		if a != b && n < len(own)-1 && (words.LooksLikeWord(a) || words.LooksLikeWord(b)) {
			return false
		}
	}
	return true
}
