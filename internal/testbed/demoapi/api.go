package demoapi

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
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
	a := &API{dials: d, rng: service.NewRNG(d.Seed, stream), base: time.Now()}
	if d.Clock != nil {
		a.base = d.Clock()
	}
	a.started = a.now()
	a.key = a.bytes(32)
	a.lasting.invoices = seedInvoice
	a.state = newState()
	if !d.Fresh {
		a.state.use()
	}
	a.routes = a.table()
	return a
}

// newState returns the store with the seed data alone.
func newState() *state {
	s := &state{catalogue: newCatalogue(), accounts: newAccounts()}
	s.orders = newOrders(s.accounts.byID[adaID])
	return s
}

// use adds what an earlier client left.
func (s *state) use() {
	s.accounts.byID[adaID].logins = 17
	s.guests = leftBehind()
	s.prices = 12
}

// now returns the API's time.
func (a *API) now() time.Time { return a.dials.now(a.base) }

// stream tells this API's randomness from that of others of the same seed.
const stream = 0x666c616b65746170

type (
	route  = service.Route[request]
	answer = service.Answer
)

// request is what a handler reads: the HTTP request with its body read and its path taken apart.
type request struct {
	*http.Request
	params map[string]string // the values of the path's parameters, unescaped
	query  url.Values        // the first 100 values or so; broken pairs are left out
	body   []byte
	lang   string // the language that the client prefers, of those that the API speaks
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ans := a.answer(w, r)
	if !a.hold(r) {
		return
	}
	ans.Write(w, a.now())
}

// answer makes the answer to a request.
func (a *API) answer(w http.ResponseWriter, r *http.Request) answer {
	segments, err := service.PathSegments(r.URL)
	if err != nil {
		return fail(http.StatusBadRequest, "bad_path", "The path cannot be read.")
	}
	found, params, allowed := service.Find(a.routes, r.Method, segments)
	if found == nil && len(allowed) > 0 {
		ans := fail(http.StatusMethodNotAllowed, "method_not_allowed", "The resource does not know this method.")
		return ans.With("Allow", strings.Join(allowed, ", "))
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
	req := &request{Request: r, params: params, body: body, query: r.URL.Query(),
		lang: language(r.Header.Get("Accept-Language"))}
	a.mu.Lock()
	defer a.mu.Unlock()
	return found.Handle(req)
}

// hold waits for the part of the latency that this answer gets; false means that the client has gone.
func (a *API) hold(r *http.Request) bool {
	a.mu.Lock()
	wait := service.Latency(a.rng, a.dials.Latency)
	a.mu.Unlock()
	return service.Wait(r, wait)
}

// table lists every operation.
func (a *API) table() []route {
	return slices.Concat(
		a.accountRoutes(), a.cartRoutes(), a.catalogueRoutes(), a.orderRoutes(), a.priceRoutes(), a.searchRoutes(),
		a.healthRoutes(), a.messageRoutes(), a.oddRoutes(), a.guestRoutes(), a.staticRoutes(), a.adminRoutes(),
	)
}
