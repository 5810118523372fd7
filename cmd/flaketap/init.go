package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/internal/project"
)

func (t *tool) initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "ask where the API is, how it is reset and what tests it, try these, and write flaketap.yaml",
		UsageText: "flaketap init [--target URL | --start CMD --ready URL] [--reset CMD|URL] [--yes] [-- CMD ARG…]",
		Description: "At a terminal it asks for what no flag says. The start and the reset are tried if you agree, or with --yes: a reset\n" +
			"destroys what the API holds. CMD is the client, which is not run. Exits with 1 if a trial shows a problem.",
		Flags: append(startFlags(),
			&cli.StringFlag{Name: "target", Usage: "the API's base `URL`"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API"},
			resetTimeoutFlag(),
			yesFlag(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: cmdline.DefaultConfig, Usage: "`FILE` to write"},
			forceFlag(), quietFlag(),
		),
		Action: t.initialize,
	}
}

// initOptions is what the flags of init ask for.
type initOptions struct {
	settings project.Settings
	trial    project.Trial
	dialog   *console.Dialog // nil where nobody is at a terminal
	output   output
}

// initOptions reads the flags of init.
func (t *tool) initOptions(c *cli.Context) (o initOptions, err error) {
	if err := noArguments(c.Command.FullName(), c.Args()); err != nil {
		return o, err
	}
	o = initOptions{dialog: t.dialog(), settings: project.Settings{Target: c.String("target"), Start: c.String("start"),
		Ready: c.String("ready"), Reset: c.String("reset"), Client: project.Words(t.client)}}
	o.trial = project.Trial{ReadyTimeout: c.Duration("ready-timeout"), ResetTimeout: c.Duration("reset-timeout"),
		DB: defaultDB, Allow: allowOptions(c, o.dialog)}
	o.output = output{path: c.String("out"), force: c.Bool("force"), stdout: t.out, talk: t.consoleOptions(c)}
	return o, o.output.check()
}

// initialize writes the settings file of a project.
func (t *tool) initialize(c *cli.Context) error {
	o, err := t.initOptions(c)
	if err != nil {
		return err
	}
	found := project.Clients(".")
	switch {
	case o.dialog != nil:
		err = o.settings.Ask(c.Context, o.dialog, found)
	case o.settings.Client == "" && len(found) > 0:
		o.settings.Client = found[0].Command
	}
	if err == nil {
		err = o.settings.Check()
	}
	if err != nil {
		return err
	}
	r, err := o.settings.Try(c.Context, o.trial)
	if err != nil {
		return err
	}
	if !o.output.talk.Quiet {
		if err := r.Text(t.err); err != nil {
			return err
		}
	}
	if !r.OK && o.dialog != nil {
		if anyway, err := o.dialog.Yes(c.Context, "write "+o.output.path+" all the same?"); err != nil || !anyway {
			return errors.Join(err, errors.New("nothing was written"))
		}
	}
	data, err := o.settings.YAML()
	if err != nil {
		return err
	}
	if err = o.output.emit("settings", outfile.Bytes(data)); err != nil {
		return err
	}
	o.output.talk.Say("flaketap: next: %s", console.OneLine(o.settings.Next()))
	if !r.OK {
		return console.ExitStatus(exitFailed)
	}
	return nil
}
