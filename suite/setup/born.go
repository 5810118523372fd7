package setup

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

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
