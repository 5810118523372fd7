package marked

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/settle"
)

// Least is how many windows it takes: see the package.
const Least = 5

// Route is what a request has in common in all windows.
type Route struct {
	Method string
	Path   string // a * stands for a segment that differs
	Query  bool   // some had a query
}

func (r Route) String() string { return r.Method + " " + r.Path }

// Evidence is what a sleep is for.
type Evidence struct {
	Routes []Route       // in the order in which they began
	Times  settle.Times  // from the action until the last of them was answered
	Begin  time.Duration // how long after the action one of them began at most
}

// Says tells of the times, for people.
func (e Evidence) Says() string {
	return fmt.Sprintf("%s after the action before it, %s at most, in %d tests that passed", e.Times.Median.Round(time.Millisecond),
		e.Times.Longest.Round(time.Millisecond), e.Times.N)
}

// Why nothing is known of what a sleep is for.
var (
	errNever   = errors.New("no test that passed came by it with its marks; flaketap waits mark sets them")
	errNothing = errors.New("the page asks for nothing in it, so no request decides")
)

// Of says what a sleep is for. The error says why that is not known.
func (r *Recording) Of(s Sleep) (Evidence, error) {
	windows := r.windows[s]
	switch {
	case len(windows) == 0:
		return Evidence{}, errNever
	case len(windows) < Least:
		return Evidence{}, fmt.Errorf("tests that passed came by it %d times, and it takes %d; record more runs", len(windows), Least)
	}
	var all [][]request
	for _, w := range windows {
		during, before := w.split()
		if before != nil {
			return Evidence{}, fmt.Errorf("%s is asked, or under way, while nothing is done", before)
		}
		if err := w.settled(during); err != nil {
			return Evidence{}, err
		}
		all = append(all, slices.DeleteFunc(during, func(r request) bool { return !r.fetched }))
	}
	routes, err := routesOf(all)
	if err != nil {
		return Evidence{}, err
	}
	e := Evidence{Routes: routes}
	var took []time.Duration
	for i, w := range windows {
		var last time.Duration
		for _, r := range all[i] {
			last, e.Begin = max(last, r.end.Sub(w.acts)), max(e.Begin, r.begin.Sub(w.acts))
		}
		took = append(took, last)
	}
	e.Times = settle.TimesOf(took)
	return e, nil
}

// settled says why a window does not show that a sleep is for what was fetched in it: something else may be.
func (w *window) settled(during []request) error {
	var first, last time.Time
	for _, r := range during {
		switch {
		case !r.answered || r.end.After(w.over):
			return fmt.Errorf("%s is not answered when it is over", r)
		case r.redirected:
			return fmt.Errorf("%s is answered by leading elsewhere", r)
		case r.fetched && first.IsZero():
			first = r.begin
		}
		if r.fetched && r.end.After(last) {
			last = r.end
		}
	}
	for _, r := range during {
		if !r.fetched && r.begin.After(first) && r.end.After(last) && !first.IsZero() {
			return fmt.Errorf("the page loads %s behind what it asks for", r)
		}
	}
	return nil
}

// routesOf are the routes of which each window has one request each.
func routesOf(windows [][]request) (routes []Route, err error) {
	for i, r := range windows[0] {
		route := Route{Method: r.method, Path: r.path}
		if other, differs := differently(windows, r); differs {
			if route.Path, err = common(windows, r); err != nil {
				return nil, err
			}
			if route.Path == "" {
				return nil, fmt.Errorf("%s is asked in some runs only", other)
			}
		}
		if slices.ContainsFunc(routes, func(o Route) bool { return o.Method == route.Method && o.Path == route.Path }) {
			return nil, fmt.Errorf("%s is asked several times", windows[0][i])
		}
		routes = append(routes, route)
	}
	if len(routes) == 0 && !slices.ContainsFunc(windows, func(w []request) bool { return len(w) > 0 }) {
		return nil, errNothing
	}
	for _, w := range windows {
		if err := each(routes, w); err != nil {
			return nil, err
		}
	}
	return routes, nil
}

// each checks that a window has one request of each route, and no other, and notes which have queries.
func each(routes []Route, window []request) error {
	counts := make([]int, len(routes))
	for _, r := range window {
		if !plainPath.MatchString(r.path) {
			return fmt.Errorf("%s has signs in its path that mean something in cy.intercept", r)
		}
		fits := 0
		for i := range routes {
			if ok, err := path.Match(routes[i].Path, r.path); ok && err == nil && routes[i].Method == r.method {
				counts[i], fits = counts[i]+1, fits+1
				routes[i].Query = routes[i].Query || r.query
			}
		}
		if fits != 1 {
			return fmt.Errorf("%s is asked in some runs only, or not told from another", r)
		}
	}
	for i, n := range counts {
		if n > 1 {
			return fmt.Errorf("%s is asked several times", routes[i])
		}
		if n < 1 {
			return fmt.Errorf("%s is asked in some runs only", routes[i])
		}
	}
	return nil
}

// differently reports whether some window has no request with the method and the path of one.
func differently(windows [][]request, r request) (request, bool) {
	for _, w := range windows {
		if !slices.ContainsFunc(w, func(o request) bool { return o.method == r.method && o.path == r.path }) {
			return r, true
		}
	}
	return r, false
}

// common is the path of a request with a * for each segment that differs in some window; "" where that is not clear.
func common(windows [][]request, r request) (string, error) {
	segments := strings.Split(r.path, "/")
	varies := make([]bool, len(segments))
	for _, w := range windows {
		var same []string
		for _, o := range w {
			others := strings.Split(o.path, "/")
			if o.method == r.method && len(others) == len(segments) {
				same = others
			}
		}
		if same == nil {
			return "", nil
		}
		for i := range segments {
			varies[i] = varies[i] || same[i] != segments[i]
		}
	}
	fixed := 0
	for i, v := range varies {
		if v {
			segments[i] = "*"
		} else if segments[i] != "" {
			fixed++
		}
	}
	if fixed == 0 {
		return "", fmt.Errorf("%s has another path in each run", r)
	}
	return strings.Join(segments, "/"), nil
}

// plainPath is a path that means itself to a glob of Cypress's (minimatch).
var plainPath = regexp.MustCompile(`^/$|^(/[A-Za-z0-9_~=,-][A-Za-z0-9._~:@=,-]*)+$`)
