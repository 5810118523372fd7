package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/suite"
)

// writeFile writes a whole file at once: beside its place first, then renamed, so that a failure leaves no half file.
// A file that is there already is refused unless force is set.
func writeFile(path string, data []byte, perm fs.FileMode, force bool) error {
	if !force {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("write %s: the file is there already; --force overwrites it", path)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // a no-op once it is renamed
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// emit writes data to the file at path, or to stdout where path is empty.
func (t *tool) emit(path string, data []byte, force bool) error {
	if path == "" {
		_, err := t.out.Write(data)
		return err
	}
	return writeFile(path, data, 0o644, force)
}

// checkOut refuses, before any work is done, an output file that may not be written.
func checkOut(path string, force bool) error {
	if path == "" || force {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already; --force overwrites it", path)
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

// writeFiles writes the files of a suite below dir.
func writeFiles(dir string, files []suite.File, force bool) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		perm := f.Perm
		if perm == 0 {
			perm = 0o644
		}
		if force {
			if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.Data) {
				continue // times stay as they are where nothing changed
			}
		}
		if err := writeFile(path, f.Data, perm, force); err != nil {
			return err
		}
	}
	return nil
}
