package store

import (
	"errors"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// item is one thing for the writer to do: at most one of exchange, external, observation, piece and change is
// set.
type item struct {
	size        int // bytes, as the queue counts them
	piece       *newPiece
	exchange    *exchange.Exchange
	external    *exchange.External
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

	drop bool // exchanges and pieces of bodies are not waited with

	seq      uint64 // of the last exchange
	external uint64 // the position of the last external
	piece    uint64 // the number of the last piece of a body
	known    knownPieces
	lost     drops // of the pass that exchanges belong to; its pass is 0 between passes

	wake  chan struct{} // told when the writer is to look, or err is set; room for one
	alert bool          // it is to look at the next item at once, because it sleeps and nothing else wakes it
}

// drops says how many exchanges a pass has lost because there was no room for them.
type drops struct{ pass, count int }

// wakeBytes is with how much in the queue the writer is woken, though nobody waits for it and it will wake by itself.
const wakeBytes = 64 << 10

// errDropped is what put returns where it does not wait.
var errDropped = errors.New("no room")

func newQueue(most int, drop bool) *queue {
	q := &queue{limit: min(most, minQueueBytes), most: most, drop: drop, wake: make(chan struct{}, 1)}
	if drop {
		q.limit = most
	}
	q.room.L = &q.mu
	return q
}

// put adds an item, once there is room. It waits for the writer alone, and the writer for nothing but the disk: however
// many connections wait here, none of them holds what another one needs.
//
// Exchanges get their position here, and pieces of bodies their number: the order of the queue is that of the
// recording, and a piece is stored no later than the exchange that names it. A piece that is known is not stored again.
func (q *queue) put(it item) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.piece != nil {
		if n, ok := q.known.find(it.piece.sum); ok {
			it.piece.number = n
			return q.err
		}
	}
	for q.err == nil && q.bytes > 0 && q.bytes+it.size > q.limit {
		if q.drop && (it.exchange != nil || it.piece != nil) {
			return errDropped
		}
		q.signal()
		q.room.Wait()
	}
	if q.err != nil {
		return q.err
	}
	switch {
	case it.exchange != nil && q.lost.pass == 0:
		return errors.New("no pass has begun")
	case it.exchange != nil:
		q.seq++
		it.exchange.Seq, it.exchange.Pass = q.seq, q.lost.pass
	case it.external != nil:
		q.external++
		it.external.Seq, it.external.Pass = q.external, q.lost.pass
	case it.piece != nil:
		q.piece++
		it.piece.number = q.piece
		q.known.add(it.piece.sum, q.piece)
	}
	q.items = append(q.items, it)
	q.bytes += it.size
	if q.alert || it.done != nil || q.bytes >= wakeBytes {
		q.signal()
	}
	return nil
}

// setPass says which pass exchanges belong to from now on, and returns how many the one before has lost.
func (q *queue) setPass(n int) (lost int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	lost, q.lost = q.lost.count, drops{pass: n}
	return lost
}

// dropped counts an exchange that was not stored.
func (q *queue) dropped() {
	q.mu.Lock()
	q.lost.count++
	q.mu.Unlock()
}

func (q *queue) drops() drops {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lost
}

func (q *queue) backlog() Backlog {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Backlog{Bytes: q.bytes, Dropped: q.lost.count}
}

// take returns what is queued, and whether there may be more to come. The queue goes on in spare. From now on the
// writer wakes by itself, in time for the next commit, and is not woken for every item: that would cost more than
// encoding it.
func (q *queue) take(spare []item) (items []item, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items, q.alert = q.items, spare, false
	return items, q.err == nil
}

// rest says that the writer has nothing to commit and sleeps until it is woken. It reports false where it must not.
func (q *queue) rest() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.alert = true
	return len(q.items) == 0 && q.err == nil
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
	if q.drop {
		return // a burst is to find room, not to be lost for being one
	}
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
