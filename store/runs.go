package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/flaketap/flaketap/exchange"
)

// RunWriter adds the observations of one run. Its methods may be called from several goroutines.
type RunWriter struct {
	store  *Store
	number int
}

// BeginRun begins a further run of the recording. r.Number, r.Ended and r.Steps are ignored. Several runs may be
// written at once.
func (s *Store) BeginRun(r exchange.Run) (*RunWriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Started, r.Ended, r.Steps = utc(r.Started), time.Time{}, 0
	number, err := s.nextNumber(bucketRuns)
	if err == nil {
		r.Number = number
		err = s.change(func(tx *bbolt.Tx) error {
			_, err := tx.Bucket(bucketObservations).CreateBucketIfNotExists(numberKey(number))
			return err
		})
	}
	if err == nil {
		err = s.putJSON(bucketRuns, number, r)
	}
	if err != nil {
		return nil, fmt.Errorf("begin run: %w", err)
	}
	return &RunWriter{store: s, number: number}, nil
}

// ResumeRun goes on with a run that was cut off: what is observed from now on adds to what the run has. It is an error
// if there is no such run, or if it was finished.
func (s *Store) ResumeRun(number int) (*RunWriter, error) {
	runs, err := s.Runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		if r.Number != number {
			continue
		}
		if !r.Ended.IsZero() {
			return nil, fmt.Errorf("resume run %d of %s: it was finished", number, s.path)
		}
		return &RunWriter{store: s, number: number}, nil
	}
	return nil, fmt.Errorf("resume run %d of %s: %w", number, s.path, fs.ErrNotExist)
}

// Number returns the number of the run.
func (w *RunWriter) Number() int { return w.number }

// Observe adds an observation and sets its Run. It queues and waits as [Store.Record] does; the caller must not change
// the observation afterwards. Observations may come in any order.
func (w *RunWriter) Observe(o *exchange.Observation) error {
	err := checkOutcome(o.Response, o.Fault)
	if err == nil && o.Seq == 0 {
		err = errors.New("it names no recorded exchange")
	}
	if err == nil {
		o.Run = w.number
		err = w.store.observe(o)
	}
	if err != nil {
		return fmt.Errorf("store observation of exchange %d: %w", o.Seq, err)
	}
	return nil
}

// External adds what the API asked of another service in the run, and sets its Run, as [Store.RecordExternal] does.
func (w *RunWriter) External(x *exchange.External) error {
	x.Run = w.number
	return w.store.RecordExternal(x)
}

func (s *Store) observe(o *exchange.Observation) error {
	if large(&o.Sent.Message, o.Response, o.Fault) {
		copied := *o
		o = &copied
		if err := s.divideAll(&o.Sent.Message, &o.Response, &o.Fault); err != nil {
			return err
		}
	}
	return s.putRecord(item{observation: o, size: observationSize(o)})
}

// Finish stores what is now known of the run, once its observations are stored. r.Number and r.Steps are ignored: the
// store counts itself.
func (w *RunWriter) Finish(r exchange.Run) error {
	r.Number, r.Steps = w.number, 0
	r.Started, r.Ended = utc(r.Started), utc(r.Ended)
	if err := w.store.putJSON(bucketRuns, w.number, r); err != nil {
		return fmt.Errorf("finish run %d: %w", w.number, err)
	}
	return nil
}

// Runs returns the runs in order. A run that was cut off has what it had, and Ended is zero.
func (s *Store) Runs() ([]exchange.Run, error) {
	var runs []exchange.Run
	err := s.view(func(tx *bbolt.Tx) error {
		observations := tx.Bucket(bucketObservations)
		return each(tx.Bucket(bucketRuns), 4, func(k, v []byte) error {
			var r exchange.Run
			if err := getJSON(k, v, &r); err != nil {
				return err
			}
			own := observations.Bucket(k)
			if own == nil {
				return fmt.Errorf("%w: run %d has no observations", ErrDamaged, r.Number)
			}
			r.Number, r.Steps = int(binary.BigEndian.Uint32(k)), int(own.Sequence())
			runs = append(runs, r)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read runs of %s: %w", s.path, err)
	}
	return runs, nil
}

// Steps returns the exchanges in order, each with what it answered in the runs that are there when the iteration
// begins, in the order of the runs. Memory stays flat: a few hundred observations of each run are held at most. After a
// [DamageError] the iteration goes on with what can be read; it ends after any other.
func (s *Store) Steps() iter.Seq2[exchange.Step, error] {
	return s.steps(func(exchange.Run) bool { return true })
}

// RunSteps returns the exchanges in order, each with what it answered in one run, as [Store.Steps] does. Those of which
// the run has nothing are left out.
func (s *Store) RunSteps(number int) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for step, err := range s.steps(func(r exchange.Run) bool { return r.Number == number }) {
			if (err != nil || len(step.Observations) > 0) && !yield(step, err) {
				return
			}
		}
	}
}

// steps goes over the exchanges with the observations of the runs that are wanted.
func (s *Store) steps(wanted func(exchange.Run) bool) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		runs, err := s.Runs()
		if err != nil {
			yield(exchange.Step{}, err)
			return
		}
		runs = slices.DeleteFunc(runs, func(r exchange.Run) bool { return !wanted(r) })
		cursors := make([]*runCursor, len(runs))
		for i, r := range runs {
			cursors[i] = &runCursor{store: s, run: r.Number, steps: r.Steps, next: []byte{}}
		}
		for e, err := range s.Exchanges() {
			if err != nil {
				if !yield(exchange.Step{}, err) {
					return
				}
				continue
			}
			step := exchange.Step{Exchange: e}
			for _, c := range cursors {
				if !c.fill(&step, yield) {
					return
				}
			}
			if !yield(step, nil) {
				return
			}
		}
		for _, c := range cursors {
			if !c.finish(yield) {
				return
			}
		}
	}
}

// fill adds the observations of a step. It reports false where the iteration ends.
func (c *runCursor) fill(step *exchange.Step, yield func(exchange.Step, error) bool) bool {
	for {
		observations, err := c.appendAt(step.Observations, step.Exchange.Seq)
		if err == nil {
			step.Observations = observations
			return true
		}
		// Every failure leaves something out, so that this comes to an end.
		if !yield(exchange.Step{}, err) || !isDamage(err) {
			return false
		}
	}
}

// runCursor goes through the observations of one run in the order of the recording. Its blocks are sorted by their
// first position and may overlap.
type runCursor struct {
	store   *Store
	run     int
	steps   int        // how many observations the run had when the iteration began
	next    []byte     // the key of the next block, empty at the start, nil at the end
	read    int        // how many were in the blocks opened so far
	damaged bool       // some of those could not be read
	held    []position // of the blocks opened so far, sorted
}

type position struct {
	seq uint64
	raw []byte
}

// appendAt appends the observations at seq. It is called with rising positions.
func (c *runCursor) appendAt(out []*exchange.Observation, seq uint64) ([]*exchange.Observation, error) {
	for c.next != nil && (len(c.next) == 0 || binary.BigEndian.Uint64(c.next) <= seq) {
		if err := c.load(); err != nil {
			return nil, fmt.Errorf("read run %d of %s: from exchange %d: %w", c.run, c.store.path, seq, err)
		}
	}
	n := 0
	for ; n < len(c.held) && c.held[n].seq <= seq; n++ {
		if c.held[n].seq < seq {
			continue
		}
		o, err := c.store.observation(bytes.Clone(c.held[n].raw), c.run)
		if err != nil {
			c.held = slices.Delete(c.held, n, n+1)
			return nil, fmt.Errorf("read run %d of %s: %w", c.run, c.store.path, damage(err, c.run, seq, seq))
		}
		out = append(out, o)
	}
	c.held = slices.Delete(c.held, 0, n)
	return out, nil
}

// finish makes sure that the run has as many observations as it counted: a block that is lost leaves no other trace. It
// reports false where the iteration ends.
func (c *runCursor) finish(yield func(exchange.Step, error) bool) bool {
	for c.next != nil {
		if err := c.load(); err != nil &&
			(!yield(exchange.Step{}, fmt.Errorf("read run %d of %s: %w", c.run, c.store.path, err)) || !isDamage(err)) {
			return false
		}
	}
	growing := c.store.queue != nil
	if c.damaged || c.read == c.steps || c.read > c.steps && growing {
		return true
	}
	err := fmt.Errorf("%w: only %d of %d observations are stored", ErrDamaged, c.read, c.steps)
	return yield(exchange.Step{}, fmt.Errorf("read run %d of %s: %w", c.run, c.store.path,
		damage(err, c.run, 1, math.MaxUint64)))
}

// take returns the next observations in order, all that no later block can come before; none at the end.
func (c *runCursor) take() ([]position, error) {
	first := func() uint64 { // of the next block
		if len(c.next) == 0 {
			return 0
		}
		return binary.BigEndian.Uint64(c.next)
	}
	for c.next != nil && (len(c.held) == 0 || first() <= c.held[0].seq) {
		if err := c.load(); err != nil {
			return nil, err
		}
	}
	n := len(c.held)
	if c.next != nil {
		n, _ = slices.BinarySearchFunc(c.held, first(), func(p position, seq uint64) int { return cmp.Compare(p.seq, seq) })
	}
	out := slices.Clone(c.held[:n])
	c.held = slices.Delete(c.held, 0, n)
	return out, nil
}

// observation reads a record. The observation keeps parts of raw.
func (s *Store) observation(raw []byte, run int) (*exchange.Observation, error) {
	o, err := DecodeObservation(raw, run)
	if err == nil {
		err = s.join(&o.Sent.Message)
	}
	if err == nil {
		err = s.joinOutcome(o.Response, o.Fault)
	}
	return o, err
}

// load opens the next block and finds the one after it. Where the block is damaged, the one after it is the next all
// the same.
func (c *runCursor) load() error {
	var (
		key     = c.next
		first   uint64
		records [][]byte
	)
	c.next = nil
	err := c.store.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketObservations).Bucket(numberKey(c.run))
		if b == nil {
			return fmt.Errorf("%w: it has no observations", ErrDamaged)
		}
		cursor := b.Cursor()
		k, v := cursor.Seek(key)
		if k == nil {
			return nil
		}
		next, _ := cursor.Next()
		if len(k) != 16 || next != nil && bytes.Compare(k, next) >= 0 {
			return fmt.Errorf("%w: keys of blocks are out of order", ErrDamaged)
		}
		first, c.next = binary.BigEndian.Uint64(k), bytes.Clone(next)
		var err error
		records, err = unpack(c.store.decoder, first, v)
		return err
	})
	if err != nil {
		c.damaged = true
		return damage(err, c.run, first, first+blockSpan-1)
	}
	c.read += len(records)
	for _, raw := range records {
		d := decoder{b: raw}
		seq := d.uvarint()
		if d.err != nil || seq-first >= blockSpan {
			return damage(fmt.Errorf("%w: an observation is not where it belongs", ErrDamaged), c.run, first, first+blockSpan-1)
		}
		c.held = append(c.held, position{seq, raw})
	}
	slices.SortStableFunc(c.held, func(a, b position) int { return cmp.Compare(a.seq, b.seq) })
	return nil
}
