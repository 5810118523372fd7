package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/doctor"
	"github.com/flaketap/flaketap/replay/service"
)

func (t *tool) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "check what would keep flaketap from working here, and say what to do",
		UsageText: "flaketap doctor [--target URL] [--reset CMD|URL] [--start CMD --ready URL] [--db FILE] [--format json]",
		Description: "It checks ports, the certificate authority, proxies, the API and its clock, the runners of suites, and the recording.\n" +
			"What is given with --start is started, and the reset tried with requests of the recording, if you agree, or with --yes:\n" +
			"that destroys what the API holds. Exits with 1 if there is a problem; --quiet prints problems alone.\n" +
			"docs/first-minutes.md describes the JSON.",
		Flags: common(append(upstreamFlags(startFlags()...),
			&cli.StringFlag{Name: "target", Usage: "the API's base `URL`"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API"},
			resetTimeoutFlag(),
			yesFlag(),
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:8877", Usage: "`ADDR`ess on which record is to listen"},
			caDirFlag(),
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text or json"},
		)...),
		Action: t.doctor,
	}
}

// yesFlag answers all questions.
func yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "try the start and the reset without asking: a reset destroys what the API holds"}
}

func (t *tool) doctor(c *cli.Context) error {
	write, err := doctorForm(c.String("format"), c.Bool("quiet"))
	if err != nil {
		return err
	}
	subject, err := t.doctorOptions(c)
	if err != nil {
		return err
	}
	r, err := doctor.Examine(c.Context, subject)
	if err != nil {
		return err
	}
	if err := write(r, t.out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if !r.OK {
		return console.ExitStatus(exitFailed)
	}
	return nil
}

func doctorForm(form string, quiet bool) (func(doctor.Report, io.Writer) error, error) {
	switch form {
	case "text":
		if quiet {
			return doctor.Report.Problems, nil
		}
		return doctor.Report.Text, nil
	case "json":
		return doctor.Report.JSON, nil
	}
	return nil, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json", form))
}

// doctorOptions reads the flags of doctor.
func (t *tool) doctorOptions(c *cli.Context) (o doctor.Subject, err error) {
	if err := t.alone(c); err != nil {
		return o, err
	}
	o = doctor.Subject{DB: c.String("db"), CADir: c.String("ca-dir"), Listen: c.String("listen"), Environ: os.Environ(),
		ResetTimeout: c.Duration("reset-timeout"), Allow: allowOptions(c, t.dialog())}
	if o.Target, err = service.BaseURL(c.String("target")); err != nil {
		return o, err
	}
	if o.TLS, err = upstreamOptions(c).TLS(); err != nil {
		return o, err
	}
	if c.String("start") != "" {
		o.Service, o.Reset, err = t.startOptions(c)
		return o, err
	}
	o.Reset, o.Ready = service.Reset(c.String("reset")), c.String("ready")
	if o.Ready != "" {
		if err := (&service.Service{Command: "none", Ready: o.Ready}).Check(); err != nil {
			return o, console.Usage(fmt.Errorf("--ready: %w", err))
		}
	}
	return o, nil
}

// dialog returns a dialog with the user; nil where nobody is at a terminal.
func (t *tool) dialog() *console.Dialog {
	if !term.IsTerminal(int(os.Stdin.Fd())) || !(&console.Console{Err: t.err}).Terminal() {
		return nil
	}
	return console.NewDialog(os.Stdin, t.err)
}

// allowOptions returns what asks whether something may be done: --yes allows all, and without a dialog nothing is.
func allowOptions(c *cli.Context, d *console.Dialog) func(context.Context, string) (bool, error) {
	yes := c.Bool("yes")
	return func(ctx context.Context, what string) (bool, error) {
		if yes || d == nil {
			return yes, nil
		}
		return d.Yes(ctx, what)
	}
}
