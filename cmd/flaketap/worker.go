package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/mock/trials"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/volatility/analysis/parts"
)

// workFlags say how workers, and who uses them, meet.
func workFlags() []cli.Flag {
	return append(hubFlags(), &cli.StringFlag{Name: "token-key", EnvVars: []string{"FLAKETAP_TOKEN_KEY"},
		Usage: "`FILE` whose content seals what workers, and who uses them, send each other by a hub; the same for all of them"})
}

// workOptions reads workFlags.
func (t *tool) workOptions(c *cli.Context, address string) (*hub.Link, *queue.Key, error) {
	if c.String("token-key") == "" {
		return nil, nil, console.Usage(errors.New("the workers of a hub, and who uses them, need --token-key FILE, with the key that they share"))
	}
	secret, err := t.tokenKeyOption(c)
	if err != nil {
		return nil, nil, err
	}
	key, err := queue.NewKey(secret)
	if err != nil {
		return nil, nil, err
	}
	l, err := hub.DialName(address, t.linkOptions(c))
	return l, key, err
}

func (t *tool) workerCommand() *cli.Command {
	return &cli.Command{
		Name: "worker",
		Usage: "play what replay --workers has to be played, with an API of its own, or lend that to verify and stabilize; " +
			"with --external, run the trials of mock search --workers; without --start, judge for map --workers",
		UsageText: "flaketap worker nats://HOST:PORT/NAME --token-key FILE [--start CMD [--ready URL] [--reset CMD|URL] [--external]]",
		Flags: append(slices.Concat(upstreamFlags(startFlags()...), workFlags()), resetTimeoutFlag(), quietFlag(), logFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before each item (default: it is started anew)"},
			&cli.BoolFlag{Name: "external", Usage: "run the trials of mock search --workers: lead the API's connections to other machines to stubs"},
			interceptFlag(),
			&cli.StringFlag{Name: "api-version", Usage: "`TEXT` that tells this build of the API from others, to be stored with the runs"}),
		Action: t.worker,
	}
}

func (t *tool) worker(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	address, err := cmdline.One(c.Command.FullName(), args, "hub: nats://HOST:PORT/NAME", "")
	if err != nil {
		return err
	}
	api, reset, err := t.startOptions(c)
	if err != nil {
		return err
	}
	p, err := t.apiOptions(c, api, reset)
	if err != nil {
		return err
	}
	l, key, err := t.workOptions(c, address)
	if err != nil {
		return err
	}
	defer l.Close()
	w := &queue.Worker{Board: l.Work(), Wire: l.Wire(), Crew: l.Crew(), Version: cmdline.Version(), Key: key,
		Machine: queue.ThisMachine(c.String("api-version")), Player: *p, Console: t.consoleOptions(c)}
	switch {
	case c.Bool("external"):
		own := &trials.Worker{Serve: serve.Options{Externals: serve.Externals{Log: p.Log}, Service: api, Reset: reset,
			Console: w.Console}}
		if err := interceptOption(c, &own.Serve.Externals); err != nil {
			return err
		}
		return own.Run(c.Context, l, w)
	case api == nil && reset == "":
		w.Board, w.Role, w.Judge = l.Judging(), queue.Judges, parts.Judge
	}
	return w.Run(c.Context)
}
