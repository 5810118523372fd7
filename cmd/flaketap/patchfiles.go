package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
	"github.com/urfave/cli/v2"
)

// maxSuiteFile bounds one file of a suite, in bytes.
const maxSuiteFile = 256 << 20

// suiteFile is one file of the suite that is patched.
type suiteFile struct {
	path string // as found
	name string // relative to the folder that was given
	data []byte
	perm fs.FileMode
}

// suiteFiles lists the regular files of the given files and folders. A single folder's files are named relative to it;
// so are those of several, which then must not meet. The recording is no part of a suite, though it may lie in its folder. Links
// are not followed, and named.
func suiteFiles(c *cli.Context) (out []suiteFile, links []string, err error) {
	seen := map[string]string{}
	tests := false
	for _, arg := range c.Args().Slice() {
		root, err := filepath.EvalSymlinks(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("read suite: %w", err)
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") && path != root {
				return fs.SkipDir
			}
			if err == nil && d.Type()&fs.ModeSymlink != 0 {
				links = append(links, path)
			}
			if err != nil || !d.Type().IsRegular() || outfile.NotInput(path, []string{c.String("db")}) != nil {
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
			return nil, nil, fmt.Errorf("read suite: %w", err)
		}
	}
	if !tests {
		return nil, nil, fmt.Errorf("read suite: no file in %s has the name of a form that patch reads (links are not followed): %s", strings.Join(c.Args().Slice(), ", "), suite.Forms)
	}
	return out, links, nil
}

// test reports whether the file may hold tests.
func (f *suiteFile) test() bool { return suite.Readable(f.name) }

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
