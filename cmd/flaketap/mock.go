package main

import (
	"errors"
	"os"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/urfave/cli/v2"
)

func (t *tool) mockCommand() *cli.Command {
	return &cli.Command{
		Name:  "mock",
		Usage: "answer in the place of the external services that an API calls",
		Subcommands: []*cli.Command{
			t.mockServeCommand(),
			t.mockSearchCommand(),
			{Name: "stage", Hidden: true, Usage: "start a command for mock serve", UsageText: "flaketap mock stage NAME SOCKET -- CMD ARG…", Action: t.mockStage},
		},
		Action: t.listSubcommands,
	}
}

func (t *tool) mockServeCommand() *cli.Command {
	return &cli.Command{
		Name:      "serve",
		Usage:     "start an API whose calls to other services are answered from stubs",
		UsageText: "flaketap mock serve [DIR…] --start CMD [--ready URL] [options] [-- CMD ARG…]",
		Description: "Each DIR holds stubs in the format of WireMock's mappings. The API's connections to other machines are led here,\n" +
			"in any language and without root; on Linux none of them leaves this machine, but to hosts that --allow names. It is started\n" +
			"so that it trusts the mocks' certificates. What no stub is for is answered 404. In the end the services are listed,\n" +
			"with what they were asked. CMD runs with FLAKETAP_URL, and its status is returned.",
		Flags: append(append(startFlags(), servicesFlags()...),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before CMD runs"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "warm-up", Usage: "`FILE` of a suite with requests that warm the API up, each time that it is started, before CMD goes on"},
			&cli.StringFlag{Name: "report", Usage: "`FILE` for the list of services and calls, as JSON"},
			forceFlag(), quietFlag(), logFlag()),
		Action: t.mockServe,
	}
}

func (t *tool) mockServe(c *cli.Context) error {
	o, err := t.mockServeOptions(c)
	if err != nil {
		return err
	}
	status, report, err := serve.Run(c.Context, o.Options)
	if report.Flaketap != "" { // it has begun: what it has seen is told, however it ended
		err = errors.Join(err, o.tell(report))
	}
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// mockServeOptions is what the flags of mock serve ask for.
type mockServeOptions struct {
	serve.Options
	report output // nowhere, unless it is a file
}

// tell says what was seen, and writes it to the file of the report.
func (o mockServeOptions) tell(r serve.Report) error {
	if !o.Console.Quiet {
		if err := r.Text(o.Console.Err); err != nil {
			return err
		}
	}
	if !o.report.isFile() {
		return nil
	}
	return o.report.emit("report", r.JSON)
}

// mockServeOptions reads the flags of mock serve.
func (t *tool) mockServeOptions(c *cli.Context) (o mockServeOptions, err error) {
	level, err := logLevelOption(c)
	if err != nil {
		return o, err
	}
	o.Options = serve.Options{Command: t.client, Stdout: t.out, Console: t.consoleOptions(c), WarmUp: c.String("warm-up")}
	if c.String("start") == "" {
		return o, needsStart("mock serve")
	}
	if o.Externals, err = externalsOptions(c, c.Args().Slice(), t.logger(level)); err != nil {
		return o, err
	}
	if o.Service, o.Reset, err = t.startOptions(c); err != nil {
		return o, err
	}
	o.report = output{path: c.String("report"), force: c.Bool("force"), stdout: t.out, talk: o.Console}
	return o, o.report.check()
}

// stageProgram is how a stage of package mock/intercept is started.
func stageProgram() ([]string, error) {
	program, err := os.Executable()
	return []string{program, "mock", "stage"}, err
}

// mockStage is one of the processes by which an API comes to be intercepted.
func (t *tool) mockStage(c *cli.Context) error {
	self, err := stageProgram()
	if err != nil {
		return err
	}
	status, err := intercept.Stage(self, c.Args().Slice(), t.client)
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}
