package wardapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// direct carries a client's requests to an API without a socket, and keeps what came back.
type direct struct {
	api   *API
	port  int
	steps []truth.Seen
}

// RoundTrip implements http.RoundTripper.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte{}
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	in := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body))
	in.Header = r.Header.Clone()
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: d.port}
	in = in.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, in)
	segments, _ := service.PathSegments(in.URL)
	template := "*"
	if found, _, _ := service.Find(d.api.routes, r.Method, segments); found != nil {
		template = found.Template
	}
	d.steps = append(d.steps, truth.Seen{
		Method: r.Method, Template: template, Path: in.URL.RequestURI(),
		Status: w.Code, Header: w.Result().Header, Body: w.Body.Bytes(), Sequence: r.Header.Get(SequenceHeader),
	})
	return w.Result(), nil
}

// fakeClock goes on by a few milliseconds whenever it is read: no two readings are alike, nor two steps between them.
type fakeClock struct {
	now    time.Time
	frozen bool
	rng    *rand.Rand
}

func newFakeClock(at time.Time, seed uint64) *fakeClock {
	return &fakeClock{now: at, rng: rand.New(rand.NewPCG(seed, 1))}
}

func (c *fakeClock) read() time.Time {
	c.advance(time.Duration(1 + c.rng.Int64N(4_000_000)))
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	if !c.frozen {
		c.now = c.now.Add(d)
	}
}

// monday is when the tests' clocks begin: far from midnight, from the week's end and from the change of a shift.
var monday = time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)

// play drives an API and returns the exchanges. pace is the part of its pauses that the client really makes.
func play(t testing.TB, api *API, port, rounds int, clock *fakeClock, pace float64) []truth.Seen {
	t.Helper()
	d := &direct{api: api, port: port}
	pause := func(_ context.Context, length time.Duration) error {
		clock.advance(time.Duration(float64(length) * pace))
		return nil
	}
	if err := drive(t.Context(), fmt.Sprintf("http://klinik.test:%d", port), rounds, d, pause); err != nil {
		t.Fatal(err)
	}
	return d.steps
}

// ask sends one request; headers are names and values by turns.
func ask(api http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://klinik.test"+path, bytes.NewReader([]byte(body)))
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

// reset resets an API as a replay does.
func reset(t testing.TB, api *API) {
	t.Helper()
	if w := ask(api, "POST", "/admin/reset", ""); w.Code != http.StatusNoContent {
		t.Fatalf("reset: %d", w.Code)
	}
}
