package proving

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// API is a labelled API and its client.
type API struct {
	Handler http.Handler
	// Template returns the template of the operation that a request goes to, "*" for none.
	Template func(method string, u *url.URL) string
	// Drive is the API's own client.
	Drive func(ctx context.Context, baseURL string, rounds int, transport http.RoundTripper,
		pause func(context.Context, time.Duration) error) error
}

// Template is [API.Template] of some routes.
func Template[R any](routes []service.Route[R]) func(method string, u *url.URL) string {
	return func(method string, u *url.URL) string {
		segments, _ := service.PathSegments(u)
		if found, _, _ := service.Find(routes, method, segments); found != nil {
			return found.Template
		}
		return "*"
	}
}

// Direct carries a client's requests to an API without a socket, and keeps what came back. It is an http.RoundTripper.
type Direct struct {
	API   API
	Port  int // that the API has
	Steps []truth.Seen
}

// RoundTrip implements http.RoundTripper.
func (d *Direct) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	in := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body))
	in.Header = r.Header.Clone()
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: d.Port}
	in = in.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
	w := httptest.NewRecorder()
	d.API.Handler.ServeHTTP(w, in)
	d.Steps = append(d.Steps, truth.Seen{
		Method: r.Method, Template: d.API.Template(r.Method, in.URL), Path: in.URL.RequestURI(),
		Status: w.Code, Header: w.Result().Header, Body: w.Body.Bytes(), Sequence: r.Header.Get(service.SequenceHeader),
	})
	return w.Result(), nil
}

// Clock goes on by a few milliseconds whenever it is read: no two readings are alike, nor two steps between them.
type Clock struct {
	Frozen bool
	now    time.Time
	rng    *rand.Rand
}

// NewClock returns a clock that begins at a time; the seed decides by how much each reading moves it.
func NewClock(at time.Time, seed uint64) *Clock {
	return &Clock{now: at, rng: rand.New(rand.NewPCG(seed, 1))}
}

// Read moves the clock on and returns the time.
func (c *Clock) Read() time.Time {
	c.Advance(time.Duration(1 + c.rng.Int64N(4_000_000)))
	return c.now
}

// Advance moves the clock on, unless it is frozen.
func (c *Clock) Advance(d time.Duration) {
	if !c.Frozen {
		c.now = c.now.Add(d)
	}
}

// Session drives an API at a port and returns what went back and forth. pace is the part of its pauses that the client
// really makes.
func (a API) Session(t testing.TB, port, rounds int, clock *Clock, pace float64) []truth.Seen {
	t.Helper()
	d := &Direct{API: a, Port: port}
	pause := func(_ context.Context, length time.Duration) error {
		clock.Advance(time.Duration(float64(length) * pace))
		return nil
	}
	if err := a.Drive(t.Context(), fmt.Sprintf("http://api.test:%d", port), rounds, d, pause); err != nil {
		t.Fatal(err)
	}
	return d.Steps
}

// Ask sends one request; headers are names and values by turns.
func Ask(api http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://api.test"+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w
}

// Reset resets an API as a replay does.
func Reset(t testing.TB, api http.Handler) {
	t.Helper()
	if w := Ask(api, http.MethodPost, "/admin/reset", ""); w.Code != http.StatusNoContent {
		t.Fatalf("reset: %d", w.Code)
	}
}
