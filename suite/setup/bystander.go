package setup

import (
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/suite/setup/listing"
)

// A test runs on APIs that hold other things than the recorded one did, and an id of the recording may name anybody's
// thing there. So a request of a set-up or a clean-up that changes state may only touch what the same test made:
//
//   - A request that names, in its path, query or body, the id that the answer to a POST of the same test gave to what
//     that POST made, is allowed. What stands below such an id in a path is a part of the thing. What stands above it
//     has to be what stands above it in the path of the POST: an item 1 of another order is another item.
//   - A POST that makes something is allowed where neither its path nor its query names an id that the test did not
//     make: it adds to a collection, logs in, or signs up. What its body refers to stays as it is.
//   - A request that ends the session whose credentials an answer of the same test gave is allowed.
//   - Everything else is refused: a PUT, PATCH or DELETE with an id that was recorded, a POST to a part of something
//     that was there before, an action that names nothing. So is an id that the client chose (PUT /things/abc answered
//     201): where the test runs, that very thing may be there already, and only the recording says that the request
//     made it.
//
// That an id is one that a POST made is decided by [bornOf]: an id that its request had sent, or that a GET listed, is
// none.

// Harmless splits set-ups, in recorded order, into those that touch nothing but what the test itself makes, and the
// others, which the test goes without. own are the requests that the test is about: they make things too.
func (s *Session) Harmless(setUps, own []uint64) (kept, refused []uint64) {
	return s.split(setUps, own, func(p *possessions, x sending) bool { return s.may(p, x) })
}

// split splits set-ups into those that may be sent, behind those before them that may, and the others.
func (s *Session) split(setUps, own []uint64, may func(*possessions, sending) bool) (kept, refused []uint64) {
	all := slices.Sorted(slices.Values(slices.Concat(setUps, own)))
	var p possessions
	for _, seq := range all {
		x := s.sending(seq, p.has)
		setUp := slices.Contains(setUps, seq)
		if setUp && !may(&p, x) {
			refused = append(refused, seq)
			continue
		}
		if setUp {
			kept = append(kept, seq)
		}
		p.send(x)
	}
	return kept, refused
}

// readThings notes what the paths of the session name, and which answers give credentials.
func (s *Session) readThings() {
	s.things, s.credentials = map[string]bool{}, map[uint64]bool{}
	for i, e := range s.history.session {
		if e.Response == nil || e.Response.Malformed || e.Request.Malformed {
			continue
		}
		path := s.history.paths[i]
		if born, _ := bornOf(e); born != "" && born != path {
			s.things[born] = true
		}
		if e.Request.Method == "PUT" && e.Response.Status == 201 || flow.Creates(e) && namesItself(e, path) {
			s.things[path] = true
		}
		if e.Request.Method == "GET" && e.Response.Status/100 == 2 {
			list, _ := listing.Of(e)
			for _, key := range list.Keys {
				if key != "" {
					s.things[path+"/"+segmentKey(key)] = true
				}
			}
		}
	}
	for i := range s.bindings {
		if s.Credential(&s.bindings[i]) {
			s.credentials[s.bindings[i].Producer.Seq] = true
		}
	}
}

// namesItself reports whether the answer to a POST says that it made what its very path names.
func namesItself(e *exchange.Exchange, path string) bool {
	u, err := url.Parse(e.Response.Header.Get("Location"))
	return err == nil && e.Response.Status == 201 && u.Path != "" &&
		joinKey(strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")) == path
}

// sending is a request as a test sends it.
type sending struct {
	*exchange.Exchange // that the recording has of it
	// given are the values of the request that answers of the same test give, by their places in it.
	given map[exchange.Place]gift
}

// gift is a value that an answer gives.
type gift struct {
	from  uint64 // the recorded exchange whose answer has it
	value string // as it was there
}

// sending is the request of an exchange with the values that answers give, of those that has reports of.
func (s *Session) sending(seq uint64, has func(seq uint64) bool) sending {
	x := sending{s.exchange(seq), map[exchange.Place]gift{}}
	for _, t := range s.takes[seq] {
		if has(t.Producer.Seq) {
			x.given[t.Place] = gift{t.Producer.Seq, t.Value}
		}
	}
	return x
}

// possessions are what the requests of one test have made so far. The zero value has none.
type possessions struct {
	made []possession
	sent map[uint64]bool
}

// has reports whether the request of a recorded exchange was sent.
func (p *possessions) has(seq uint64) bool { return p.sent[seq] }

// possession is what one POST made.
type possession struct {
	seq    uint64    // the POST
	id     string    // that its answer gave to what it made
	around []segment // the path around the id
}

// segment is a segment of a path, unescaped: as recorded, and what gives it, if an answer does.
type segment struct {
	text  string
	given bool
	gift  gift
}

// same reports whether two segments are the same wherever a test runs.
func (s segment) same(other segment) bool {
	return s.given == other.given && (s.given && s.gift == other.gift || !s.given && s.text == other.text)
}

// send notes what a request of the test makes.
func (p *possessions) send(s sending) {
	if p.sent == nil {
		p.sent = map[uint64]bool{}
	}
	p.sent[s.Seq] = true
	path, place := bornOf(s.Exchange)
	if place == "" {
		return // nothing, or what the client named
	}
	own := s.path()
	parent, id := parentKey(path)
	around := make([]segment, 0, len(own))
	for _, text := range strings.Split(strings.TrimPrefix(parent, "/"), "/") {
		if n := len(around); n < len(own) && own[n].text == text {
			around = append(around, own[n])
		} else {
			around = append(around, segment{text: text})
		}
	}
	p.made = append(p.made, possession{s.Seq, unescapeSlash(id), around})
}

// may reports whether a set-up or a clean-up may send a request behind those that made what a test has.
func (s *Session) may(p *possessions, x sending) bool {
	if x.Request.Safe() {
		return true
	}
	owned, foreign := s.inPath(p, x)
	inQuery, strange := x.ids(p, "query")
	switch {
	case foreign || strange:
		return false
	case owned || inQuery:
		return true
	case x.Request.Method == "POST" && s.Makes(x.Exchange):
		return true
	}
	inBody, _ := x.ids(p, "body")
	return inBody || s.endsOwn(p, x)
}

// path returns the segments of the request's path, each with the answer that gives it, if one does.
func (s sending) path() []segment {
	var out []segment
	for n, text := range strings.Split(strings.TrimPrefix(pathKey(&s.Request), "/"), "/") {
		x := segment{text: text}
		for place, gift := range s.given {
			if place.Within(exchange.Place("/path").Index(n)) {
				x.given, x.gift = true, gift
			}
		}
		out = append(out, x)
	}
	return out
}

// inPath says whether a path names what the test made, or else anything that has an id and that it did not make.
func (s *Session) inPath(p *possessions, sent sending) (owned, foreign bool) {
	path := sent.path()
	template := strings.Split(strings.TrimPrefix(s.operations[sent.Seq].Template, "/"), "/")
	key := ""
	for n, x := range path {
		key += "/" + x.text
		if x.given && (!foreign && p.holds(x.gift) || p.holdsAt(x.gift, path[:n])) {
			return true, false
		}
		parameter := n < len(template) && strings.HasPrefix(template[n], "{")
		foreign = foreign || x.given || parameter || s.things[key] || !words.LooksLikeWord(x.text)
	}
	return false, foreign
}

// holds reports whether a value is the id of what the test made.
func (p *possessions) holds(g gift) bool {
	return slices.ContainsFunc(p.made, func(m possession) bool { return m.is(g) })
}

// holdsAt reports whether a value is the id of what the test made, and stands where it was made.
func (p *possessions) holdsAt(g gift, around []segment) bool {
	return slices.ContainsFunc(p.made, func(m possession) bool {
		return m.is(g) && slices.EqualFunc(m.around, around, segment.same)
	})
}

// is reports whether a value is the id of what was made.
func (m possession) is(g gift) bool { return m.seq == g.from && m.id == g.value }

// ids says whether the values of a query or a body that are named as ids name what the test made, or another thing. Of
// a body the id of the whole counts, and not those that it refers to.
func (s sending) ids(p *possessions, root string) (owned, foreign bool) {
	for _, site := range message.SitesOutsideHeader(&s.Request) {
		kind, isID := words.IDOf(site.Name)
		if site.Place.Root() != root || !isID || root == "body" && (kind != "" || len(site.Place.Segments()) != 2) {
			continue
		}
		gift, given := s.given[site.Place]
		own := given && p.holds(gift)
		owned, foreign = owned || own, foreign || !own
	}
	return owned, foreign
}

// Makes reports whether a POST makes something new: what it made has an id of the API's own, or its status says so, or
// somebody logs in or signs up by it.
func (s *Session) Makes(e *exchange.Exchange) bool {
	if e.Response == nil {
		return false
	}
	if _, place := bornOf(e); place != "" || e.Response.Status == 201 || e.Response.Status == 202 || s.credentials[e.Seq] {
		return true
	}
	anonymous, password := true, false
	for _, x := range message.Sites(&e.Request) {
		if s.redactor.Secret(x.Place) {
			anonymous = anonymous && x.Body
			password = password || x.Body
		}
	}
	return anonymous && password
}

// endsOwn reports whether a request ends the session that the test itself began.
func (s *Session) endsOwn(p *possessions, x sending) bool {
	if !endsSession(&x.Request) {
		return false
	}
	for place, g := range x.given {
		if place.Root() != "path" && p.has(g.from) && s.credentials[g.from] {
			return true
		}
	}
	return false
}

// endsSession reports whether a request says that it ends the session of whoever sends it: POST /logout, DELETE
// /session. [Session.Ends] asks for more than what it says.
func endsSession(r *exchange.Request) bool {
	for s := range strings.SplitSeq(pathKey(r), "/") {
		switch words.Flat(s) {
		case "logout", "signout", "logoff", "revoke":
			return true
		case "session", "sessions", "token", "tokens":
			return r.Method == "DELETE"
		}
	}
	return false
}
