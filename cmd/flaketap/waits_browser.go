package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/webdriver"
)

func driverFlag() cli.Flag {
	return &cli.StringFlag{Name: "driver", Usage: "`PATH` of chromedriver, or geckodriver for Firefox (default: the one in PATH)"}
}

func runTimeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Usage: "`TIME` limit of a run, which then has failed (default: none)"}
}

func (t *tool) waitsRecordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "run a suite for a browser, and record its commands and what changes in its pages",
		UsageText: "flaketap waits record --out FILE [--runs N] [--results FILE] [--window rest|paper] -- CMD ARG…",
		Description: "CMD runs several times, in turn as it is, and with reads that are answered once a page has come to rest.\n" +
			"What passing runs were answered is what waits hold and waits patch wait for. The status is 0 where a run passed, or a test\n" +
			"in one, by the results that --results names.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write the session to"},
			&cli.IntFlag{Name: "runs", Value: 6, Usage: "`N`umber of runs"},
			&cli.StringFlag{Name: "window", Value: string(webdriver.Rest),
				Usage: "when a command is over: rest (no requests, timers and changes), or paper (WEFix's `WINDOW`, to compare)"},
			&cli.StringSliceFlag{Name: "results",
				Usage: "`FILE` or folder where the test runner leaves its results, to learn from tests that passed in a run that failed"},
			driverFlag(), runTimeoutFlag(), forceFlag(), quietFlag(),
		},
		Action: t.waitsRecord,
	}
}

func (t *tool) waitsRecord(c *cli.Context) error {
	o, to, err := t.waitsRecordOptions(c)
	if err != nil {
		return err
	}
	to, release, err := to.claim((&oracle.Session{}).Write)
	if err != nil {
		return err
	}
	o.Keep = func(s *oracle.Session) error { return to.keep(s.Write) }
	s, failed := webdriver.Record(c.Context, o)
	if failed != nil {
		failed = fmt.Errorf("record waits: %w", failed)
	}
	if len(s.Runs) > 0 {
		err = to.emit("session", s.Write)
	} else {
		release()
	}
	if failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	return webdriver.Outcome(s)
}

// waitsRecordOptions reads the flags of waits record.
func (t *tool) waitsRecordOptions(c *cli.Context) (o webdriver.RecordOptions, to output, err error) {
	if o.Options, err = t.browserOptions(c); err != nil {
		return o, to, err
	}
	o.Window, o.Results = webdriver.Window(c.String("window")), c.StringSlice("results")
	switch o.Runs = c.Int("runs"); {
	case o.Window != webdriver.Rest && o.Window != webdriver.Paper:
		return o, to, console.Usage(fmt.Errorf("unknown --window %q: want one of rest, paper", o.Window))
	case o.Runs < 2:
		return o, to, console.Usage(fmt.Errorf("--runs must be at least 2, got %d", o.Runs))
	case c.String("out") == "":
		return o, to, console.Usage(errors.New("waits record needs --out FILE"))
	}
	to, err = t.outputOptions(c)
	return o, to, err
}

// browserOptions reads which suite is run, and by which driver.
func (t *tool) browserOptions(c *cli.Context) (o webdriver.Options, err error) {
	if len(t.client) == 0 {
		return o, console.Usage(errors.New("waits " + c.Command.Name + " needs the suite's command line behind --"))
	}
	o = webdriver.Options{Args: t.client, Driver: c.String("driver"), Timeout: c.Duration("timeout"), Console: t.consoleOptions(c), Stdout: t.out, Stderr: t.err}
	if o.Timeout < 0 || c.IsSet("timeout") && o.Timeout == 0 {
		return o, console.Usage(fmt.Errorf("--timeout must be a duration such as 5m, got %s", o.Timeout))
	}
	o.Own, err = os.Executable()
	return o, err
}

func (t *tool) waitsHoldCommand() *cli.Command {
	return &cli.Command{
		Name:      "hold",
		Usage:     "run a suite for a browser with its commands held until they are answered as in passing runs",
		UsageText: "flaketap waits hold --session FILE -- CMD ARG…",
		Description: "It is for diagnosis and quarantine: a summary says what passed only because it was held. A command is held for\n" +
			"five times as long as it took at most, and for a second at least; then the real answer passes. The status of CMD is returned.",
		Flags:  []cli.Flag{waitsSessionFlag(), driverFlag(), runTimeoutFlag(), quietFlag()},
		Action: t.waitsHold,
	}
}

func waitsSessionFlag() cli.Flag {
	return &cli.StringFlag{Name: "session", Usage: "`FILE` that waits record wrote"}
}

// waitsSessionOptions reads what a session tells of the waits of a suite.
func waitsSessionOptions(c *cli.Context) (*oracle.Model, error) {
	path := c.String("session")
	if path == "" {
		return nil, console.Usage(fmt.Errorf("waits %s needs --session FILE, which waits record writes", c.Command.Name))
	}
	s, err := webdriver.ReadSession(path)
	if err != nil {
		return nil, err
	}
	return oracle.Learn(s), nil
}

func (t *tool) waitsHold(c *cli.Context) error {
	o, err := t.browserOptions(c)
	if err != nil {
		return err
	}
	model, err := waitsSessionOptions(c)
	if err != nil {
		return err
	}
	status, err := webdriver.Hold(c.Context, o, model)
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// waitsDriver is what a suite starts in the place of its driver.
func (t *tool) waitsDriver(c *cli.Context) error {
	return webdriver.StandIn(c.Context, c.Args().First(), t.client)
}
