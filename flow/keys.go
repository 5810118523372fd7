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
//	at:/users/3/orders:7   the member 7 of that collection
//	id:order:7             the order 7, wherever orders live
//	cookie:sid:x           the value of a cookie
//	etag:/orders/7:"x"     a validator of that resource
//	token:x                a token, by the names that it has in the response and in the request
//	=x                     a value so particular that nothing more is needed
type key struct {
	text  string
	alone bool   // a "=" key
	other string // for id keys asked for by a path: the collection in the path; see fits
}

// fits reports whether the producer found under the key is the one meant. An id of a kind also ties across
// collections (POST /users/3/orders, then GET /orders/7), but not between two collections side by side
// (POST /users/3/orders, then GET /users/4/orders/7): each may count its own.
func (k key) fits(p *producer) bool {
	return k.other == "" || p.coll == "" || strings.Count(k.other, "/") != strings.Count(p.coll, "/") || k.other == p.coll
}

func alone(v string) (key, bool) { return key{text: "=" + v, alone: true}, strong(v) }

func atKey(coll, v string) key { return key{text: "at:" + coll + ":" + v} }

func idKey(kind, v string) key { return key{text: "id:" + kind + ":" + v} }

// want is one text of a request and the keys under which its producer may be found.
type want struct{ keys []key }

// wants returns what a value of a request may have come from. Most spots hold one text; a path segment may hold
// several, and so may a list of validators.
func wants(s *spot, path string, r *exchange.Request) []want {
	if s.value == "" || len(s.value) > maxValue {
		return nil
	}
	var keys []key
	switch s.form {
	case inPath:
		return pathWants(s, path)
	case inHeader:
		return headerWants(s, path)
	case inCookie:
		keys = append(keys, key{text: "cookie:" + s.name + ":" + s.value})
	default:
		keys = memberKeys(s, path)
	}
	if k, ok := alone(s.value); ok {
		keys = append(keys, k)
	}
	return []want{{keys}}
}

// memberKeys returns the structural keys of a query, JSON or form value: those of a reference by its name, and of a
// token by its name.
func memberKeys(s *spot, path string) []key {
	var keys []key
	if kind, ok := idOf(s.name); ok {
		if kind == "" {
			kind = singular(cmp.Or(s.parent, lastSegment(path)))
		}
		if kind != "" {
			keys = append(keys, idKey(kind, s.value))
		}
	}
	if isToken(s.name) {
		keys = append(keys, key{text: "token:" + s.value})
	}
	return keys
}

// pathWants returns the keys of a path segment as a whole, or else of the long ids within it.
func pathWants(s *spot, path string) []want {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var keys []key
	if s.index > 0 && s.index < len(segments) {
		coll := "/" + strings.Join(segments[:s.index], "/")
		id := idKey(singular(segments[s.index-1]), s.value)
		id.other = coll
		keys = append(keys, atKey(coll, s.value), id)
	}
	k, ok := alone(s.value)
	if ok {
		keys = append(keys, k)
	}
	out := []want{{keys}}
	for _, inner := range within(s.value) {
		out = append(out, want{[]key{{text: "=" + inner, alone: true}}})
	}
	return out
}

// within returns the long ids that a text holds beside other things: UUIDs and unbroken runs of letters and digits.
func within(s string) []string {
	if len(s) <= 16 || isUUID(s) {
		return nil
	}
	var out []string
	for i := 0; i < len(s); {
		if i+36 <= len(s) && isUUID(s[i:i+36]) {
			out = append(out, s[i:i+36])
			i += 36
			continue
		}
		j := i
		for j < len(s) && (isUpper(s[j]) || s[j] >= 'a' && s[j] <= 'z' || s[j] >= '0' && s[j] <= '9') {
			j++
		}
		if run := s[i:j]; len(run) < len(s) && entropic(run) {
			out = append(out, run)
		}
		i = max(j, i+1)
	}
	return out
}

// headerWants returns the keys of a header value: validators, credentials, references, or the value itself.
func headerWants(s *spot, path string) []want {
	var keys []key
	switch name := strings.ToLower(s.name); name {
	case "if-none-match", "if-match":
		var out []want
		for tag := range strings.SplitSeq(s.value, ",") {
			tag = strings.TrimSpace(tag)
			out = append(out, want{[]key{{text: "etag:" + path + ":" + tag}}})
		}
		return out
	case "if-modified-since", "if-unmodified-since":
		return []want{{[]key{{text: "modified:" + path + ":" + s.value}}}}
	case "authorization", "proxy-authorization":
		scheme, credentials, found := strings.Cut(s.value, " ")
		if found && strings.EqualFold(scheme, "Basic") {
			return nil
		}
		v := s.value
		if found {
			v = strings.TrimSpace(credentials)
		}
		keys = append(keys, key{text: "token:" + v})
		if k, ok := alone(v); ok {
			keys = append(keys, k)
		}
		return []want{{keys}}
	default:
		keys = memberKeys(&spot{name: strings.TrimPrefix(name, "x-"), value: s.value}, "")
	}
	if k, ok := alone(s.value); ok {
		keys = append(keys, k)
	}
	return []want{{keys}}
}

// offer is a value of a response and the keys that it may be found under.
type offer struct {
	part part
	keys []key
	coll string // the path of the collection that the value is a member of
}

// offers returns what a response gives. Where one key is offered twice, the better place comes first.
func offers(e *exchange.Exchange) []offer {
	path := collection(e.Request.Target)
	made := creates(e)
	all := bodyParts(e.Response, func(name, value string) bool { return made || strong(value) || isToken(name) })
	all = append(all, headerParts(e.Response)...)
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(standing(&a), standing(&b)) })
	out := make([]offer, 0, len(all))
	for _, p := range all {
		if p.value == "" || len(p.value) > maxValue {
			continue
		}
		o := offer{part: p}
		o.keys = structural(&p, &o, path, made)
		if k, ok := alone(p.value); ok && !validator(p.place) {
			o.keys = append(o.keys, k)
		}
		if len(o.keys) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// standing ranks the places of a response: members named id first, then by depth, then headers.
func standing(p *part) int {
	if p.place.Root() == "header" {
		return 1000
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

// structural returns the keys of a value that the structure of the resources gives.
func structural(p *part, o *offer, path string, made bool) []key {
	segments := p.place.Segments()
	if segments[0] == "header" {
		switch segments[1] {
		case "set-cookie":
			return []key{{text: "cookie:" + p.name + ":" + p.value}}
		case "etag":
			return []key{{text: "etag:" + path + ":" + p.value}}
		case "last-modified":
			return []key{{text: "modified:" + path + ":" + p.value}}
		}
	}
	var keys []key
	if isToken(p.name) {
		keys = append(keys, key{text: "token:" + p.value})
	}
	if !made || path == "" {
		return keys
	}
	if p.coll != "" && (p.coll == path || !looksLikeWord(p.value)) {
		o.coll = p.coll
		return append(keys, atKey(p.coll, p.value), idKey(singular(lastSegment(p.coll)), p.value))
	}
	kind, isID := idOf(p.name)
	own := p.parent == "" || wrapper(p.parent) // a member of the thing that was made, not of something within it
	switch {
	case p.place.Within("/body") && (p.name == "" || isID && kind == "" && own):
		o.coll = path
		keys = append(keys, atKey(path, p.value), idKey(singular(lastSegment(path)), p.value))
	case isID:
		if kind == "" {
			kind = singular(p.parent)
		}
		if kind == singular(lastSegment(path)) && own {
			o.coll = path
			keys = append(keys, atKey(path, p.value))
		}
		keys = append(keys, idKey(kind, p.value))
	case isName(p.name) && own && p.place.Within("/body"):
		o.coll = path
		keys = append(keys, atKey(path, p.value))
	}
	return keys
}

// wrapper reports whether a member of that name merely wraps what an answer is about.
func wrapper(name string) bool {
	switch flat(name) {
	case "data", "result", "results", "item", "items", "response", "payload", "record", "object", "entity", "value":
		return true
	}
	return false
}

// lastSegment returns the last segment of a path that reads like a word, unescaped or not: the name of the collection.
func lastSegment(path string) string {
	segments := strings.Split(path, "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if looksLikeWord(segments[i]) {
			return segments[i]
		}
	}
	return ""
}
