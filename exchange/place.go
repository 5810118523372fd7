package exchange

import (
	"slices"
	"strconv"
	"strings"
)

// Place names a part of a message: a JSON Pointer (RFC 6901) over the message rather than over its body alone.
//
//	/status                     the status code
//	/reason                     what the status line says of it in words; HTTP/1 alone has that
//	/header/etag                a header, its name in lower case
//	/body                       the whole body
//	/body/items/0/price         a member of a JSON body; arrays are counted from 0
//	/body/items/*/price         the same member of every element
//	/body/token/@jwt/claims/exp a part of what a text holds, see [Place.Part]
//	/path/2, /query/q, /cookie/sid, /header/…, /body/…   the parts of a request
//
// Keys are escaped as RFC 6901 says, ~ as ~0 and / as ~1; a key that is a literal * is written ~2, and one that is the
// name of a marker (see [Place.Part]) has ~3 for its @. Places compare with ==.
type Place string

// The places that every response has.
const (
	PlaceStatus Place = "/status"
	PlaceReason Place = "/reason"
	PlaceBody   Place = "/body"
)

// Wildcard is the segment that stands for every element of an array, or every member of an object.
const Wildcard = "*"

// HeaderPlace returns the place of a header, in whichever case its name is given.
func HeaderPlace(name string) Place { return Place("/header").Key(strings.ToLower(name)) }

// Key returns the place of a member of p. Any key is allowed: empty, with dots, slashes, quotes, tildes.
func (p Place) Key(key string) Place { return p + "/" + Place(escape(key)) }

// Index returns the place of an element of p, counted from 0.
func (p Place) Index(i int) Place { return p + "/" + Place(strconv.Itoa(i)) }

// Each returns the place that stands for every element of p.
func (p Place) Each() Place { return p + "/*" }

// Parent returns the place that p is a part of, and "" for a root.
func (p Place) Parent() Place {
	i := strings.LastIndexByte(string(p), '/')
	if i <= 0 {
		return ""
	}
	return p[:i]
}

// Segments returns the parts of p, unescaped. A wildcard is returned as "*", a literal * too: use [Place.Matches] to
// compare places with wildcards.
func (p Place) Segments() []string {
	raw := p.raw()
	for i, s := range raw {
		raw[i] = unescape(s)
	}
	return raw
}

// Root returns the first segment: "status", "header", "body", ….
func (p Place) Root() string {
	s, _, _ := strings.Cut(strings.TrimPrefix(string(p), "/"), "/")
	return s
}

// InHeader reports whether p stands in the header of a message, the cookies of a request included.
func (p Place) InHeader() bool {
	root := p.Root()
	return root == "header" || root == "cookie"
}

// Within reports whether p is q or a part of it. Wildcards stand for themselves here.
func (p Place) Within(q Place) bool {
	return p == q || strings.HasPrefix(string(p), string(q)+"/")
}

// Matches reports whether p, which may have wildcards, names the concrete place q: each wildcard stands for one
// segment of any value.
func (p Place) Matches(q Place) bool {
	a, b := p.trimmed(), q.trimmed()
	for {
		i, j := strings.IndexByte(a, '/'), strings.IndexByte(b, '/')
		if i < 0 || j < 0 {
			return i == j && (a == b || a == Wildcard)
		}
		if a[:i] != b[:j] && a[:i] != Wildcard {
			return false
		}
		a, b = a[i+1:], b[j+1:]
	}
}

// General returns p with the segments at the given positions, counted from 0, turned into wildcards; a position beyond
// the last is passed over. It is for callers that know which segments are array indexes: "0" may be a key as well.
func (p Place) General(positions ...int) Place {
	raw := p.raw()
	for _, i := range positions {
		if i >= 0 && i < len(raw) {
			raw[i] = Wildcard
		}
	}
	return Place("/" + strings.Join(raw, "/"))
}

func (p Place) trimmed() string { return strings.TrimPrefix(string(p), "/") }

func (p Place) raw() []string { return strings.Split(p.trimmed(), "/") }

func escape(key string) string {
	if key == Wildcard {
		return "~2"
	}
	if strings.HasPrefix(key, "@") && slices.Contains(markers[:], key) {
		return "~3" + key[1:]
	}
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	// ~ first: the second step must not meet the tildes of its own.
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescape(s string) string {
	if !strings.Contains(s, "~") {
		return s
	}
	if s == "~2" {
		return Wildcard
	}
	if strings.HasPrefix(s, "~3") {
		return "@" + s[2:]
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~") // ~0 last, as RFC 6901 §4 says
}
