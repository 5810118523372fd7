package demoapi

import (
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request's body in bytes; a longer one is answered with 413.
const maxBody = 64 << 10

// maxEntries bounds each collection of the store; what would go beyond it is answered with 429.
const maxEntries = 5000

// API is the service: an http.Handler that any number of clients may use at once.
//
// Each request is answered under one lock, from its body in memory to its answer in memory: the store is small, and no
// handler waits for anything.
type API struct {
	routes []route

	mu      sync.Mutex
	dials   Dials
	rng     *rand.Rand
	base    time.Time // the clock's reading when the API was made, before any dial
	started time.Time // the API's own time when it was made
	key     []byte    // signs tokens and quotes; random, one per instance
	state   *state    // what a reset clears
	lasting lasting   // what no reset clears
}

// state is the store, by resource: all that POST /admin/reset clears.
type state struct {
	accounts  accounts
	catalogue catalogue
	orders    orders
	guests    guests
	prices    int // estimates and rates asked for: what is left of a client's allowance
	visits    int
}

// lasting is what outlives a reset.
type lasting struct {
	visits   int
	invoices int // the last invoice's number: books may have no gap
}

// New returns an API with a store of its own.
func New(d Dials) *API {
	a := &API{dials: d, rng: newRNG(d.Seed), base: time.Now()}
	if d.Clock != nil {
		a.base = d.Clock()
	}
	a.started = a.now()
	a.key = a.bytes(32)
	a.lasting.invoices = seedInvoice
	a.state = a.newState(!d.Fresh)
	a.routes = a.table()
	return a
}

// newRNG returns a generator that repeats for a seed other than 0.
func newRNG(seed uint64) *rand.Rand {
	if seed == 0 {
		var b [8]byte
		crand.Read(b[:]) // never fails: it ends the program where there is no randomness
		seed = binary.LittleEndian.Uint64(b[:])
	}
	return rand.New(rand.NewPCG(seed, 0x666c616b65746170))
}

// newState returns the store as a start finds it: the seed data and, where used is true, what an earlier client left.
func (a *API) newState(used bool) *state {
	s := &state{catalogue: newCatalogue(), accounts: newAccounts()}
	s.orders = newOrders(s.accounts.byID[adaID])
	if used {
		s.accounts.byID[adaID].logins = 17
		s.guests = leftBehind()
		s.prices = 12
	}
	return s
}

// now returns the API's time.
func (a *API) now() time.Time { return a.dials.now(a.base) }

// request is what a handler reads: the HTTP request with its body read and its path taken apart.
type request struct {
	*http.Request
	param string     // the value of the path's parameter, unescaped
	query url.Values // the first 100 values or so; broken pairs are left out
	body  []byte
	lang  string // the language that the client prefers, of those that the API speaks
}

// route is one operation: its method, its template with at most one parameter, and what answers.
type route struct {
	method, template string
	segments         []string
	handle           func(*request) answer
}

// on returns a route.
func on(method, template string, handle func(*request) answer) route {
	return route{method, template, strings.Split(template[1:], "/"), handle}
}

// match reports whether a path fits the route's template, and the value of its parameter.
func (r *route) match(segments []string) (param string, ok bool) {
	if len(segments) != len(r.segments) {
		return "", false
	}
	for i, s := range r.segments {
		if strings.HasPrefix(s, "{") {
			param = segments[i]
			continue
		}
		if s != segments[i] {
			return "", false
		}
	}
	return param, len(r.segments) == 1 || !slices.Contains(segments, "")
}

// find returns the route of a request, its path's parameter, and the methods that the path allows.
func (a *API) find(method string, segments []string) (found *route, param string, allowed []string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range a.routes {
		r := &a.routes[i]
		p, ok := r.match(segments)
		if !ok {
			continue
		}
		allowed = append(allowed, r.method)
		if r.method == method {
			found, param = r, p
		}
	}
	return found, param, allowed
}

// pathSegments returns the path's segments, each unescaped by itself: an escaped slash does not part them.
func pathSegments(u *url.URL) ([]string, error) {
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	for i, s := range segments {
		var err error
		if segments[i], err = url.PathUnescape(s); err != nil {
			return nil, err
		}
	}
	return segments, nil
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ans := a.answer(w, r)
	if !a.hold(r) {
		return
	}
	ans.write(w)
}

// answer makes the answer to a request.
func (a *API) answer(w http.ResponseWriter, r *http.Request) answer {
	segments, err := pathSegments(r.URL)
	if err != nil {
		return fail(http.StatusBadRequest, "bad_path", "The path cannot be read.")
	}
	found, param, allowed := a.find(r.Method, segments)
	if found == nil && len(allowed) > 0 {
		ans := fail(http.StatusMethodNotAllowed, "method_not_allowed", "The resource does not know this method.")
		return ans.with("Allow", strings.Join(allowed, ", "))
	}
	if found == nil {
		return notFound()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return fail(http.StatusRequestEntityTooLarge, "too_large", "The body is longer than 65536 bytes.")
	}
	if err != nil {
		return fail(http.StatusBadRequest, "bad_body", "The body cannot be read.")
	}
	req := &request{Request: r, param: param, body: body, query: r.URL.Query(), lang: language(r.Header.Get("Accept-Language"))}
	a.mu.Lock()
	defer a.mu.Unlock()
	return found.handle(req)
}

// hold waits for the part of the latency that this answer gets; false means that the client has gone.
func (a *API) hold(r *http.Request) bool {
	a.mu.Lock()
	var wait time.Duration
	if a.dials.Latency > 0 {
		wait = time.Duration(a.rng.Int64N(int64(a.dials.Latency) + 1))
	}
	a.mu.Unlock()
	if wait == 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// table lists every operation.
func (a *API) table() []route {
	return slices.Concat(
		a.accountRoutes(), a.cartRoutes(), a.catalogueRoutes(), a.orderRoutes(), a.priceRoutes(), a.searchRoutes(),
		a.healthRoutes(), a.messageRoutes(), a.oddRoutes(), a.guestRoutes(), a.staticRoutes(), a.adminRoutes(),
	)
}
