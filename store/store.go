package store

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// The sentinel errors of this package. They are wrapped with the path and with what was found there.
var (
	ErrNotRecording = errors.New("not a recording")
	ErrNewerVersion = errors.New("written by a newer flaketap")
	ErrLocked       = errors.New("in use by another process")
	ErrClosed       = errors.New("recording is closed")
	ErrReadOnly     = errors.New("recording is open for reading only")
)

// Options says how a recording is written. The zero value is ready to use.
type Options struct {
	// Sync makes Record and Observe return only once their record is on disk.
	Sync bool
	// QueueBytes bounds what is queued for the writer, in bytes; 0 means 32 MiB. Record waits while it is exceeded, and
	// earlier where so much could not be stored in time. A single record may be larger: it is taken once the queue is
	// empty.
	QueueBytes int
}

const defaultQueueBytes = 32 << 20

// Store is one open recording. Its methods may be called from several goroutines.
type Store struct {
	path    string
	db      *bbolt.DB
	file    *os.File    // the file that db has open
	damaged atomic.Bool // a panic may have left locks of db held
	decoder *zstd.Decoder

	sync   bool
	queue  *queue  // nil where the store is read-only
	writer *writer // nil where the store is read-only

	mu     sync.Mutex // guards what follows, and keeps passes from beginning side by side
	pass   int        // the pass that is recorded, 0 between passes
	closed bool
}

// Create makes a new recording, readable by its owner only, and opens it for writing. Where there is a file already
// the error satisfies errors.Is(err, fs.ErrExist), and the file is left as it is.
func Create(path string, o Options) (*Store, error) {
	if err := create(path); err != nil {
		return nil, fmt.Errorf("create recording: %w", err)
	}
	return Open(path, o)
}

// Open opens a recording for writing: to add a pass, or runs. No other process can have it open meanwhile.
//
// The errors are [ErrNotRecording], [ErrNewerVersion], [ErrLocked] (after one second), or those of the file system.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, false)
	if err != nil {
		return nil, err
	}
	last, err := s.lastSeq()
	if err == nil {
		err = s.migrate()
	}
	if err == nil {
		s.writer, err = newWriter(s, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open recording %s: %w", path, err), s.Close())
	}
	s.queue = s.writer.queue
	s.queue.seq = last
	s.sync = o.Sync
	go s.writer.run()
	return s, nil
}

// OpenReadOnly opens a recording for reading. Several processes may read it at once, but none while it is written; its
// errors are those of [Open].
func OpenReadOnly(path string) (*Store, error) { return open(path, true) }

// Close stores what is queued and closes the file. It returns the error that the writer stopped with, if it did.
// Closing again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.writer != nil {
		err = s.writer.close()
	}
	defer s.decoder.Close() // when no reader is left
	if s.damaged.Load() {
		// Locks of the database may be held, so that its own Close would wait for ever. What the file is mapped to
		// stays, and with it the lock on the file, until the process ends.
		return errors.Join(err, s.file.Close())
	}
	if cerr := s.db.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("close recording %s: %w", s.path, cerr))
	}
	return err
}

// Path returns the path that the recording was opened by.
func (s *Store) Path() string { return s.path }

// BeginPass begins a further pass of the client and returns its number. p.Number is ignored. The pass before it must
// have ended, or its process with it.
func (s *Store) BeginPass(p exchange.Pass) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pass != 0 {
		return 0, fmt.Errorf("begin pass: pass %d has not ended", s.pass)
	}
	p.Started, p.Ended = utc(p.Started), utc(p.Ended)
	var err error
	if p.Number, err = s.nextNumber(bucketPasses); err == nil {
		err = s.putJSON(bucketPasses, p.Number, p)
	}
	if err != nil {
		return 0, fmt.Errorf("begin pass: %w", err)
	}
	s.pass = p.Number
	s.queue.setPass(p.Number)
	return p.Number, nil
}

// EndPass ends the present pass. It returns once everything that was recorded in it is stored.
func (s *Store) EndPass(ended time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pass == 0 {
		return errors.New("end pass: none has begun")
	}
	var p exchange.Pass
	err := s.view(func(tx *bbolt.Tx) error {
		return getJSON(numberKey(s.pass), tx.Bucket(bucketPasses).Get(numberKey(s.pass)), &p)
	})
	s.queue.setPass(0)
	s.pass = 0
	if err == nil {
		p.Ended = utc(ended)
		err = s.putJSON(bucketPasses, p.Number, p)
	}
	if err != nil {
		return fmt.Errorf("end pass: %w", err)
	}
	return nil
}

// Record adds an exchange to the present pass and gives it its Seq and Pass. It returns as soon as the exchange is
// queued (with [Options.Sync]: once it is on disk), and waits while the queue is full. The caller must not change the
// exchange afterwards. Once storing has failed, Record returns that error for good: what was stored before is safe.
func (s *Store) Record(e *exchange.Exchange) error {
	if err := checkOutcome(e.Response, e.Fault); err != nil {
		return fmt.Errorf("record exchange: %w", err)
	}
	it := item{exchange: e, size: exchangeSize(e)}
	if err := s.put(it, s.sync); err != nil {
		return fmt.Errorf("record exchange: %w", err)
	}
	return nil
}

// Flush returns once everything that was handed over before is on disk.
func (s *Store) Flush() error {
	if err := s.put(item{}, true); err != nil {
		return fmt.Errorf("flush recording: %w", err)
	}
	return nil
}

// change has the writer make a change, after everything that is queued, and waits for it. An error of f is taken as
// one of the file: it stops the writer.
func (s *Store) change(f func(*bbolt.Tx) error) error {
	return s.put(item{change: f}, true)
}

// nextNumber returns the number of the next pass or run. The caller holds mu until it is taken.
func (s *Store) nextNumber(bucket []byte) (number int, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		if k, _ := tx.Bucket(bucket).Cursor().Last(); len(k) == 4 {
			number = int(binary.BigEndian.Uint32(k))
		}
		return nil
	})
	return number + 1, err
}

// putJSON stores what describes a pass or a run.
func (s *Store) putJSON(bucket []byte, number int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	key := numberKey(number)
	data = appendSum(key, data)
	return s.change(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put(key, data) })
}

// put queues an item and, where asked, waits until it is stored.
func (s *Store) put(it item, wait bool) error {
	if s.queue == nil {
		return ErrReadOnly
	}
	if it.size > maxRecord {
		return fmt.Errorf("%d bytes are more than a record can hold (%d)", it.size, maxRecord)
	}
	if !wait {
		return s.queue.put(it)
	}
	done := make(chan error, 1)
	it.done = done
	if err := s.queue.put(it); err != nil {
		return err
	}
	return <-done
}

// The buckets of the file; FORMAT.md describes them.
var (
	bucketMeta         = []byte("meta")
	bucketPasses       = []byte("passes")
	bucketExchanges    = []byte("exchanges")
	bucketFingerprints = []byte("fingerprints")
	bucketRuns         = []byte("runs")
	bucketObservations = []byte("observations")

	keyMagic   = []byte("magic")
	keyVersion = []byte("version")
	keySecret  = []byte("key")
	keySum     = []byte("key-sum") // the checksum of what stands under "key"
)

// Version is the version of the file format that this package writes, and the newest that it reads.
const Version = 2

const magic = "flaketap recording\n"

// keySize is the size of the key of the tokens that stand for secrets.
const keySize = 32

// initialize makes the buckets of a new recording.
func initialize(tx *bbolt.Tx) error {
	for _, name := range [][]byte{bucketPasses, bucketExchanges, bucketFingerprints, bucketRuns, bucketObservations} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	key := make([]byte, keySize)
	rand.Read(key)
	return errors.Join(
		meta.Put(keyMagic, []byte(magic)),
		meta.Put(keyVersion, binary.BigEndian.AppendUint32(nil, Version)),
		meta.Put(keySecret, key),
		meta.Put(keySum, []byte(sum(keySecret, key))),
	)
}

// numberKey is the key of a pass or a run; seqKey that of a block of exchanges.
func numberKey(n int) []byte   { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// sumMark stands before the checksum, the last member of the JSON of a pass or a run.
const sumMark = `,"sum":"`

// sum is the checksum of what stands under a key, as eight hex digits.
func sum(key, data []byte) string {
	table := crc32.MakeTable(crc32.Castagnoli)
	return fmt.Sprintf("%08x", crc32.Update(crc32.Checksum(key, table), table, data))
}

// appendSum puts the checksum into a JSON object that has members.
func appendSum(key, data []byte) []byte {
	return append(data[:len(data)-1], sumMark+sum(key, data)+`"}`...)
}

// getJSON reads what putJSON stored under a key. Files of before have no checksum.
func getJSON(key, data []byte, v any) error {
	const tail = len(sumMark) + 8 + len(`"}`)
	if at := len(data) - tail; at > 0 && string(data[at:at+len(sumMark)]) == sumMark {
		object := append(bytes.Clone(data[:at]), '}')
		if got := string(data[at+len(sumMark) : at+len(sumMark)+8]); got != sum(key, object) {
			return fmt.Errorf("%w: checksum of number %d", errDamaged, binary.BigEndian.Uint32(key))
		}
		data = object
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// utc is the form in which times are kept: the zone says nothing about an exchange, and equal times are to be equal.
func utc(t time.Time) time.Time { return t.Round(0).UTC() }
