package wardapi

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

// API is the service: an http.Handler that any number of clients may use at once. Each request is answered under one
// lock, at one reading of the clock.
type API struct {
	routes []route

	mu      sync.Mutex
	dials   Dials
	rng     *rand.Rand
	started time.Time // by the API's own clock
	key     []byte    // signs tickets and links; random, one per instance
	state   *state    // what a reset clears
	lasting lasting   // what no reset clears
}

// New returns an API with a store of its own.
func New(d Dials) *API {
	a := &API{dials: d, rng: newRNG(d.Seed)}
	a.started = d.now()
	a.key = a.bytes(32)
	a.lasting = lasting{patients: 4711, files: 88123, samples: 260000470, prescriptions: 33491352, messages: 19}
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
	return rand.New(rand.NewPCG(seed, 0x77617264))
}

// request is what a handler reads: the HTTP request with its body read and its path taken apart.
type request struct {
	*http.Request
	now    time.Time         // the API's time, one reading for the whole answer, in UTC
	params map[string]string // the values of the path's parameters, unescaped
	query  url.Values
	body   []byte
}

// route is one operation: its method, its template and what answers.
type route struct {
	method, template string
	segments         []string
	handle           func(*request) answer
}

// on returns a route.
func on(method, template string, handle func(*request) answer) route {
	return route{method, template, strings.Split(template[1:], "/"), handle}
}

// match reports whether a path fits the route's template, and the values of its parameters.
func (r *route) match(segments []string) (map[string]string, bool) {
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

// find returns the route of a request, its path's parameters, and the methods that the path allows.
func (a *API) find(method string, segments []string) (found *route, params map[string]string, allowed []string) {
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
			found, params = r, p
		}
	}
	return found, params, allowed
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	ans := a.answer(r, body, err)
	if a.hold(r) {
		ans.write(w)
	}
}

// answer makes the answer to a request whose body was read, or was not because of err.
func (a *API) answer(r *http.Request, body []byte, err error) answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	req := &request{Request: r, now: a.dials.now().UTC(), query: r.URL.Query(), body: body}
	segments, bad := pathSegments(r.URL)
	if bad != nil {
		return a.problem(req, http.StatusBadRequest, "pfad", "Der Pfad ist nicht lesbar.")
	}
	found, params, allowed := a.find(r.Method, segments)
	if found == nil && len(allowed) > 0 {
		slices.Sort(allowed)
		return a.problem(req, http.StatusMethodNotAllowed, "methode", "Die Ressource kennt diese Methode nicht.").
			with("Allow", strings.Join(allowed, ", "))
	}
	if found == nil {
		return a.missing(req)
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return a.problem(req, http.StatusRequestEntityTooLarge, "zu-gross", "Der Inhalt ist länger als 65536 Byte.")
	}
	if err != nil {
		return a.problem(req, http.StatusBadRequest, "inhalt", "Der Inhalt ist nicht lesbar.")
	}
	req.params = params
	if !strings.HasPrefix(found.template, "/admin/") {
		a.state.requests++
		a.lasting.requests++
	}
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
		a.sessionRoutes(), a.masterRoutes(), a.wardRoutes(), a.patientRoutes(), a.admissionRoutes(), a.appointmentRoutes(),
		a.labRoutes(), a.deviceRoutes(), a.prescriptionRoutes(), a.messageRoutes(), a.auditRoutes(), a.reportRoutes(),
		a.statisticsRoutes(), a.systemRoutes(), a.adminRoutes(),
	)
}
