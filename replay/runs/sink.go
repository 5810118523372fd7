package runs

import (
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
	w    *store.RunWriter
}

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
	if s.w == nil {
		if s.w, err = s.open(); err != nil {
			return err
		}
	}
	if s.rest != nil {
		o = s.rest.Observation(o)
	}
	if err = s.w.Observe(o); err == nil {
		s.Stored++
	}
	return err
}

// open begins the run, or goes on with one that was cut off.
func (s *Sink) open() (*store.RunWriter, error) {
	if s.Run.Number > 0 {
		return s.db.ResumeRun(s.Run.Number)
	}
	return s.db.BeginRun(s.Run)
}

// Finish stores Run, as it is now, unless nothing was observed. It may be called again with more to say of the run.
func (s *Sink) Finish() (err error) {
	if s.w == nil && s.Run.Number > 0 && !s.Run.Ended.IsZero() { // all of it had been played before
		s.w, err = s.open()
	}
	if s.w == nil || err != nil {
		return err
	}
	return s.w.Finish(s.Run)
}
