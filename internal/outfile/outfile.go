package outfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Stdout is how a user names stdout in the place of a file; no name at all means it too.
const Stdout = "-"

// Staged is an output file that is written beside its place, and put there whole by a rename: a failure leaves no half
// file, and what was there stays.
type Staged struct {
	temp, path string
}

// Stage writes a file of the given permissions beside its place. A symbolic link leads to the place. [Staged.Put] ends
// what it begins.
func Stage(path string, perm fs.FileMode, write func(io.Writer) error) (*Staged, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".flaketap-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, Cause(err))
	}
	if err := errors.Join(Buffered(f, write), f.Chmod(perm), f.Close()); err != nil {
		os.Remove(f.Name())
		if own := (*fs.PathError)(nil); errors.As(err, &own) && own.Path == f.Name() {
			err = own.Err
		}
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return &Staged{f.Name(), path}, nil
}

// JSON writes a value as flaketap writes JSON: indented, with a line end, and <, > and & as they are.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Bytes writes what is there.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Buffered has something written in large pieces.
func Buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// Put moves the file to its place.
func (s *Staged) Put() error {
	if err := os.Rename(s.temp, s.path); err != nil {
		os.Remove(s.temp)
		return fmt.Errorf("write %s: %w", s.path, Cause(err))
	}
	return nil
}

// Cause returns what went wrong with a file of a temporary name, without the name, which means nothing to whoever reads
// it. Errors that name no file stay as they are.
func Cause(err error) error {
	if one := (*fs.PathError)(nil); errors.As(err, &one) {
		return one.Err
	}
	if two := (*os.LinkError)(nil); errors.As(err, &two) {
		return two.Err
	}
	return err
}

// Write writes a file whole, or, where path is "" or [Stdout], to stdout. A device or a pipe has no place beside it,
// and nothing that could be lost: it is written to as it is. Whether the place may be written is for [Check] to say.
func Write(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "" || path == Stdout {
		return Buffered(stdout, write)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		return errors.Join(Buffered(f, write), f.Close())
	}
	s, err := Stage(path, 0o644, write)
	if err != nil {
		return err
	}
	return s.Put()
}

// Check refuses, before any work is done, a file that may not be written: a folder, one in no folder or in one that
// nothing can be written into, one of the inputs. Stdout ("" or [Stdout]) may always be.
func Check(path string, inputs []string) error {
	if path == "" || path == Stdout {
		return nil
	}
	if err := NotInput(path, inputs); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case absent(err):
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("write %s: it is a link to a missing file", path)
		}
		if err := CheckAbove(path); err != nil {
			return err
		}
	case err != nil:
		return fmt.Errorf("write: %w", err)
	case info.IsDir():
		return fmt.Errorf("write %s: it is a folder; --out must name a file", path)
	case !info.Mode().IsRegular(): // it is written to as it is
		return nil
	}
	return CheckWritable(filepath.Dir(path))
}

// CheckAbove refuses an output, a file or a folder, whose own folder is not there.
func CheckAbove(path string) error {
	above := filepath.Dir(filepath.Clean(path))
	if _, err := os.Stat(above); err != nil {
		return fmt.Errorf("write %s: folder %s does not exist; make it first", path, above)
	}
	return nil
}

// CheckNew refuses what [Check] refuses, and a file that is there already.
func CheckNew(path string, inputs []string) error {
	if err := Check(path, inputs); err != nil || path == "" || path == Stdout {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s already exists; --force overwrites it", path)
	}
	return nil
}

// NotInput refuses to write to one of the inputs, by whatever name.
func NotInput(path string, inputs []string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // what is not there is no input
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
			return fmt.Errorf("write %s: this command reads it (%s); --out must name another file", path, in)
		}
	}
	return nil
}

// CheckFolder refuses, before any work is done, an output folder that already holds something, or that [CheckWritable]
// refuses.
func CheckFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case absent(err):
	case err != nil:
		return fmt.Errorf("read folder %s: %w", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("folder %s is not empty; --force writes into it anyway", dir)
	}
	return CheckWritable(dir)
}

// absent reports whether nothing is at a path, or a file where it has a folder.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Within reports whether a path that may not be there yet is a folder, or lies in it, whatever links lead there.
func Within(path, folder string) bool {
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

// CheckWritable refuses, before any work is done, a folder that no file can be written into, or that cannot be made; ""
// is none.
func CheckWritable(dir string) error {
	if dir == "" {
		return nil
	}
	clean := filepath.Clean(dir)
	at := clean
	info, err := os.Stat(at)
	for absent(err) && filepath.Dir(at) != at {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("write into folder %s: %s is a file; name a folder", dir, at)
	case err == nil:
		err = probe(at)
	}
	switch {
	case err == nil:
		return nil
	case at != clean:
		return fmt.Errorf("make folder %s in folder %s: %w", dir, at, Cause(err))
	}
	return fmt.Errorf("write into folder %s: %w", dir, Cause(err))
}

// probe writes a file into a folder, and removes it.
func probe(dir string) error {
	f, err := os.CreateTemp(dir, ".flaketap-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// File is one file to be written below a folder.
type File struct {
	Name string // a slash-separated path within the folder
	Data []byte
	Perm fs.FileMode // 0 means 0644
}

// Named are files by their names, in order.
func Named(all map[string][]byte) []File {
	out := make([]File, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, File{Name: name, Data: all[name]})
	}
	return out
}

// WriteAll writes files below dir: all of them beside their places first, so that a full disk or a
// folder that may not be written changes nothing.
func WriteAll(dir string, files []File, inputs []string) (err error) {
	for _, f := range files {
		if err := NotInput(filepath.Join(dir, filepath.FromSlash(f.Name)), inputs); err != nil {
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
	var ready []*Staged
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
		if err := s.Put(); err != nil {
			return err
		}
	}
	return nil
}

// stageFile stages one file, nil where it is there as it should be: times stay where nothing changed.
func stageFile(dir string, f File) (*Staged, error) {
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
		return nil, fmt.Errorf("write %s: a folder of that name exists", path)
	case err == nil && info.Mode().IsRegular() && info.Size() == int64(len(f.Data)):
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.Data) {
			return nil, nil
		}
	}
	return Stage(path, perm, Bytes(f.Data))
}

// Append writes behind what a file holds, which it makes where it is not there.
func Append(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to file: %w", err)
	}
	return errors.Join(write(f), f.Close())
}
