package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func (t *tool) patchCommand() *cli.Command {
	return &cli.Command{
		Name:      "patch",
		Usage:     "repair a suite that a fuzzer or a person wrote: weaken what flakes, restore the state that tests depend on",
		UsageText: "flaketap patch [--session DB] [--target URL --reset CMD|URL] [--out DIR | --in-place | --diff] SUITE…",
		Description: "SUITE is a file or a folder: " + suite.Forms() + ".\n" +
			"--db holds the suite's own exchanges and runs (record -- CMD, rerun -- CMD), --session the fuzzing session that it came from:\n" +
			"a test that depends on what the session left behind gets a set-up that makes it. With --reset or --start, set-ups are tried\n" +
			"first, by sending requests of the session to an API that is reset each time. Without --out and --in-place the difference is printed.",
		Flags: common(append(setUpFlags(),
			&cli.StringFlag{Name: "session", Usage: "recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the patched suite into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the suite's files in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing (the default)"},
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
	output, err := readPatchOutput(c)
	if err != nil {
		return err
	}
	if err := t.checkSetUps(c); err != nil {
		return err
	}
	files, err := mend.ReadFiles(c.Args().Slice(), mend.FileOptions{Exclude: []string{c.String("db")},
		Beside: output.dir != ""})
	if err != nil {
		return err
	}
	for _, link := range files.Links {
		t.say(c, "flaketap: skipped %s: links are not followed", console.OneLine(link))
	}
	j, err := analysis.JudgeWithSteps(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	session, err := sessionOf(c.String("session"))
	if err != nil {
		return err
	}
	round := mend.New(files.All, mend.Options{Source: sourceFrom(j), Session: session, Mode: mode})
	setUps, err := t.setUps(c, round.Session(), cmp.Or(c.String("session"), c.String("db")))
	if err != nil {
		return err
	}
	if err := round.FindSetUps(c.Context, setUps); err != nil {
		return err
	}
	if tried := setUps.Summary(); tried != "" {
		t.say(c, "flaketap: %s", tried)
	}
	if err := t.writePatched(output, files.All, round); err != nil {
		return err
	}
	t.say(c, "flaketap: %s", round.Summary())
	t.warn(c, j.Map)
	if len(round.Refused()) > 0 {
		return console.ExitStatus(exitFailed)
	}
	return nil
}

// patchOutput is where a patched suite goes. The zero value prints the difference.
type patchOutput struct {
	dir     string   // a folder to write it into
	inPlace bool     // the files themselves are changed
	report  string   // a file for what was changed; "" for none
	db      string   // the recording, which is not to be written to
	inputs  []string // it, and whatever else is read
}

// readPatchOutput reads the flags that say where a patched suite goes, and refuses what may not be written, before any
// work is done.
func readPatchOutput(c *cli.Context) (o patchOutput, err error) {
	o = patchOutput{dir: c.String("out"), inPlace: c.Bool("in-place"), report: c.String("report"), db: c.String("db"),
		inputs: inputs(c)}
	ways := 0
	for _, on := range []bool{o.dir != "", o.inPlace, c.Bool("diff")} {
		if on {
			ways++
		}
	}
	if ways > 1 {
		return o, console.Usage(errors.New("use only one of --out, --in-place, --diff"))
	}
	if !c.Args().Present() {
		return o, console.Usage(errors.New("patch needs a SUITE: a file or a folder"))
	}
	if o.dir != "" {
		for _, arg := range c.Args().Slice() {
			if within(o.dir, arg) {
				return o, fmt.Errorf("--out %s is inside the suite %s, so the next patch would read its own output; "+
					"choose a folder outside of the suite, or use --in-place", o.dir, arg)
			}
		}
		if err := checkOutDir(c, o.dir); err != nil {
			return o, err
		}
	}
	if o.report == "" {
		return o, nil
	}
	if err := outfile.NotInput(o.report, o.inputs); err != nil {
		return o, err
	}
	if _, err := os.Lstat(o.report); err == nil && !c.Bool("force") {
		return o, fmt.Errorf("%s already exists; --force overwrites it", o.report)
	}
	return o, nil
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

// writePatched patches the files and puts them where the user wants them, none before all are made, and then the
// report.
func (t *tool) writePatched(o patchOutput, files []mend.File, round *mend.Round) error {
	if err := t.writePatchedFiles(o, files, round.Patch()); err != nil {
		return err
	}
	if o.report != "" {
		s, err := outfile.Stage(o.report, 0o644, round.WriteReport)
		if err != nil {
			return err
		}
		if err := s.Put(); err != nil {
			return err
		}
	}
	for _, err := range round.Refused() {
		fmt.Fprintf(t.err, "flaketap: left unchanged: %s\n", message(err))
	}
	return nil
}

// writePatchedFiles writes patched files, or prints how they differ from those that were read.
func (t *tool) writePatchedFiles(o patchOutput, files []mend.File, patched []suite.File) error {
	switch {
	case o.dir != "":
		read := slices.Clone(o.inputs)
		for _, f := range files {
			read = append(read, f.Path)
		}
		return outfile.WriteAll(o.dir, outputFiles(patched), read)
	case o.inPlace:
		for i, f := range files {
			patched[i].Name = filepath.ToSlash(f.Path)
		}
		return outfile.WriteAll("", outputFiles(patched), []string{o.db})
	}
	for i, f := range files {
		if _, err := t.out.Write(diff.Diff("a/"+f.Name, f.Data, "b/"+f.Name, patched[i].Data)); err != nil {
			return fmt.Errorf("write difference: %w", err)
		}
	}
	return nil
}
