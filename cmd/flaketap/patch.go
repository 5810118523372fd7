package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/restore"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

func (t *tool) patchCommand() *cli.Command {
	return &cli.Command{
		Name:      "patch",
		Usage:     "repair a suite that a fuzzer or a person wrote: weaken what flakes, restore the state that tests depend on",
		UsageText: "flaketap patch [--session DB] [--target URL --reset CMD|URL] [--out DIR | --in-place | --diff] SUITE…",
		Description: "SUITE is a file or a folder: " + suite.Forms() + ".\n" +
			"--db holds the suite's own exchanges and runs (record -- CMD, rerun -- CMD), --session the fuzzing session that it came from:\n" +
			"a test that depends on what the session left behind gets a set-up that makes it. With --reset or --start, set-ups are tried\n" +
			"first, by sending requests of the session to an API that is reset each time; so is what --strengthen adds.\n" +
			"Without --out and --in-place the difference is printed.",
		Flags: common(append(setUpFlags(),
			&cli.StringFlag{Name: "session", Usage: "recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the patched suite into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the suite's files in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing (the default)"},
			&cli.StringFlag{Name: "report", Usage: "write what was changed, and why, as JSON to `FILE`"},
			modeFlag("relax", "relax or comment"),
			&cli.BoolFlag{Name: "strengthen", Usage: "add assertions that the suite lacks and all observations bear, after 4 or more reruns"},
			secretsFlag(),
			openapiFlag(),
			forceFlag(),
		)...),
		Action: t.patch,
	}
}

func (t *tool) patch(c *cli.Context) error {
	o, err := t.patchOptions(c)
	if err != nil {
		return err
	}
	files, err := mend.ReadFiles(o.suite, mend.FileOptions{Exclude: []string{o.db}, Beside: o.output.Dir != ""})
	if err != nil {
		return err
	}
	for _, link := range files.Links {
		o.talk.Say("flaketap: skipped %s: links are not followed", console.OneLine(link.Path))
	}
	round, warned, err := o.round(c.Context, files.All, t.rules.Bindings)
	if err != nil {
		return err
	}
	if err := o.output.Write(files.All, round, t.out); err != nil {
		return err
	}
	for _, err := range round.Refused() {
		fmt.Fprintf(t.err, "flaketap: left unchanged: %s\n", cmdline.Message(err))
	}
	o.talk.Say("flaketap: %s", round.Summary())
	sayWarnings(o.talk, warned)
	if len(round.Refused()) > 0 {
		return console.ExitStatus(exitFailed)
	}
	return nil
}

// round judges the recording, and finds what the tests of some files need; what is left to be done is to patch them.
// The map may hold warnings.
func (o patchOptions) round(ctx context.Context, files []mend.File, rules flow.Rules,
) (*mend.Round, *mapfile.Map, error) {
	j, err := analysis.JudgeWithSteps(o.db, o.analysis)
	if err != nil {
		return nil, nil, cmdline.NoRecording(err)
	}
	session, err := sessionOf(o.session)
	if err != nil {
		return nil, nil, err
	}
	round := mend.New(files, mend.Options{Source: sourceFrom(j), Session: session, Mode: o.mode,
		Strengthen: o.strengthen, Restore: o.restore, Failing: o.failing, Flaking: o.flaking, Restraint: o.restraint,
		Refused: o.refused, Ran: o.ran})
	if p := o.setUps.Player; p != nil {
		p.Lapsed = flow.LapsedValues(j.Lapses)
	}
	setUps, err := o.setUps.SetUps(round.Session(), cmp.Or(o.session, o.db), rules, o.talk)
	if err != nil {
		return nil, nil, cmdline.NoRecording(err)
	}
	if err := round.Find(ctx, setUps, j.Redactor, o.talk); err != nil {
		return nil, nil, err
	}
	return round, j.Map, nil
}

// patchOptions is what the flags of patch ask for.
type patchOptions struct {
	suite    []string // files and folders, at least one
	db       string   // the recording of the suite itself
	analysis analysis.Options
	session  string     // the recording of the session that the suite came from; "" where it is not known
	mode     suite.Mode // what becomes of volatile assertions
	// assertions are added
	strengthen bool
	restore    bool           // only tests that are given something back are changed
	refused    []string       // requests that are refused for what earlier runs have left
	failing    []results.ID   // and of these the ones that fail, by the names that their runner has for them
	ran        []results.ID   // the tests that ran; none: they are not known
	flaking    []results.ID   // and those that fail in some of their runs only
	restraint  mend.Restraint // on set-ups
	setUps     restore.Options
	output     mend.Output
	talk       *console.Console
}

// patchOptions reads the flags of patch.
func (t *tool) patchOptions(c *cli.Context) (o patchOptions, err error) {
	o = patchOptions{db: c.String("db"), analysis: t.analysisOptions(c), session: c.String("session"),
		strengthen: c.Bool("strengthen"), talk: t.consoleOptions(c)}
	if o.suite, err = t.arguments(c); err != nil {
		return o, err
	}
	if o.mode, err = modeOption(c, suite.Relax, suite.Comment); err != nil {
		return o, err
	}
	if o.strengthen && o.mode != suite.Relax {
		return o, console.Usage(errors.New("--strengthen needs --mode relax: --mode comment only takes assertions out"))
	}
	if o.output, err = patchOutputOptions(c); err != nil {
		return o, err
	}
	o.setUps, err = t.setUpOptions(c)
	return o, err
}

// patchOutputOptions reads the flags that say where a patched suite goes, and refuses what may not be written, before
// any work is done.
func patchOutputOptions(c *cli.Context) (o mend.Output, err error) {
	o = mend.Output{Dir: c.String("out"), InPlace: c.Bool("in-place"), Report: c.String("report"), DB: c.String("db"),
		Inputs: inputOptions(c)}
	if err := mend.CheckWays(o.Dir != "", o.InPlace, c.Bool("diff")); err != nil {
		return o, console.Usage(err)
	}
	if !c.Args().Present() {
		return o, console.Usage(errors.New("patch needs a SUITE: a file or a folder"))
	}
	if o.Dir != "" {
		for _, arg := range c.Args().Slice() {
			if outfile.Within(o.Dir, arg) {
				return o, fmt.Errorf("--out %s is inside the suite %s, so the next patch would read its own output; "+
					"choose a folder outside of the suite, or use --in-place", o.Dir, arg)
			}
		}
		if _, err := folderOption(c, "out"); err != nil {
			return o, err
		}
	}
	_, err = reportOption(c, o.Inputs)
	return o, err
}

// reportOption reads --report, which is none of the files that are read, and no other file without --force.
func reportOption(c *cli.Context, inputs []string) (string, error) {
	path := c.String("report")
	if path == "" {
		return "", nil
	}
	if err := outfile.NotInput(path, inputs); err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil && !c.Bool("force") {
		return "", fmt.Errorf("%s already exists; --force overwrites it", path)
	}
	return path, nil
}
