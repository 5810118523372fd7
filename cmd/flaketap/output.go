package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/suite"
	"github.com/urfave/cli/v2"
)

// stdout is how --out names it; so does leaving --out away.
const stdout = "-"

// staged is an output file that is written beside its place, and put there whole by a rename: a failure leaves no half
// file, and what was there stays.
type staged struct {
	temp, path string
}

// stage writes a file beside its place. A symbolic link leads to the place.
func stage(path string, perm fs.FileMode, write func(io.Writer) error) (*staged, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".flaketap-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if err := errors.Join(buffered(f, write), f.Chmod(perm), f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &staged{f.Name(), path}, nil
}

// buffered has something written in large pieces.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// put moves the file to its place.
func (s *staged) put() error {
	if err := os.Rename(s.temp, s.path); err != nil {
		os.Remove(s.temp)
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	return nil
}

// emit writes what a command makes to the file of --out, or to stdout, and says what was written to a file; what is ""
// where the command itself says more. A device or a pipe has no place beside it, and
// nothing that could be lost: it is written to as it is.
func (t *tool) emit(c *cli.Context, what string, write func(io.Writer) error) error {
	path := c.String("out")
	if path == "" || path == stdout {
		return buffered(t.out, write)
	}
	if err := checkOut(c); err != nil { // it may have come since the command began
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		return errors.Join(buffered(f, write), f.Close())
	}
	s, err := stage(path, 0o644, write)
	if err != nil {
		return err
	}
	if err := s.put(); err != nil {
		return err
	}
	if what != "" {
		t.say(c, "flaketap: %s written to %s", what, path)
	}
	return nil
}

// checkOut refuses, before any work is done, a file of --out that may not be written: a folder, one in no folder, one
// that is there and not to be overwritten, and, whatever else is asked for, what the command reads.
func checkOut(c *cli.Context) error {
	path := c.String("out")
	if path == "" || path == stdout {
		return nil
	}
	if err := notInput(path, inputs(c)); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("write %s: it is a link to a file that is not there", path)
		}
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("write %s: there is no folder %s", path, filepath.Dir(path))
		}
		return nil
	case err != nil:
		return fmt.Errorf("write: %w", err)
	case info.IsDir():
		return fmt.Errorf("write %s: it is a folder; --out takes a file here", path)
	case info.Mode().IsRegular() && !c.Bool("force"):
		return fmt.Errorf("%s is there already; --force overwrites it", path)
	}
	return nil
}

// inputs lists the files that a command reads: its recording, its settings, and its arguments.
func inputs(c *cli.Context) []string {
	config := c.String("config")
	if config == "" {
		config = defaultConfig
	}
	return append([]string{c.String("db"), config}, c.Args().Slice()...)
}

// notInput refuses to write to one of the inputs, by whatever name.
func notInput(path string, inputs []string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // what is not there is no input
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
			return fmt.Errorf("write %s: that is %s, which this command reads; --out must name another", path, in)
		}
	}
	return nil
}

// checkDir refuses, before any work is done, an output folder that already holds something.
func checkDir(dir string, force bool) error {
	if dir == "" {
		return usageError{errors.New("--out DIR is needed")}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look into %s: %w", dir, err)
	case len(entries) > 0 && !force:
		return fmt.Errorf("folder %s is not empty; --force writes into it all the same", dir)
	}
	return nil
}

// writeFiles writes the files of a suite below dir: all of them beside their places first, so that a full disk or a
// folder that may not be written changes nothing.
func writeFiles(dir string, files []suite.File, inputs []string) (err error) {
	for _, f := range files {
		if err := notInput(filepath.Join(dir, filepath.FromSlash(f.Name)), inputs); err != nil {
			return err
		}
	}
	if _, serr := os.Stat(dir); errors.Is(serr, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				os.RemoveAll(dir) // nobody else's: it was not there
			}
		}()
	}
	var ready []*staged
	defer func() {
		for _, s := range ready {
			os.Remove(s.temp) // a no-op once it is in its place
		}
	}()
	for _, f := range files {
		s, err := stageFile(dir, f)
		if err != nil {
			return err
		}
		if s != nil {
			ready = append(ready, s)
		}
	}
	for _, s := range ready {
		if err := s.put(); err != nil {
			return err
		}
	}
	return nil
}

// stageFile stages one file of a suite, nil where it is there as it should be: times stay where nothing changed.
func stageFile(dir string, f suite.File) (*staged, error) {
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	perm := f.Perm
	if perm == 0 {
		perm = 0o644
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("write %s: a folder of that name is there", path)
	case err == nil && info.Mode().IsRegular() && info.Size() == int64(len(f.Data)):
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.Data) {
			return nil, nil
		}
	}
	return stage(path, perm, func(w io.Writer) error { _, err := w.Write(f.Data); return err })
}
