package demoapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// noon is when the tests' clocks begin: far from midnight, in UTC as at +07:00.
var noon = time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)

func subject(api *API) proving.API {
	return proving.API{Handler: api, Template: proving.Template(api.routes), Drive: DriveBy}
}

// session drives an API, and sends what Drive, being civil, does not.
func session(t testing.TB, api *API, port, rounds int, clock *proving.Clock, pace float64) []truth.Seen {
	t.Helper()
	return append(subject(api).Session(t, port, rounds, clock, pace), refusals(t, api, port)...)
}

// refusals sends each kind of request that is turned away at the door.
func refusals(t testing.TB, api *API, port int) []truth.Seen {
	t.Helper()
	d := &proving.Direct{API: subject(api), Port: port}
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
	return d.Steps
}
