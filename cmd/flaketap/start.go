package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/urfave/cli/v2"
)

// startFlags are the flags of commands that can run the API themselves.
func startFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "start",
			Usage: "`CMD` that starts the API, anew for each run; {port} in it becomes a free port"},
		&cli.StringFlag{Name: "ready", Usage: "`URL` that answers 2xx once that API is ready, such as http://127.0.0.1:{port}/health; '401 URL' waits for 401"},
		&cli.DurationFlag{Name: "ready-timeout", Value: time.Minute, Usage: "`TIME` that the API may take to become ready"},
	}
}

// resetTimeoutFlag bounds a reset.
func resetTimeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "reset-timeout", Value: time.Minute, Usage: "`TIME` that a reset may take"}
}

// resetEachFlag asks for more resets.
func resetEachFlag() cli.Flag {
	return &cli.StringFlag{Name: "reset-each", Value: "run", Usage: "reset before each `run`, or before each sequence (sequence)"}
}

// resetEachOption reads resetEachFlag, for so many workers, or those of a hub: whether each sequence is to begin with a
// reset.
func resetEachOption(c *cli.Context, workers int, hub string) (bool, error) {
	switch c.String("reset-each") {
	case "run":
		return false, nil
	case "sequence":
		if hub != "" { // there it is what workers do
			return true, nil
		}
		if c.String("reset") == "" {
			return false, console.Usage(errors.New("--reset-each sequence needs --reset"))
		}
		if workers > 1 {
			return false, console.Usage(
				errors.New("use either --reset-each sequence or --workers, not both: it plays one sequence after the other"))
		}
		return true, nil
	}
	return false, console.Usage(fmt.Errorf("unknown --reset-each %q: want one of run, sequence", c.String("reset-each")))
}

// startOptions reads startFlags, externalFlags where the command has them, and --reset: the API to run, nil where
// others run it, and what resets it.
func (t *tool) startOptions(c *cli.Context) (*service.Service, service.Reset, error) {
	reset := service.Reset(c.String("reset"))
	if d := c.Duration("reset-timeout"); d <= 0 {
		return nil, "", console.Usage(fmt.Errorf("--reset-timeout must be a duration such as 30s, got %s", d))
	}
	outside, err := t.externalOptions(c)
	if err != nil {
		return nil, "", err
	}
	if t.lent != nil {
		return t.lent.Service(), "", nil
	}
	if c.String("start") == "" {
		for _, name := range []string{"ready", "ready-timeout"} {
			if c.IsSet(name) {
				return nil, "", console.Usage(fmt.Errorf("--%s needs --start, which runs the API", name))
			}
		}
		if strings.HasPrefix(string(reset), "http") && strings.Contains(string(reset), "{port}") {
			return nil, "", console.Usage(
				errors.New("{port} in --reset needs --start, which chooses the port"))
		}
		return nil, reset, nil
	}
	upstream, err := upstreamOptions(c).TLS()
	if err != nil {
		return nil, "", err
	}
	s := &service.Service{Command: c.String("start"), Ready: c.String("ready"), Patience: c.Duration("ready-timeout"),
		TLS: upstream, Waiting: func(said string) { t.consoleOptions(c).Say("flaketap: waiting for the API: %s", said) }}
	if outside != nil {
		s.Lead = outside
	}
	switch err := s.Check(); {
	case err != nil && s.Ready != "":
		return nil, "", console.Usage(fmt.Errorf("--ready: %w", err))
	case err != nil:
		return nil, "", console.Usage(fmt.Errorf("--start: %w", err))
	case s.Patience <= 0:
		return nil, "", console.Usage(fmt.Errorf("--ready-timeout must be a duration such as 30s, got %s", s.Patience))
	case s.ChoosesPort() && c.IsSet("target"):
		return nil, "", console.Usage(
			errors.New("use either --start with {port} or --target, not both: {port} already says where the API is; flaketap.yaml may set either"))
	}
	return s, reset, nil
}
