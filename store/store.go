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
	ErrCutShort     = errors.New("the file is cut short")
	ErrNewerVersion = errors.New("written by a newer flaketap")
	ErrLocked       = errors.New("in use by another process")
	ErrClosed       = errors.New("recording is closed")
	ErrReadOnly     = errors.New("recording is open for reading only")
)

// Options says how a recording is written. The zero value is ready to use.
type Options struct {
	// Sync makes Record and Observe return only once their record is on disk.
	Sync bool
	// Drop makes Record and Keep take nothing where there is no room, instead of waiting. The exchanges that are lost
	// so are counted in their pass.
	Drop bool
	// Live says that somebody waits behind what is recorded, as the clients of a recording proxy do. What comes fast is
	// then packed less densely, for a third of the processor time, and again by Close, when nobody waits.
	Live bool
	// Packing, if not nil, is told by Close how many records of all it has packed again, where it does that: it may take
	// a while.
	Packing func(done, total int)
	// Doing is told to other processes that want to open the recording meanwhile: "recording", "replaying".
	Doing string
	// Key, where Create makes a recording, is that of its tokens, 32 bytes; nil draws one. Recordings that share one show
	// equal secrets as equal tokens.
	Key []byte
	// QueueBytes bounds what is queued for the writer, in bytes; 0 means 4 MiB. Record waits while it is exceeded, and
	// earlier where so much could not be stored in time. A single record may be larger, where heads are: it is taken
	// once the queue is empty.
	QueueBytes int
}

const defaultQueueBytes = 4 << 20

// Store is one open recording. Its methods may be called from several goroutines.
type Store struct {
	path    string
	db      *bbolt.DB
	file    *os.File    // the file that db has open
	damaged atomic.Bool // a panic may have left locks of db held
	decoder *zstd.Decoder

	holder *Holder // who writes, where this is a copy
	copied string  // the path of the copy, where it still has one
	grows  bool    // the copy can be brought up to date

	sync   bool
	queue  *queue  // nil where the store is read-only
	writer *writer // nil where the store is read-only
	server *server // nil where the store is read-only

	packing func(done, total int) // see Options

	mu     sync.Mutex // guards what follows, and keeps passes from beginning side by side
	pass   int        // the pass that is recorded, 0 between passes
	closed bool
}

// Create makes a new recording, readable by its owner only, and opens it for writing. Where there is a file already
// the error satisfies errors.Is(err, fs.ErrExist), and the file is left as it is.
func Create(path string, o Options) (*Store, error) {
	if len(o.Key) != 0 && len(o.Key) != keySize {
		return nil, fmt.Errorf("create recording: a key of %d bytes, not %d", len(o.Key), keySize)
	}
	if err := create(path, o.Key); err != nil {
		return nil, fmt.Errorf("create recording: %w", err)
	}
	return Open(path, o)
}

// Open opens a recording for writing: to add a pass, or runs. No other process can write into it meanwhile; others can
// read what there is.
//
// The errors are [ErrNotRecording], [ErrNewerVersion], [ErrLocked] (after one second), or those of the file system.
func Open(path string, o Options) (*Store, error) {
	s, err := open(path, toWrite, lockTimeout)
	if err != nil {
		return nil, err
	}
	if err = s.migrate(); err == nil {
		s.writer, err = newWriter(s, o)
	}
	if err == nil {
		err = s.resume(s.writer.queue)
	}
	if err != nil {
		s.writer = nil // it does not run
		return nil, errors.Join(fmt.Errorf("open recording %s: %w", path, err), s.Close())
	}
	s.queue = s.writer.queue
	s.sync, s.packing = o.Sync, o.Packing
	go s.writer.run()
	s.server = s.serve(o.Doing)
	return s, nil
}

// resume has the queue go on where the recording ends.
func (s *Store) resume(q *queue) error {
	last, err := s.lastSeq()
	if err != nil {
		return err
	}
	q.seq = last
	return s.view(func(tx *bbolt.Tx) error {
		q.external = lastExternal(tx)
		c := tx.Bucket(bucketSums).Cursor()
		k, v := c.Last()
		for n := 0; k != nil && n < knownMost; n++ {
			if len(k) != 8 || len(v) != len(pieceSum{}) {
				return fmt.Errorf("%w: sums of bodies", ErrDamaged)
			}
			number := binary.BigEndian.Uint64(k)
			q.piece = max(q.piece, number)
			q.known.add(pieceSum(v), number)
			k, v = c.Prev()
		}
		return nil
	})
}

// OpenReadOnly opens a recording for reading. Several processes may read it at once. Where one writes into it, that
// makes a copy, and the store is that ([Store.Holder] tells). Its errors are those of [Open].
func OpenReadOnly(path string) (*Store, error) {
	wait := lockTimeout
	if readHolder(path) != nil {
		wait = time.Millisecond // it can be asked
	}
	s, err := open(path, toRead, wait)
	if !errors.Is(err, ErrLocked) {
		return s, err
	}
	h := readHolder(path)
	if h == nil {
		return nil, err
	}
	s, cerr := h.openCopy(path, toRead)
	if cerr == nil {
		return s, nil
	}
	if s, err = open(path, toRead, lockTimeout); errors.Is(err, ErrLocked) { // it did not end just then
		err = fmt.Errorf("%w (it did not serve a copy to read from: %w)", err, cerr)
	}
	return s, err
}

// Close stores what is queued and closes the file. It returns the error that the writer stopped with, if it did.
// Closing again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.server != nil {
		s.server.stop()
	}
	var err error
	if s.writer != nil {
		err = s.writer.close()
	}
	if s.copied != "" {
		defer os.Remove(s.copied)
	}
	if s.writer != nil && err == nil && !s.damaged.Load() {
		s.shrink()
	}
	if s.server != nil {
		s.server.forget()
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

// shrink gives back room that the file needs no more. Where that fails the recording is none the worse, only larger.
func (s *Store) shrink() {
	level := zstd.SpeedDefault
	hurried := s.writer.hurried(usedBytes(s.db))
	if hurried { // there may be much of it
		level = zstd.SpeedFastest
	}
	if (hurried || s.writer.loose()) && s.compact(level) == nil {
		return
	}
	_ = s.trim()
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
	return s.FinishPass(func(p *exchange.Pass) { p.Ended = ended })
}

// FinishPass does what [Store.EndPass] does, for a pass of which more became known while it was recorded: change is
// given what is known of it, with the exchanges that were dropped here.
func (s *Store) FinishPass(change func(*exchange.Pass)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pass == 0 {
		return errors.New("end pass: none has begun")
	}
	var p exchange.Pass
	err := s.view(func(tx *bbolt.Tx) error {
		return getJSON(numberKey(s.pass), tx.Bucket(bucketPasses).Get(numberKey(s.pass)), &p)
	})
	dropped := s.queue.setPass(0)
	s.pass = 0
	if err == nil {
		p.Dropped = dropped
		change(&p)
		p.Ended = utc(p.Ended)
		err = s.putJSON(bucketPasses, p.Number, p)
	}
	if err != nil {
		return fmt.Errorf("end pass: %w", err)
	}
	return nil
}

// Record adds an exchange to the present pass and gives it its Seq and Pass. It returns as soon as the exchange is
// queued (with [Options.Sync]: once it is on disk), and waits while the queue is full; with [Options.Drop] it counts
// the exchange as lost instead, leaves its Seq 0 and returns nil. The caller must not change the exchange afterwards.
// Once storing has failed, Record returns that error for good: what was stored before is safe.
func (s *Store) Record(e *exchange.Exchange) error {
	err := checkOutcome(e.Response, e.Fault)
	if err == nil {
		err = s.record(e)
	}
	if errors.Is(err, errDropped) {
		s.queue.dropped()
		err = nil
	}
	if err != nil {
		return fmt.Errorf("record exchange: %w", err)
	}
	return nil
}

func (s *Store) record(e *exchange.Exchange) error {
	kept := e
	if large(&e.Request.Message, e.Response, e.Fault) {
		copied := *e
		kept = &copied
		if err := s.divideAll(&kept.Request.Message, &kept.Response, &kept.Fault); err != nil {
			return err
		}
	}
	err := s.putRecord(item{exchange: kept, size: exchangeSize(kept)})
	if kept != e { // else the queue has set them, and the writer reads them by now
		e.Seq, e.Pass = kept.Seq, kept.Pass
	}
	return err
}

// Flush returns once everything that was handed over before is on disk.
func (s *Store) Flush() error {
	if err := s.putAndWait(item{}); err != nil {
		return fmt.Errorf("flush recording: %w", err)
	}
	return nil
}

// change has the writer make a change, after everything that is queued, and waits for it. An error of f is taken as
// one of the file: it stops the writer.
func (s *Store) change(f func(*bbolt.Tx) error) error {
	return s.putAndWait(item{change: f})
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

// Backlog is what a store has before it, and what it had no room for.
type Backlog struct {
	Bytes   int // that wait to be written, as the queue counts them
	Dropped int // exchanges of the present pass that [Options.Drop] did not store
}

// Backlog returns the present one; it is zero in a store that is open for reading only.
func (s *Store) Backlog() Backlog {
	if s.queue == nil {
		return Backlog{}
	}
	return s.queue.backlog()
}

// putRecord queues a record, and where the store is asked to ([Options.Sync]), waits until it is stored.
func (s *Store) putRecord(it item) error {
	if s.sync {
		return s.putAndWait(it)
	}
	return s.put(it)
}

// put queues an item.
func (s *Store) put(it item) error {
	if s.queue == nil {
		return ErrReadOnly
	}
	if it.size > maxRecord {
		return fmt.Errorf("%d bytes are more than a record can hold (%d)", it.size, maxRecord)
	}
	return s.queue.put(it)
}

// putAndWait queues an item, and waits until it is stored.
func (s *Store) putAndWait(it item) error {
	done := make(chan error, 1)
	it.done = done
	if err := s.put(it); err != nil {
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
	bucketBodies       = []byte("bodies")    // from version 2
	bucketSums         = []byte("sums")      // from version 2
	bucketExternals    = []byte("externals") // from version 5

	keyMagic   = []byte("magic")
	keyVersion = []byte("version")
	keySecret  = []byte("key")
	keySum     = []byte("key-sum") // the checksum of what stands under "key"
)

// Version is the version of the file format that this package writes, and the newest that it reads.
const Version = 7

const magic = "flaketap recording\n"

// keySize is the size of the key of the tokens that stand for secrets.
const keySize = 32

// initialize makes the buckets of a new recording, with a key of its own where it is given none.
func initialize(tx *bbolt.Tx, key []byte) error {
	for _, name := range [][]byte{bucketPasses, bucketExchanges, bucketFingerprints, bucketRuns, bucketObservations,
		bucketBodies, bucketSums, bucketExternals} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucket(bucketMeta)
	if err != nil {
		return err
	}
	if len(key) == 0 {
		key = make([]byte, keySize)
		rand.Read(key)
	}
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
	return fmt.Sprintf("%08x", crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, data))
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
			return fmt.Errorf("%w: checksum of number %d", ErrDamaged, binary.BigEndian.Uint32(key))
		}
		data = object
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// utc is the form in which times are kept: the zone says nothing about an exchange, and equal times are to be equal.
func utc(t time.Time) time.Time { return t.Round(0).UTC() }
