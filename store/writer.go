package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// What is handed over is to be on disk within 50 ms, however much of it there is. It waits in the queue, then for
// company, then for the disk: the first two are bounded here, and what is left is the disk's.
const (
	queueTime      = 10 * time.Millisecond // the queue takes what can be encoded in this time
	commitInterval = 15 * time.Millisecond // the longest that an encoded record waits for company
	commitBytes    = 4 << 20               // encoded, before compression

	minQueueBytes = 32 << 10 // however slow encoding seems to be
)

// item is one thing for the writer to do: at most one of exchange, observation and change is set.
type item struct {
	size        int // bytes, as the queue counts them
	exchange    *exchange.Exchange
	observation *exchange.Observation
	change      func(*bbolt.Tx) error
	done        chan<- error // is told once the item is stored, where somebody waits; room for one
}

// queue is what stands between those who record and the writer.
type queue struct {
	mu    sync.Mutex
	room  sync.Cond // told when bytes shrinks or err is set
	items []item
	bytes int   // of the items, and of those that the writer has taken but not encoded yet
	limit int   // of bytes
	most  int   // that limit may be
	err   error // what put returns from now on

	seq  uint64 // of the last exchange
	pass int    // that exchanges belong to, 0 between passes

	wake chan struct{} // told when there are items, or err is set; room for one
}

func newQueue(most int) *queue {
	q := &queue{limit: min(most, minQueueBytes), most: most, wake: make(chan struct{}, 1)}
	q.room.L = &q.mu
	return q
}

// put adds an item, once there is room. Exchanges get their position here: the order of the queue is that of the
// recording.
func (q *queue) put(it item) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && q.bytes > 0 && q.bytes+it.size > q.limit {
		q.room.Wait()
	}
	if q.err != nil {
		return q.err
	}
	if it.exchange != nil {
		if q.pass == 0 {
			return errors.New("no pass has begun")
		}
		q.seq++
		it.exchange.Seq, it.exchange.Pass = q.seq, q.pass
	}
	q.items = append(q.items, it)
	q.bytes += it.size
	q.signal()
	return nil
}

func (q *queue) setPass(n int) {
	q.mu.Lock()
	q.pass = n
	q.mu.Unlock()
}

// take returns what is queued, and whether there may be more to come. The queue goes on in spare.
func (q *queue) take(spare []item) (items []item, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items = q.items, spare
	return items, q.err == nil
}

// release makes room for as many bytes as were taken and are no longer held.
func (q *queue) release(bytes int) {
	q.mu.Lock()
	q.bytes -= bytes
	q.mu.Unlock()
	q.room.Broadcast()
}

// pace sets the limit to what is encoded in queueTime, at the speed of bytes in a time.
func (q *queue) pace(bytes int, took time.Duration) {
	q.mu.Lock()
	q.limit = min(q.most, max(minQueueBytes, int(float64(bytes)*float64(queueTime)/float64(took+1))))
	q.mu.Unlock()
	q.room.Broadcast()
}

// stop makes put return err from now on; what is queued stays.
func (q *queue) stop(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
	q.room.Broadcast()
	q.signal()
}

// fail makes put return err from now on, and returns what was queued.
func (q *queue) fail(err error) []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items, q.err = nil, err
	q.room.Broadcast()
	return items
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// writer is the one goroutine that changes the file.
type writer struct {
	store *Store
	queue *queue
	pack  *packer
	ended chan struct{} // closed when run returns
	err   error         // why run returned, if not because it was told to; read after ended

	// What the next commit holds.
	exchanges    pending
	observations map[int]*pending // by run
	changes      []func(*bbolt.Tx) error
	waiting      []chan<- error
	bytes        int       // of the records, as the queue counts them
	since        time.Time // when the first of it came; zero where there is nothing

	// The speed of encoding, over the last few commits.
	paceBytes int
	paceTime  time.Duration
}

func newWriter(s *Store, o Options) (*writer, error) {
	pack, err := newPacker()
	if err != nil {
		return nil, err
	}
	limit := o.QueueBytes
	if limit <= 0 {
		limit = defaultQueueBytes
	}
	return &writer{
		store:        s,
		queue:        newQueue(limit),
		pack:         pack,
		ended:        make(chan struct{}),
		observations: map[int]*pending{},
	}, nil
}

// close stores what is queued and waits for the goroutine.
func (w *writer) close() error {
	w.queue.stop(ErrClosed)
	<-w.ended
	return errors.Join(w.err, w.pack.enc.Close())
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
			<-w.queue.wake
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
		w.add(it)
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
func (w *writer) add(it item) {
	switch {
	case it.exchange != nil:
		p := &w.exchanges
		start := len(p.arena)
		p.arena = appendExchange(p.arena, it.exchange)
		p.refs = append(p.refs, ref{it.exchange.Seq, start, len(p.arena)})
		fingerprint := exchange.Exact(it.exchange)
		p.index = append(p.index, fingerprint[:]...)
		w.sealFull(p)
	case it.observation != nil:
		p := w.observations[it.observation.Run]
		if p == nil {
			p = &pending{}
			w.observations[it.observation.Run] = p
		}
		start := len(p.arena)
		p.arena = appendObservation(p.arena, it.observation)
		p.refs = append(p.refs, ref{it.observation.Seq, start, len(p.arena)})
		w.sealFull(p)
	case it.change != nil:
		w.changes = append(w.changes, it.change)
	}
	w.bytes += it.size
	if it.done != nil {
		w.waiting = append(w.waiting, it.done)
	}
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
	w.exchanges.blocks = nil
	clear(w.observations)
	clear(w.changes)
	w.changes, w.waiting, w.bytes, w.since = w.changes[:0], w.waiting[:0], 0, time.Time{}
	w.queue.pace(w.paceBytes, w.paceTime)
	w.paceBytes, w.paceTime = w.paceBytes/2, w.paceTime/2
	return nil
}

// write puts what there is into the file. Where it is nothing, the file has everything already.
func (w *writer) write() error {
	if w.bytes == 0 && len(w.changes) == 0 {
		return nil
	}
	w.exchanges.seal(w.pack)
	for _, p := range w.observations {
		p.seal(w.pack)
	}
	return w.store.guard(func(func()) error {
		return w.store.db.Update(func(tx *bbolt.Tx) error {
			if err := putExchanges(tx, w.exchanges.blocks); err != nil {
				return err
			}
			for _, run := range slices.Sorted(maps.Keys(w.observations)) {
				if err := putObservations(tx, run, w.observations[run].blocks); err != nil {
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
		return fmt.Errorf("run %d is not there", run)
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
