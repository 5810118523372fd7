package flow

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// maxValue bounds, in bytes, the values that are followed; cookies and tokens are shorter.
const maxValue = 8 << 10

// form says how a value is written where it stands.
type form uint8

const (
	inPath form = iota
	inQuery
	inHeader
	inCookie
	inJSON
	inForm
)

// spot is one value of a request, and where and how it is written.
type spot struct {
	place exchange.Place
	form  form
	value string // unescaped
	start int    // the bytes [start, end) of the head, or of the payload for inJSON and inForm
	end   int

	name   string // the member's, parameter's, header's or cookie's own name
	parent string // the name of the member around it
	index  int    // of a path segment
}

// places hands out places and numbers those that come again: /query/q, /query/q/1, ….
type places map[exchange.Place]int

func (p places) next(place exchange.Place) exchange.Place {
	n := p[place]
	p[place] = n + 1
	if n == 0 {
		return place
	}
	return place.Index(n)
}

// spots returns the values of a request that a binding may fill. A malformed request has none: it is sent as it is.
func spots(r *exchange.Request) []spot {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	out := targetSpots(r, seen)
	out = append(out, headerSpots(r, seen)...)
	return append(out, bodySpots(r, seen)...)
}

// targetSpots returns the path segments and query values.
func targetSpots(r *exchange.Request, seen places) []spot {
	start := bytes.Index(r.Head, []byte(" "+r.Target+" "))
	path, query := exchange.SplitTarget(r.Target)
	whole, _, _ := strings.Cut(r.Target, "?")
	at := len(whole) - len(path) // where the path begins, behind the authority of an absolute form
	if start < 0 || at < 0 || !strings.HasPrefix(path, "/") || !strings.HasSuffix(whole, path) {
		return nil
	}
	var out []spot
	pos := start + 1 + at + 1
	for i, raw := range strings.Split(path[1:], "/") {
		value, err := url.PathUnescape(raw)
		if err != nil {
			value = raw
		}
		out = append(out, spot{place: exchange.Place("/path").Index(i), form: inPath, value: value,
			start: pos, end: pos + len(raw), index: i})
		pos += len(raw) + 1
	}
	// pos is now one behind the "?", if there is one
	return append(out, pairSpots(query, pos, inQuery, "/query", seen)...)
}

// pairSpots returns the values of "a=1&b=2", whose first byte is at pos.
func pairSpots(text string, pos int, f form, root exchange.Place, seen places) []spot {
	var out []spot
	for pair := range strings.SplitSeq(text, "&") {
		name, raw, found := strings.Cut(pair, "=")
		if found {
			start := pos + len(name) + 1
			name = unescapeQuery(name)
			out = append(out, spot{place: seen.next(root.Key(name)), form: f, value: unescapeQuery(raw),
				start: start, end: start + len(raw), name: name})
		}
		pos += len(pair) + 1
	}
	return out
}

func unescapeQuery(raw string) string {
	s, err := url.QueryUnescape(raw)
	if err != nil {
		return raw
	}
	return s
}

// headerSpots returns the header values, and of Cookie the value of each cookie.
func headerSpots(r *exchange.Request, seen places) []spot {
	var out []spot
	for name, at := range fieldLines(r.Head) {
		value := string(r.Head[at.start:at.end])
		if !strings.EqualFold(name, "Cookie") {
			out = append(out, spot{place: seen.next(exchange.HeaderPlace(name)), form: inHeader, value: value,
				start: at.start, end: at.end, name: name})
			continue
		}
		pos := at.start
		for pair := range strings.SplitSeq(value, ";") {
			left, raw, found := strings.Cut(pair, "=")
			if found {
				start := pos + len(left) + 1
				key := strings.TrimSpace(left)
				out = append(out, spot{place: seen.next(exchange.Place("/cookie").Key(key)), form: inCookie,
					value: raw, start: start, end: start + len(raw), name: key})
			}
			pos += len(pair) + 1
		}
	}
	return out
}

// span is a stretch of bytes.
type span struct{ start, end int }

// fieldLines goes over the fields of a head: the name, and where in head the value stands. Fields that are folded over
// several lines, and lines that are no fields, are left out.
func fieldLines(head []byte) func(yield func(string, span) bool) {
	return func(yield func(string, span) bool) {
		pos, first := 0, true
		for pos < len(head) {
			next := len(head)
			if k := bytes.IndexByte(head[pos:], '\n'); k >= 0 {
				next = pos + k + 1
			}
			line := bytes.TrimRight(head[pos:next], "\r\n")
			start := pos
			pos = next
			if len(line) == 0 {
				continue // before the start line, or the end
			}
			if first {
				first = false
				continue
			}
			folded := next < len(head) && (head[next] == ' ' || head[next] == '\t')
			colon := bytes.IndexByte(line, ':')
			if colon <= 0 || folded || line[0] == ' ' || line[0] == '\t' {
				continue
			}
			value := line[colon+1:]
			left := len(value) - len(bytes.TrimLeft(value, " \t"))
			at := start + colon + 1 + left
			if !yield(string(line[:colon]), span{at, at + len(bytes.TrimSpace(value))}) {
				return
			}
		}
	}
}

// bodySpots returns the values of a JSON or form body. A body with a content coding has none: nothing is packed anew. One
// that is stored without its coding is sent without.
func bodySpots(r *exchange.Request, seen places) []spot {
	if len(r.Body) == 0 || r.Header.Has("Content-Encoding") && !r.Plain {
		return nil
	}
	body, err := r.Payload()
	if err != nil || len(body) > maxBody {
		return nil
	}
	if exchange.IsForm(r.MediaType(), body) {
		return pairSpots(string(body), 0, inForm, exchange.PlaceBody, seen)
	}
	var out []spot
	scalars(body, func(path []step, start, end int) {
		if end-start > maxValue {
			return
		}
		name, parent := lastKey(path)
		out = append(out, spot{place: bodyPlace(path), form: inJSON, value: unquote(body[start:end]),
			start: start, end: end, name: name, parent: parent})
	})
	return out
}

// part is one value of a response and where it stands.
type part struct {
	place  exchange.Place
	value  string
	name   string // the member's, parameter's, header's or cookie's own name; "" for the whole body
	parent string
	depth  int    // of a body member: how many objects and arrays it stands in
	coll   string // of the last path segment of a URL: the path before it
}

// bodyParts returns the scalars of a JSON body that keep asks for, or a short text body as a whole. Bodies are long and
// what matters in them is little: keep is asked before a place is made.
func bodyParts(r *exchange.Response, keep func(name, value string) bool) []part {
	if len(r.Body) == 0 || r.Cut > 0 {
		return nil
	}
	body, err := r.Payload()
	if err != nil || len(body) > maxBody {
		return nil
	}
	var out []part
	any := false
	scalars(body, func(path []step, start, end int) {
		if end-start > maxValue {
			return
		}
		any = true
		name, parent := lastKey(path)
		if value := unquote(body[start:end]); keep(name, value) {
			out = append(out, part{place: bodyPlace(path), value: value, name: name, parent: parent, depth: len(path)})
		}
	})
	if text := bytes.TrimSpace(body); !any && len(text) > 0 && len(text) <= 256 && bytes.IndexByte(text, '\n') < 0 {
		switch text[0] {
		case '<', '{', '[', '"':
		default:
			out = append(out, part{place: exchange.PlaceBody, value: string(text)})
		}
	}
	return out
}

// headerParts returns the header values; of Set-Cookie the cookies, of headers that hold URLs their parts.
func headerParts(r *exchange.Response) []part {
	var out []part
	seen := places{}
	for _, f := range r.Header {
		name := strings.ToLower(f.Name)
		if f.Value == "" || len(f.Value) > maxValue || ordinaryHeader(name) {
			continue
		}
		switch name {
		case "set-cookie":
			pair, _, _ := strings.Cut(f.Value, ";")
			key, value, found := strings.Cut(pair, "=")
			if key = strings.TrimSpace(key); found {
				place := exchange.HeaderPlace(name).Key(key)
				out = append(out, part{place: place, value: strings.TrimSpace(value), name: key})
			}
		case "location", "content-location", "link":
			place := seen.next(exchange.HeaderPlace(name))
			out = append(out, urlParts(place, linkURL(f.Value))...)
		default:
			out = append(out, part{place: seen.next(exchange.HeaderPlace(name)), value: f.Value, name: name})
		}
	}
	return out
}

// linkURL returns the URL of a Location, or the first one of a Link header (RFC 8288).
func linkURL(value string) string {
	if strings.HasPrefix(value, "<") {
		value, _, _ = strings.Cut(value[1:], ">")
	}
	return value
}

// urlParts returns the path segments and query values of the URL at place.
func urlParts(place exchange.Place, raw string) []part {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	var out []part
	path := strings.TrimRight(u.EscapedPath(), "/")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		value, err := url.PathUnescape(s)
		if err != nil || value == "" {
			continue
		}
		p := part{place: place.Key("path").Index(i), value: value}
		if i == len(segments)-1 && i > 0 {
			p.coll = "/" + strings.Join(segments[:i], "/")
		}
		out = append(out, p)
	}
	seen := places{}
	for _, s := range pairSpots(u.RawQuery, 0, inQuery, place.Key("query"), seen) {
		out = append(out, part{place: s.place, value: s.value, name: s.name})
	}
	return out
}

// Value returns the text at a place of a response, unescaped as [exchange.Binding] values are; ok is false where the
// response has no such place. The places are those of the package comment.
func Value(r *exchange.Response, place exchange.Place) (value string, ok bool) {
	if r == nil {
		return "", false
	}
	for _, p := range partsAt(r, place, "") {
		if p.place == place {
			return p.value, true
		}
	}
	return "", false
}

// partsAt returns the parts of a response among which the one at place is, if it is there at all, and those with the
// given value.
func partsAt(r *exchange.Response, place exchange.Place, value string) []part {
	if place.Root() == "header" {
		return headerParts(r)
	}
	name := ""
	for _, s := range place.Segments()[1:] {
		if !isIndex(s) {
			name = s
		}
	}
	return bodyParts(r, func(n, v string) bool { return n == name || isIndex(n) || v == value })
}

// ordinaryHeader reports whether a response header says nothing that a client hands back.
func ordinaryHeader(name string) bool {
	switch name {
	case "date", "server", "connection", "keep-alive", "transfer-encoding", "content-length", "content-type",
		"content-encoding", "content-language", "vary", "cache-control", "expires", "age", "pragma", "via", "allow",
		"accept", "accept-ranges", "accept-patch", "strict-transport-security", "referrer-policy",
		"content-security-policy", "permissions-policy", "alt-svc", "trailer", "upgrade", "x-powered-by":
		return true
	}
	return strings.HasPrefix(name, "access-control-") || strings.HasPrefix(name, "x-content-type") ||
		strings.HasPrefix(name, "x-frame") || strings.HasPrefix(name, "x-xss")
}

// ordinaryField reports whether a request header is the client's own affair.
func ordinaryField(name string) bool {
	switch strings.ToLower(name) {
	case "host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding", "te",
		"accept", "accept-encoding", "accept-language", "accept-charset", "user-agent", "cache-control", "pragma",
		"expect", "upgrade", "date", "origin", "referer", "keep-alive", "trailer":
		return true
	}
	return false
}
