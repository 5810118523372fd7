package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
)

// copier copies a recording into another file, while it may go on growing. Nothing in it ever changes but what
// describes passes and runs, so that a beginning of it is a whole recording: the copier decides first how far it goes,
// and then reads at leisure, in short transactions that hold the writer up no more than any reader does.
type copier struct {
	from *Store
	to   *bbolt.DB

	since  extent  // it begins behind this
	extent         // and goes to this
	pack   packers // make full blocks of small ones, with zstd; nil copies blocks as they are
	alive  func() error

	packing func(done, total int) // see Options
	packed  int                   // records: pieces of bodies, exchanges, observations
}

// extent is how far a recording goes, and so does all that is never changed in it.
type extent struct {
	Last     uint64      `json:"exchange"`
	Piece    uint64      `json:"piece"` // of a body
	External uint64      `json:"external"`
	Runs     map[int]int `json:"runs"` // the observations of each
}

// extentOf returns how far a recording goes.
func extentOf(tx *bbolt.Tx) extent {
	e := extent{External: lastExternal(tx), Runs: map[int]int{}}
	if k, v := tx.Bucket(bucketFingerprints).Cursor().Last(); k != nil {
		e.Last = binary.BigEndian.Uint64(k) + uint64(len(v)/fingerprintSize) - 1
	}
	if k, _ := tx.Bucket(bucketSums).Cursor().Last(); k != nil {
		e.Piece = binary.BigEndian.Uint64(k)
	}
	observations := tx.Bucket(bucketObservations)
	_ = observations.ForEachBucket(func(k []byte) error {
		e.Runs[int(binary.BigEndian.Uint32(k))] = int(observations.Bucket(k).Sequence())
		return nil
	})
	return e
}

// copyOptions says what copy is made.
type copyOptions struct {
	packed bool // it has full blocks, of zstd, and is on disk
	level  zstd.EncoderLevel
	alive  func() error // is called all the while; an error of it gives the copy up
	since  extent       // what the copy leaves out; of a packed one nothing
	// packing is told how far the copy is, where it is packed.
	packing func(done, total int)
}

// copyBatch is how much is copied in one transaction, in bytes.
const copyBatch = 4 << 20

// copyTo makes a copy of what is stored, in a file beside it that nobody knows yet. The caller renames or removes it.
func (s *Store) copyTo(o copyOptions) (path string, err error) {
	real, err := filepath.EvalSymlinks(s.path)
	if err == nil {
		real, err = filepath.Abs(real) // who asks for it may stand in another folder
	}
	if err != nil {
		return "", err
	}
	tmp, err := os.CreateTemp(filepath.Dir(real), tempPattern(real))
	if err != nil {
		return "", fmt.Errorf("write beside %s: %w", s.path, outfile.Cause(err))
	}
	path = tmp.Name()
	defer func() {
		if err != nil {
			os.Remove(path)
		}
	}()
	if err := tmp.Close(); err != nil {
		return "", err
	}
	size := pageSize
	if o.packed {
		size = packedPageSize
	}
	to, err := bbolt.Open(path, fileMode, &bbolt.Options{PageSize: size, NoSync: true, NoStatistics: true})
	if err != nil {
		return "", err
	}
	c := &copier{from: s, to: to, since: o.since, alive: o.alive, packing: o.packing}
	if o.packed {
		c.pack, err = newPackers(runtime.GOMAXPROCS(0), o.level)
	}
	if err == nil {
		err = s.guard(func(safe func()) error {
			safe() // a panic within a transaction ends it
			return c.copy()
		})
	}
	err = errors.Join(err, c.pack.close())
	used := usedBytes(to)
	if err = errors.Join(err, to.Close()); err == nil {
		err = finish(path, used, o)
	}
	return path, err
}

// finish cuts off what a database took in advance and, where it is to last, as one that is packed is, has it on disk.
func finish(path string, size int64, o copyOptions) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if err == nil && o.packed {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// usedBytes returns how many bytes at the front of its file hold all that a database has.
func usedBytes(db *bbolt.DB) (size int64) {
	_ = db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		return nil
	})
	return size
}

// compact makes the file anew with full blocks, in a place of its own, and puts it into the place of the old one.
// Whoever opens the old one meanwhile finds out, and opens the new one.
func (s *Store) compact(level zstd.EncoderLevel) error {
	path, err := s.copyTo(copyOptions{packed: true, level: level, packing: s.packing})
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(s.path)
	if err == nil {
		err = os.Rename(path, real)
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// trim gives back the room that the database took in advance. What is mapped behind the end is not looked at any more.
func (s *Store) trim() error {
	size := usedBytes(s.db)
	if info, err := s.file.Stat(); err != nil || info.Size() <= size || size == 0 {
		return err
	}
	return s.file.Truncate(size)
}

func (c *copier) copy() error {
	if err := c.begin(); err != nil {
		return err
	}
	part := func(bucket []byte, after, last uint64) error {
		return c.bucket([][]byte{bucket}, seqKey(after+1), func(k []byte) bool { return binary.BigEndian.Uint64(k) <= last })
	}
	if err := part(bucketSums, c.since.Piece, c.Piece); err != nil {
		return err
	}
	if c.External > 0 {
		if err := part(bucketExternals, c.since.External, c.External); err != nil {
			return err
		}
	}
	if c.pack != nil {
		return c.repack()
	}
	if err := part(bucketBodies, c.since.Piece, c.Piece); err != nil {
		return err
	}
	for _, bucket := range [][]byte{bucketExchanges, bucketFingerprints} {
		if err := part(bucket, c.since.Last, c.Last); err != nil {
			return err
		}
	}
	for run, count := range c.Runs {
		if c.since.Runs[run] == count {
			continue
		}
		err := c.bucket([][]byte{bucketObservations, numberKey(run)}, []byte{}, func(k []byte) bool {
			n := binary.BigEndian.Uint64(k[8:])
			return uint64(c.since.Runs[run]) <= n && n < uint64(count)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// begin decides how far the copy goes and copies what is small, all in one transaction.
func (c *copier) begin() error {
	return c.from.db.View(func(from *bbolt.Tx) error {
		return c.to.Update(func(to *bbolt.Tx) error {
			if err := initialize(to, nil); err != nil {
				return err
			}
			for _, bucket := range [][]byte{bucketMeta, bucketPasses, bucketRuns} {
				if err := to.DeleteBucket(bucket); err != nil {
					return err
				}
				out, err := to.CreateBucket(bucket)
				if err != nil {
					return err
				}
				if err := from.Bucket(bucket).ForEach(out.Put); err != nil {
					return err
				}
			}
			c.extent = extentOf(from)
			observations := from.Bucket(bucketObservations)
			return observations.ForEachBucket(func(k []byte) error {
				out, err := to.Bucket(bucketObservations).CreateBucket(k)
				if err != nil {
					return err
				}
				return out.SetSequence(observations.Bucket(k).Sequence())
			})
		})
	})
}

// within returns the bucket at a path.
func within(tx *bbolt.Tx, path [][]byte) *bbolt.Bucket {
	b := tx.Bucket(path[0])
	for _, name := range path[1:] {
		b = b.Bucket(name)
	}
	return b
}

// bucket copies the entries of a bucket from a key on that which accepts.
func (c *copier) bucket(path [][]byte, after []byte, which func(k []byte) bool) error {
	for after != nil {
		if c.alive != nil {
			if err := c.alive(); err != nil {
				return err
			}
		}
		err := c.from.db.View(func(from *bbolt.Tx) error {
			return c.to.Update(func(to *bbolt.Tx) error {
				out, size := within(to, path), 0
				out.FillPercent = 1
				cursor := within(from, path).Cursor()
				k, v := cursor.Seek(after)
				for ; k != nil && size < copyBatch; k, v = cursor.Next() {
					if !which(k) {
						continue
					}
					if err := out.Put(k, v); err != nil {
						return err
					}
					size += len(v)
				}
				after = bytes.Clone(k)
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
