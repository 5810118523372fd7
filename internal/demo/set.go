package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/officeapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/internal/testbed/wardapi"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Set is a truth API: one whose every field is labelled.
type Set struct {
	// Serve serves it until the context ends.
	Serve func(ctx context.Context, ln net.Listener, d Dials) error
	// Drive is a client that goes through its operations, so many rounds.
	Drive func(ctx context.Context, url string, rounds int) error
	// Labels is its file of labels, as it is written.
	Labels func() []byte

	truth  func() (truth.Truth, error)
	faults bool // regressions can be planted in it
	asks   bool // it asks an external service
}

// Dials are what a truth API can be given.
type Dials struct {
	Seed        uint64 // of its random values; 0 for a random one
	ClockOffset time.Duration
	Fault       demoapi.Fault // a regression that is planted
	Rates       string        // the URL of the external service that it asks; "" for none
}

// SetNamed returns the truth API of a name: shop, ward or office.
func SetNamed(name string) (Set, error) {
	switch name {
	case "shop":
		return Set{
			Serve: func(ctx context.Context, ln net.Listener, d Dials) error {
				return demoapi.Serve(ctx, ln, demoapi.Dials{Seed: d.Seed, ClockOffset: d.ClockOffset, Fault: d.Fault})
			},
			Drive: demoapi.Drive, Labels: demoapi.TruthJSON, truth: demoapi.LoadTruth, faults: true,
		}, nil
	case "ward":
		return Set{
			Serve: func(ctx context.Context, ln net.Listener, d Dials) error {
				return wardapi.Serve(ctx, ln, wardapi.Dials{Seed: d.Seed, ClockOffset: d.ClockOffset})
			},
			Drive: wardapi.Drive, Labels: wardapi.TruthJSON, truth: wardapi.LoadTruth,
		}, nil
	case "office":
		return Set{
			Serve: func(ctx context.Context, ln net.Listener, d Dials) error {
				return officeapi.Serve(ctx, ln, d.Rates)
			},
			Drive: officeapi.Drive, Labels: officeapi.TruthJSON, truth: officeapi.LoadTruth, asks: true,
		}, nil
	default:
		return Set{}, fmt.Errorf("unknown --set %.40q: want one of shop, ward, office", name)
	}
}

// Check refuses dials that the truth API has not.
func (s Set) Check(d Dials) error {
	if d.Fault != demoapi.FaultNone && !s.faults {
		return errors.New("--fault needs --set shop: other sets have no regressions to plant")
	}
	if (d.Rates != "") != s.asks {
		return errors.New("--rates and --set office need each other: the office asks the service at that URL, and other sets ask none")
	}
	if s.asks && (d.Seed != 0 || d.ClockOffset != 0) {
		return errors.New("--seed and --clock-offset are for other sets: the office draws nothing, and has no clock")
	}
	return nil
}

// Score holds the map of a file against the labels, and prints the figures and all that was judged wrongly.
func (s Set) Score(w io.Writer, file string, m *mapfile.Map) error {
	labels, err := s.truth()
	if err != nil {
		return err
	}
	if m.Locked {
		return fmt.Errorf("%s is a lock, which leaves places out; give demo score a map", file)
	}
	result := Score(m, labels)
	if result.Own == 0 || result.Places == 0 {
		return fmt.Errorf("score %s: the map has no operations of the truth API; it describes another API", file)
	}
	return outfile.Buffered(w, func(w io.Writer) error {
		printScore(w, result)
		return nil
	})
}
