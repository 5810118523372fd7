package portapi

import (
	"net/http"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

func (a *API) adminRoutes() []route {
	return []route{
		service.On("POST", "/admin/reset", a.reset),
		service.On("GET", "/admin/dials", func(*request) answer { return service.Reply(http.StatusOK, a.dials.json()) }),
		service.On("PUT", "/admin/dials", a.setDials),
	}
}

// reset empties the store of everything but the master data. It leaves the randomness where it is, and the numbers
// that may not be given twice.
func (a *API) reset(*request) answer {
	a.state = newState()
	return service.Empty(http.StatusNoContent)
}

// setDials changes the dials that the body names. A seed begins the randomness anew.
func (a *API) setDials(r *request) answer {
	change, bad := decode[dialsJSON](a, r)
	if bad != nil {
		return *bad
	}
	d, err := change.apply(a.dials)
	if err != nil {
		return a.problem(r, http.StatusBadRequest, "dials", err.Error())
	}
	if change.Seed != nil {
		a.rng, a.rates = service.NewRNG(d.Seed, stream), service.NewRNG(d.Seed, stream+1)
	}
	a.dials = d
	return service.Reply(http.StatusOK, a.dials.json())
}
