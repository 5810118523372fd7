package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/waits/explicit"
)

func (t *tool) waitsMarkCommand() *cli.Command {
	return &cli.Command{
		Name:      "mark",
		Usage:     "have specs of Cypress mark their sleeps while they are recorded",
		UsageText: "flaketap waits mark [--control URL | --undo] SPECS… [--diff | --out DIR | --in-place]",
		Description: "SPECS are files or folders. What is written is for the recording alone: around each sleep the spec tells the recorder\n" +
			"where it is, and rests before what the sleep is for. flaketap waits patch --db reads which requests came then, and takes\n" +
			"the marks out again, as --undo does without a recording. docs/waits.md has the steps. Without --out and --in-place the difference is printed.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "control", Value: "http://127.0.0.1:8878",
				Usage: "`URL` of the recorder's control address, as flaketap record --control 127.0.0.1:8878 has it"},
			&cli.BoolFlag{Name: "undo", Usage: "take the marks out again; what else was changed meanwhile stays"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the marked specs into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the files in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing (the default)"},
			forceFlag(), quietFlag(),
		},
		Action: t.waitsMark,
	}
}

func (t *tool) waitsMark(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	to, err := patchOutputOptions(c)
	if err != nil {
		return err
	}
	control, err := cmdline.ControlURL(c.String("control"))
	if err != nil {
		return err
	}
	rewrite := func(path string, data []byte) explicit.Result { return explicit.MarkCypress(path, data, control) }
	if c.Bool("undo") {
		rewrite = explicit.UnmarkCypress
	}
	files, err := mend.ReadFiles(args, mend.FileOptions{Any: true, Beside: to.Dir != ""})
	if err != nil {
		return err
	}
	talk := t.consoleOptions(c)
	all, patched := t.rewritten(talk, files, rewrite)
	if all.Written == 0 && !c.Bool("undo") {
		return errors.New("mark sleeps: no spec of Cypress has a sleep that can be marked; flaketap waits suggest lists the waits of a suite")
	}
	if err := to.WriteFiles(files.All, patched, t.out); err != nil {
		return err
	}
	if c.Bool("undo") {
		talk.Say("flaketap: marks taken out of %s", console.Count(all.Unmarked, "spec"))
		return nil
	}
	talk.Say("flaketap: %s marked", console.Count(all.Written, "sleep"))
	return nil
}

// rewritten are files as they are to be, what was done to them, and what stays as it is, which is said.
func (t *tool) rewritten(talk *console.Console, files mend.Files, by func(path string, data []byte) explicit.Result) (
	all explicit.Result, out []suite.File) {
	for _, f := range files.All {
		r := by(f.Path, f.Data)
		all.Add(r)
		for _, l := range r.Left {
			talk.Say("flaketap: left as it is: %s:%d: %s: %s", f.Path, l.Line, console.OneLine(l.Does), console.OneLine(l.Reason))
		}
		out = append(out, suite.File{Name: f.Name, Data: r.Data, Perm: f.Perm})
	}
	return all, out
}
