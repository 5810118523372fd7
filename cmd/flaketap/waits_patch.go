package main

import (
	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/waits/explicit"
	"github.com/flaketap/flaketap/waits/requests"
)

func (t *tool) waitsPatchCommand() *cli.Command {
	return &cli.Command{
		Name:      "patch",
		Usage:     "write explicit waits into a suite for a browser, where a recorded session says that it comes too early",
		UsageText: "flaketap waits patch [--session FILE | --db FILE] SUITE… [--replace-sleeps] [--diff | --out DIR | --in-place]",
		Description: "SUITE is a file or a folder with tests in JavaScript, TypeScript, Python or Java. All else of it stays, byte for byte, and\n" +
			"waits that an earlier patch wrote are replaced. Without --out and --in-place the difference is printed.\n" +
			"Specs of Cypress need no session: by their text alone, assertions in a callback of .then come to stand in one of\n" +
			".should, which asks again until they hold. With --db, their sleeps get cy.intercept and cy.wait('@…') for the requests\n" +
			"that were recorded with the marks of flaketap waits mark.",
		Flags: []cli.Flag{
			waitsSessionFlag(),
			&cli.StringFlag{Name: "db", Usage: "`FILE` with a recording of specs of Cypress with marks"},
			&cli.BoolFlag{Name: "replace-sleeps", Usage: "take out the sleeps that the waits make needless"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the patched suite into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the suite's files in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing (the default)"},
			forceFlag(), quietFlag(),
		},
		Action: t.waitsPatch,
	}
}

func (t *tool) waitsPatch(c *cli.Context) error {
	args, how, to, err := t.waitsPatchOptions(c)
	if err != nil {
		return err
	}
	talk := t.consoleOptions(c)
	model, unrecorded := waitsSessionOptions(c)
	if unrecorded != nil && c.String("session") != "" {
		return unrecorded
	}
	files, err := mend.ReadFiles(args, mend.FileOptions{Any: true, Beside: to.Dir != ""})
	if err != nil {
		return err
	}
	all, patched := t.rewritten(talk, files, func(path string, data []byte) explicit.Result {
		return explicit.File(path, data, model, how)
	})
	if unrecorded != nil && !all.Spec {
		return unrecorded
	}
	if err := to.WriteFiles(files.All, patched, t.out); err != nil {
		return err
	}
	all.Say(talk, model, how)
	return nil
}

// waitsPatchOptions reads the flags of waits patch.
func (t *tool) waitsPatchOptions(c *cli.Context) (args []string, how explicit.Options, to mend.Output, err error) {
	if args, err = t.arguments(c); err != nil {
		return nil, how, to, err
	}
	how.ReplaceSleeps = c.Bool("replace-sleeps")
	if to, err = patchOutputOptions(c); err != nil {
		return args, how, to, err
	}
	to.Inputs = append(to.Inputs, c.String("session"))
	how.Requests, err = requests.Of(c.String("db"))
	return args, how, to, cmdline.NoRecording(err)
}
