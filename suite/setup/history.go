package setup

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/setup/listing"
)

// resourceHistory is what a session did to the resources of an API, as far as its exchanges tell: which were there
// before it, which it made, changed, and took away. A resource is what has a path of its own. How many there are of one
// path is counted: an API may well make a second product of the same name, and take away one of them at a time.
type resourceHistory struct {
	session   []*exchange.Exchange
	paths     []string // by position: the path of a request, see pathKey; "" where it has none
	resources map[string]*resource
	below     map[string][]string // by path of a collection: the resources right below it, sorted
	// idempotent are the DELETEs, by their routes, that go well whether there is something to be taken away or not.
	idempotent map[string]bool
	// by path of a collection: the resources right below it of which there may be some
	alive map[string]map[string]bool
	// by path, the writes to it and to what lies below it; by the empty path all writes
	written map[string][]int
	changed map[string][]int // by path, those of them that change or take away the very resource: PUT, PATCH, DELETE
	nested  map[string][]int // by path of a collection, the writes to the part of it within something else: see unnested
}

// resource is what is known of one path.
type resource struct {
	path   string
	base   int     // how many there were before the session
	events []event // in order
	sure   int     // how many of the events came before the last exact showing
	guess  bool    // that it was there before the session is known by its removal alone
	sweeps []int   // the positions at which the last one of it was taken away, and all that is below it
}

// event is something that one exchange of the session did to a resource, or showed of it.
type event struct {
	at    int // the position of the exchange
	kind  eventKind
	after int            // how many there were after it
	place exchange.Place // of one that was made: where the answer names it; "" where the client named it
}

type eventKind uint8

const (
	wasSeen    eventKind = iota // an answer showed how many there are; recorded where that was not known before
	wasMade                     // one more is there
	wasChanged                  // what it says may be other than before
	wasTried                    // a write to its path: nobody knows what came of it
	wasRemoved                  // one is taken away
	wasSwept                    // what it belongs to was taken away, and all of them with it
)

const (
	// maxResources bounds how many resources are told apart.
	maxResources = 1 << 16
	// maxDepth bounds the paths around a path for which its writes are listed.
	maxDepth = 16
)

func newHistory(session []*exchange.Exchange) *resourceHistory {
	w := &resourceHistory{session: session, paths: make([]string, len(session)), resources: map[string]*resource{},
		alive: map[string]map[string]bool{}, written: map[string][]int{}, changed: map[string][]int{},
		nested: map[string][]int{}, below: map[string][]string{}, idempotent: map[string]bool{}}
	for i, e := range session {
		w.paths[i] = pathKey(&e.Request)
		w.wrote(i)
		if w.paths[i] == "" || e.Response == nil || e.Response.Malformed {
			continue
		}
		if e.Request.Safe() {
			w.look(i)
		} else {
			w.write(i)
		}
	}
	for path, r := range w.resources {
		w.sweep(r)
		w.doubt(r)
		parent, _ := parentKey(path)
		w.below[parent] = append(w.below[parent], path)
	}
	for _, list := range w.below {
		slices.Sort(list)
	}
	return w
}

// wrote lists what may have changed something by its path, and by those around it.
func (w *resourceHistory) wrote(i int) {
	e, path := w.session[i], w.paths[i]
	if !wrote(e) {
		return
	}
	w.written[""] = append(w.written[""], i)
	if path == "" {
		return
	}
	around := prefixes(path)
	for n, p := range around {
		if n < maxDepth || n == len(around)-1 {
			w.written[p] = append(w.written[p], i)
			if whole := unnested(p); whole != "" {
				w.nested[whole] = append(w.nested[whole], i)
			}
		}
	}
	if e.Request.Method != "POST" {
		w.changed[path] = append(w.changed[path], i)
	}
}

// wrote reports whether a request may have changed something: one that was refused has not, but one that failed may.
func wrote(e *exchange.Exchange) bool {
	return !e.Request.Safe() && e.Response != nil && (e.Response.Status < 400 || e.Response.Status >= 500)
}

// pathKey returns the path of a request with its segments unescaped, but for slashes within them, and none at its end;
// "" where it has none, and for the root.
func pathKey(r *exchange.Request) string {
	segments := message.PathSegments(r)
	if n := len(segments); n > 0 && segments[n-1] == "" {
		segments = segments[:n-1]
	}
	return joinKey(segments)
}

func joinKey(segments []string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(segmentKey(message.UnescapePath(s)))
	}
	return b.String()
}

// segmentKey returns an unescaped segment as it stands in a path.
func segmentKey(s string) string { return strings.ReplaceAll(s, "/", "%2F") }

// unescapeSlash undoes segmentKey.
func unescapeSlash(s string) string { return strings.ReplaceAll(s, "%2F", "/") }

// parentKey returns the path around a path, and the last segment.
func parentKey(path string) (parent, last string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// prefixes returns the path and those around it, the outermost first.
func prefixes(path string) []string {
	var out []string
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			out = append(out, path[:i])
		}
	}
	return append(out, path)
}

// unnested returns the path of a collection without the element of another that it is asked for within: /reviews of
// /books/3/reviews; "" where there is no such element.
func unnested(path string) string {
	segments := strings.Split(path, "/") // the first is empty
	n := len(segments)
	if n < 4 {
		return ""
	}
	return strings.Join(append(segments[:n-3:n-3], segments[n-1]), "/")
}

// below reports whether a path is one within another.
func below(path, other string) bool { return strings.HasPrefix(path, other+"/") }

// resource returns the resource of a path, as what happened around it left it; a new one unless there are too many,
// then nil.
func (w *resourceHistory) resource(path string) *resource {
	r := w.resources[path]
	if r == nil && path != "" && len(w.resources) < maxResources {
		r = &resource{path: path}
		w.resources[path] = r
	}
	w.sweep(r)
	return r
}

// sweep notes that a resource is gone with one that it is below of.
func (w *resourceHistory) sweep(r *resource) {
	if r == nil || r.now() == 0 {
		return
	}
	first := -1
	for _, path := range prefixes(r.path) {
		around := w.resources[path]
		if around == nil || around == r {
			continue
		}
		n, _ := slices.BinarySearch(around.sweeps, r.last()+1)
		if n < len(around.sweeps) && (first < 0 || around.sweeps[n] < first) {
			first = around.sweeps[n]
		}
	}
	if first >= 0 {
		r.add(first, wasSwept, "")
	}
}

// doubt takes back that a resource was there before the session where only a DELETE says so, and such go well always.
func (w *resourceHistory) doubt(r *resource) {
	if !r.guess || len(r.events) == 0 {
		return
	}
	first := &w.session[r.events[0].at].Request
	if !w.idempotent[match.RouteKey(first.Method, first.Target)] {
		return
	}
	r.base--
	r.recount()
}

// known returns the resource of a path, nil where nothing is known of one.
func (w *resourceHistory) known(path string) *resource {
	if w.resources[path] == nil {
		return nil
	}
	return w.resource(path)
}

// count keeps in mind whether there may be some of a resource.
func (w *resourceHistory) count(r *resource) {
	if r == nil {
		return
	}
	parent, _ := parentKey(r.path)
	if r.now() == 0 {
		delete(w.alive[parent], r.path)
		return
	}
	if w.alive[parent] == nil {
		w.alive[parent] = map[string]bool{}
	}
	w.alive[parent][r.path] = true
}

// show is resource.show of the resource of a path.
func (w *resourceHistory) show(path string, at int, seen sighting) {
	r := w.resource(path)
	r.show(at, seen)
	w.count(r)
}

// add is resource.add of the resource of a path.
func (w *resourceHistory) add(path string, at int, kind eventKind, place exchange.Place) {
	r := w.resource(path)
	r.add(at, kind, place)
	w.count(r)
}

// last returns the position of the last event, -1 where there is none.
func (r *resource) last() int {
	if len(r.events) == 0 {
		return -1
	}
	return r.events[len(r.events)-1].at
}

// now returns how many there were after the last event.
func (r *resource) now() int {
	if len(r.events) == 0 {
		return r.base
	}
	return r.events[len(r.events)-1].after
}

// at returns how many there were before the exchange at a position.
func (r *resource) at(pos int) int {
	n, _ := slices.BinarySearchFunc(r.events, pos, func(e event, pos int) int { return e.at - pos })
	if n == 0 {
		return r.base
	}
	return r.events[n-1].after
}

// add notes an event, and what it leaves.
func (r *resource) add(at int, kind eventKind, place exchange.Place) {
	if r == nil {
		return
	}
	r.events = append(r.events, event{at: at, kind: kind, after: kind.leaves(r.now()), place: place})
}

// sighting is how many an answer showed that there are.
type sighting struct {
	n    int
	more bool // there may be more
}

func exactly(n int) sighting { return sighting{n: n} }
func atLeast(n int) sighting { return sighting{n: n, more: true} }

// show notes how many were seen. Where more are there than were thought,
// writes of which nothing was known have made them; else they were there from the beginning, unless that was shown
// otherwise before.
func (r *resource) show(at int, seen sighting) {
	if r == nil {
		return
	}
	for r.now() < seen.n && r.attributeWrite() {
	}
	switch missing := seen.n - r.now(); {
	case missing > 0 && r.sure == 0:
		r.base += missing
		r.recount()
	case missing > 0 || missing < 0 && !seen.more:
		r.events = append(r.events, event{at: at, kind: wasSeen, after: seen.n})
	}
	if !seen.more {
		r.sure = len(r.events)
	}
}

// attributeWrite takes the last write of which nothing was known, and that came after whatever showed how many there
// are, to have made one.
func (r *resource) attributeWrite() bool {
	for i := len(r.events) - 1; i >= r.sure; i-- {
		if r.events[i].kind == wasTried {
			r.events[i].kind = wasMade
			r.recount()
			return true
		}
	}
	return false
}

// recount counts anew what each event left.
func (r *resource) recount() {
	n := r.base
	for i := range r.events {
		e := &r.events[i]
		if e.kind == wasSeen {
			n = e.after
		}
		n = e.kind.leaves(n)
		e.after = n
	}
}

// leaves returns how many there are after an event, of so many before it.
func (k eventKind) leaves(n int) int {
	switch k {
	case wasMade:
		return n + 1
	case wasRemoved:
		return max(0, n-1)
	case wasSwept:
		return 0
	}
	return n
}

// look notes what a request that changes nothing showed.
func (w *resourceHistory) look(i int) {
	e, path := w.session[i], w.paths[i]
	switch status := e.Response.Status; {
	case status == 404 || status == 410:
		if w.known(path) != nil {
			w.show(path, i, exactly(0))
		}
	case e.Request.Method != "GET" && e.Request.Method != "HEAD" || status/100 != 2:
	default:
		if list, ok := listing.Of(e); ok {
			w.list(i, path, list)
		} else if status != 204 && e.Request.Method == "GET" {
			w.show(path, i, atLeast(1))
		}
	}
}

// list notes what a list showed of a collection.
func (w *resourceHistory) list(i int, path string, l listing.List) {
	count := map[string]int{}
	for _, key := range l.Keys {
		if key != "" {
			count[path+"/"+segmentKey(key)]++
		}
	}
	for child, n := range count {
		seen := atLeast(n)
		if l.Whole {
			seen = exactly(n)
		}
		w.show(child, i, seen)
	}
	if !l.Whole {
		return
	}
	for child := range w.alive[path] {
		if count[child] == 0 {
			w.show(child, i, exactly(0))
		}
	}
}

// write notes what a request that may change something did.
func (w *resourceHistory) write(i int) {
	e, path := w.session[i], w.paths[i]
	status := e.Response.Status
	good := status/100 == 2
	switch {
	case status == 404 || status == 410:
		if w.known(path) != nil {
			w.show(path, i, exactly(0))
		}
		return
	case !good && status/100 != 5 && !flow.Creates(e):
		return // it was refused
	}
	switch e.Request.Method {
	case "DELETE":
		if good {
			w.remove(i, path)
		}
	case "POST":
		if child, place := bornOf(e); child != "" {
			w.add(child, i, wasMade, place)
			return
		}
		kind := wasTried
		if status == 200 || status == 204 {
			kind = wasChanged // an action upon what is there
		}
		w.add(path, i, kind, "")
	case "PUT":
		w.put(i, path, status)
	default:
		w.add(path, i, wasChanged, "")
	}
}

// put notes a PUT: it makes what is known not to be there, and what the answer calls created.
func (w *resourceHistory) put(i int, path string, status int) {
	r := w.resource(path)
	switch {
	case r == nil:
	case status/100 != 2:
		w.add(path, i, wasTried, "")
	case status == 201, len(r.events) > 0 && r.now() == 0:
		w.add(path, i, wasMade, "")
	default:
		w.show(path, i, atLeast(1))
		w.add(path, i, wasChanged, "")
	}
}

// remove notes that a resource, and with it all that is below it, is gone.
func (w *resourceHistory) remove(i int, path string) {
	r := w.resource(path)
	if r == nil {
		return
	}
	switch {
	case len(r.events) == 0 && r.base == 0:
		r.base, r.guess = 1, true
	case r.now() == 0 && !r.attributeWrite():
		sent := &w.session[i].Request
		// and what was gone before may never have been there
		w.idempotent[match.RouteKey(sent.Method, sent.Target)] = true
	}
	w.add(path, i, wasRemoved, "")
	if r.now() == 0 {
		r.sweeps = append(r.sweeps, i)
	}
}
