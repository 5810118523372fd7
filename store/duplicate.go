package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
)

// OpenCopy opens a copy of a recording that is the caller's own. Unlike [OpenReadOnly] it keeps nobody from writing
// into the recording, however long it stays open: for what shows a recording while others work on it. It takes as much
// room on disk as the recording, until it is closed. The errors are those of [Open].
func OpenCopy(path string) (*Store, error) {
	sweep(path)
	if h := readHolder(path); h != nil {
		if s, err := h.openCopy(path, toWrite); err == nil {
			s.grows, s.db.NoSync = true, true
			return s, nil
		}
	}
	s, err := OpenReadOnly(path)
	if err != nil || s.holder != nil {
		return s, err
	}
	return s.duplicate()
}

// CatchUp brings a copy of [OpenCopy] up to what its holder has stored by now: it is given what the copy lacks. It
// reports false where this cannot be done, as the holder is gone or another one has come: who wants to see more then
// opens another copy. Reading may go on meanwhile; one call at a time is made.
func (s *Store) CatchUp() (bool, error) {
	if now := readHolder(s.path); !s.grows || now == nil || now.PID != s.holder.PID || now.Socket != s.holder.Socket {
		return false, nil
	}
	var has extent
	err := s.view(func(tx *bbolt.Tx) error {
		has = extentOf(tx)
		return nil
	})
	if err != nil {
		return false, err
	}
	request, err := json.Marshal(has)
	if err != nil {
		return false, err
	}
	at, err := s.holder.ask(askMore + " " + string(request))
	if err != nil {
		return false, nil // it is about to end, or older than this
	}
	more, err := openDatabase(at, toRead, lockTimeout)
	if err == nil {
		err = errors.Join(s.take(more), more.Close())
	}
	return err == nil, errors.Join(err, os.Remove(at))
}

// take adds all that another database has.
func (s *Store) take(more *Store) error {
	return s.guard(func(func()) error {
		return s.db.Update(func(to *bbolt.Tx) error {
			return more.db.View(func(from *bbolt.Tx) error {
				for _, name := range [][]byte{bucketPasses, bucketRuns, bucketSums, bucketExternals, bucketBodies,
					bucketExchanges, bucketFingerprints} {
					if err := from.Bucket(name).ForEach(to.Bucket(name).Put); err != nil {
						return err
					}
				}
				observations := from.Bucket(bucketObservations)
				return observations.ForEachBucket(func(run []byte) error {
					out, err := to.Bucket(bucketObservations).CreateBucketIfNotExists(run)
					if err != nil {
						return err
					}
					in := observations.Bucket(run)
					return errors.Join(in.ForEach(out.Put), out.SetSequence(in.Sequence()))
				})
			})
		})
	})
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
	f, err := os.CreateTemp(filepath.Dir(real), tempPattern(real))
	if err != nil {
		f, err = os.CreateTemp("", tempPattern(real))
	}
	return f, err
}

// tempPattern is what the files are called that this process makes of a recording: they tell whose they are.
func tempPattern(path string) string {
	return fmt.Sprintf(".%s.%d-*.tmp", filepath.Base(path), os.Getpid())
}

// abandoned is how long nobody has written to a copy whose process is gone before it is taken for left behind: a
// process of another container may write to the same folder, and is not seen.
const abandoned = 10 * time.Second

// sweep removes the copies of a recording that processes left behind which were killed.
func sweep(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	for _, dir := range []string{filepath.Dir(real), os.TempDir()} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			rest, ours := strings.CutPrefix(e.Name(), "."+filepath.Base(real)+".")
			number, _, named := strings.Cut(rest, "-")
			pid, err := strconv.Atoi(number)
			if !ours || !named || err != nil || !strings.HasSuffix(rest, ".tmp") || !e.Type().IsRegular() || runs(pid) {
				continue
			}
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(dir, e.Name())) // a copy that stays is in nobody's way
			}
		}
	}
}

// HolderOf returns the process that has a recording open for writing, as it says, and runs, as far as this system
// tells; nil where there is none.
func HolderOf(path string) *Holder {
	if h := readHolder(path); h != nil && runs(h.PID) {
		return h
	}
	return nil
}

// runs reports whether a process runs, as far as this system tells.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
