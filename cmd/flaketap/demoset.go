package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/internal/testbed/wardapi"
	"github.com/urfave/cli/v2"
)

// truthSet is a truth API: one whose every field is labelled.
type truthSet struct {
	serve  func(ctx context.Context, ln net.Listener, d truthDials) error
	drive  func(ctx context.Context, url string, rounds int) error
	file   func() []byte // the labels as they are written
	labels func() (truth.Truth, error)
	faults bool // regressions can be planted in it
}

// truthDials is what the flags of demo api set.
type truthDials struct {
	seed        uint64
	clockOffset time.Duration
	fault       demoapi.Fault
}

// setFlag names a truth API.
func setFlag() cli.Flag {
	return &cli.StringFlag{Name: "set", Value: "shop", Usage: "`NAME` of the truth API: shop or ward"}
}

// truthSetOption returns the truth API that --set names.
func truthSetOption(c *cli.Context) (truthSet, error) {
	switch name := c.String("set"); name {
	case "shop":
		return truthSet{
			serve: func(ctx context.Context, ln net.Listener, d truthDials) error {
				return demoapi.Serve(ctx, ln, demoapi.Dials{Seed: d.seed, ClockOffset: d.clockOffset, Fault: d.fault})
			},
			drive: demoapi.Drive, file: demoapi.TruthJSON, labels: demoapi.LoadTruth, faults: true,
		}, nil
	case "ward":
		return truthSet{
			serve: func(ctx context.Context, ln net.Listener, d truthDials) error {
				return wardapi.Serve(ctx, ln, wardapi.Dials{Seed: d.seed, ClockOffset: d.clockOffset})
			},
			drive: wardapi.Drive, file: wardapi.TruthJSON, labels: wardapi.LoadTruth,
		}, nil
	default:
		return truthSet{}, console.Usage(fmt.Errorf("unknown --set %.40q: want one of shop, ward", name))
	}
}

// dialOptions reads the flags of demo api.
func (s truthSet) dialOptions(c *cli.Context) (truthDials, error) {
	fault, err := demoapi.ParseFault(c.String("fault"))
	if err != nil {
		return truthDials{}, console.Usage(err)
	}
	if fault != demoapi.FaultNone && !s.faults {
		return truthDials{}, console.Usage(errors.New("--fault needs --set shop: other sets have no regressions to plant"))
	}
	return truthDials{c.Uint64("seed"), c.Duration("clock-offset"), fault}, nil
}
