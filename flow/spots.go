package flow

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// form says how a value is written where it stands.
type form uint8

const (
	inPath form = iota
	inQuery
	inHeader
	inCookie
	inJSON
	inForm
	inMarkup    // text or attribute of XML
	inCDATA     // text of XML within <![CDATA[ ]]>
	inText      // as it is: a field of a multipart body, a piece of a longer text
	inPercent   // percent-encoded as a whole
	inBase64    // base64 of one of four kinds
	inBase64URL // by whether it is padded,
	inRawBase64 // and which letters it has
	inRawBase64URL
)

// spot is one value of a request, and where and how it is written.
type spot struct {
	place exchange.Place
	form  form
	value string // unescaped
	body  bool   // it stands in the payload, else in the head
	start int    // the bytes [start, end) of head or payload; for a spot within another, of the value of that one
	end   int

	name   string // the member's, parameter's, header's or cookie's own name
	parent string // the name of the member around it
	path   string // of a path segment: the path that it stands in
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

// spots returns the values of a request that a binding may fill, in its target, header and body. A malformed request has
// none: it is sent as it is.
func spots(r *exchange.Request) []spot {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	return slices.Concat(targetSpots(r, seen), headerSpots(r, seen), bodySpots(r, seen))
}

// spotsOutsideHeader returns the values of a request's target and body.
func spotsOutsideHeader(r *exchange.Request) []spot {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	return slices.Concat(targetSpots(r, seen), bodySpots(r, seen))
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
	out := segmentSpots(path, start+1+at, "/path")
	// one behind the path is the "?", if there is one
	return append(out, pairSpots(query, start+1+at+len(path)+1, inQuery, "/query", seen)...)
}

// segmentSpots returns the segments of a path, whose first slash is at pos.
func segmentSpots(path string, pos int, root exchange.Place) []spot {
	whole := strings.TrimRight(path, "/")
	out := make([]spot, 0, strings.Count(path, "/"))
	pos++
	for i, raw := range strings.Split(path[1:], "/") {
		value, err := url.PathUnescape(raw)
		if err != nil {
			value = raw
		}
		out = append(out, spot{place: root.Index(i), form: inPath, value: value,
			start: pos, end: pos + len(raw), path: whole, index: i})
		pos += len(raw) + 1
	}
	return out
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
				body: f == inForm, start: start, end: start + len(raw), name: name})
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

// bodySpots returns the values of a body: JSON, a form, a multipart body, or XML. A body with a content coding has none:
// nothing is packed anew. One that is stored without its coding is sent without.
func bodySpots(r *exchange.Request, seen places) []spot {
	if len(r.Body) == 0 || r.Header.Has("Content-Encoding") && !r.Plain {
		return nil
	}
	body, err := r.Payload()
	if err != nil || len(body) > jsontree.MaxText {
		return nil
	}
	kind := r.MediaType()
	switch {
	case exchange.IsForm(kind, body):
		return pairSpots(string(body), 0, inForm, exchange.PlaceBody, seen)
	case kind == "multipart/form-data":
		return partSpots(body, boundaryOf(r.Header.Get("Content-Type")), seen)
	case isXML(kind, body):
		return xmlSpots(body, seen)
	}
	return jsonSpots(body, exchange.PlaceBody)
}

// jsonSpots returns the strings and numbers of a JSON text that stands at a place; none where src is no JSON.
func jsonSpots(src []byte, root exchange.Place) []spot {
	var out []spot
	jsontree.Scalars(src, func(path []jsontree.Step, start, end int) {
		if end-start > MaxValue {
			return
		}
		name, parent := lastKey(path)
		out = append(out, spot{place: placeOf(root, path), form: inJSON, value: jsontree.Unquote(src[start:end]), body: true,
			start: start, end: end, name: name, parent: parent})
	})
	return out
}
