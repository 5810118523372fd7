package message

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// Form says how a value is written where it stands.
type Form uint8

const (
	InPath Form = iota
	InQuery
	InHeader
	InCookie
	inJSON
	InForm
	inMarkup    // text or attribute of XML
	inCDATA     // text of XML within <![CDATA[ ]]>
	InText      // as it is: a field of a multipart body, a piece of a longer text
	inPercent   // percent-encoded as a whole
	inBase64    // base64 of one of four kinds
	inBase64URL // by whether it is padded,
	inRawBase64 // and which letters it has
	inRawBase64URL
)

// Site is one value of a request, and where and how it is written.
type Site struct {
	Place exchange.Place
	Form  Form
	Value string // unescaped
	Body  bool   // it stands in the payload, else in the head
	start int    // the bytes [start, end) of head or payload; for a site within another, of the value of that one
	end   int

	Name   string // the member's, parameter's, header's or cookie's own name
	Parent string // the name of the member around it
	Path   string // of a path segment: the path that it stands in
	Index  int    // of a path segment
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

// Sites returns the values of a request that a binding may fill, in its target, header and body. A malformed request
// has none: it is sent as it is.
func Sites(r *exchange.Request) []Site {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	return slices.Concat(targetSites(r, seen), headerSites(r, seen), bodySites(r, seen))
}

// sitesOf returns those of the sites that are in a part of the request, target, header or body, that something is to be
// filled into.
func sitesOf(r *exchange.Request, fill map[exchange.Place][]Swap) []Site {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	var target, header, body []Site
	seen := places{} // no place of one part is one of another
	for place := range fill {
		switch root := place.Root(); {
		case root == "path" || root == "query":
			if target == nil {
				target = targetSites(r, seen)
			}
		case root == "header" || root == "cookie":
			if header == nil {
				header = headerSites(r, seen)
			}
		case body == nil:
			body = bodySites(r, seen)
		}
	}
	return slices.Concat(target, header, body)
}

// SitesOutsideHeader returns the values of a request's target and body.
func SitesOutsideHeader(r *exchange.Request) []Site {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	return slices.Concat(targetSites(r, seen), bodySites(r, seen))
}

// SitesInHead returns the values of a request's target and header.
func SitesInHead(r *exchange.Request) []Site {
	if r.Malformed || r.Method == "CONNECT" {
		return nil
	}
	seen := places{}
	return slices.Concat(targetSites(r, seen), headerSites(r, seen))
}

// targetSites returns the path segments and query values.
func targetSites(r *exchange.Request, seen places) []Site {
	start := bytes.Index(r.Head, []byte(" "+r.Target+" "))
	path, query := exchange.SplitTarget(r.Target)
	whole, _, _ := strings.Cut(r.Target, "?")
	at := len(whole) - len(path) // where the path begins, behind the authority of an absolute form
	if start < 0 || at < 0 || !strings.HasPrefix(path, "/") || !strings.HasSuffix(whole, path) {
		return nil
	}
	out := segmentSites(path, start+1+at, "/path")
	// one behind the path is the "?", if there is one
	return append(out, pairSites(query, start+1+at+len(path)+1, InQuery, "/query", seen)...)
}

// segmentSites returns the segments of a path, whose first slash is at pos.
func segmentSites(path string, pos int, root exchange.Place) []Site {
	whole := strings.TrimRight(path, "/")
	out := make([]Site, 0, strings.Count(path, "/"))
	pos++
	for i, raw := range strings.Split(path[1:], "/") {
		value, err := url.PathUnescape(raw)
		if err != nil {
			value = raw
		}
		out = append(out, Site{Place: root.Index(i), Form: InPath, Value: value,
			start: pos, end: pos + len(raw), Path: whole, Index: i})
		pos += len(raw) + 1
	}
	return out
}

// pairSites returns the values of "a=1&b=2", whose first byte is at pos.
func pairSites(text string, pos int, f Form, root exchange.Place, seen places) []Site {
	var out []Site
	for pair := range strings.SplitSeq(text, "&") {
		name, raw, found := strings.Cut(pair, "=")
		if found {
			start := pos + len(name) + 1
			name = unescapeQuery(name)
			out = append(out, Site{Place: seen.next(root.Key(name)), Form: f, Value: unescapeQuery(raw),
				Body: f == InForm, start: start, end: start + len(raw), Name: name})
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

// headerSites returns the header values, and of Cookie the value of each cookie.
func headerSites(r *exchange.Request, seen places) []Site {
	var out []Site
	for name, at := range FieldLines(r.Head) {
		value := string(r.Head[at.Start:at.End])
		if !strings.EqualFold(name, "Cookie") {
			out = append(out, Site{Place: seen.next(exchange.HeaderPlace(name)), Form: InHeader, Value: value,
				start: at.Start, end: at.End, Name: name})
			continue
		}
		pos := at.Start
		for pair := range strings.SplitSeq(value, ";") {
			left, raw, found := strings.Cut(pair, "=")
			if found {
				start := pos + len(left) + 1
				key := strings.TrimSpace(left)
				out = append(out, Site{Place: seen.next(exchange.Place("/cookie").Key(key)), Form: InCookie,
					Value: raw, start: start, end: start + len(raw), Name: key})
			}
			pos += len(pair) + 1
		}
	}
	return out
}

// Span is a stretch of bytes.
type Span struct{ Start, End int }

// FieldLines goes over the fields of a head: the name, and where in head the value stands. Fields that are folded over
// several lines, and lines that are no fields, are left out.
func FieldLines(head []byte) func(yield func(string, Span) bool) {
	return func(yield func(string, Span) bool) {
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
			if !yield(string(line[:colon]), Span{at, at + len(bytes.TrimSpace(value))}) {
				return
			}
		}
	}
}

// bodySites returns the values of a body: JSON, a form, a multipart body, or XML. A body with a content coding has
// none: nothing is packed anew. One that is stored without its coding is sent without.
func bodySites(r *exchange.Request, seen places) []Site {
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
		return pairSites(string(body), 0, InForm, exchange.PlaceBody, seen)
	case kind == "multipart/form-data":
		return partSites(body, boundaryOf(r.Header.Get("Content-Type")), seen)
	case isXML(kind, body):
		return xmlSites(body, seen)
	}
	return jsonSites(body, exchange.PlaceBody)
}

// jsonSites returns the strings and numbers of a JSON text that stands at a place; none where src is no JSON.
func jsonSites(src []byte, root exchange.Place) []Site {
	var out []Site
	jsontree.Scalars(src, func(path []jsontree.Step, start, end int) {
		if end-start > words.MaxValue {
			return
		}
		name, parent := LastKey(path)
		out = append(out, Site{Place: placeOf(root, path), Form: inJSON, Value: jsontree.Unquote(src[start:end]), Body: true,
			start: start, end: end, Name: name, Parent: parent})
	})
	return out
}
