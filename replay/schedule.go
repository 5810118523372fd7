package replay

import (
	"context"
	"fmt"
	"sync"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds on what is read ahead of the workers: exchanges for each of them, and bytes of messages in all.
const (
	aheadEach  = 64
	aheadBytes = 64 << 20
)

// atOnce plays every exchange with several workers: in each sequence in order, and none before the responses that it
// carries values of.
func (r *run) atOnce(ctx context.Context, source Source, sink Sink) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSchedule(r.carrier.Needs, r.player.Workers*aheadEach)
	defer context.AfterFunc(ctx, func() { s.end(ctx.Err()) })()
	var workers sync.WaitGroup
	for range r.player.Workers {
		workers.Go(func() {
			for q, e := s.next(nil); q != nil; q, e = s.next(q) {
				if err := r.one(ctx, e, sink); err != nil {
					s.end(err)
					cancel()
					return
				}
			}
		})
	}
	pass := 0
	for e, err := range source.Exchanges() {
		if err != nil {
			s.end(fmt.Errorf("replay: %w", err))
			break
		}
		if e.Pass != pass && !s.drain() {
			break
		}
		if err := r.enter(ctx, e, &pass); err != nil {
			s.end(err)
			cancel()
			break
		}
		if !s.add(e, r.sequence(e)) {
			break
		}
	}
	s.finish()
	workers.Wait()
	return s.err
}

// schedule hands the exchanges of a run to its workers. An exchange is handed out once the one before it in its
// sequence is done, those of earlier passes are, and those that it carries values of. As exchanges are added in the
// recorded order, and lean on earlier ones only, the earliest that is not done can always go.
type schedule struct {
	needs func(seq uint64) []uint64 // the exchanges whose responses one carries values of
	ahead int                       // how many exchanges may be held

	mu      sync.Mutex
	room    sync.Cond           // there may be room for another exchange
	work    sync.Cond           // there may be another exchange to play
	queues  map[queueKey]*queue // of the sequences that have exchanges here
	ready   []*queue            // whose first exchange can go
	waiting map[uint64][]*queue // whose first exchange waits for this one
	held    map[uint64]struct{} // the exchanges that are not done
	bytes   int                 // of their messages
	pass    int                 // that is being played
	whole   bool                // nothing more is added
	ended   bool                // early
	err     error               // why
}

// queueKey tells sequences apart; those of different passes are never one.
type queueKey struct{ pass, sequence int }

// queue is what is held of one sequence, in order.
type queue struct {
	key  queueKey
	list []*exchange.Exchange
}

func newSchedule(needs func(uint64) []uint64, ahead int) *schedule {
	s := &schedule{needs: needs, ahead: ahead, queues: map[queueKey]*queue{}, waiting: map[uint64][]*queue{},
		held: map[uint64]struct{}{}}
	s.room.L, s.work.L = &s.mu, &s.mu
	return s
}

// add takes the next exchange of the recording, once there is room for it. It reports false where the run has ended.
func (s *schedule) add(e *exchange.Exchange, sequence int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended && len(s.held) > 0 && (len(s.held) >= s.ahead || s.bytes >= aheadBytes || e.Pass != s.pass) {
		s.room.Wait()
	}
	if s.ended {
		return false
	}
	s.pass = e.Pass
	s.held[e.Seq] = struct{}{}
	s.bytes += e.Size()
	key := queueKey{e.Pass, sequence}
	q := s.queues[key]
	if q == nil {
		q = &queue{key: key}
		s.queues[key] = q
	}
	if q.list = append(q.list, e); len(q.list) == 1 && s.free(q) {
		s.enqueue(q)
	}
	return true
}

// drain waits until all that was added has been played. It reports false where the run has ended.
func (s *schedule) drain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended && len(s.held) > 0 {
		s.room.Wait()
	}
	return !s.ended
}

// free reports whether the first exchange of a sequence can go. If not, the sequence is with those that wait.
func (s *schedule) free(q *queue) bool {
	for _, needed := range s.needs(q.list[0].Seq) {
		if _, open := s.held[needed]; open && needed < q.list[0].Seq {
			s.waiting[needed] = append(s.waiting[needed], q)
			return false
		}
	}
	return true
}

// enqueue adds a sequence to those that can go on.
func (s *schedule) enqueue(q *queue) {
	s.ready = append(s.ready, q)
	s.work.Signal()
}

// next takes note that the first exchange of a sequence has been played (nil: there was none), and returns a sequence,
// the same one where it can go on, and its first exchange, which is to be played. It waits until there is one; at the
// end it returns nil.
func (s *schedule) next(played *queue) (*queue, *exchange.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if played != nil && s.done(played) && !s.ended {
		return played, played.list[0]
	}
	for !s.ended && len(s.ready) == 0 && !s.over() {
		s.work.Wait()
	}
	if s.ended || len(s.ready) == 0 {
		return nil, nil
	}
	q := s.ready[0]
	s.ready = s.ready[1:]
	return q, q.list[0]
}

// over reports whether everything has been played.
func (s *schedule) over() bool { return s.whole && len(s.held) == 0 }

// done takes the first exchange off a sequence, and reports whether the sequence can go on.
func (s *schedule) done(q *queue) bool {
	e := q.list[0]
	q.list = q.list[1:]
	delete(s.held, e.Seq)
	s.bytes -= e.Size()
	for _, woken := range s.waiting[e.Seq] {
		if s.free(woken) {
			s.enqueue(woken)
		}
	}
	delete(s.waiting, e.Seq)
	s.room.Signal()
	if s.over() {
		s.work.Broadcast()
	}
	if len(q.list) == 0 {
		delete(s.queues, q.key)
		return false
	}
	return s.free(q)
}

// finish says that nothing more is added.
func (s *schedule) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = true
	s.work.Broadcast()
}

// end ends the run early. The first error counts.
func (s *schedule) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended, s.err = true, err
	}
	s.room.Broadcast()
	s.work.Broadcast()
}
