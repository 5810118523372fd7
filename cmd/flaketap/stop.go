package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopping is why the context of a command has ended: a signal asked the process to store what it has and end.
type stopping struct {
	signal syscall.Signal
	again  <-chan struct{} // closed by a further signal, which asks it to end at once
}

func (s *stopping) Error() string { return "stopped by a signal: " + s.signal.String() }

// stopOf returns the signal that ended ctx, or nil.
func stopOf(ctx context.Context) *stopping {
	var s *stopping
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}

// nextSignal returns a channel that the next signal closes: the first, or the one after it.
func nextSignal(ctx context.Context) <-chan struct{} {
	if s := stopOf(ctx); s != nil {
		return s.again
	}
	if ctx.Err() != nil {
		return nil
	}
	return ctx.Done()
}

// echo is how soon after a signal the same one is no second wish: timeout(1) sends its own twice, and the end of a
// terminal reaches a process from its shell and from the kernel.
const echo = 100 * time.Millisecond

// catchSignals returns the signals that ask the process to end. Under nohup, SIGHUP is none of them.
func catchSignals() <-chan syscall.Signal {
	wanted := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	raw, signals := make(chan os.Signal, 4), make(chan syscall.Signal, 4)
	signal.Notify(raw, wanted...)
	catchFileLimit()
	var e echoes
	go func() {
		for s := range raw {
			if n, ok := s.(syscall.Signal); ok && e.fresh(n, time.Now()) {
				signals <- n
			}
		}
	}()
	return signals
}

// echoes tells signals from their echoes.
type echoes struct {
	last syscall.Signal
	at   time.Time
}

// fresh reports whether a signal that came at a time is no echo of the one before it.
func (e *echoes) fresh(s syscall.Signal, at time.Time) bool {
	if s == e.last && at.Sub(e.at) < echo {
		return false
	}
	e.last, e.at = s, at
	return true
}

// lastMoment waits, after a second signal, for what must not be left behind: a client that still runs, a line on the
// terminal. It is over before anybody calls it waiting.
func lastMoment(done <-chan int) {
	select {
	case <-done:
	case <-time.After(500 * time.Millisecond):
	}
}
