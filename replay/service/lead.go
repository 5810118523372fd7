package service

import (
	"errors"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Leader stands in the place of the external services of an API.
type Leader interface {
	// Lead readies a process that is about to be started: it may set Through and Env of the service that it is given,
	// which is of this start alone, and goes by its Environment's Externals. end is called once the process has gone with
	// all that it started, and before anybody is told so.
	Lead(*Service) (end func() error, err error)
	// Recorded names the values of recorded answers, any of which may be another one in a start.
	Recorded() []string
}

// Externals says what external services are like for an API, by the value of a condition (exchange.PerturbExternals):
// "frozen", "changed", "down", "slow"; "" where they are as usual. changed is the value of a recorded answer that is
// another one.
func (e Environment) Externals() (how, changed string) { return e.externals, e.changed }

// Change says which value is another one where external services are "changed": one of Leader.Recorded.
func (e *Environment) Change(value string) { e.changed = value }

// HowExternals are the values of that condition.
func HowExternals() []string {
	var out []string
	for _, c := range []string{exchange.ExternalsFrozen, exchange.ExternalsChanged, exchange.ExternalsDown,
		exchange.ExternalsSlow} {
		out = append(out, strings.TrimPrefix(c, exchange.PerturbExternals+"="))
	}
	return out
}

// addExternals sets what external services are like.
func (e *Environment) addExternals(how string) error {
	if !slices.Contains(HowExternals(), how) {
		return errors.New("want one of " + strings.Join(HowExternals(), ", "))
	}
	e.externals = how
	return nil
}
