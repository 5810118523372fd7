package message

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// PartKind says what a value of a response is.
type PartKind uint8

const (
	BodyPart    PartKind = iota // a member of a body, or all of it
	InputPart                   // a hidden field of a form, or a meta element
	HeaderPart                  // the value of a header
	CookiePart                  // the value of a cookie
	SegmentPart                 // a path segment of a URL
	PairPart                    // a query value of a URL
)

// Part is one value of a response and where it stands.
type Part struct {
	Place  exchange.Place
	Kind   PartKind
	Value  string
	Name   string // the member's, parameter's, header's or cookie's own name; "" for the whole body
	Parent string
	Depth  int    // of a body member: how many objects and arrays it stands in
	Coll   string // of the last path segment of a URL: the path before it
	Link   string // of a query value of a URL: its path
	Signed bool   // of a query value of a URL: the URL is signed
	Rank   int    // see standing
}

// BodyParts returns the scalars of a JSON or XML body that keep asks for, what a page holds for its reader's client, or
// a short text body as a whole. Bodies are long and what matters in them is little: keep is asked before a place is
// made.
func BodyParts(r *exchange.Response, keep func(name, value string) bool) []Part {
	if len(r.Body) == 0 || r.Cut > 0 {
		return nil
	}
	body, err := r.Payload()
	if err != nil || len(body) > jsontree.MaxText || len(body) == 0 {
		return nil
	}
	if body[0] == '<' || IsBlank(body[0]) || body[0] >= 0x80 {
		switch kind := r.MediaType(); {
		case isHTML(kind, body):
			return htmlParts(body)
		case isXML(kind, body):
			return xmlParts(body, keep)
		}
	}
	var out []Part
	any := false
	jsontree.Scalars(body, func(path []jsontree.Step, start, end int) {
		if end-start > words.MaxValue {
			return
		}
		any = true
		name, parent := LastKey(path)
		value := jsontree.Unquote(body[start:end])
		if !keep(name, value) {
			return
		}
		p := Part{Place: placeOf(exchange.PlaceBody, path), Value: value, Name: name, Parent: parent, Depth: len(path)}
		out = append(out, p)
		if body[start] == '"' && len(value) > 2 && IsURL(value) {
			out = append(out, urlParts(p.Place, value)...)
		}
	})
	if text := bytes.TrimSpace(body); !any && len(text) > 0 && len(text) <= 256 && bytes.IndexByte(text, '\n') < 0 {
		switch text[0] {
		case '<', '{', '[', '"':
		default:
			out = append(out, Part{Place: exchange.PlaceBody, Value: string(text)})
		}
	}
	return out
}

// xmlParts returns the texts and attributes of an XML body that keep asks for.
func xmlParts(body []byte, keep func(name, value string) bool) []Part {
	var out []Part
	for _, s := range xmlSites(body, places{}) {
		if !keep(s.Name, s.Value) {
			continue
		}
		out = append(out, Part{Place: s.Place, Value: s.Value, Name: s.Name, Parent: s.Parent,
			Depth: strings.Count(string(s.Place), "/") - 1})
		if len(s.Value) > 2 && IsURL(s.Value) {
			out = append(out, urlParts(s.Place, s.Value)...)
		}
	}
	return out
}

// HeaderParts returns the header values; of Set-Cookie the cookies, of headers that hold URLs these and their parts.
func HeaderParts(r *exchange.Response) []Part {
	var out []Part
	seen := places{}
	for _, f := range r.Header {
		name := strings.ToLower(f.Name)
		if f.Value == "" || len(f.Value) > words.MaxValue || ordinaryHeader(name) {
			continue
		}
		switch name {
		case "set-cookie":
			out = append(out, cookieParts(f.Value)...)
		case "location", "content-location":
			place := seen.next(exchange.HeaderPlace(name))
			out = append(append(out, Part{Place: place, Kind: HeaderPart, Value: f.Value, Name: name}),
				urlParts(place, f.Value)...)
		case "link":
			for _, target := range linkURLs(f.Value) {
				out = append(out, urlParts(seen.next(exchange.HeaderPlace(name)), target)...)
			}
		default:
			out = append(out, Part{Place: seen.next(exchange.HeaderPlace(name)), Kind: HeaderPart, Value: f.Value, Name: name})
		}
	}
	return out
}

// cookieParts returns the value of the cookie that a Set-Cookie sets, and where it is percent-encoded what it stands
// for: scripts hand that back in a header.
func cookieParts(field string) []Part {
	pair, attributes, _ := strings.Cut(field, ";")
	key, value, found := strings.Cut(pair, "=")
	if key = strings.TrimSpace(key); !found {
		return nil
	}
	p := Part{Place: exchange.HeaderPlace("set-cookie").Key(key), Kind: CookiePart,
		Value: strings.TrimSpace(value), Name: key}
	for attribute := range strings.SplitSeq(attributes, ";") {
		if is, domain, _ := strings.Cut(strings.TrimSpace(attribute), "="); strings.EqualFold(is, "Domain") && domain != "" {
			p.Parent = "." + strings.ToLower(strings.TrimPrefix(domain, "."))
		}
	}
	out := []Part{p}
	if plain, err := url.PathUnescape(p.Value); err == nil && plain != p.Value {
		p.Place, p.Kind, p.Value = p.Place.Key("unescaped"), HeaderPart, plain
		out = append(out, p)
	}
	return out
}

// linkURLs returns the URLs of a Link header (RFC 8288), in order.
func linkURLs(value string) []string {
	var out []string
	for {
		open := strings.IndexByte(value, '<')
		if open < 0 {
			return out
		}
		target, rest, found := strings.Cut(value[open+1:], ">")
		if !found {
			return append(out, target)
		}
		out = append(out, target)
		quoted := false
		end := strings.IndexFunc(rest, func(c rune) bool {
			if c == '"' {
				quoted = !quoted
			}
			return c == ',' && !quoted
		})
		if end < 0 {
			return out
		}
		value = rest[end:]
	}
}

// urlParts returns the path segments and query values of the URL at place.
func urlParts(place exchange.Place, raw string) []Part {
	u, err := url.Parse(raw)
	if err != nil {
		return nil
	}
	var out []Part
	path := strings.TrimRight(u.EscapedPath(), "/")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		value, err := url.PathUnescape(s)
		if err != nil || value == "" {
			continue
		}
		p := Part{Place: place.Key("path").Index(i), Kind: SegmentPart, Value: value}
		if i == len(segments)-1 && i > 0 {
			p.Coll = "/" + strings.Join(segments[:i], "/")
		}
		out = append(out, p)
	}
	if u.RawQuery == "" {
		return out
	}
	pairs := pairSites(u.RawQuery, 0, InQuery, place.Key("query"), places{})
	signed := false
	for _, s := range pairs {
		signed = signed || words.IsSignature(s.Name)
	}
	for _, s := range pairs {
		out = append(out, Part{Place: s.Place, Kind: PairPart, Value: s.Value, Name: s.Name, Link: path, Signed: signed})
	}
	return out
}

// Value returns the text at a place of a response, unescaped as [exchange.Binding] values are; ok is false where the
// response has no such place. The places are those of the package comment.
func Value(r *exchange.Response, place exchange.Place) (value string, ok bool) {
	if r == nil {
		return "", false
	}
	for _, p := range PartsAt(r, place, "") {
		if p.Place == place {
			return p.Value, true
		}
	}
	return "", false
}

// PartsAt returns the parts of a response among which the one at place is, if it is there at all, and those with the
// given value.
func PartsAt(r *exchange.Response, place exchange.Place, value string) []Part {
	if place.Root() == "header" {
		return HeaderParts(r)
	}
	names := map[string]bool{"": true}
	for _, s := range place.Segments()[1:] {
		names[localName(strings.TrimPrefix(s, "@"))] = true
		names[s] = true
	}
	return BodyParts(r, func(n, v string) bool { return names[n] || IsIndex(n) || v == value })
}

// IsIndex reports whether the segment of a place is an index: digits alone.
func IsIndex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
