package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// What is handed over is to be on disk within 50 ms, however much of it there is. It waits in the queue, then for
// company, then for the disk: the first two are bounded here, and what is left is the disk's.
const (
	queueTime      = 10 * time.Millisecond // the queue takes what can be encoded in this time
	commitInterval = 15 * time.Millisecond // the longest that an encoded record waits for company
	commitBytes    = 2 << 20               // encoded, before compression

	minQueueBytes = 32 << 10 // however slow encoding seems to be

	// quickRate is from which rate on, in bytes a second as the queue counts them, a writer that somebody waits behind
	// packs by S2: zstd would take 3 % of a core there, and more the faster it comes.
	quickRate = 8 << 20
)

// writer is the one goroutine that changes the file.
type writer struct {
	store *Store
	queue *queue
	pack  packers       // one
	live  bool          // somebody waits behind what is recorded
	ended chan struct{} // closed when run returns
	err   error         // why run returned, if not because it was told to; read after ended

	// What the next commit holds.
	pieces       []block
	exchanges    pending
	externals    pending
	observations map[int]*pending // by run
	changes      []func(*bbolt.Tx) error
	waiting      []chan<- error
	bytes        int       // of the records, as the queue counts them
	since        time.Time // when the first of it came; zero where there is nothing

	drops     drops     // as the file has them
	committed time.Time // when the last commit had ended

	// What was written so far, to tell how well it is packed.
	written struct{ blocks, records, quickBytes int }

	// The speed of encoding, over the last few commits.
	paceBytes int
	paceTime  time.Duration
}

func newWriter(s *Store, o Options) (*writer, error) {
	pack, err := newPackers(1, zstd.SpeedFastest)
	if err != nil {
		return nil, err
	}
	limit := o.QueueBytes
	if limit <= 0 {
		limit = defaultQueueBytes
	}
	return &writer{
		store:        s,
		queue:        newQueue(limit, o.Drop),
		pack:         pack,
		live:         o.Live,
		ended:        make(chan struct{}),
		exchanges:    pending{most: blockRecords},
		externals:    pending{most: blockRecords},
		observations: map[int]*pending{},
		committed:    time.Now(),
	}, nil
}

// close stores what is queued and waits for the goroutine.
func (w *writer) close() error {
	w.queue.stop(ErrClosed)
	<-w.ended
	return errors.Join(w.err, w.pack.close())
}

// run encodes what comes as it comes, and commits when somebody waits for it, when there is enough of it, and when the
// first of it has waited long enough.
func (w *writer) run() {
	defer close(w.ended)
	timer := time.NewTimer(commitInterval)
	defer timer.Stop()
	var items []item
	for open := true; open; {
		items, open = w.queue.take(items[:0])
		if w.err = w.storeAll(items, !open); w.err != nil {
			return
		}
		clear(items) // lets go of what is encoded
		if !open || len(items) > 0 {
			continue
		}
		if w.since.IsZero() {
			if w.queue.rest() {
				<-w.queue.wake
			}
			continue
		}
		timer.Reset(commitInterval - time.Since(w.since))
		select {
		case <-w.queue.wake:
		case <-timer.C:
		}
	}
}

// storeAll encodes items and commits when it is time to; last says that nothing will follow.
func (w *writer) storeAll(items []item, last bool) error {
	now := time.Now()
	for i, it := range items {
		if w.since.IsZero() {
			w.since = now
		}
		if err := w.add(it); err != nil {
			w.abandon(err, items[i+1:])
			return err
		}
		w.queue.release(it.size)
		before := now
		now = time.Now()
		w.paceBytes, w.paceTime = w.paceBytes+it.size, w.paceTime+now.Sub(before)
		if w.due(now) {
			if err := w.commit(); err != nil {
				w.abandon(err, items[i+1:])
				return err
			}
			now = time.Now()
		}
	}
	if last || len(w.waiting) > 0 || w.due(now) {
		if err := w.commit(); err != nil {
			w.abandon(err, nil)
			return err
		}
	}
	return nil
}

// due reports whether what there is should not wait for more.
func (w *writer) due(now time.Time) bool {
	return w.bytes >= commitBytes || !w.since.IsZero() && now.Sub(w.since) >= commitInterval
}

// add encodes one item into what the next commit holds.
func (w *writer) add(it item) error {
	if it.done != nil {
		w.waiting = append(w.waiting, it.done)
	}
	switch {
	case it.piece != nil:
		value := w.pack[0].packPiece(it.piece.number, it.piece.data)
		w.pieces = append(w.pieces, block{first: it.piece.number, value: value, index: it.piece.sum[:]})
	case it.exchange != nil:
		fingerprint, err := w.fingerprint(it.exchange)
		if err != nil {
			return fmt.Errorf("store recording %s: %w", w.store.path, err)
		}
		p := &w.exchanges
		p.add(it.exchange.Seq, func(b []byte) []byte { return AppendExchange(b, it.exchange) })
		p.index = append(p.index, fingerprint[:]...)
		w.sealFull(p)
	case it.external != nil:
		w.externals.add(it.external.Seq, func(b []byte) []byte { return appendExternal(b, it.external) })
		w.sealFull(&w.externals)
	case it.observation != nil:
		p := w.observations[it.observation.Run]
		if p == nil {
			p = &pending{most: blockRecords}
			w.observations[it.observation.Run] = p
		}
		p.add(it.observation.Seq, func(b []byte) []byte { return AppendObservation(b, it.observation) })
		w.sealFull(p)
	case it.change != nil:
		w.changes = append(w.changes, it.change)
	}
	w.bytes += it.size
	return nil
}

// fingerprint returns the fingerprint of an exchange whose body may be stored in pieces already: it reads back what
// counts of them.
func (w *writer) fingerprint(e *exchange.Exchange) (exchange.Fingerprint, error) {
	if len(e.Request.Parts) == 0 {
		return exchange.Exact(e), nil
	}
	whole := *e
	m := &whole.Request.Message
	body, err := joined(m, exchange.IdentityBytes, w.piece)
	if err != nil {
		return exchange.Fingerprint{}, err
	}
	m.Cut += int64(bodySize(m) - len(body))
	m.Body, m.Parts = body, nil
	return exchange.Exact(&whole), nil
}

// piece returns the content of a piece that is stored, or will be with the next commit.
func (w *writer) piece(number uint64) ([]byte, error) {
	for _, b := range w.pieces {
		if b.first == number {
			return content(w.store.decoder, b.first, b.value)
		}
	}
	return w.store.piece(number)
}

// sealFull compresses while records come in, so that a commit has little left to do.
func (w *writer) sealFull(p *pending) {
	if p.full() {
		p.seal(w.pack)
	}
}

// commit stores what there is in one transaction and tells those who wait. Changes come after the records: a pass or a
// run ends after what belongs to it.
func (w *writer) commit() error {
	if err := w.write(); err != nil {
		return fmt.Errorf("store recording %s: %w", w.store.path, err)
	}
	for _, done := range w.waiting {
		done <- nil
	}
	w.count(w.exchanges.blocks)
	for _, p := range w.observations {
		w.count(p.blocks)
	}
	w.countQuick(w.pieces)
	w.choosePacking(time.Now())
	w.exchanges.blocks, w.externals.blocks, w.pieces = nil, nil, nil
	clear(w.observations)
	clear(w.changes)
	w.changes, w.waiting, w.bytes, w.since = w.changes[:0], w.waiting[:0], 0, time.Time{}
	w.queue.pace(w.paceBytes, w.paceTime)
	w.paceBytes, w.paceTime = w.paceBytes/2, w.paceTime/2
	return nil
}

func (w *writer) count(blocks []block) {
	w.written.blocks += len(blocks)
	for _, b := range blocks {
		w.written.records += b.count
	}
	w.countQuick(blocks)
}

func (w *writer) countQuick(blocks []block) {
	for _, b := range blocks {
		if b.value[0] == formS2 {
			w.written.quickBytes += len(b.value)
		}
	}
}

// choosePacking decides at the end of a commit how what comes next is packed, by what came since the one before.
func (w *writer) choosePacking(now time.Time) {
	w.pack[0].quick = w.live && float64(w.bytes) > quickRate*now.Sub(w.committed).Seconds()
	w.committed = now
}

// hurried reports whether a file of that size would be much smaller if all of it were packed by zstd.
func (w *writer) hurried(size int64) bool { return int64(w.written.quickBytes)*8 > size }

// loose reports whether what was written would take much less room in full blocks: records came slowly, and each commit
// made a small block of those few that there were.
func (w *writer) loose() bool {
	return w.written.blocks >= 8 && w.written.records < w.written.blocks*blockRecords/2
}

// write puts what there is into the file. Where it is nothing, the file has everything already.
func (w *writer) write() error {
	if w.bytes == 0 && len(w.changes) == 0 {
		return nil
	}
	w.exchanges.seal(w.pack)
	w.externals.seal(w.pack)
	for _, p := range w.observations {
		p.seal(w.pack)
	}
	drops := w.queue.drops()
	err := w.store.guard(func(func()) error {
		return w.store.db.Update(func(tx *bbolt.Tx) error {
			if err := putPieces(tx, w.pieces); err != nil {
				return err
			}
			if err := putExchanges(tx, w.exchanges.blocks); err != nil {
				return err
			}
			if err := putExternals(tx, w.externals.blocks); err != nil {
				return err
			}
			for _, run := range slices.Sorted(maps.Keys(w.observations)) {
				if err := putObservations(tx, run, w.observations[run].blocks); err != nil {
					return err
				}
			}
			if drops != w.drops {
				if err := putDrops(tx, drops); err != nil {
					return err
				}
			}
			for _, change := range w.changes {
				if err := change(tx); err != nil {
					return err
				}
			}
			return nil
		})
	})
	w.drops = drops
	return err
}

// abandon tells everybody that storing has failed: those who wait for the commit, those behind it, and from now on
// whoever comes.
func (w *writer) abandon(err error, behind []item) {
	for _, it := range append(behind, w.queue.fail(err)...) {
		if it.done != nil {
			it.done <- err
		}
	}
	for _, done := range w.waiting {
		done <- err
	}
}

// putPieces appends pieces of bodies, and what tells them apart beside them.
func putPieces(tx *bbolt.Tx, pieces []block) error {
	bodies, sums := tx.Bucket(bucketBodies), tx.Bucket(bucketSums)
	bodies.FillPercent, sums.FillPercent = 1, 1
	for _, b := range pieces {
		if err := errors.Join(bodies.Put(seqKey(b.first), b.value), sums.Put(seqKey(b.first), b.index)); err != nil {
			return err
		}
	}
	return nil
}

// putDrops stores how many exchanges a pass has lost so far, so that a kill does not hide it.
func putDrops(tx *bbolt.Tx, d drops) error {
	if d.pass == 0 {
		return nil // the pass has ended, and has its count with that
	}
	var p exchange.Pass
	passes, key := tx.Bucket(bucketPasses), numberKey(d.pass)
	if err := getJSON(key, passes.Get(key), &p); err != nil {
		return err
	}
	p.Dropped = d.count
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return passes.Put(key, appendSum(key, data))
}

// putExchanges appends blocks of exchanges, and their fingerprints beside them.
func putExchanges(tx *bbolt.Tx, blocks []block) error {
	exchanges, index := tx.Bucket(bucketExchanges), tx.Bucket(bucketFingerprints)
	exchanges.FillPercent, index.FillPercent = 1, 1 // keys only ever grow
	for _, b := range blocks {
		if err := exchanges.Put(seqKey(b.first), b.value); err != nil {
			return err
		}
		if err := index.Put(seqKey(b.first), b.index); err != nil {
			return err
		}
	}
	return nil
}

// putObservations adds blocks of observations of a run. The sequence of the run's bucket counts its observations; the
// count before a block makes the block's key unique.
func putObservations(tx *bbolt.Tx, run int, blocks []block) error {
	b := tx.Bucket(bucketObservations).Bucket(numberKey(run))
	if b == nil {
		return fmt.Errorf("run %d does not exist", run)
	}
	b.FillPercent = 0.9
	for _, block := range blocks {
		before := b.Sequence()
		key := binary.BigEndian.AppendUint64(seqKey(block.first), before)
		if err := b.Put(key, block.value); err != nil {
			return err
		}
		if err := b.SetSequence(before + uint64(block.count)); err != nil {
			return err
		}
	}
	return nil
}
