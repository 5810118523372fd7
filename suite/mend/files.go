package mend

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/suite"
)

// maxFile bounds one file of a suite, in bytes.
const maxFile = 256 << 20

// File is one file of the suite that is patched.
type File struct {
	Path string // as found
	Name string // relative to the folder that was given
	Data []byte
	Perm fs.FileMode
}

// isTest reports whether the file may hold tests.
func (f *File) isTest() bool { return suite.Readable(f.Name) }

// isStored reports whether the file holds what tests compare with, which changes with them.
func (f *File) isStored() bool {
	return slices.Contains([]string{".snap", ".ambr"}, filepath.Ext(f.Name))
}

// FileOptions say which files are read. The zero value takes all files that may hold tests.
type FileOptions struct {
	Exclude []string // files that are no part of a suite, though they may lie in its folder
	Beside  bool     // read the files beside tests too, to be written beside the patched ones
	Linked  bool     // read what links lead to, where that is a file that may hold tests
	Any     bool     // files of which none has a name that is read are enough
}

// Files are the files of a suite.
type Files struct {
	All   []File
	Links []Link // symbolic links; those to folders are not followed, those to files where that is asked for
}

// ReadFiles reads the regular files of the given files and folders. A single folder's files are named relative to it;
// so are those of several, which then must not meet.
func ReadFiles(paths []string, o FileOptions) (Files, error) {
	r := reading{FileOptions: o, seen: map[string]string{}}
	for _, path := range paths {
		root, err := filepath.EvalSymlinks(path)
		if err == nil {
			err = r.walk(root)
		}
		if err == nil {
			err = r.stored(root)
		}
		if err != nil {
			return Files{}, fmt.Errorf("read suite: %w", err)
		}
	}
	if !r.tests && !o.Any {
		return Files{}, fmt.Errorf("read suite: no file in %s has a name that patch reads (links are not followed): %s", strings.Join(paths, ", "), suite.Forms())
	}
	return r.files, nil
}

// reading is the files that have been read so far.
type reading struct {
	FileOptions
	files Files
	seen  map[string]string // paths by name
	tests bool              // one of them may hold tests
}

// stored reads the snapshots of a file that was given by itself, from where runners keep them.
func (r *reading) stored(root string) error {
	base := filepath.Base(root)
	if info, err := os.Stat(root); err != nil || info.IsDir() {
		return err
	}
	for _, name := range []string{base + ".snap", strings.TrimSuffix(base, filepath.Ext(base)) + ".ambr"} {
		f := File{Name: filepath.Join("__snapshots__", name)}
		f.Path = filepath.Join(filepath.Dir(root), f.Name)
		if info, err := os.Lstat(f.Path); err == nil && info.Mode().IsRegular() {
			if err := r.add(f, fs.FileInfoToDirEntry(info)); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk reads the files below a folder, or one file.
func (r *reading) walk(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && leftOut(d.Name()) && path != root:
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			return r.link(root, path)
		case !d.Type().IsRegular() || outfile.NotInput(path, r.Exclude) != nil:
			return nil
		}
		f := File{Path: path}
		if f.Name, err = filepath.Rel(root, path); err != nil || f.Name == "." {
			f.Name = filepath.Base(path)
		}
		return r.add(f, d)
	})
}

// link takes in a symbolic link.
func (r *reading) link(root, path string) error {
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	l, err := linkAt(path, name)
	if err != nil {
		return err
	}
	r.files.Links = append(r.files.Links, l)
	info, err := os.Stat(path) // which ends where links lead in a circle
	f := File{Path: path, Name: name}
	if !r.Linked || err != nil || !info.Mode().IsRegular() || !f.isTest() && !f.isStored() {
		return nil
	}
	return r.add(f, fs.FileInfoToDirEntry(info))
}

// add takes in a file.
func (r *reading) add(f File, d fs.DirEntry) error {
	if other, ok := r.seen[f.Name]; ok {
		return fmt.Errorf("%s and %s would be written to the same file", other, f.Path)
	}
	r.seen[f.Name] = f.Path
	r.tests = r.tests || f.isTest()
	if !f.isTest() && !f.isStored() && !r.Beside {
		return nil // what is not changed need not be read
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	if info.Size() > maxFile {
		return fmt.Errorf("%s is larger than %d bytes", f.Path, maxFile)
	}
	f.Perm = info.Mode().Perm()
	if f.Data, err = os.ReadFile(f.Path); err != nil {
		return err
	}
	r.files.All = append(r.files.All, f)
	return nil
}

// maxNames bounds how many files of a folder are named.
const maxNames = 10_000

// namesIn are the names of the regular files of a folder, a line each.
func namesIn(dir string) (string, bool) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > maxNames {
		return "", false
	}
	var b strings.Builder
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.ContainsAny(e.Name(), "\r\n") {
			b.WriteString(e.Name() + "\n")
		}
	}
	return b.String(), true
}

// maxBeside bounds a file that is read only for the functions that it gives to another, in bytes.
const maxBeside = 1 << 20

// OnDisk reads the files beside one that was read from its path: regular ones of no more than a mebibyte, and the names
// of those of a folder.
func OnDisk(path string) (string, bool) {
	if strings.HasSuffix(path, "/") {
		return namesIn(filepath.FromSlash(path))
	}
	path = filepath.FromSlash(path)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBeside {
		return "", false
	}
	data, err := os.ReadFile(path)
	return string(data), err == nil && utf8.Valid(data)
}
