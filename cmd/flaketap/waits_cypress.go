package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

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
	control, err := controlOption(c)
	if err != nil {
		return err
	}
	files, err := mend.ReadFiles(args, mend.FileOptions{Any: true, Beside: to.Dir != ""})
	if err != nil {
		return err
	}
	talk, all, patched := t.consoleOptions(c), explicit.Result{}, []suite.File{}
	for _, f := range files.All {
		r := explicit.Result{Data: f.Data}
		switch {
		case c.Bool("undo"):
			r = explicit.UnmarkCypress(f.Data)
		case explicit.OfCypress(f.Path, f.Data):
			r = explicit.MarkCypress(f.Path, f.Data, control)
		}
		all.Add(r)
		t.sayLeft(talk, f.Path, r.Left)
		patched = append(patched, suite.File{Name: f.Name, Data: r.Data, Perm: f.Perm})
	}
	if all.Written == 0 && !c.Bool("undo") {
		return errors.New("mark sleeps: no spec of Cypress has a sleep that can be marked; flaketap waits suggest lists the waits of a suite")
	}
	if err := to.WriteFiles(files.All, patched, t.out); err != nil {
		return err
	}
	if c.Bool("undo") {
		sayUnmarked(talk, all)
		return nil
	}
	talk.Say("flaketap: %s marked", console.Count(all.Written, "sleep"))
	return nil
}

// controlOption is the URL to which specs are to speak.
func controlOption(c *cli.Context) (string, error) {
	control, err := url.Parse(c.String("control"))
	if err != nil || control.Port() == "" || control.String() != "http://"+control.Host || strings.Contains(control.Host, "'") {
		return "", console.Usage(fmt.Errorf("--control must be a URL such as http://127.0.0.1:8878, got %q", c.String("control")))
	}
	return control.String(), nil
}

// sayUnmarked says of how many specs the marks were taken out.
func sayUnmarked(talk *console.Console, all explicit.Result) {
	talk.Say("flaketap: marks taken out of %s", console.Count(all.Unmarked, "spec"))
}

// sayLeft says what stays as it is in a file.
func (t *tool) sayLeft(talk *console.Console, path string, left []explicit.Left) {
	for _, l := range left {
		talk.Say("flaketap: left as it is: %s:%d: %s: %s", path, l.Line, console.OneLine(l.Does), console.OneLine(l.Reason))
	}
}
