package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
			openapiFlag(),
			forceFlag(),
		),
		Action: t.patch,
	}
}

// maxSuiteFile bounds one file of a suite, in bytes.
const maxSuiteFile = 256 << 20

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
	files, err := suiteFiles(c)
	if err != nil {
		return err
	}
	j, err := judgeSteps(c.String("db"), false, t.rules, c.StringSlice("secrets")...)
	if err != nil {
		return err
	}
	source := j.source()
	var assertions, kept, changes int
	var refused []error
	patches := make([]suite.File, len(files))
	for i, f := range files {
		patched := suite.Patched{Data: f.data}
		if f.test() {
			if patched, err = suite.Patch(f.path, f.data, source, mode); err != nil {
				refused = append(refused, err)
				patched = suite.Patched{Data: f.data} // left alone, byte for byte
			}
		}
		assertions, kept, changes = assertions+patched.Assertions, kept+patched.Kept, changes+len(patched.Changes)
		patches[i] = suite.File{Name: f.name, Data: patched.Data, Perm: f.perm}
	}
	if err := t.writePatched(c, files, patches); err != nil {
		return err
	}
	for _, err := range refused {
		fmt.Fprintf(t.err, "flaketap: left alone: %s\n", message(err))
	}
	t.say(c, "flaketap: %s, %s, %d of them kept as they are, %s", counted(len(files), "file"), counted(assertions, "assertion"), kept, counted(changes, "change"))
	t.warn(c, j.Map)
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
	return checkDir(dir, c.Bool("force"))
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
		return writeFiles(c.String("out"), patches, read)
	case c.Bool("in-place"):
		for i, f := range files {
			patches[i].Name = filepath.ToSlash(f.path)
		}
		return writeFiles("", patches, []string{c.String("db")})
	}
	for i, f := range files {
		if _, err := t.out.Write(diff.Diff("a/"+f.name, f.data, "b/"+f.name, patches[i].Data)); err != nil {
			return fmt.Errorf("write difference: %w", err)
		}
	}
	return nil
}

// suiteFiles lists the regular files of the given files and folders. A single folder's files are named relative to it;
// so are those of several, which then must not meet. The recording is no part of a suite, though it may lie in its folder.
func suiteFiles(c *cli.Context) ([]suiteFile, error) {
	var out []suiteFile
	seen := map[string]string{}
	tests := false
	for _, arg := range c.Args().Slice() {
		root, err := filepath.EvalSymlinks(arg)
		if err != nil {
			return nil, fmt.Errorf("read suite: %w", err)
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || notInput(path, []string{c.String("db")}) != nil {
				return err
			}
			f := suiteFile{path: path}
			if f.name, err = filepath.Rel(root, path); err != nil || f.name == "." {
				f.name = filepath.Base(path)
			}
			if other, ok := seen[f.name]; ok {
				return fmt.Errorf("%s and %s would be written to the same file", other, path)
			}
			seen[f.name] = path
			tests = tests || f.test()
			if !f.test() && c.String("out") == "" {
				return nil // what is not changed need not be read
			}
			if err := f.read(d); err != nil {
				return err
			}
			out = append(out, f)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read suite: %w", err)
		}
	}
	if !tests {
		return nil, fmt.Errorf("read suite: no Python file in %s; patch reads EvoMaster's Python tests", strings.Join(c.Args().Slice(), ", "))
	}
	return out, nil
}

// test reports whether the file may hold tests.
func (f *suiteFile) test() bool { return filepath.Ext(f.name) == ".py" }

func (f *suiteFile) read(d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if info.Size() > maxSuiteFile {
		return fmt.Errorf("%s is larger than %d bytes", f.path, maxSuiteFile)
	}
	f.perm = info.Mode().Perm()
	f.data, err = os.ReadFile(f.path)
	return err
}
