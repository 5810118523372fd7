package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/capture"
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
			"it takes connections besides that rules of the kernel redirect to it, and prints such rules.",
		Flags: common(append(proxyFlags(slices.Concat(storingFlags(), startFlags())...),
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8877", Usage: "`ADDR`ess to listen on; port 0 takes any free one"},
			&cli.StringFlag{Name: "label", Usage: "a `NAME` for this pass"},
			&cli.StringFlag{Name: "metrics",
				Usage: "`ADDR`ess at which Prometheus finds how the recording goes; port 0 takes any free one"},
			&cli.StringFlag{Name: "on-store-error", Value: "stop",
				Usage: "what follows when the recording cannot be written: `stop`, or pass: go on unrecorded"},
			resetTimeoutFlag(),
			&cli.BoolFlag{Name: "append", Usage: "add a further pass to the recording"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before recording"},
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
		&cli.BoolFlag{Name: "sync", Usage: "pass an answer only once it is on disk, rather than have it there within 50 ms"},
		&cli.StringFlag{Name: "on-overload", Value: "wait",
			Usage: "when more comes than can be stored: make clients `wait`, or drop exchanges and count them"},
	}
}

func redactAtRestFlag() cli.Flag {
	return &cli.BoolFlag{Name: "redact-at-rest", Usage: "store tokens in the place of secrets; a replay then needs --auth"}
}

func (t *tool) record(c *cli.Context) error {
	o, err := t.recordOptions(c)
	if err != nil {
		return err
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
		return o, console.Usage(fmt.Errorf("--on-overload is wait or drop, not %q", overload))
	case o.Drop && o.Sync:
		return o, console.Usage(errors.New(
			"--sync stores every answer before it passes; it cannot go with --on-overload drop"))
	case failure != "stop" && failure != "pass":
		return o, console.Usage(fmt.Errorf("--on-store-error is stop or pass, not %q", failure))
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
