package wardapi

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
	a := &API{dials: d, rng: service.NewRNG(d.Seed, stream)}
	a.started = d.now()
	a.key = a.bytes(32)
	a.lasting = lasting{patients: 4711, files: 88123, samples: 260000470, prescriptions: 33491352, messages: 19}
	a.state = newState()
	if !d.Fresh {
		a.state.use(a.started)
	}
	a.routes = a.table()
	return a
}

// stream tells this API's randomness from that of others of the same seed.
const stream = 0x77617264

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
	ans := a.answer(r, body, err)
	if a.hold(r) {
		ans.Write(w, a.dials.now())
	}
}

// answer makes the answer to a request whose body was read, or was not because of err.
func (a *API) answer(r *http.Request, body []byte, err error) answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	req := &request{Request: r, now: a.dials.now().UTC(), query: r.URL.Query(), body: body}
	segments, bad := service.PathSegments(r.URL)
	if bad != nil {
		return a.problem(req, http.StatusBadRequest, "pfad", "Der Pfad ist nicht lesbar.")
	}
	found, params, allowed := service.Find(a.routes, r.Method, segments)
	if found == nil && len(allowed) > 0 {
		slices.Sort(allowed)
		return a.problem(req, http.StatusMethodNotAllowed, "methode", "Die Ressource kennt diese Methode nicht.").
			With("Allow", strings.Join(allowed, ", "))
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
	if !strings.HasPrefix(found.Template, "/admin/") {
		a.state.requests++
		a.lasting.requests++
	}
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
		a.sessionRoutes(), a.masterRoutes(), a.wardRoutes(), a.patientRoutes(), a.admissionRoutes(), a.appointmentRoutes(),
		a.labRoutes(), a.deviceRoutes(), a.prescriptionRoutes(), a.messageRoutes(), a.auditRoutes(), a.reportRoutes(),
		a.statisticsRoutes(), a.systemRoutes(), a.adminRoutes(),
	)
}
