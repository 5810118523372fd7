package main

import (
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
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
			"without --start, judge for map --workers",
		UsageText: "flaketap worker nats://HOST:PORT/NAME --token-key FILE [--start CMD [--ready URL] [--reset CMD|URL]]",
		Flags: append(slices.Concat(upstreamFlags(startFlags()...), workFlags()), resetTimeoutFlag(), quietFlag(), logFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before each item (default: it is started anew)"},
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
	w := queue.Worker{Board: l.Work(), Wire: l.Wire(), Crew: l.Crew(), Version: version(), Key: key,
		Machine: queue.ThisMachine(c.String("api-version")), Player: *p, Console: t.consoleOptions(c)}
	if api == nil && reset == "" {
		w.Board, w.Judge = l.Judging(), parts.Judge
	}
	return w.Run(c.Context)
}
