package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/suite"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"
)

func (t *tool) patchCommand() *cli.Command {
	return &cli.Command{
		Name:      "patch",
		Usage:     "weaken the flaky assertions of a suite that a fuzzer wrote",
		UsageText: "flaketap patch [--out DIR | --in-place | --diff] SUITE…",
		Description: "SUITE is a file or a folder of EvoMaster's Python tests; --db holds the suite's own exchanges and runs.\n" +
			"Without --out and --in-place the difference is printed.",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the patched suite into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the files themselves"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference, change nothing (the default)"},
			modeFlag("relax", "relax or comment"),
			secretsFlag(),
			forceFlag(),
		),
		Action: t.patch,
	}
}

// suiteFile is one file of the suite that is patched.
type suiteFile struct {
	path string // as found
	name string // relative to the folder that was given
	data []byte
	perm fs.FileMode
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
	files, err := suiteFiles(c.Args().Slice())
	if err != nil {
		return err
	}
	j, err := judge(c.String("db"), false, c.StringSlice("secrets")...)
	if err != nil {
		return err
	}
	source := j.source()
	var assertions, kept, changes int
	var refused []error
	for _, f := range files {
		patched := suite.Patched{Data: f.data}
		if filepath.Ext(f.name) == ".py" {
			if patched, err = suite.Patch(f.path, f.data, source, mode); err != nil {
				refused = append(refused, err)
				patched = suite.Patched{Data: f.data} // left alone, byte for byte
			}
		}
		assertions, kept, changes = assertions+patched.Assertions, kept+patched.Kept, changes+len(patched.Changes)
		if err := t.writePatched(c, f, patched.Data); err != nil {
			return err
		}
	}
	for _, err := range refused {
		fmt.Fprintf(t.err, "flaketap: left alone: %v\n", err)
	}
	t.say(c, "flaketap: %d files, %d assertions, %d of them kept as they are, %d changes", len(files), assertions, kept, changes)
	if len(refused) > 0 {
		return statusError(exitFailed)
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
		return usageError{errors.New("--out, --in-place and --diff exclude each other")}
	}
	if !c.Args().Present() {
		return usageError{errors.New("patch needs a SUITE: a file or a folder")}
	}
	if dir := c.String("out"); dir != "" {
		return checkDir(dir, c.Bool("force"))
	}
	return nil
}

// writePatched puts one patched file where the user wants it.
func (t *tool) writePatched(c *cli.Context, f suiteFile, data []byte) error {
	switch {
	case c.String("out") != "":
		path := filepath.Join(c.String("out"), f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		return writeFile(path, data, f.perm, c.Bool("force"))
	case c.Bool("in-place"):
		if slices.Equal(f.data, data) {
			return nil
		}
		return writeFile(f.path, data, f.perm, true)
	default:
		_, err := t.out.Write(diff.Diff("a/"+f.name, f.data, "b/"+f.name, data))
		return err
	}
}

// suiteFiles lists the regular files of the given files and folders. A single folder's files are named relative to it;
// so are those of several, which then must not meet.
func suiteFiles(args []string) ([]suiteFile, error) {
	var out []suiteFile
	seen := map[string]string{}
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			f := suiteFile{path: path}
			if f.name, err = filepath.Rel(arg, path); err != nil || f.name == "." {
				f.name = filepath.Base(path)
			}
			if other, ok := seen[f.name]; ok {
				return fmt.Errorf("%s and %s would be written to the same file", other, path)
			}
			seen[f.name] = path
			info, err := d.Info()
			if err != nil {
				return err
			}
			f.perm = info.Mode().Perm()
			f.data, err = os.ReadFile(path)
			out = append(out, f)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read suite: %w", err)
		}
	}
	return out, nil
}
