package runs

import (
	"cmp"
	"errors"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/store"
)

// Sink stores what a run observes. The run begins with its first observation, so that one which never reaches the API
// leaves no run behind.
type Sink struct {
	Run    exchange.Run // as Finish stores it
	Stored int          // observations

	db   *store.Store
	rest *redact.Rest

	mu   sync.Mutex // guards what follows, as an API asks of services while others observe it
	w    *store.RunWriter
	held []*exchange.External // what the API asked before the run began
	size int                  // of these, in bytes
	lost error                // why something of what it asked is not stored
}

// maxHeld bounds, in bytes, what an API asks before its run begins; what it asks beyond that is not stored.
const maxHeld = 64 << 20

// NewSink returns a sink for a new run, or for one that goes on, which has a number. rest redacts what is stored; nil
// where the recording holds secrets as they are.
func NewSink(db *store.Store, run exchange.Run, rest *redact.Rest) *Sink {
	return &Sink{Run: run, db: db, rest: rest}
}

// Observe stores one observation. Where nobody could be reached there was none: what an API that died no longer says is
// no answer of it.
func (s *Sink) Observe(o *exchange.Observation) (err error) {
	if o.Fault != nil && o.Fault.Kind == exchange.FaultDial {
		return nil
	}
	if err := s.begin(); err != nil {
		return err
	}
	if s.rest != nil {
		o = s.rest.Observation(o)
	}
	if err = s.w.Observe(o); err == nil {
		s.Stored++
	}
	return err
}

// External stores what the API asked of another service in the run; several goroutines may call it, and Observe
// besides. What cannot be stored Finish says.
func (s *Sink) External(x *exchange.External) {
	if s.rest != nil {
		x = s.rest.External(x)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.w != nil:
		s.lost = cmp.Or(s.lost, s.w.External(x))
	case s.size+x.Size() <= maxHeld:
		s.held, s.size = append(s.held, x), s.size+x.Size()
	}
}

// begin begins the run where it has not begun, with what the API asked before.
func (s *Sink) begin() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w != nil {
		return nil
	}
	if s.w, err = s.open(); err != nil {
		return err
	}
	for _, x := range s.held {
		s.lost = cmp.Or(s.lost, s.w.External(x))
	}
	s.held, s.size = nil, 0
	return nil
}

// open begins the run, or goes on with one that was cut off.
func (s *Sink) open() (*store.RunWriter, error) {
	if s.Run.Number > 0 {
		return s.db.ResumeRun(s.Run.Number)
	}
	return s.db.BeginRun(s.Run)
}

// Finish stores Run, as it is now, unless nothing was observed. It may be called again with more to say of the run.
func (s *Sink) Finish() error {
	if s.Run.Number > 0 && !s.Run.Ended.IsZero() { // all of it had been played before
		if err := s.begin(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.w == nil {
		return nil
	}
	return errors.Join(s.lost, s.w.Finish(s.Run))
}
