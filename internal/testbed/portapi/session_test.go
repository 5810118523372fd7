package portapi

import (
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// monday is when the tests' clocks begin: far from midnight, from the week's end and from the change of a shift.
var monday = time.Date(2026, 6, 15, 10, 0, 0, 0, time.UTC)

func subject(api *API) proving.API {
	return proving.API{Handler: api, Template: proving.Template(api.routes), Drive: DriveBy}
}

// play drives an API and returns the exchanges. pace is the part of its pauses that the client really makes.
func play(t testing.TB, api *API, port, rounds int, clock *proving.Clock, pace float64) []truth.Seen {
	t.Helper()
	return subject(api).Session(t, port, rounds, clock, pace)
}
