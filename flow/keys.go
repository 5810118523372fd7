package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
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
func alone(v string) (key, bool) { return key{text: "=" + v, alone: true}, words.Particular(v) }

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

// requestContext is the request whose values are looked at: its path without a slash at its end, and its host.
type requestContext struct {
	path string
	host string
}

// wants returns what a value of a request may have come from. Most sites hold one text; a path segment may hold
// several, and so may a list of validators.
func (a *requestContext) wants(s *message.Site) []want {
	if s.Value == "" || len(s.Value) > words.MaxValue {
		return nil
	}
	var keys []key
	switch {
	case s.Path != "":
		return pathWants(s)
	case s.Form == message.InHeader:
		return a.headerWants(s)
	case s.Form == message.InCookie:
		keys = append(keys, cookieKey(a.host, s.Name, s.Value), cookieKey("."+a.host, s.Name, s.Value))
		if dot := strings.IndexByte(a.host, '.'); dot > 0 {
			keys = append(keys, cookieKey(a.host[dot:], s.Name, s.Value))
		}
	default:
		keys = memberKeys(s, a.path)
		if s.Form == message.InQuery {
			keys = append(keys, linkKey(a.path, s.Name, s.Value))
			if words.IsCursor(words.Flat(s.Name)) {
				keys = append(keys, cursorKey(a.path, s.Value))
			}
		}
		if s.Form == message.InQuery || s.Form == message.InForm {
			if words.IsGrant(s.Name) {
				keys = append(keys, grantKey(s.Name, s.Value))
			}
		}
		if s.Form == message.InForm || s.Form == message.InText {
			keys = append(keys, inputKey(s.Name, s.Value))
		}
	}
	return append([]want{particular(keys, s)}, inners(s)...)
}

// particular returns a want with the key of the value itself behind the others, where it has one.
func particular(keys []key, s *message.Site) want {
	if k, ok := alone(s.Value); ok {
		keys = append(keys, k)
	}
	if k, ok := madeKey(s.Value); ok {
		keys = append(keys, k)
	}
	return want{keys, s.Body && words.IsMail(s.Value)}
}

// inners are the wants of the long ids within a text.
func inners(s *message.Site) []want {
	var out []want
	for _, inner := range within(s.Value) {
		k := key{text: "=" + inner, alone: true}
		if made, ok := madeKey(inner); ok {
			k = made
		}
		out = append(out, want{keys: []key{k}})
	}
	return out
}

// memberKeys returns the structural keys of a query, JSON or form value: those of a reference by its name, which may be
// no more than that of its kind ("user": 4711), and of a token by its name. The name of a piece of a text may be that
// of its kind: order:7.
func memberKeys(s *message.Site, path string) []key {
	var keys []key
	if kind, ok := words.IDOf(s.Name); ok {
		if kind == "" && s.Parent != message.PieceParent {
			kind = words.Singular(cmp.Or(s.Parent, message.LastSegment(path)))
		}
		if kind != "" {
			keys = append(keys, idKey(kind, s.Value))
		}
	} else if s.Parent == message.PieceParent || (s.Body || s.Form == message.InQuery) && words.IsReference(s.Name) &&
		words.LooksLikeID(s.Value) {
		keys = append(keys, idKey(words.Singular(s.Name), s.Value))
	}
	if words.IsToken(s.Name) {
		keys = append(keys, tokenKey(s.Value))
	}
	return keys
}

// pathWants returns the keys of a path segment as a whole, or else of the long ids within it.
func pathWants(s *message.Site) []want {
	segments := strings.Split(strings.TrimPrefix(s.Path, "/"), "/")
	var keys []key
	if s.Index > 0 && s.Index < len(segments) {
		coll := "/" + strings.Join(segments[:s.Index], "/")
		id := idKey(words.Singular(segments[s.Index-1]), s.Value)
		id.other = coll
		keys = append(keys, atKey(coll, s.Value), id)
		if k, ok := partKey(segments[s.Index-1], s.Value); ok {
			keys = append(keys, k)
		}
	}
	return append([]want{particular(keys, s)}, inners(s)...)
}

// within returns the long ids that a text holds beside other things: UUIDs and unbroken runs of letters and digits.
// What may be an id by having been made is among them.
func within(s string) []string {
	if len(s) <= words.MinWithin || words.IsUUID(s) {
		return nil
	}
	var out []string
	for i := 0; i < len(s); {
		if i+36 <= len(s) && words.IsUUID(s[i:i+36]) {
			out = append(out, s[i:i+36])
			i += 36
			continue
		}
		j := i + runLength(s[i:])
		if run := s[i:j]; len(run) < len(s) {
			if _, made := madeKey(run); made || words.Entropic(run) {
				out = append(out, run)
			}
		}
		i = max(j, i+1)
	}
	return out
}

// headerWants returns the keys of a header value: validators, credentials, references, or the value itself.
func (a *requestContext) headerWants(s *message.Site) []want {
	switch name := strings.ToLower(s.Name); name {
	case "if-none-match", "if-match":
		var out []want
		for tag := range strings.SplitSeq(s.Value, ",") {
			out = append(out, want{keys: []key{etagKey(a.path, strings.TrimSpace(tag))}})
		}
		return out
	case "if-modified-since", "if-unmodified-since":
		return []want{{keys: []key{modifiedKey(a.path, s.Value)}}}
	case "if-range":
		return []want{{keys: []key{etagKey(a.path, s.Value), modifiedKey(a.path, s.Value)}}}
	case "authorization", "proxy-authorization":
		scheme, credentials, found := strings.Cut(s.Value, " ")
		if found && strings.EqualFold(scheme, "Basic") {
			return nil
		}
		v := s.Value
		if found {
			v = strings.TrimSpace(credentials)
		}
		return []want{particular([]key{tokenKey(v)}, &message.Site{Value: v})}
	default:
		keys := memberKeys(&message.Site{Name: strings.TrimPrefix(name, "x-"), Value: s.Value}, "")
		return append([]want{particular(keys, s)}, inners(s)...)
	}
}

func etagKey(path, tag string) key { return key{text: "etag:" + path + ":" + tag} }

func modifiedKey(path, date string) key { return key{text: "modified:" + path + ":" + date} }

// offer is a value of a response and the keys that it may be found under.
type offer struct {
	part  message.Part
	keys  []key
	coll  string // the path of the collection that the value is a member of
	own   bool   // it is the id of what the request made
	named bool   // it is its name, which the client may have chosen
}

// responseContext is the response whose values are looked at.
type responseContext struct {
	requestContext
	made bool   // the request made something
	born string // the path of what it made, where that is known
	own  bool   // an own id of what it made was offered
	kind string
	weak func(value string) // is told of ids too weak to be offered
}

// offers returns what a response gives. Where one key is offered twice, the better place comes first.
func (g *responseContext) offers(r *exchange.Response) []offer {
	all := message.BodyParts(r, g.keeps)
	all = append(all, message.HeaderParts(r)...)
	for i := range all {
		all[i].Rank = standing(&all[i])
	}
	slices.SortStableFunc(all, func(a, b message.Part) int { return cmp.Compare(a.Rank, b.Rank) })
	out := make([]offer, 0, len(all))
	id := "" // of what was made
	for _, p := range all {
		if p.Value == "" || len(p.Value) > words.MaxValue {
			continue
		}
		o := offer{part: p}
		g.structural(&o)
		if k, ok := alone(p.Value); ok && !validator(p.Place) {
			o.keys = append(o.keys, k)
		}
		if o.own && id == "" {
			id = p.Value
		}
		if k, ok := madeKey(p.Value); ok && o.own {
			o.keys = append(o.keys, k)
		}
		if k, ok := partKey(id, p.Value); ok && g.made && id != "" && p.Kind == message.BodyPart {
			o.keys = append(o.keys, k)
		}
		if len(o.keys) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// keeps reports whether a member of a body may be bound.
func (g *responseContext) keeps(name, value string) bool {
	if g.made || words.Particular(value) || len(value) > 2 && message.IsURL(value) {
		return true
	}
	if name == "id" || name == "Id" || name == "ID" {
		g.weak(value)
		return false
	}
	f := words.Flat(name)
	return words.IsTokenName(f) || words.IsCursor(f)
}

// standing ranks the places of a response: members named id first, then by depth, then links, then headers.
func standing(p *message.Part) int {
	switch {
	case p.Kind == message.CookiePart || p.Kind == message.HeaderPart || p.Place.Root() == "header":
		return 1000
	case p.Kind == message.SegmentPart || p.Kind == message.PairPart:
		return 300 + 2*p.Depth
	}
	rank := 2 * p.Depth
	if _, ok := words.IDOf(p.Name); ok || p.Name == "" {
		return rank
	}
	return rank + 100
}

func validator(place exchange.Place) bool {
	return place == "/header/etag" || place == "/header/last-modified"
}

// structural gives an offer the keys that the structure of the resources gives.
func (g *responseContext) structural(o *offer) {
	p := &o.part
	switch p.Kind {
	case message.CookiePart:
		o.keys = []key{cookieKey(cmp.Or(p.Parent, g.host), p.Name, p.Value)}
		return
	case message.HeaderPart:
		switch p.Place {
		case "/header/etag":
			o.keys = []key{etagKey(cmp.Or(g.born, g.path), p.Value)}
			return
		case "/header/last-modified":
			o.keys = []key{modifiedKey(cmp.Or(g.born, g.path), p.Value)}
			return
		}
	case message.InputPart:
		o.keys = append(o.keys, inputKey(p.Name, p.Value))
	case message.PairPart:
		if p.Signed || words.IsCursor(words.Flat(p.Name)) {
			o.keys = append(o.keys, linkKey(p.Link, p.Name, p.Value))
		}
		if words.IsGrant(p.Name) && p.Place.Within("/header/location") {
			o.keys = append(o.keys, grantKey(p.Name, p.Value))
		}
	case message.BodyPart:
		if words.IsCursor(words.Flat(p.Name)) {
			o.keys = append(o.keys, cursorKey(g.path, p.Value))
		}
	}
	if words.IsToken(p.Name) {
		o.keys = append(o.keys, tokenKey(p.Value))
	}
	if g.made && g.path != "" {
		g.resource(o)
	}
}

// resource gives an offer the keys of the resource that the request made.
func (g *responseContext) resource(o *offer) {
	p, path := &o.part, g.path
	if p.Kind == message.SegmentPart {
		// A link of a body may lead anywhere: only one into the request's own collection names what was made.
		if p.Coll == path || p.Coll != "" && p.Place.Root() == "header" && (!words.LooksLikeWord(p.Value) || mixed(p.Value)) {
			o.coll, o.own = p.Coll, true
			o.keys = append(o.keys, atKey(p.Coll, p.Value), idKey(words.Singular(message.LastSegment(p.Coll)), p.Value))
		}
		return
	}
	kind, isID := words.IDOf(p.Name)
	// a member of the thing that was made, not of something within it
	own := p.Parent == "" || wrapper(p.Parent) || words.Singular(p.Parent) == g.kind
	inBody := p.Kind == message.BodyPart
	// POST /copies gives {"copy":7}
	calledAsKind := own && words.IsReference(p.Name) && words.Flat(p.Name) == g.kind && words.LooksLikeID(p.Value)
	switch {
	case inBody && (p.Name == "" || isID && kind == "" && own || calledAsKind):
		o.coll, o.own = path, true
		if !g.own {
			g.own, g.born = true, cmp.Or(g.born, path+"/"+p.Value)
		}
		o.keys = append(o.keys, atKey(path, p.Value), idKey(g.kind, p.Value))
	case isID:
		if kind == "" {
			kind = words.Singular(p.Parent)
		}
		if kind == g.kind && own {
			o.coll, o.own = path, true
			o.keys = append(o.keys, atKey(path, p.Value))
		}
		// what has an id of its own refers with others to what was there before
		if o.own || !g.own || words.Particular(p.Value) {
			o.keys = append(o.keys, idKey(kind, p.Value))
		}
	case inBody && words.IsName(p.Name) && own:
		o.coll, o.named = path, true
		o.keys = append(o.keys, atKey(path, p.Value))
	}
}

// wrapper reports whether a member of that name merely wraps what an answer is about.
func wrapper(name string) bool {
	switch words.Flat(name) {
	case "data", "result", "results", "item", "items", "response", "payload", "record", "object", "entity", "value":
		return true
	}
	return false
}
