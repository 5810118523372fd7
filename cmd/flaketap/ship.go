package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/capture/collect"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
)

// shippingFlags say where a recording is sent, and how.
func shippingFlags() []cli.Flag {
	return append(hubFlags(), tokenKeyFlag(),
		&cli.StringFlag{Name: "to", Usage: "hub to send the recording to, as `nats://HOST:PORT/NAME`"},
		&cli.BoolFlag{Name: "reveal", Usage: "send secrets to the hub as they are"})
}

// shippingOptions reads shippingFlags. The link is nil where nothing is sent.
func (t *tool) shippingOptions(c *cli.Context) (to capture.Shipping, l *hub.Link, err error) {
	to = capture.Shipping{Address: c.String("to"), Options: ship.Options{Secrets: c.StringSlice("secrets"), Version: cmdline.Version()}}
	keyed := c.String("token-key") != ""
	switch {
	case to.Address == "":
		return to, nil, nil
	case c.Bool("reveal") && keyed:
		return to, nil, console.Usage(errors.New("use either --token-key or --reveal, not both: " +
			"the hub gets tokens in the place of secrets, or the secrets"))
	case !c.Bool("reveal") && !keyed:
		return to, nil, console.Usage(errors.New("--to needs --token-key FILE, with the key that all recorders share, " +
			"or --reveal, which sends secrets as they are"))
	}
	if to.Options.Key, err = t.tokenKeyOption(c); err != nil {
		return to, nil, err
	}
	if l, err = hub.DialName(to.Address, t.linkOptions(c)); err == nil {
		to.Hub = l
	}
	return to, l, err
}

func (t *tool) shipCommand() *cli.Command {
	return &cli.Command{
		Name:      "ship",
		Usage:     "send a recording to a hub: what is not there yet",
		UsageText: "flaketap ship --to nats://HOST:PORT/NAME --token-key FILE [--db FILE]",
		Flags:     append(shippingFlags(), dbFlag(), quietFlag(), secretsFlag()),
		Action:    t.ship,
	}
}

func (t *tool) ship(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	to, l, err := t.shippingOptions(c)
	if err != nil {
		return err
	}
	if l == nil {
		return console.Usage(errors.New("ship needs --to nats://HOST:PORT/NAME"))
	}
	defer l.Close()
	return cmdline.NoRecording(capture.Ship(c.Context, c.String("db"), to, t.consoleOptions(c)))
}

func (t *tool) collectCommand() *cli.Command {
	return &cli.Command{
		Name:      "collect",
		Usage:     "make one recording of what many recorders sent to a hub, or bring it up to date",
		UsageText: "flaketap collect nats://HOST:PORT/NAME [--db FILE]",
		Flags:     append(hubFlags(), tokenKeyFlag(), dbFlag(), quietFlag()),
		Action:    t.collect,
	}
}

func (t *tool) collect(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	address, err := cmdline.One(c.Command.FullName(), args, "hub: nats://HOST:PORT/NAME", "")
	if err != nil {
		return err
	}
	l, err := hub.DialName(address, t.linkOptions(c))
	if err != nil {
		return err
	}
	defer l.Close()
	o := collect.Options{Hub: l, DB: c.String("db"), Console: t.consoleOptions(c)}
	if o.Key, err = t.tokenKeyOption(c); err != nil {
		return err
	}
	got, err := collect.Collect(c.Context, o)
	if err != nil {
		return err
	}
	o.Console.Say("flaketap: %s of %s in %s, %d of them new", console.Count(got.Exchanges, "exchange"),
		console.Count(got.Recorders, "recorder"), o.DB, got.New)
	if got.Missing > 0 {
		o.Console.Warn("flaketap: %s missing: the files of their recorders are damaged there", console.Count(got.Missing, "exchange"))
	}
	return got.Err()
}
