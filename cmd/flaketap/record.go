package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

func (t *tool) recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record a client's exchanges with an API",
		UsageText: "flaketap record [--target [/PATH=|HOST=]URL]… [options] [-- CMD ARG…]",
		Description: "With --target it is a reverse proxy for that API; without, a forward proxy that intercepts TLS. CMD runs with\n" +
			"FLAKETAP_URL, HTTP_PROXY, HTTPS_PROXY and the CA variables set, and its status is returned. With --transparent\n" +
			"it also accepts connections that firewall rules redirect to it, and prints such rules.",
		Flags: common(append(proxyFlags(slices.Concat(storingFlags(), shippingFlags(), startFlags(), externalFlags())...),
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8877", Usage: "`ADDR`ess to listen on; port 0 uses any free port"},
			&cli.StringFlag{Name: "label", Usage: "`NAME` for this pass"},
			&cli.StringFlag{Name: "metrics",
				Usage: "`ADDR`ess on which to serve metrics to Prometheus; port 0 uses any free port"},
			&cli.StringFlag{Name: "on-store-error", Value: "stop",
				Usage: "when the recording cannot be written: `stop`, or pass (continue unrecorded)"},
			resetTimeoutFlag(),
			&cli.BoolFlag{Name: "append", Usage: "add another pass to the recording"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before recording"},
		)...),
		Action: t.record,
	}
}

// storingFlags are the flags of record that say how exchanges are stored.
func storingFlags() []cli.Flag {
	return []cli.Flag{
		maxBodyFlag(),
		redactAtRestFlag(),
		secretsFlag(),
		&cli.BoolFlag{Name: "sync", Usage: "pass on an answer only when it is on disk (default: it is written within 50 ms)"},
		&cli.StringFlag{Name: "on-overload", Value: "wait",
			Usage: "when requests arrive faster than they can be stored: make clients `wait`, or drop exchanges (and count them)"},
	}
}

func redactAtRestFlag() cli.Flag {
	return &cli.BoolFlag{Name: "redact-at-rest", Usage: "store tokens instead of secrets; a replay then needs --auth"}
}

func (t *tool) record(c *cli.Context) error {
	o, err := t.recordOptions(c)
	if err != nil {
		return err
	}
	var link *hub.Link
	if o.Shipping, link, err = t.shippingOptions(c); err != nil {
		return err
	}
	if link != nil {
		defer link.Close()
	}
	return capture.Record(c.Context, o)
}

// recordOptions reads the flags of record.
func (t *tool) recordOptions(c *cli.Context) (o capture.RecordOptions, err error) {
	o = capture.RecordOptions{
		Destination: destinationOptions(c), Label: c.String("label"), Sync: c.Bool("sync"), Drop: c.String("on-overload") == "drop",
		PassUnrecorded: c.String("on-store-error") == "pass", Metrics: c.String("metrics"),
	}
	switch overload, failure := c.String("on-overload"), c.String("on-store-error"); {
	case overload != "wait" && overload != "drop":
		return o, console.Usage(fmt.Errorf("unknown --on-overload %q: want one of wait, drop", overload))
	case o.Drop && o.Sync:
		return o, console.Usage(errors.New(
			"use either --sync or --on-overload drop, not both: --sync stores every answer"))
	case failure != "stop" && failure != "pass":
		return o, console.Usage(fmt.Errorf("unknown --on-store-error %q: want one of stop, pass", failure))
	}
	o.Options, err = t.sessionOptions(c)
	return o, err
}

// destinationOptions reads which recording is written, and how secrets stand in it.
func destinationOptions(c *cli.Context) capture.Destination {
	return capture.Destination{
		DB: c.String("db"), Append: c.Bool("append"), Redact: c.Bool("redact-at-rest"), Secrets: c.StringSlice("secrets"),
	}
}
