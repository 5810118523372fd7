package setup

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// list is what an answer shows of a collection.
type list struct {
	keys  []string // what tells its elements apart, in order; "" for an element that nothing tells apart
	whole bool     // all of the collection is in it: nothing was asked for, and it is no page
	place exchange.Place
}

// listOf returns the list that an answer is: a JSON array, or an object with one array of objects among its members.
func listOf(e *exchange.Exchange) (list, bool) {
	body, err := e.Response.Payload()
	if err != nil || len(body) > jsontree.MaxText || len(body) == 0 {
		return list{}, false
	}
	_, query := exchange.SplitTarget(e.Request.Target)
	l := list{whole: query == "" && !e.Response.Header.Has("Link"), place: exchange.PlaceBody}
	var elements []json.RawMessage
	if json.Unmarshal(body, &elements) != nil {
		member, found := wrapped(body)
		if !found || json.Unmarshal(member.value, &elements) != nil {
			return list{}, false
		}
		l.whole, l.place = false, l.place.Key(member.name)
	} else if elements == nil {
		return list{}, false // null
	}
	if len(elements) > maxElements {
		elements, l.whole = elements[:maxElements], false
	}
	kind := words.Singular(message.LastSegment(message.Collection(e.Request.Target)))
	for _, element := range elements {
		l.keys = append(l.keys, elementKey(element, kind))
	}
	return l, true
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// wrapped returns the only member of an object that is an array of objects, or an empty array.
func wrapped(body []byte) (member, bool) {
	var object map[string]json.RawMessage
	if len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &object) != nil {
		return member{}, false
	}
	var found []member
	for name, value := range object {
		if text := strings.Join(strings.Fields(string(value[:min(len(value), 64)])), ""); text == "[]" ||
			strings.HasPrefix(text, "[{") {
			found = append(found, member{name, value})
		}
	}
	if _, own := object["id"]; len(found) != 1 || own {
		return member{}, false
	}
	return found[0], true
}

// elementKey returns what tells an element of a list apart: a scalar itself, of an object its id, or its name.
func elementKey(element json.RawMessage, kind string) string {
	if len(element) == 0 {
		return ""
	}
	if element[0] != '{' {
		if element[0] == '[' {
			return ""
		}
		return jsontree.Unquote(element)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(element, &object) != nil {
		return ""
	}
	best, rank := "", 4
	for name, value := range object {
		of, isID := words.IDOf(name)
		r := 4
		switch {
		case len(value) == 0 || value[0] == '{' || value[0] == '[' || value[0] == 'n':
			continue
		case isID && of == "":
			r = 0
		case isID && of == kind:
			r = 1
		case words.IsName(name):
			r = 2
		}
		if key := jsontree.Unquote(value); r < rank || r == rank && r < 4 && key < best {
			best, rank = key, r
		}
	}
	return best
}

// bornOf returns the path of what a POST made, as its answer names it, and where it does; the place is "" where the
// client had named it. The path is "" where the answer names nothing.
func bornOf(e *exchange.Exchange) (path string, place exchange.Place) {
	if !flow.Creates(e) {
		return "", ""
	}
	own := pathKey(&e.Request)
	if location := e.Response.Header.Get("Location"); location != "" {
		if u, err := url.Parse(location); err == nil && strings.HasPrefix(u.EscapedPath(), "/") {
			raw := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
			path = joinKey(raw)
			if path == own || !below(path, firstSegment(own)) || len(raw) < 2 {
				return own, ""
			}
			value := message.UnescapePath(raw[len(raw)-1])
			if holds(&e.Request, value) {
				return path, ""
			}
			return path, exchange.HeaderPlace("location").Key("path").Index(len(raw) - 1)
		}
	}
	for _, made := range flow.MadeIDs(e) {
		within := slices.Contains(strings.Split(own, "/"), segmentKey(made.Value))
		if within && !madeWithin(e, own) {
			continue // an action upon what the path names, which its answer shows
		}
		path = cmp.Or(made.Collection, own) + "/" + segmentKey(made.Value)
		if !within && holds(&e.Request, made.Value) {
			return path, ""
		}
		return path, made.Place
	}
	return "", ""
}

// madeWithin reports whether an answer says that a POST made an element of the collection that its path ends with,
// though what the collection belongs to has the same id: the first board of the first team.
func madeWithin(e *exchange.Exchange, path string) bool {
	_, last := parentKey(path)
	return e.Response.Status == 201 && words.Singular(last) != last && words.LooksLikeWord(last)
}

// firstSegment returns the path of the first segment of a path.
func firstSegment(path string) string {
	if len(path) < 2 {
		return path
	}
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1]
	}
	return path
}

// holds reports whether a value stands in a request, as a whole value.
func holds(r *exchange.Request, value string) bool {
	for _, s := range message.SitesOutsideHeader(r) {
		if s.Value == value {
			return true
		}
	}
	return false
}
