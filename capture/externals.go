package capture

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/export"
)

// externals are the recorded calls to external services, whose secrets are known from then on.
func (x *Export) externals() (all []*exchange.External, err error) {
	for call, err := range x.db.Externals() {
		if err != nil {
			return nil, err
		}
		x.secrets.Exchange(&call.Exchange)
		if !x.late {
			call.Latency = 0
		}
		if call.Run == 0 { // else it is not of the recording
			all = append(all, call)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no calls to external services: record them with --external", x.db.Path())
	}
	x.redactor.Known = x.secrets.Known()
	return all, nil
}

// Stubs are the recorded answers of external services as stubs, with tokens in the place of secrets.
func (x *Export) Stubs() ([]mock.Stub, error) {
	all, err := x.externals()
	return export.Recorded(all, x.redactor), err
}

// Samples are the recorded calls to external services as descriptions are made of them.
func (x *Export) Samples() ([]export.Sample, error) {
	all, err := x.externals()
	return export.RecordedSamples(all), err
}
