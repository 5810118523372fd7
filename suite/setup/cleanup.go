package setup

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// CleanUp is a request that takes away what a test made: one of the recording, as it would have been for that.
type CleanUp struct {
	Exchange *exchange.Exchange // the recorded one, with the recorded values of what the test made put into its request
	Uses     []Use              // the values of the request that answers of the test give
	// By is the exchange with which the test takes away the same itself, if it comes to that: the clean-up is for a test
	// that fails before. 0 where it does not.
	By uint64
	ID string // then: the name of the value by which the test knows what it made
}

// Use is a value of a request that an answer of the same test gives.
type Use struct {
	Place exchange.Place // in the request
	From  exchange.Ref   // the recorded exchange whose answer gives it, and where
	Name  string         // for a variable; "" for the id of what was made, where it has none
	Value string         // as recorded, unescaped
}

// Sent is what a test sends, as far as its clean-ups follow from it.
type Sent struct {
	Own    []uint64 // the requests of its own: what they made is to be taken away
	Shared []uint64 // those that it shares with other tests: their answers may be used, what they made stays
	Others []uint64 // those whose answers it cannot use; they may take away what it made all the same
}

// gives reports whether the test can use the answer to a request.
func (t *Sent) gives(seq uint64) bool {
	return slices.Contains(t.Own, seq) || slices.Contains(t.Shared, seq)
}

// CleanUps lists the requests that take away what a test made, what was made last first. Left are the paths of what it
// made and no clean-up may take away, as [Session.Harmless] says.
//
// A clean-up is a DELETE of the recording. It took away that very thing; else one that the same operation made, or one
// of a like path; else it found nothing at a like path, or what was in use (409), which shows at least that there is
// such a request. What the test takes away itself has one only where answers of the test name it, and says so
// (CleanUp.By). A credential, or an id around that of the thing, that no answer of the test gives, is not there when
// the test runs: such a request is left out too.
func (s *Session) CleanUps(t *Sent) (out []CleanUp, left []string) {
	var own possessions
	for _, seq := range t.Own {
		own.send(s.sending(seq, t.gives))
	}
	known := map[string]bool{} // the paths of what is seen to: it was made again
	for _, seq := range slices.Backward(t.Own) {
		m := s.made(s.position[seq])
		if m.path == "" || known[m.path] {
			continue
		}
		known[m.path] = true
		by, taken := s.takenAway(m, t)
		id := s.id(m, "").Name
		if taken && (id == "" || !slices.Contains(t.Own, by)) {
			continue
		}
		all := s.removals(m)
		n := slices.IndexFunc(all, func(r removal) bool {
			c, ok := s.cleanUp(m, r, t, &own)
			if taken {
				c.By, c.ID = by, id
			}
			if ok {
				out = append(out, c)
			}
			return ok
		})
		if n < 0 && len(all) > 0 && !taken {
			left = append(left, m.path)
		}
	}
	return out, left
}

// made is what an exchange made.
type made struct {
	pos   int
	path  string         // "" where it made nothing
	id    string         // the end of the path, unescaped
	place exchange.Place // where the answer names the id; "" where the client named it
}

func (s *Session) made(pos int) made {
	path := s.born[pos]
	if path == "" {
		return made{}
	}
	_, id := parentKey(path)
	m := made{pos: pos, path: path, id: unescapeSlash(id)}
	for _, e := range s.history.resources[path].events {
		if e.at == pos && e.kind == wasMade {
			m.place = e.place
		}
	}
	return m
}

// removal is a recorded request that shows how things of a kind are taken away.
type removal struct {
	pos int
	at  exchange.Place // where its path names the thing
	id  string         // that it names there
	// own says that it took away the very thing; whole that its path is that of the thing, but for ids
	own, whole bool
}

// origin is what values of one kind have in common: the operation whose answers give them, and where.
type origin struct {
	op    exchange.Operation
	place exchange.Place
}

// removalIndex is how removals are found.
type removalIndex struct {
	// by the path of the thing without its ids: one that went well, else one that found nothing, or a thing that could not
	// go yet
	alike map[string]removal
	like  map[exchange.Operation][]likeRemoval // by the operation whose answer gave the id
	given map[origin][]*exchange.Binding
}

// likeRemoval is a removal of what an operation made, and the value by which it named that.
type likeRemoval struct {
	removal
	of *exchange.Binding
}

const (
	// maxAlike bounds how many values of one kind are looked through.
	maxAlike = 50
	// maxOwn bounds how many removals of one thing are tried: a name that the client chose may have come back again and
	// again.
	maxOwn = 4
)

func (s *Session) newRemovalIndex() removalIndex {
	x := removalIndex{alike: map[string]removal{}, like: map[exchange.Operation][]likeRemoval{},
		given: map[origin][]*exchange.Binding{}}
	for i, e := range s.history.session {
		if e.Request.Method != "DELETE" || e.Response == nil || s.history.paths[i] == "" {
			continue
		}
		status, kind := e.Response.Status, kindKey(s.history.paths[i])
		known, ok := x.alike[kind]
		good := status/100 == 2
		if !good && (ok || status != 404 && status != 410 && status != 409) ||
			ok && s.history.session[known.pos].Response.Status/100 == 2 {
			continue
		}
		_, id := parentKey(s.history.paths[i])
		x.alike[kind] = removal{pos: i, at: idPlace(s.history.paths[i]), id: unescapeSlash(id), whole: true}
	}
	for i := range s.bindings {
		b := &s.bindings[i]
		op, ok := s.operations[b.Producer.Seq]
		from := origin{op, b.Producer.Place}
		if ok && len(x.given[from]) < maxAlike {
			x.given[from] = append(x.given[from], b)
		}
		for _, u := range b.Uses {
			if ok && s.deletes(u) && s.Made(b) && len(x.like[op]) < maxAlike {
				x.like[op] = append(x.like[op], likeRemoval{removal{pos: s.position[u.Seq], at: u.Place, id: b.Value}, b})
			}
		}
	}
	return x
}

// deletes reports whether a use is in the path of a DELETE that did take something away.
func (s *Session) deletes(u exchange.Ref) bool {
	e := s.exchange(u.Seq)
	return e != nil && u.Place.Root() == "path" && e.Request.Method == "DELETE" && accepted(e) && Unsendable(e) == ""
}

// kindKey returns the path of a thing with a blank for its last segment, and for each that is no word.
func kindKey(path string) string {
	parent, _ := parentKey(path)
	var b strings.Builder
	for s := range strings.SplitSeq(parent, "/") {
		if !words.LooksLikeWord(s) {
			s = " "
		}
		b.WriteString(s + "/")
	}
	return b.String()
}

// idPlace returns where the path of a request names the thing that it is the path of.
func idPlace(path string) exchange.Place {
	return exchange.Place("/path").Index(strings.Count(path, "/") - 1)
}

// removals lists the recorded requests that take away what was made, or show how, the surest first.
func (s *Session) removals(m made) []removal {
	var out []removal
	for _, e := range s.history.resources[m.path].events {
		if e.kind == wasRemoved && len(out) < maxOwn {
			out = append(out, removal{e.at, idPlace(m.path), m.id, true, true})
		}
	}
	seq := s.history.session[m.pos].Seq
	for _, b := range s.gives[seq] {
		for _, u := range b.Uses {
			if b.Value == m.id && s.deletes(u) {
				out = append(out, removal{s.position[u.Seq], u.Place, m.id, true, false})
			}
		}
	}
	for _, l := range s.like(m) {
		out = append(out, l.removal)
	}
	if shown, ok := s.removal.alike[kindKey(m.path)]; ok && strings.Count(m.path, "/") > 1 {
		out = append(out, shown)
	}
	return out
}

// like lists the removals of what the same operation made, whose ids stood where that of what was made stands.
func (s *Session) like(m made) []likeRemoval {
	e := s.history.session[m.pos]
	values := map[exchange.Place]string{}
	return slices.DeleteFunc(slices.Clone(s.removal.like[s.operations[e.Seq]]), func(l likeRemoval) bool {
		place := l.of.Producer.Place
		if _, known := values[place]; !known {
			values[place], _ = message.Value(e.Response, place)
		}
		return values[place] != m.id
	})
}

// takenAway returns the exchange with which the test removes itself what it made; false where it does not.
func (s *Session) takenAway(m made, t *Sent) (uint64, bool) {
	sends := func(seq uint64) bool { return t.gives(seq) || slices.Contains(t.Others, seq) }
	for _, e := range s.history.resources[m.path].events {
		by := s.history.session[e.at].Seq
		if (e.kind == wasRemoved || e.kind == wasSwept) && e.at > m.pos && sends(by) {
			return by, true
		}
	}
	for _, b := range s.gives[s.history.session[m.pos].Seq] {
		for _, u := range b.Uses {
			if b.Value == m.id && sends(u.Seq) && s.deletes(u) {
				return u.Seq, true
			}
		}
	}
	return 0, false
}

// cleanUp makes the request that takes away what was made, by one that shows how; false where what it needs is not
// given, or where it may not be sent.
func (s *Session) cleanUp(m made, r removal, t *Sent, own *possessions) (CleanUp, bool) {
	e := *s.history.session[r.pos]
	c := CleanUp{Exchange: &e}
	fills := []message.Fill{{Place: r.at, Before: r.id, After: m.id}}
	if r.whole {
		c.Uses, fills = s.names(m, t), pathFills(s.history.paths[r.pos], m.path)
	} else if m.place != "" {
		c.Uses = []Use{s.id(m, r.at)}
	}
	for _, taken := range s.takes[e.Seq] {
		if taken.Place.Within(r.at) || r.whole && taken.Place.Root() == "path" {
			continue
		}
		u, ok := s.substitute(taken, m, r, t)
		switch {
		case ok:
			c.Uses = append(c.Uses, u)
			fills = append(fills, message.Fill{Place: u.Place, Before: taken.Value, After: u.Value})
		case taken.Place.Root() == "path" || s.Credential(taken.Binding):
			return CleanUp{}, false
		}
	}
	if len(c.Uses) == 0 {
		return CleanUp{}, false // it names nothing of the test's
	}
	fills = slices.DeleteFunc(fills, func(f message.Fill) bool { return f.Before == f.After })
	e.Request = message.Filled(&e.Request, fills...)
	x := sending{&e, map[exchange.Place]gift{}}
	for _, u := range c.Uses {
		x.given[u.Place] = gift{u.From.Seq, u.Value}
	}
	return c, s.may(own, x)
}

// pathFills is what makes one path another that is as long.
func pathFills(path, want string) []message.Fill {
	var fills []message.Fill
	other := strings.Split(want, "/")
	for n, segment := range strings.Split(path, "/") {
		if n > 0 {
			fills = append(fills, message.Fill{Place: exchange.Place("/path").Index(n - 1), Before: unescapeSlash(segment),
				After: unescapeSlash(other[n])})
		}
	}
	return fills
}

// id is the use of the id of what was made.
func (s *Session) id(m made, at exchange.Place) Use {
	u := Use{Place: at, From: exchange.Ref{Seq: s.history.session[m.pos].Seq, Place: m.place}, Value: m.id}
	for _, b := range s.gives[u.From.Seq] {
		if b.Value == m.id && (u.Name == "" || b.Producer.Place == m.place) {
			u.Name, u.From.Place = b.Name, b.Producer.Place
		}
	}
	return u
}

// names lists the ids of the path of what was made that answers of the test give: its own, and those around it that the
// request which made it had taken from answers.
func (s *Session) names(m made, t *Sent) []Use {
	var out []Use
	if m.place != "" {
		out = append(out, s.id(m, idPlace(m.path)))
	}
	segments := strings.Split(m.path, "/")
	for _, taken := range s.takes[s.history.session[m.pos].Seq] {
		at := taken.Place.Segments()
		n, err := strconv.Atoi(at[len(at)-1])
		if taken.Place.Root() == "path" && err == nil && n+1 < len(segments)-1 && segments[n+1] == segmentKey(taken.Value) &&
			t.gives(taken.Producer.Seq) {
			out = append(out, Use{taken.Place, taken.Producer, taken.Name, taken.Value})
		}
	}
	return out
}

// substitute finds the value of the test that takes the place of one which a recorded request took from an answer: the
// one itself, or of another's thing first the one with which the test made its own, as whose it is by then; else one
// that the same request gave, or the same operation.
func (s *Session) substitute(taken Taken, m made, r removal, t *Sent) (Use, bool) {
	var first []*exchange.Binding
	if r.own {
		first = append(first, taken.Binding)
	}
	for _, o := range s.takes[s.history.session[m.pos].Seq] {
		if o.Place == taken.Place && s.Credential(o.Binding) == s.Credential(taken.Binding) {
			first = append(first, o.Binding)
		}
	}
	first = append(first, taken.Binding)
	op := s.operations[taken.Producer.Seq]
	for _, same := range []bool{true, false} {
		for _, b := range s.removal.given[origin{op, taken.Producer.Place}] {
			if !same || s.sameRequest(b.Producer.Seq, taken.Producer.Seq) {
				first = append(first, b)
			}
		}
	}
	for _, b := range first {
		if t.gives(b.Producer.Seq) {
			return Use{taken.Place, b.Producer, b.Name, b.Value}, true
		}
	}
	for _, seq := range slices.Concat(t.Own, t.Shared) {
		if !s.sameRequest(seq, taken.Producer.Seq) {
			continue
		}
		if value, ok := message.Value(s.exchange(seq).Response, taken.Producer.Place); ok {
			return Use{taken.Place, exchange.Ref{Seq: seq, Place: taken.Producer.Place}, taken.Name, value}, true
		}
	}
	return Use{}, false
}

// sameRequest reports whether two exchanges sent the same.
func (s *Session) sameRequest(one, other uint64) bool {
	a, b := s.exchange(one), s.exchange(other)
	return a != nil && b != nil && a.Request.Method == b.Request.Method && a.Request.Target == b.Request.Target &&
		match.SameBody(&a.Request, &b.Request)
}

// withTakenAway adds to the values that answers gave the ids of what no later request asked for, where the recording
// shows how such a thing is taken away: a test that makes it is to take it away too.
func (s *Session) withTakenAway() []exchange.Binding {
	type id struct {
		op    exchange.Operation
		value string
	}
	named, known := map[string]bool{}, map[id]bool{}
	for i := range s.bindings {
		b := &s.bindings[i]
		named[b.Name], known[id{s.operations[b.Producer.Seq], b.Value}] = true, true
	}
	out := slices.Clone(s.bindings)
	for i, e := range s.history.session {
		m, key := s.made(i), id{s.operations[e.Seq], ""}
		key.value = m.id
		if m.place == "" || m.id == "" || known[key] || Unsendable(e) != "" || len(s.removals(m)) == 0 {
			continue
		}
		parent, _ := parentKey(m.path)
		name, place := words.Namer{}.Variable(words.Singular(message.LastSegment(parent))+"-id"), m.place
		if like := s.like(m); len(like) > 0 {
			name, place = like[0].of.Name, like[0].of.Producer.Place
		}
		for base, n := name, 2; named[name]; n++ {
			name = base + strconv.Itoa(n)
		}
		named[name], known[key] = true, true
		out = append(out, exchange.Binding{Name: name, Value: m.id, Producer: exchange.Ref{Seq: e.Seq, Place: place}})
	}
	if len(out) == len(s.bindings) {
		return s.bindings
	}
	slices.SortStableFunc(out, func(x, y exchange.Binding) int { return cmp.Compare(x.Producer.Seq, y.Producer.Seq) })
	return out
}
