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

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
)

// seen is one exchange of a session: what was asked, by template, and what came back.
type seen struct {
	method, template, path string
	status                 int
	header                 http.Header
	body                   []byte
	sequence               string
}

// direct carries a client's requests to an API without a socket, and keeps what came back.
type direct struct {
	api   *API
	port  int
	steps []seen
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
	segments, _ := pathSegments(in.URL)
	template := "*"
	if found, _, _ := d.api.find(r.Method, segments); found != nil {
		template = found.template
	}
	d.steps = append(d.steps, seen{r.Method, template, in.URL.RequestURI(), w.Code, w.Result().Header, w.Body.Bytes(), r.Header.Get(SequenceHeader)})
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
func session(t testing.TB, api *API, port, rounds int, clock *fakeClock, pace float64) []seen {
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
func refusals(t testing.TB, d *direct) []seen {
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

// parts is what an answer has, by place: arrays with *, objects by key. leaves are scalars and empty containers,
// holders the other containers; each with the raw text of every value that has the place.
type parts struct{ leaves, holders map[exchange.Place][]string }

// dissect returns the parts of an answer.
func dissect(s seen) parts {
	p := parts{map[exchange.Place][]string{}, map[exchange.Place][]string{}}
	p.leaves[exchange.PlaceStatus] = []string{http.StatusText(s.status)}
	for name, values := range s.header {
		p.leaves[exchange.HeaderPlace(name)] = values
	}
	switch {
	case len(s.body) == 0:
	case s.header.Get("Content-Type") == "application/json":
		p.walk(exchange.PlaceBody, gjson.ParseBytes(s.body))
	default:
		p.leaves[exchange.PlaceBody] = []string{string(s.body)}
	}
	return p
}

func (p parts) walk(at exchange.Place, v gjson.Result) {
	if !v.IsArray() && !v.IsObject() || len(v.Raw) == 2 {
		p.leaves[at] = append(p.leaves[at], v.Raw)
		return
	}
	p.holders[at] = append(p.holders[at], v.Raw)
	v.ForEach(func(key, value gjson.Result) bool {
		if v.IsArray() {
			p.walk(at.Each(), value)
		} else {
			p.walk(at.Key(key.String()), value)
		}
		return true
	})
}

// at returns all that has a place, in a form that compares with ==: the values of leaves in any order, containers as
// they are written.
func (p parts) at(place exchange.Place) string {
	var all []string
	for _, from := range []map[exchange.Place][]string{p.leaves, p.holders} {
		if values, ok := from[place]; ok || !strings.Contains(string(place), exchange.Wildcard) {
			all = append(all, values...)
			continue
		}
		for q, values := range from {
			if place.Matches(q) {
				all = append(all, values...)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
