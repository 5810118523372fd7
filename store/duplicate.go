package store

import (
	"errors"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// OpenCopy opens a copy of a recording that is the caller's own. Unlike [OpenReadOnly] it keeps nobody from writing into
// the recording, however long it stays open: for what shows a recording while others work on it. It takes as much room
// on disk as the recording, until it is closed. The errors are those of [Open].
func OpenCopy(path string) (*Store, error) {
	s, err := OpenReadOnly(path)
	if err != nil || s.holder != nil { // the one that writes made a copy already
		return s, err
	}
	return s.duplicate()
}

// duplicate returns a copy of the store, page by page, in its place.
func (s *Store) duplicate() (_ *Store, err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	tmp, err := tempBeside(s.path)
	if err != nil {
		return nil, err
	}
	err = s.view(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(tmp)
		return err
	})
	if err = errors.Join(err, tmp.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(tmp.Name()))
	}
	copied, err := openDatabase(tmp.Name(), toRead, lockTimeout)
	if rerr := os.Remove(tmp.Name()); rerr != nil && err == nil { // some systems keep what is open
		copied.copied = tmp.Name()
	}
	if err != nil {
		return nil, err
	}
	copied.path = s.path
	return copied, nil
}

// tempBeside makes a file beside another, or where that folder cannot be written, where temporary files go.
func tempBeside(path string) (*os.File, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	pattern := "." + filepath.Base(real) + ".*.tmp"
	f, err := os.CreateTemp(filepath.Dir(real), pattern)
	if err != nil {
		f, err = os.CreateTemp("", pattern)
	}
	return f, err
}

// Held reports whether a process says that it has a recording open for writing. It may have been killed since.
func Held(path string) bool { return readHolder(path) != nil }
