package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// With values of a few kB, as they come while a recording grows, pages of 16 KiB are nearly twice as fast as those
	// of 4 KiB, and waste half as much. In a file that is made anew blocks are larger than either, and the smaller
	// waste less.
	pageSize       = 16 << 10
	packedPageSize = 4 << 10

	fileMode    = 0o600
	lockTimeout = time.Second
)

// create makes the file of a new recording, all or nothing: it is made under another name and linked into place, which
// fails where there is a file already. So no kill can leave a file that is neither a recording nor absent.
func create(path string, key []byte) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), tempPattern(path))
	defer func() {
		if err != nil { // of the name that the user gave, not of that one
			err = &fs.PathError{Op: "create", Path: path, Err: outfile.Cause(err)}
		}
	}()
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := tmp.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(tmp.Name(), fileMode, &bbolt.Options{PageSize: pageSize, NoStatistics: true})
	if err != nil {
		return err
	}
	if err := errors.Join(db.Update(func(tx *bbolt.Tx) error { return initialize(tx, key) }), db.Close()); err != nil {
		return err
	}
	err = os.Link(tmp.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems have no links. What is left is a rename, with a moment in which another file may come between.
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(tmp.Name(), path)
}

// access is what a recording is opened for.
type access int

const (
	toRead access = iota
	toWrite
)

// open opens a recording. Before the database may touch the file it is checked without it, and what it is is found out
// with a read-only opening: opening a foreign database for writing could change it.
func open(path string, purpose access, wait time.Duration) (*Store, error) {
	s, err := openPresent(path, toRead, wait)
	if err == nil && purpose == toWrite {
		if err = s.Close(); err == nil {
			s, err = openPresent(path, toWrite, wait)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open recording %s: %w", path, err)
	}
	return s, nil
}

// openPresent opens the database that is at the path once it is open: what was opened may be replaced before its lock
// is free.
func openPresent(path string, purpose access, wait time.Duration) (*Store, error) {
	for {
		s, err := openDatabase(path, purpose, wait)
		if !errors.Is(err, errReplaced) {
			return s, err
		}
	}
}

func openDatabase(path string, purpose access, wait time.Duration) (*Store, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, decoder: decoder}
	if err := s.guard(func(func()) error { return s.openFile(purpose, wait) }); err != nil {
		decoder.Close()
		if s.db != nil && !s.damaged.Load() {
			err = errors.Join(err, s.db.Close())
		} else if s.file != nil {
			s.file.Close() // closed already where the database got that far
		}
		return nil, err
	}
	return s, nil
}

// openFile opens and identifies the database. One that is opened to find out what it is has its pages checked before
// anything follows them.
func (s *Store) openFile(purpose access, wait time.Duration) error {
	db, err := bbolt.Open(s.path, fileMode, &bbolt.Options{
		ReadOnly:     purpose == toRead,
		Timeout:      wait,
		FreelistType: bbolt.FreelistMapType,
		NoStatistics: true,
		OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
			var err error
			s.file, err = os.OpenFile(path, flag&^os.O_CREATE, mode)
			return s.file, err
		},
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		who := "another flaketap process is using it"
		if h := readHolder(s.path); h != nil && h.alive() {
			who = h.String()
		}
		return fmt.Errorf("%w: %s; wait until it ends, or stop it, and try again", ErrLocked, who)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum),
		errors.Is(err, bolterrors.ErrVersionMismatch):
		return fmt.Errorf("%w: %w", ErrNotRecording, err)
	case err != nil:
		return err
	}
	s.db = db
	if now, err := os.Stat(s.path); err != nil {
		return err
	} else if mine, err := s.file.Stat(); err != nil || !os.SameFile(now, mine) {
		return errors.Join(err, errReplaced)
	}
	return db.View(func(tx *bbolt.Tx) error {
		if purpose == toRead { // to write it is opened a moment after that
			if err := checkPages(tx, s.file); err != nil {
				return err
			}
		}
		return identify(tx)
	})
}

// errReplaced says that another process has put another file into the place of the one that was opened, before it let
// go of the lock on that.
var errReplaced = errors.New("the file was replaced in the meantime")

// identify says whether an open database is a recording that this package can read.
func identify(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	if meta == nil || string(meta.Get(keyMagic)) != magic {
		return fmt.Errorf("%w: a database of another program", ErrNotRecording)
	}
	v := meta.Get(keyVersion)
	if len(v) != 4 {
		return fmt.Errorf("%w: its version cannot be read", ErrNotRecording)
	}
	version := binary.BigEndian.Uint32(v)
	if version > Version {
		return fmt.Errorf("%w: its format is version %d; this flaketap reads versions up to %d", ErrNewerVersion, version, Version)
	} else if version == 0 {
		return fmt.Errorf("%w: its format is version 0", ErrNotRecording)
	}
	buckets := [][]byte{bucketPasses, bucketExchanges, bucketFingerprints, bucketRuns, bucketObservations}
	if version > 1 {
		buckets = append(buckets, bucketBodies, bucketSums)
	}
	if version > 4 {
		buckets = append(buckets, bucketExternals)
	}
	for _, name := range buckets {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: it has no %s", ErrNotRecording, name)
		}
	}
	return nil
}

// migrate brings a file of an older version to the present one, in one transaction: what a kill leaves is one of the
// two. Blocks stay as they are, since readers know all their forms.
func (s *Store) migrate() error {
	var version uint32
	if err := s.view(func(tx *bbolt.Tx) error {
		version = binary.BigEndian.Uint32(tx.Bucket(bucketMeta).Get(keyVersion))
		return nil
	}); err != nil || version == Version {
		return err
	}
	return s.guard(func(func()) error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{bucketBodies, bucketSums, bucketExternals} { // of versions 2 and 5
				if _, err := tx.CreateBucketIfNotExists(name); err != nil {
					return err
				}
			}
			return tx.Bucket(bucketMeta).Put(keyVersion, binary.BigEndian.AppendUint32(nil, Version))
		})
	})
}

// guard turns a panic in f into an error. The database maps the file into memory and trusts what it finds there: a
// damaged file makes it panic, one that was cut short meanwhile makes it fault on a page that is not there.
//
// Such a panic may leave locks of the database held; f is told to call safe once it is where that cannot happen.
func (s *Store) guard(f func(safe func()) error) (err error) {
	old := debug.SetPanicOnFault(true)
	unsafe := true
	defer func() {
		debug.SetPanicOnFault(old)
		if cause := recover(); cause != nil {
			if unsafe {
				s.damaged.Store(true)
			}
			if _, astray := cause.(runtime.Error); astray {
				cause = "its pages lead out of it"
			}
			err = fmt.Errorf("%w: %v", ErrDamaged, cause)
		}
	}()
	return f(func() { unsafe = false })
}

// boltMeta is one of the two meta pages of a bbolt file.
type boltMeta struct {
	pageSize, pages, txid uint64
}

// checkFile checks the file as far as the database will trust it blindly: that it has a valid meta page, and all the
// pages that this one speaks of.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait for who writes to it
		return fmt.Errorf("%w: not a regular file", ErrNotRecording)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() == 0 {
		return fmt.Errorf("%w: the file is empty", ErrNotRecording)
	}
	var newest boltMeta
	for _, offset := range []int64{0, packedPageSize, pageSize} {
		if m, ok := readMeta(f, offset); ok && m.txid >= newest.txid {
			newest = m
		}
	}
	if newest.pageSize == 0 {
		return ErrNotRecording
	}
	// The file may have grown since the meta page was read; it never shrinks.
	if info, err = f.Stat(); err != nil {
		return err
	}
	if want := newest.pages * newest.pageSize; newest.pages > 1<<40 || uint64(info.Size()) < want {
		return fmt.Errorf("%w: %w: %d bytes of %d", ErrNotRecording, ErrCutShort, info.Size(), want)
	}
	return nil
}

// readMeta reads the meta page at an offset: a page header of 16 bytes, then magic, version, page size and flags in 4
// bytes each, root page and its sequence, freelist page, page count, transaction and checksum in 8 bytes each, all in
// the byte order of the machine.
func readMeta(f *os.File, offset int64) (m boltMeta, ok bool) {
	var page [16 + 64]byte
	if _, err := f.ReadAt(page[:], offset); err != nil {
		return m, false
	}
	b := page[16:]
	sum := fnv.New64a()
	sum.Write(b[:56])
	if order.Uint32(b) != 0xED0CDAED || order.Uint64(b[56:]) != sum.Sum64() {
		return m, false
	}
	m = boltMeta{pageSize: uint64(order.Uint32(b[8:])), pages: order.Uint64(b[40:]), txid: order.Uint64(b[48:])}
	return m, m.pageSize >= 1024
}
