package setup

import (
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Bystanders says what a set-up or a clean-up may send. A test runs on APIs that hold other things than the recorded
// one did, and an id of the recording may name anybody's thing there. So a request of a set-up or a clean-up that
// changes state may only touch what the same test made:
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
type Bystanders struct {
	operations  map[uint64]exchange.Operation
	things      map[string]bool // by path, what was made or listed in the recording
	credentials map[uint64]bool // by exchange, those whose answers gave what a later one is authorized with
}

// newBystanders looks through a session for what its paths name.
func newBystanders(s *Session) *Bystanders {
	b := &Bystanders{operations: s.operations, things: map[string]bool{}, credentials: map[uint64]bool{}}
	for _, e := range s.history.session {
		if e.Response == nil || e.Response.Malformed || e.Request.Malformed {
			continue
		}
		path := pathKey(&e.Request)
		if born, _ := bornOf(e); born != "" && born != path {
			b.things[born] = true
		}
		if e.Request.Method == "PUT" && e.Response.Status == 201 || flow.Creates(e) && namesItself(e, path) {
			b.things[path] = true
		}
		if e.Request.Method == "GET" && e.Response.Status/100 == 2 {
			list, _ := listOf(e)
			for _, key := range list.keys {
				if key != "" {
					b.things[path+"/"+segmentKey(key)] = true
				}
			}
		}
	}
	for i := range s.bindings {
		if s.Credential(&s.bindings[i]) {
			b.credentials[s.bindings[i].Producer.Seq] = true
		}
	}
	return b
}

// namesItself reports whether the answer to a POST says that it made what its very path names.
func namesItself(e *exchange.Exchange, path string) bool {
	u, err := url.Parse(e.Response.Header.Get("Location"))
	return err == nil && e.Response.Status == 201 && u.Path != "" &&
		joinKey(strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")) == path
}

// Sending is a request as a test sends it.
type Sending struct {
	Exchange *exchange.Exchange // that the recording has of it
	// Given are the values of the request that answers of the same test give, by their places in it.
	Given map[exchange.Place]Gift
}

// Gift is a value that an answer gives.
type Gift struct {
	From  exchange.Ref // the recorded exchange whose answer has it, and where
	Value string       // what it was there
}

// Possessions are what the requests of one test have made so far. The zero value has none.
type Possessions struct {
	made  []possession
	sent  map[uint64]bool
	order []uint64
}

// Has reports whether the request of a recorded exchange was sent.
func (p *Possessions) Has(seq uint64) bool { return p.sent[seq] }

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
	gift  Gift
}

// same reports whether two segments are the same wherever a test runs.
func (s segment) same(other segment) bool {
	return s.given == other.given && (s.given && s.gift == other.gift || !s.given && s.text == other.text)
}

// Sent notes what a request of the test makes.
func (b *Bystanders) Sent(p *Possessions, s Sending) {
	if p.sent == nil {
		p.sent = map[uint64]bool{}
	}
	p.sent[s.Exchange.Seq] = true
	p.order = append(p.order, s.Exchange.Seq)
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
	p.made = append(p.made, possession{s.Exchange.Seq, unescapeSlash(id), around})
}

// May reports whether a set-up or a clean-up may send a request behind those that made what a test has.
func (b *Bystanders) May(p *Possessions, s Sending) bool {
	r := &s.Exchange.Request
	if r.Safe() {
		return true
	}
	path := s.path()
	owned, foreign := b.inPath(p, s, path)
	inQuery, strange := s.ids(p, "query")
	switch {
	case foreign || strange:
		return false
	case owned || inQuery:
		return true
	case r.Method == "POST" && b.Makes(s.Exchange):
		return true
	}
	inBody, _ := s.ids(p, "body")
	return inBody || b.endsOwn(p, s)
}

// path returns the segments of the request's path, each with the answer that gives it, if one does.
func (s Sending) path() []segment {
	var out []segment
	for n, text := range strings.Split(strings.TrimPrefix(pathKey(&s.Exchange.Request), "/"), "/") {
		x := segment{text: text}
		for place, gift := range s.Given {
			if place.Within(exchange.Place("/path").Index(n)) {
				x.given, x.gift = true, gift
			}
		}
		out = append(out, x)
	}
	return out
}

// inPath says whether a path names what the test made, or else anything that has an id and that it did not make.
func (b *Bystanders) inPath(p *Possessions, s Sending, path []segment) (owned, foreign bool) {
	template := strings.Split(strings.TrimPrefix(b.operations[s.Exchange.Seq].Template, "/"), "/")
	key := ""
	for n, x := range path {
		key += "/" + x.text
		if x.given && p.holds(x.gift, path[:n], foreign) {
			return true, false
		}
		parameter := n < len(template) && strings.HasPrefix(template[n], "{")
		foreign = foreign || x.given || parameter || b.things[key] || !words.LooksLikeWord(x.text)
	}
	return false, foreign
}

// holds reports whether a value is the id of what the test made; among what it did not make, if it stands where it was
// made.
func (p *Possessions) holds(g Gift, around []segment, foreign bool) bool {
	return slices.ContainsFunc(p.made, func(m possession) bool {
		if m.seq != g.From.Seq || m.id != g.Value {
			return false
		}
		return !foreign || slices.EqualFunc(m.around, around, segment.same)
	})
}

// ids says whether the values of a query or a body that are named as ids name what the test made, or another thing. Of
// a body the id of the whole counts, and not those that it refers to.
func (s Sending) ids(p *Possessions, root string) (owned, foreign bool) {
	for _, site := range message.SitesOutsideHeader(&s.Exchange.Request) {
		kind, isID := words.IDOf(site.Name)
		if site.Place.Root() != root || !isID || root == "body" && (kind != "" || len(site.Place.Segments()) != 2) {
			continue
		}
		gift, given := s.Given[site.Place]
		own := given && p.holds(gift, nil, false)
		owned, foreign = owned || own, foreign || !own
	}
	return owned, foreign
}

// Makes reports whether a POST makes something new: what it made has an id of the API's own, or its status says so, or
// somebody logs in or signs up by it.
func (b *Bystanders) Makes(e *exchange.Exchange) bool {
	if e.Response == nil {
		return false
	}
	if _, place := bornOf(e); place != "" || e.Response.Status == 201 || e.Response.Status == 202 || b.credentials[e.Seq] {
		return true
	}
	anonymous, password := true, false
	for _, s := range message.Sites(&e.Request) {
		if exchange.Secret(s.Place) {
			anonymous = anonymous && s.Body
			password = password || s.Body
		}
	}
	return anonymous && password
}

// endsOwn reports whether a request ends the session that the test itself began.
func (b *Bystanders) endsOwn(p *Possessions, s Sending) bool {
	if !endsSession(&s.Exchange.Request) {
		return false
	}
	for place, gift := range s.Given {
		if place.Root() != "path" && p.sent[gift.From.Seq] && b.credentials[gift.From.Seq] {
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
