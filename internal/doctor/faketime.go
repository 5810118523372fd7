package doctor

import (
	"context"
	"runtime"

	"github.com/flaketap/flaketap/replay/service"
)

// faketime looks for what moves the clock of an API that flaketap starts.
func (v *visit) faketime(context.Context) ([]Finding, error) {
	file, err := service.FindFakeTime()
	switch {
	case runtime.GOOS != "linux":
		return one(Note, "libfaketime", "is for Linux alone", "to move the API's clock, give it a setting of its own: {clock} in --start")
	case err != nil:
		return one(Note, "libfaketime", "not found: the clock of an API cannot be moved",
			"for replay --perturb clock=+1d, install it (Debian: libfaketime), or put {clock} into --start if the API takes an offset")
	}
	return one(OK, "libfaketime", file, "")
}
