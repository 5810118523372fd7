package flow

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Ids are drawn from letters and digits, and now and then one reads like a word: of the 15 characters of
// "gorvd6krjridpu2" two are digits. What such a value is, its place tells: it is the id of what a request made, and the
// server's choice. So it ties like a particular value, to whatever asks for just that. In the same way a name that the
// server gave to a part of what was made, as to a file, ties to the path segment behind the id.

// minMade is the least length, in bytes, of an id that ties by having been made.
const minMade = 10

// madeKey returns the key of an id that the server made. ok is false for what is too short, or has other characters
// than those that ids are drawn from; a strong value needs no such key.
func madeKey(v string) (k key, ok bool) {
	return key{text: "made:" + v, alone: true}, len(v) >= minMade && len(v) <= 64 && drawn(v) && !words.Particular(v)
}

// drawn reports whether a text has nothing but the characters of base64url (RFC 4648 §5), from which ids are drawn.
func drawn(v string) bool {
	for v != "" {
		n := runLength(v)
		if n == 0 && v[0] != '-' && v[0] != '_' {
			return false
		}
		v = v[max(n, 1):]
	}
	return true
}

// mixed reports whether a text is as long as an id, drawn as ids are, and of letters of both cases: in a URL that reads
// like a word, but few would write it.
func mixed(v string) bool {
	return len(v) >= minMade && drawn(v) && strings.ToLower(v) != v && strings.ToUpper(v) != v
}

// partKey returns the key of a name that the answer which made id gave to a part of it. ok is false for what may be a
// word of the API: short, or without a digit.
func partKey(id, v string) (k key, ok bool) {
	return key{text: "part:" + id + "/" + v}, len(v) >= 8 && len(v) <= 256 && strings.ContainsAny(v, "0123456789")
}

// runLength returns how many letters and digits a text begins with.
func runLength(s string) int {
	n := 0
	for n < len(s) && (words.IsUpper(s[n]) || s[n] >= 'a' && s[n] <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// MadeID is what the answer to a request calls the thing that the request made: its id, or its name.
type MadeID struct {
	Place      exchange.Place // where it stands in the answer
	Value      string         // unescaped
	Collection string         // where it ends a URL in the answer: the path before it; else ""
}

// MadeIDs lists what the answer to a request that made something calls that thing, the most telling place first.
func MadeIDs(e *exchange.Exchange) []MadeID {
	g := responseContext{requestContext: requestContext{path: message.Collection(e.Request.Target), host: hostOf(e.Addr)},
		made: true, weak: func(string) {}}
	g.kind = words.Singular(message.LastSegment(g.path))
	var out []MadeID
	for _, o := range g.offers(e.Response) {
		if !o.own && !o.named || o.coll == "" {
			continue
		}
		id := MadeID{Place: o.part.Place, Value: o.part.Value}
		if o.part.Kind == message.SegmentPart {
			id.Collection = o.coll
		}
		out = append(out, id)
	}
	return out
}
