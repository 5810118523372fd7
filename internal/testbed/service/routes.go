package service

import (
	"net/http"
	"net/url"
	"strings"
)

// Route is one operation: its method, its template, and what answers; R is what a handler reads.
type Route[R any] struct {
	Method, Template string
	Handle           func(*R) Answer
	segments         []string
}

// On returns a route. The template is as in OpenAPI: "/orders/{id}".
func On[R any](method, template string, handle func(*R) Answer) Route[R] {
	return Route[R]{method, template, handle, strings.Split(template[1:], "/")}
}

// match reports whether a path fits the route's template, and the values of its parameters.
func (r *Route[R]) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(r.segments) {
		return nil, false
	}
	params := map[string]string{}
	for i, s := range r.segments {
		switch {
		case strings.HasPrefix(s, "{") && segments[i] != "":
			params[strings.Trim(s, "{}")] = segments[i]
		case s != segments[i]:
			return nil, false
		}
	}
	return params, true
}

// Find returns the route of a request, its path's parameters, and the methods that the path allows, in the order of the
// routes. HEAD goes where GET goes.
func Find[R any](routes []Route[R], method string, segments []string) (found *Route[R], params map[string]string,
	allowed []string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range routes {
		r := &routes[i]
		p, ok := r.match(segments)
		if !ok {
			continue
		}
		allowed = append(allowed, r.Method)
		if r.Method == method {
			found, params = r, p
		}
	}
	return found, params, allowed
}

// PathSegments returns the path's segments, each unescaped by itself: an escaped slash does not part them.
func PathSegments(u *url.URL) ([]string, error) {
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, s := range segments {
		var err error
		if segments[i], err = url.PathUnescape(s); err != nil {
			return nil, err
		}
	}
	return segments, nil
}
