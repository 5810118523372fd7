package interrupt

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Stop is the cause (context.Cause) for which the context of a command has ended: a signal.
type Stop struct {
	Signal syscall.Signal
	Again  <-chan struct{} // closed by a further signal
}

func (s *Stop) Error() string { return "stopped by a signal: " + s.Signal.String() }

// Of returns the signal that ended ctx; nil where it has not ended, or for another cause.
func Of(ctx context.Context) *Stop {
	var s *Stop
	if errors.As(context.Cause(ctx), &s) {
		return s
	}
	return nil
}

// Next returns a channel that the next signal closes: the first, or the one after it. It is nil where no signal can.
func Next(ctx context.Context) <-chan struct{} {
	if s := Of(ctx); s != nil {
		return s.Again
	}
	if ctx.Err() != nil {
		return nil
	}
	return ctx.Done()
}

// echo is how soon after a signal the same one is no second wish: timeout(1) sends its own twice, and the end of a
// terminal reaches a process from its shell and from the kernel.
const echo = 100 * time.Millisecond

// Catch returns the signals that ask the process to end, from now on. Under nohup, SIGHUP does not. Exceeding a limit
// on the size of files no longer ends the process either; the write that meets it fails.
func Catch() <-chan syscall.Signal {
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
