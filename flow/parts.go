package flow

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// partKind says what a value of a response is.
type partKind uint8

const (
	bodyPart    partKind = iota // a member of a body, or all of it
	inputPart                   // a hidden field of a form, or a meta element
	headerPart                  // the value of a header
	cookiePart                  // the value of a cookie
	segmentPart                 // a path segment of a URL
	pairPart                    // a query value of a URL
)

// part is one value of a response and where it stands.
type part struct {
	place  exchange.Place
	kind   partKind
	value  string
	name   string // the member's, parameter's, header's or cookie's own name; "" for the whole body
	parent string
	depth  int    // of a body member: how many objects and arrays it stands in
	coll   string // of the last path segment of a URL: the path before it
	link   string // of a query value of a URL: its path
	signed bool   // of a query value of a URL: the URL is signed
	rank   int    // see standing
}

// bodyParts returns the scalars of a JSON or XML body that keep asks for, what a page holds for its reader's client, or
// a short text body as a whole. Bodies are long and what matters in them is little: keep is asked before a place is made.
func bodyParts(r *exchange.Response, keep func(name, value string) bool) []part {
	if len(r.Body) == 0 || r.Cut > 0 {
		return nil
	}
	body, err := r.Payload()
	if err != nil || len(body) > jsontree.MaxText || len(body) == 0 {
		return nil
	}
	if body[0] == '<' || isBlank(body[0]) || body[0] >= 0x80 {
		switch kind := r.MediaType(); {
		case isHTML(kind, body):
			return htmlParts(body)
		case isXML(kind, body):
			return xmlParts(body, keep)
		}
	}
	var out []part
	any := false
	jsontree.Scalars(body, func(path []jsontree.Step, start, end int) {
		if end-start > MaxValue {
			return
		}
		any = true
		name, parent := lastKey(path)
		value := jsontree.Unquote(body[start:end])
		if !keep(name, value) {
			return
		}
		p := part{place: placeOf(exchange.PlaceBody, path), value: value, name: name, parent: parent, depth: len(path)}
		out = append(out, p)
		if body[start] == '"' && len(value) > 2 && isURL(value) {
			out = append(out, urlParts(p.place, value)...)
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

// xmlParts returns the texts and attributes of an XML body that keep asks for.
func xmlParts(body []byte, keep func(name, value string) bool) []part {
	var out []part
	for _, s := range xmlSpots(body, places{}) {
		if !keep(s.name, s.value) {
			continue
		}
		out = append(out, part{place: s.place, value: s.value, name: s.name, parent: s.parent, depth: strings.Count(string(s.place), "/") - 1})
		if len(s.value) > 2 && isURL(s.value) {
			out = append(out, urlParts(s.place, s.value)...)
		}
	}
	return out
}

// headerParts returns the header values; of Set-Cookie the cookies, of headers that hold URLs these and their parts.
func headerParts(r *exchange.Response) []part {
	var out []part
	seen := places{}
	for _, f := range r.Header {
		name := strings.ToLower(f.Name)
		if f.Value == "" || len(f.Value) > MaxValue || ordinaryHeader(name) {
			continue
		}
		switch name {
		case "set-cookie":
			out = append(out, cookieParts(f.Value)...)
		case "location", "content-location":
			place := seen.next(exchange.HeaderPlace(name))
			out = append(append(out, part{place: place, kind: headerPart, value: f.Value, name: name}), urlParts(place, f.Value)...)
		case "link":
			for _, target := range linkURLs(f.Value) {
				out = append(out, urlParts(seen.next(exchange.HeaderPlace(name)), target)...)
			}
		default:
			out = append(out, part{place: seen.next(exchange.HeaderPlace(name)), kind: headerPart, value: f.Value, name: name})
		}
	}
	return out
}

// cookieParts returns the value of the cookie that a Set-Cookie sets, and where it is percent-encoded what it stands for:
// scripts hand that back in a header.
func cookieParts(field string) []part {
	pair, attributes, _ := strings.Cut(field, ";")
	key, value, found := strings.Cut(pair, "=")
	if key = strings.TrimSpace(key); !found {
		return nil
	}
	p := part{place: exchange.HeaderPlace("set-cookie").Key(key), kind: cookiePart, value: strings.TrimSpace(value), name: key}
	for attribute := range strings.SplitSeq(attributes, ";") {
		if is, domain, _ := strings.Cut(strings.TrimSpace(attribute), "="); strings.EqualFold(is, "Domain") && domain != "" {
			p.parent = "." + strings.ToLower(strings.TrimPrefix(domain, "."))
		}
	}
	out := []part{p}
	if plain, err := url.PathUnescape(p.value); err == nil && plain != p.value {
		p.place, p.kind, p.value = p.place.Key("unescaped"), headerPart, plain
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
		p := part{place: place.Key("path").Index(i), kind: segmentPart, value: value}
		if i == len(segments)-1 && i > 0 {
			p.coll = "/" + strings.Join(segments[:i], "/")
		}
		out = append(out, p)
	}
	if u.RawQuery == "" {
		return out
	}
	pairs := pairSpots(u.RawQuery, 0, inQuery, place.Key("query"), places{})
	signed := false
	for _, s := range pairs {
		signed = signed || isSignature(s.name)
	}
	for _, s := range pairs {
		out = append(out, part{place: s.place, kind: pairPart, value: s.value, name: s.name, link: path, signed: signed})
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
	names := map[string]bool{"": true}
	for _, s := range place.Segments()[1:] {
		names[localName(strings.TrimPrefix(s, "@"))] = true
		names[s] = true
	}
	return bodyParts(r, func(n, v string) bool { return names[n] || isIndex(n) || v == value })
}

func isIndex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
