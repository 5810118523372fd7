package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/exchange"
)

// Source is a recording that may be growing. What it yields has whole bodies.
type Source interface {
	Recording() (exchange.Recording, error)
	After(seq uint64) iter.Seq2[*exchange.Exchange, error]
	Path() string
}

// Options say how a recording is sent.
type Options struct {
	// Key is that of the tokens which stand for secrets; nil sends secrets as they are.
	Key []byte
	// Secrets are names of what is secret beside what is always taken for one.
	Secrets []string
	// Ended says that nothing more is recorded. What is refused is then told by Finish alone.
	Ended bool
	// Version is that of this flaketap, which the hub and who collects are told.
	Version string
	// Machine is the name of this machine; "" asks the system.
	Machine string
	// Linger is how long an exchange waits for company in its block; 0 means two seconds.
	Linger time.Duration
	// Pause is how long it waits after something went wrong, twice as long each time up to ten seconds; 0 means a
	// quarter of a second.
	Pause time.Duration
	// Say, if not nil, is told what goes wrong and when it goes on again.
	Say func(format string, args ...any)
}

// The times of a shipper.
const (
	linger      = 2 * time.Second
	look        = 250 * time.Millisecond // how often it looks for what is new
	firstPause  = 250 * time.Millisecond
	lastPause   = 10 * time.Second
	reportEvery = 5 * time.Second
	// rest is how long it rests between blocks while its recorder records, in parts of the time that a block took:
	// the clients of the recorder share the processor with it. A tenth of a core sends some thousand exchanges a
	// second; what comes faster for long is sent when the recorder has ended.
	rest = 9
)

// Shipper sends a recording while it grows.
type Shipper struct {
	work   worker
	cancel context.CancelFunc
	last   chan struct{} // closed when nothing more is recorded
	once   sync.Once
	done   chan struct{} // closed when run has returned
	err    error         // why it returned, read after done
}

// Start begins to send a recording. [Shipper.Finish] ends it.
func Start(source Source, hub Hub, o Options) (*Shipper, error) {
	codec, err := block.NewCodec()
	if err != nil {
		return nil, err
	}
	o.Linger, o.Pause = cmp.Or(o.Linger, linger), cmp.Or(o.Pause, firstPause)
	if o.Machine == "" {
		o.Machine, _ = os.Hostname()
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	last := make(chan struct{})
	s := &Shipper{cancel: cancel, last: last, done: make(chan struct{}), work: worker{source: source, hub: hub, o: o,
		codec: codec, last: last, file: filepath.Base(source.Path())}}
	if o.Ended {
		s.end()
	}
	go s.run(ctx)
	return s, nil
}

// end says that nothing more is recorded.
func (s *Shipper) end() { s.once.Do(func() { close(s.last) }) }

// Sent returns up to which position the hub has the recording.
func (s *Shipper) Sent() uint64 { return s.work.sent.Load() }

// Bytes returns how much was sent: blocks and pieces.
func (s *Shipper) Bytes() int64 { return s.work.bytes.Load() }

// Failures returns how often something could not be sent.
func (s *Shipper) Failures() int64 { return s.work.failures.Load() }

// Refused reports whether the hub refuses the recording, for good.
func (s *Shipper) Refused() bool { return s.work.refused.Load() }

// Finish says that nothing more is recorded, and waits until all is sent, until nothing was for as long as patience,
// or until the context ends. The error is why something is not sent; [Shipper.Sent] says how much is.
func (s *Shipper) Finish(ctx context.Context, patience time.Duration) error {
	s.end()
	defer s.cancel()
	before := s.work.steps.Load()
	for {
		select {
		case <-s.done:
			return s.err
		case <-ctx.Done():
		case <-time.After(patience):
			if now := s.work.steps.Load(); now != before {
				before = now
				continue
			}
		}
		s.cancel()
		<-s.done
		if errors.Is(s.err, context.Canceled) && ctx.Err() == nil {
			return fmt.Errorf("the hub took nothing for %s", patience)
		}
		return s.err
	}
}

// run sends what there is, again and again.
func (s *Shipper) run(ctx context.Context) {
	defer close(s.done)
	defer s.work.codec.Close()
	pause := s.work.o.Pause
	troubled := false
	for {
		ending := s.ending() // before the round, which sees all then
		s.work.ending = ending
		more, err := s.work.round(ctx)
		switch {
		case err == nil && ending && !more:
			return
		case errors.Is(err, ErrRefused):
			if !ending { // else Finish says it
				s.work.o.Say("flaketap: nothing more is sent: %v", err)
			}
			s.work.refused.Store(true)
			s.err = err
			return
		case ctx.Err() != nil:
			s.err = cmp.Or(s.work.err, ctx.Err())
			return
		case err == nil:
			if troubled {
				s.work.o.Say("flaketap: the hub is back, sending goes on")
			}
			troubled, pause = false, s.work.o.Pause
			if !more {
				s.wait(ctx, look)
			}
		case errors.Is(err, ErrMoved): // what is there is asked for at once
			s.wait(ctx, s.work.o.Pause)
		default:
			if !troubled {
				s.work.o.Say("flaketap: nothing can be sent to the hub for now, recording goes on: %v", err)
			}
			troubled = true
			s.work.failures.Add(1)
			s.wait(ctx, pause)
			pause = min(2*pause, lastPause)
		}
	}
}

// ending reports whether nothing more is recorded.
func (s *Shipper) ending() bool {
	select {
	case <-s.last:
		return true
	default:
		return false
	}
}

// wait waits, unless the recorder ends meanwhile, or this does.
func (s *Shipper) wait(ctx context.Context, d time.Duration) {
	last := s.last
	if s.work.ending {
		last = nil
	}
	select {
	case <-ctx.Done():
	case <-last:
	case <-time.After(d):
	}
}

// counters are what others may read while a worker works.
type counters struct {
	sent  atomic.Uint64
	bytes atomic.Int64
	steps atomic.Uint64 // what the hub acknowledged, and what was read again

	failures atomic.Int64
	refused  atomic.Bool
}

// refused is an error that waiting does not mend.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrRefused, fmt.Errorf(format, args...))
}
