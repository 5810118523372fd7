package demoapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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

// noon is when the tests' clocks begin: far from midnight, in UTC as at +07:00.
var noon = time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)

// session drives an API once and returns the exchanges. pace is the part of its pauses that the client really makes.
func session(t testing.TB, api *API, port, rounds int, clock *fakeClock, pace float64) []truth.Seen {
	t.Helper()
	d := &direct{api: api, port: port}
	pause := func(_ context.Context, length time.Duration) error {
		clock.advance(time.Duration(float64(length) * pace))
		return nil
	}
	if err := drive(t.Context(), fmt.Sprintf("http://api.test:%d", port), rounds, d, pause, nil); err != nil {
		t.Fatal(err)
	}
	d.steps = append(d.steps, refusals(t, d)...)
	return d.steps
}

// refusals sends what Drive, being civil, does not: each kind of request that is turned away at the door.
func refusals(t testing.TB, d *direct) []truth.Seen {
	t.Helper()
	before := len(d.steps)
	for _, x := range []struct{ method, path, kind, body string }{
		{"PATCH", "/products/1", "application/json", "{}"},
		{"POST", "/products", "text/plain", "name"},
		{"POST", "/products", "application/json", "{"},
		{"POST", "/products", "application/json", `{"name":"` + strings.Repeat("x", maxBody) + `"}`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), x.method, "http://api.test"+x.path, strings.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", x.kind)
		if _, err := d.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
	}
	out := slices.Clone(d.steps[before:])
	d.steps = d.steps[:before]
	return out
}

// reset resets an API as a replay does.
func reset(t testing.TB, api *API) {
	t.Helper()
	w := httptest.NewRecorder()
	api.ServeHTTP(w, httptest.NewRequest("POST", "/admin/reset", nil))
	if w.Code != http.StatusNoContent {
		t.Fatalf("reset: %d", w.Code)
	}
}
