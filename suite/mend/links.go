package mend

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Link is a symbolic link within a suite.
type Link struct {
	Path string // as found
	Name string // relative to the folder that was given
	// To is what a copy of the suite has it lead to: what is written, where that is relative and within the suite; else
	// the absolute path.
	To string
}

// linkAt reads a link of a suite. Its target need not be there.
func linkAt(path, name string) (Link, error) {
	to, err := os.Readlink(path)
	if err != nil {
		return Link{}, err
	}
	l := Link{Path: path, Name: name, To: to}
	if !filepath.IsAbs(to) && copied(filepath.Join(filepath.Dir(name), to)) {
		return l, nil
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	l.To, err = filepath.Abs(to)
	return l, err
}

// copied reports whether a path, from the folder of the suite, is one of what a copy of the suite has.
func copied(path string) bool {
	if !filepath.IsLocal(path) {
		return false
	}
	for _, step := range strings.Split(filepath.ToSlash(path), "/") {
		if leftOut(step) {
			return false
		}
	}
	return true
}

// leftOut reports whether a folder is none of a suite's.
func leftOut(name string) bool { return name == "node_modules" || name == ".git" }

// PutLinks puts the links of a suite into a folder with the files of its copy. Where a file is there that is another
// than the link leads to, since it was patched, it stays.
func PutLinks(dir string, links []Link) error {
	for _, l := range links {
		at := filepath.Join(dir, l.Name)
		now, err := os.ReadFile(at)
		if err == nil {
			was, err := os.ReadFile(l.Path)
			if err != nil || !bytes.Equal(was, now) {
				continue
			}
		}
		err = os.Remove(at)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(filepath.Dir(at), 0o755)
		}
		if err == nil {
			err = os.Symlink(l.To, at)
		}
		if err != nil {
			return fmt.Errorf("link file: %w", err)
		}
	}
	return nil
}

// RemoveLinks takes links that an earlier copy has put there out of a folder, so that nothing is written through them.
func RemoveLinks(dir string, links []Link) error {
	for _, l := range links {
		at := filepath.Join(dir, l.Name)
		info, err := os.Lstat(at)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = os.Remove(at)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove link: %w", err)
		}
	}
	return nil
}
