package main

import (
	"errors"
	"fmt"
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
			// The stages by which an API comes to be intercepted (package mock/intercept); mock serve starts them.
			{Name: "launch", Hidden: true, Usage: "start a command for mock serve", UsageText: "flaketap mock launch SOCKET -- CMD ARG…", Action: t.mockLaunch},
			{Name: "become", Hidden: true, Usage: "become a command of mock serve", UsageText: "flaketap mock become SOCKET -- CMD ARG…", Action: t.mockBecome},
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
			"in any language and without root; none of them leaves this machine, but to hosts that --allow names. It is started\n" +
			"so that it trusts the mocks' certificates. What no stub is for is answered 404. In the end the services are listed,\n" +
			"with what they were asked. CMD runs with FLAKETAP_URL, and its status is returned. Linux only.",
		Flags: append(append(startFlags(), servicesFlags()...),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before CMD runs"},
			resetTimeoutFlag(),
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
	o.Options = serve.Options{Command: t.client, Stdout: t.out, Console: t.consoleOptions(c)}
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

// mockLauncher is how the first stage is started.
func mockLauncher() (launch func(socket string) []string, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return func(socket string) []string { return []string{program, "mock", "launch", socket, "--"} }, nil
}

// mockLaunch is the first stage.
func (t *tool) mockLaunch(c *cli.Context) error {
	socket, program, err := t.mockStageOptions(c)
	if err != nil {
		return err
	}
	status, err := intercept.Launch(socket, append([]string{program, "mock", "become", socket, "--"}, t.client...))
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// mockBecome is the second stage.
func (t *tool) mockBecome(c *cli.Context) error {
	socket, _, err := t.mockStageOptions(c)
	if err != nil {
		return err
	}
	return intercept.Become(socket, t.client)
}

// mockStageOptions reads the socket that a stage is given, and finds this program.
func (t *tool) mockStageOptions(c *cli.Context) (socket, program string, err error) {
	if c.NArg() != 1 || len(t.client) == 0 {
		return "", "", console.Usage(fmt.Errorf("%s needs a socket and a command; flaketap mock serve starts it", c.Command.FullName()))
	}
	if program, err = os.Executable(); err != nil {
		return "", "", fmt.Errorf("find this program: %w", err)
	}
	return c.Args().First(), program, nil
}
