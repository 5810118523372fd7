package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// A key is what a value may be found under. Responses offer values under keys, requests ask for them; where the two
// meet, there is a binding. The kinds of key, from the most telling:
//
//	at:/users/3/orders:7         the member 7 of that collection
//	id:order:7                   the order 7, wherever orders live
//	cookie:api.test:sid:x        the value of a cookie of that host
//	etag:/orders/7:"x"           a validator of that resource
//	link:/orders?after:7         a query value of a link to that path: a cursor, or any value of a signed URL
//	cursor:/orders:7             a cursor, by the names that it has in the response and in the request
//	token:x                      a token, by the names that it has in the response and in the request
//	grant:code:x                 a code or state that a redirect hands over (RFC 6749 §4.1)
//	input:_csrf:x                a hidden field of a form
//	part:7/x                     a name that the answer which made 7 gave to a part of it
//	=x                           a value so particular that nothing more is needed
//	made:x                       an id that reads like a word, but was made by the server
type key struct {
	text  string
	alone bool   // a "=" key
	id    bool   // an "id:" key
	other string // for id keys asked for by a path: the collection in the path; see fits
}

// fits reports whether the producer found under the key is the one meant. An id of a kind also ties across
// collections (POST /users/3/orders, then GET /orders/7), but not between two collections side by side
// (POST /users/3/orders, then GET /users/4/orders/7): each may count its own.
func (k key) fits(p *producer) bool {
	return k.other == "" || p.coll == "" || strings.Count(k.other, "/") != strings.Count(p.coll, "/") || k.other == p.coll
}

// alone returns the key of a value by itself; ok is false where it is not particular enough.
func alone(v string) (key, bool) { return key{text: "=" + v, alone: true}, Particular(v) }

func atKey(coll, v string) key { return key{text: "at:" + coll + ":" + v} }

func idKey(kind, v string) key { return key{text: "id:" + kind + ":" + v, id: true} }

func tokenKey(v string) key { return key{text: "token:" + v} }

func linkKey(path, name, v string) key { return key{text: "link:" + path + "?" + name + ":" + v} }

func cursorKey(path, v string) key { return key{text: "cursor:" + path + ":" + v} }

func cookieKey(host, name, v string) key { return key{text: "cookie:" + host + ":" + name + ":" + v} }

func grantKey(name, v string) key { return key{text: "grant:" + name + ":" + v} }

func inputKey(name, v string) key { return key{text: "input:" + name + ":" + v} }

// want is one text of a request and the keys under which its producer may be found.
type want struct {
	keys []key
	own  bool // it is the client's own whatever gave it: what it says of somebody's e-mail address in a body
}

// asker is the request whose values are looked at: its path without a slash at its end, and its host.
type asker struct {
	path string
	host string
}

// wants returns what a value of a request may have come from. Most spots hold one text; a path segment may hold
// several, and so may a list of validators.
func (a *asker) wants(s *spot) []want {
	if s.value == "" || len(s.value) > MaxValue {
		return nil
	}
	var keys []key
	switch {
	case s.path != "":
		return pathWants(s)
	case s.form == inHeader:
		return a.headerWants(s)
	case s.form == inCookie:
		keys = append(keys, cookieKey(a.host, s.name, s.value), cookieKey("."+a.host, s.name, s.value))
		if dot := strings.IndexByte(a.host, '.'); dot > 0 {
			keys = append(keys, cookieKey(a.host[dot:], s.name, s.value))
		}
	default:
		keys = memberKeys(s, a.path)
		if s.form == inQuery {
			keys = append(keys, linkKey(a.path, s.name, s.value))
			if isCursor(flat(s.name)) {
				keys = append(keys, cursorKey(a.path, s.value))
			}
		}
		if s.form == inQuery || s.form == inForm {
			if isGrant(s.name) {
				keys = append(keys, grantKey(s.name, s.value))
			}
		}
		if s.form == inForm || s.form == inText {
			keys = append(keys, inputKey(s.name, s.value))
		}
	}
	return append([]want{particular(keys, s)}, inners(s)...)
}

// particular returns a want with the key of the value itself behind the others, where it has one.
func particular(keys []key, s *spot) want {
	if k, ok := alone(s.value); ok {
		keys = append(keys, k)
	}
	if k, ok := madeKey(s.value); ok {
		keys = append(keys, k)
	}
	return want{keys, s.body && isMail(s.value)}
}

// inners are the wants of the long ids within a text.
func inners(s *spot) []want {
	var out []want
	for _, inner := range within(s.value) {
		k := key{text: "=" + inner, alone: true}
		if made, ok := madeKey(inner); ok {
			k = made
		}
		out = append(out, want{keys: []key{k}})
	}
	return out
}

// memberKeys returns the structural keys of a query, JSON or form value: those of a reference by its name, which may be no
// more than that of its kind ("user": 4711), and of a token by its name. The name of a piece of a text may be that of its kind: order:7.
func memberKeys(s *spot, path string) []key {
	var keys []key
	if kind, ok := idOf(s.name); ok {
		if kind == "" && s.parent != pieceParent {
			kind = singular(cmp.Or(s.parent, lastSegment(path)))
		}
		if kind != "" {
			keys = append(keys, idKey(kind, s.value))
		}
	} else if s.parent == pieceParent || (s.body || s.form == inQuery) && isReference(s.name) && looksLikeID(s.value) {
		keys = append(keys, idKey(singular(s.name), s.value))
	}
	if isToken(s.name) {
		keys = append(keys, tokenKey(s.value))
	}
	return keys
}

// pathWants returns the keys of a path segment as a whole, or else of the long ids within it.
func pathWants(s *spot) []want {
	segments := strings.Split(strings.TrimPrefix(s.path, "/"), "/")
	var keys []key
	if s.index > 0 && s.index < len(segments) {
		coll := "/" + strings.Join(segments[:s.index], "/")
		id := idKey(singular(segments[s.index-1]), s.value)
		id.other = coll
		keys = append(keys, atKey(coll, s.value), id)
		if k, ok := partKey(segments[s.index-1], s.value); ok {
			keys = append(keys, k)
		}
	}
	return append([]want{particular(keys, s)}, inners(s)...)
}

// within returns the long ids that a text holds beside other things: UUIDs and unbroken runs of letters and digits. What may
// be an id by having been made is among them.
func within(s string) []string {
	if len(s) <= minWithin || isUUID(s) {
		return nil
	}
	var out []string
	for i := 0; i < len(s); {
		if i+36 <= len(s) && isUUID(s[i:i+36]) {
			out = append(out, s[i:i+36])
			i += 36
			continue
		}
		j := i + runLength(s[i:])
		if run := s[i:j]; len(run) < len(s) {
			if _, made := madeKey(run); made || entropic(run) {
				out = append(out, run)
			}
		}
		i = max(j, i+1)
	}
	return out
}

// headerWants returns the keys of a header value: validators, credentials, references, or the value itself.
func (a *asker) headerWants(s *spot) []want {
	switch name := strings.ToLower(s.name); name {
	case "if-none-match", "if-match":
		var out []want
		for tag := range strings.SplitSeq(s.value, ",") {
			out = append(out, want{keys: []key{etagKey(a.path, strings.TrimSpace(tag))}})
		}
		return out
	case "if-modified-since", "if-unmodified-since":
		return []want{{keys: []key{modifiedKey(a.path, s.value)}}}
	case "if-range":
		return []want{{keys: []key{etagKey(a.path, s.value), modifiedKey(a.path, s.value)}}}
	case "authorization", "proxy-authorization":
		scheme, credentials, found := strings.Cut(s.value, " ")
		if found && strings.EqualFold(scheme, "Basic") {
			return nil
		}
		v := s.value
		if found {
			v = strings.TrimSpace(credentials)
		}
		return []want{particular([]key{tokenKey(v)}, &spot{value: v})}
	default:
		keys := memberKeys(&spot{name: strings.TrimPrefix(name, "x-"), value: s.value}, "")
		return append([]want{particular(keys, s)}, inners(s)...)
	}
}

func etagKey(path, tag string) key { return key{text: "etag:" + path + ":" + tag} }

func modifiedKey(path, date string) key { return key{text: "modified:" + path + ":" + date} }

// offer is a value of a response and the keys that it may be found under.
type offer struct {
	part  part
	keys  []key
	coll  string // the path of the collection that the value is a member of
	own   bool   // it is the id of what the request made
	named bool   // it is its name, which the client may have chosen
}

// giver is the response whose values are looked at.
type giver struct {
	asker
	made bool   // the request made something
	born string // the path of what it made, where that is known
	own  bool   // an own id of what it made was offered
	kind string
	weak func(value string) // is told of ids too weak to be offered
}

// offers returns what a response gives. Where one key is offered twice, the better place comes first.
func (g *giver) offers(r *exchange.Response) []offer {
	all := bodyParts(r, g.keeps)
	all = append(all, headerParts(r)...)
	for i := range all {
		all[i].rank = standing(&all[i])
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]offer, 0, len(all))
	id := "" // of what was made
	for _, p := range all {
		if p.value == "" || len(p.value) > MaxValue {
			continue
		}
		o := offer{part: p}
		g.structural(&o)
		if k, ok := alone(p.value); ok && !validator(p.place) {
			o.keys = append(o.keys, k)
		}
		if o.own && id == "" {
			id = p.value
		}
		if k, ok := madeKey(p.value); ok && o.own {
			o.keys = append(o.keys, k)
		}
		if k, ok := partKey(id, p.value); ok && g.made && id != "" && p.kind == bodyPart {
			o.keys = append(o.keys, k)
		}
		if len(o.keys) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// keeps reports whether a member of a body may be bound.
func (g *giver) keeps(name, value string) bool {
	if g.made || Particular(value) || len(value) > 2 && isURL(value) {
		return true
	}
	if name == "id" || name == "Id" || name == "ID" {
		g.weak(value)
		return false
	}
	f := flat(name)
	return isTokenName(f) || isCursor(f)
}

// standing ranks the places of a response: members named id first, then by depth, then links, then headers.
func standing(p *part) int {
	switch {
	case p.kind == cookiePart || p.kind == headerPart || p.place.Root() == "header":
		return 1000
	case p.kind == segmentPart || p.kind == pairPart:
		return 300 + 2*p.depth
	}
	rank := 2 * p.depth
	if _, ok := idOf(p.name); ok || p.name == "" {
		return rank
	}
	return rank + 100
}

func validator(place exchange.Place) bool {
	return place == "/header/etag" || place == "/header/last-modified"
}

// structural gives an offer the keys that the structure of the resources gives.
func (g *giver) structural(o *offer) {
	p := &o.part
	switch p.kind {
	case cookiePart:
		o.keys = []key{cookieKey(cmp.Or(p.parent, g.host), p.name, p.value)}
		return
	case headerPart:
		switch p.place {
		case "/header/etag":
			o.keys = []key{etagKey(cmp.Or(g.born, g.path), p.value)}
			return
		case "/header/last-modified":
			o.keys = []key{modifiedKey(cmp.Or(g.born, g.path), p.value)}
			return
		}
	case inputPart:
		o.keys = append(o.keys, inputKey(p.name, p.value))
	case pairPart:
		if p.signed || isCursor(flat(p.name)) {
			o.keys = append(o.keys, linkKey(p.link, p.name, p.value))
		}
		if isGrant(p.name) && p.place.Within("/header/location") {
			o.keys = append(o.keys, grantKey(p.name, p.value))
		}
	case bodyPart:
		if isCursor(flat(p.name)) {
			o.keys = append(o.keys, cursorKey(g.path, p.value))
		}
	}
	if isToken(p.name) {
		o.keys = append(o.keys, tokenKey(p.value))
	}
	if g.made && g.path != "" {
		g.resource(o)
	}
}

// resource gives an offer the keys of the resource that the request made.
func (g *giver) resource(o *offer) {
	p, path := &o.part, g.path
	if p.kind == segmentPart {
		// A link of a body may lead anywhere: only one into the request's own collection names what was made.
		if p.coll == path || p.coll != "" && p.place.Root() == "header" && !looksLikeWord(p.value) {
			o.coll, o.own = p.coll, true
			o.keys = append(o.keys, atKey(p.coll, p.value), idKey(singular(lastSegment(p.coll)), p.value))
		}
		return
	}
	kind, isID := idOf(p.name)
	own := p.parent == "" || wrapper(p.parent) || singular(p.parent) == g.kind // a member of the thing that was made, not of something within it
	inBody := p.kind == bodyPart
	switch {
	case inBody && (p.name == "" || isID && kind == "" && own):
		o.coll, o.own = path, true
		if !g.own {
			g.own, g.born = true, cmp.Or(g.born, path+"/"+p.value)
		}
		o.keys = append(o.keys, atKey(path, p.value), idKey(g.kind, p.value))
	case isID:
		if kind == "" {
			kind = singular(p.parent)
		}
		if kind == g.kind && own {
			o.coll, o.own = path, true
			o.keys = append(o.keys, atKey(path, p.value))
		}
		if o.own || !g.own || Particular(p.value) { // what has an id of its own refers with others to what was there before
			o.keys = append(o.keys, idKey(kind, p.value))
		}
	case inBody && isName(p.name) && own:
		o.coll, o.named = path, true
		o.keys = append(o.keys, atKey(path, p.value))
	}
}

// wrapper reports whether a member of that name merely wraps what an answer is about.
func wrapper(name string) bool {
	switch flat(name) {
	case "data", "result", "results", "item", "items", "response", "payload", "record", "object", "entity", "value":
		return true
	}
	return false
}
