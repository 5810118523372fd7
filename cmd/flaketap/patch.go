package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"
)

func (t *tool) patchCommand() *cli.Command {
	return &cli.Command{
		Name:      "patch",
		Usage:     "mend the tests of a suite that a fuzzer or a person wrote: weaken what flakes, give back the state they lean on",
		UsageText: "flaketap patch [--session DB] [--target URL --reset CMD|URL] [--out DIR | --in-place | --diff] SUITE…",
		Description: "SUITE is a file or a folder: " + suite.Forms + ".\n" +
			"--db holds the suite's own exchanges and runs (record -- CMD, rerun -- CMD), --session the fuzzing session that it came from:\n" +
			"a test that leans on what the session left behind is given that back. With --reset or --start, what is given back is tried\n" +
			"first, on an API that begins anew each time: requests of the session are sent to it. Without --out and --in-place the difference is printed.",
		Flags: common(append(setUpFlags(),
			&cli.StringFlag{Name: "session", Usage: "the recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the patched suite into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the files themselves"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference, change nothing (the default)"},
			&cli.StringFlag{Name: "report", Usage: "write what was changed, and why, as JSON to `FILE`"},
			modeFlag("relax", "relax or comment"),
			secretsFlag(),
			openapiFlag(),
			forceFlag(),
		)...),
		Action: t.patch,
	}
}

func (t *tool) patch(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	mode, err := suiteMode(c, suite.Relax, suite.Comment)
	if err != nil {
		return err
	}
	if err := checkPatchOutput(c); err != nil {
		return err
	}
	if err := checkReport(c); err != nil {
		return err
	}
	if err := t.checkSetUps(c); err != nil {
		return err
	}
	files, links, err := suiteFiles(c)
	if err != nil {
		return err
	}
	for _, l := range links {
		t.say(c, "flaketap: %s is a link, and is left out: links are not followed", console.OneLine(l))
	}
	j, err := analysis.JudgeWithSteps(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	session, err := sessionOf(c.String("session"))
	if err != nil {
		return err
	}
	p := &patching{source: sourceFrom(j), mode: mode, session: session}
	p.hold(files, c.String("session") == "")
	if err := p.lean(t, c); err != nil {
		return err
	}
	patches := p.patch(files)
	if err := t.writePatched(c, files, patches); err != nil {
		return err
	}
	if err := p.writeReport(c.String("report"), j.Redactor); err != nil {
		return err
	}
	for _, err := range p.refused {
		fmt.Fprintf(t.err, "flaketap: left alone: %s\n", message(err))
	}
	t.say(c, "flaketap: %s", p.summary())
	t.warn(c, j.Map)
	if len(p.refused) > 0 {
		return console.ExitStatus(exitFailed)
	}
	return nil
}

func checkPatchOutput(c *cli.Context) error {
	ways := 0
	for _, on := range []bool{c.String("out") != "", c.Bool("in-place"), c.Bool("diff")} {
		if on {
			ways++
		}
	}
	if ways > 1 {
		return console.Usage(errors.New("--out, --in-place and --diff exclude each other"))
	}
	if !c.Args().Present() {
		return console.Usage(errors.New("patch needs a SUITE: a file or a folder"))
	}
	dir := c.String("out")
	if dir == "" {
		return nil
	}
	for _, arg := range c.Args().Slice() {
		if within(dir, arg) {
			return fmt.Errorf("--out %s is inside the suite %s: the next patch would take what this one wrote for a part of the suite; "+
				"--out must name a folder beside it, --in-place changes the suite itself", dir, arg)
		}
	}
	return checkOutDir(c, dir)
}

// within reports whether a path that may not be there yet is a folder, or lies in it, whatever links lead there.
func within(path, folder string) bool {
	root, err := os.Stat(folder)
	if err != nil {
		return false
	}
	path, err = filepath.Abs(path)
	for err == nil {
		if real, rerr := filepath.EvalSymlinks(path); rerr == nil {
			path = real
		}
		if info, serr := os.Stat(path); serr == nil && os.SameFile(info, root) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
		path = filepath.Dir(path)
	}
	return false
}

// writePatched puts the patched files where the user wants them, none before all are made.
func (t *tool) writePatched(c *cli.Context, files []suiteFile, patches []suite.File) error {
	switch {
	case c.String("out") != "":
		read := inputs(c)
		for _, f := range files {
			read = append(read, f.path)
		}
		return outfile.WriteAll(c.String("out"), outputFiles(patches), read)
	case c.Bool("in-place"):
		for i, f := range files {
			patches[i].Name = filepath.ToSlash(f.path)
		}
		return outfile.WriteAll("", outputFiles(patches), []string{c.String("db")})
	}
	for i, f := range files {
		if _, err := t.out.Write(diff.Diff("a/"+f.name, f.data, "b/"+f.name, patches[i].Data)); err != nil {
			return fmt.Errorf("write difference: %w", err)
		}
	}
	return nil
}
