package portapi

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

// maxEntries bounds each collection of the store; what would go beyond it is answered with 507.
const maxEntries = 5000

// API is the service: an http.Handler that any number of clients may use at once. Each request is answered under one
// lock, at one reading of the clock; only what tells how long an answer took reads it again.
type API struct {
	routes []route

	mu      sync.Mutex
	dials   Dials
	rng     *rand.Rand
	rates   *rand.Rand // fills the cache; apart from rng, as the clock decides when that happens
	started time.Time  // by the API's own clock
	key     []byte     // signs tokens; random, one per instance
	state   *state     // what a reset clears
	lasting lasting    // what no reset clears
}

// New returns an API with a store of its own.
func New(d Dials) *API {
	a := &API{dials: d, rng: service.NewRNG(d.Seed, stream), rates: service.NewRNG(d.Seed, stream+1)}
	a.started = d.now().UTC()
	a.key = a.bytes(32)
	a.lasting = lasting{requests: 918273, declarations: 40517}
	a.state = newState()
	if !d.Fresh {
		a.use()
	}
	a.routes = a.table()
	return a
}

// stream tells this API's randomness from that of others of the same seed.
const stream = 0x706f7274

type (
	route  = service.Route[request]
	answer = service.Answer
)

// request is what a handler reads: the HTTP request with its body read and its path taken apart.
type request struct {
	*http.Request
	now    time.Time         // the API's time, one reading for the whole answer, in UTC
	params map[string]string // the values of the path's parameters, unescaped
	query  url.Values
	body   []byte
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	ans, now := a.answer(r, body, err)
	if a.hold(r) {
		ans.Write(w, now)
	}
}

// answer makes the answer to a request whose body was read, or was not because of err, and says when. Every answer
// bears a number of its own and the name of the machine.
func (a *API) answer(r *http.Request, body []byte, err error) (answer, time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	req := &request{Request: r, now: a.dials.now().UTC(), query: r.URL.Query(), body: body}
	return a.route(req, err).With("X-Request-Id", a.uuid4()).
		With("X-Served-By", a.dials.Environment.WithDefaults().Hostname), req.now
}

// route finds the operation of a request and has it answered.
func (a *API) route(r *request, err error) answer {
	segments, bad := service.PathSegments(r.URL)
	if bad != nil {
		return a.problem(r, http.StatusBadRequest, "path", "The path cannot be read.")
	}
	found, params, allowed := service.Find(a.routes, r.Method, segments)
	if found == nil && len(allowed) > 0 {
		slices.Sort(allowed)
		return a.problem(r, http.StatusMethodNotAllowed, "method", "The resource does not know this method.").
			With("Allow", strings.Join(allowed, ", "))
	}
	if found == nil {
		return a.missing(r)
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return a.problem(r, http.StatusRequestEntityTooLarge, "too-large", "The body is longer than 65536 bytes.")
	}
	if err != nil {
		return a.problem(r, http.StatusBadRequest, "body", "The body cannot be read.")
	}
	r.params = params
	if !strings.HasPrefix(found.Template, "/admin/") {
		a.state.requests++
		a.lasting.requests++
	}
	return found.Handle(r)
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
		a.sessionRoutes(), a.noticeRoutes(), a.masterRoutes(), a.berthRoutes(), a.bookingRoutes(), a.containerRoutes(),
		a.customsRoutes(), a.limitRoutes(), a.scheduleRoutes(), a.sensorRoutes(), a.systemRoutes(), a.adminRoutes(),
	)
}
