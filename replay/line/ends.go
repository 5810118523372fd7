package line

import (
	"context"
	"net"
	"sync"
	"time"
)

// lastWords is how long what an API said before it ended may be on its way.
const lastWords = 100 * time.Millisecond

// Far is the end of a line that reaches the API.
type Far struct {
	end    *end
	ctx    context.Context
	cancel context.CancelCauseFunc
	beats  sync.WaitGroup
}

// NewFar begins to say that it is there, until [Far.Serve] or [Far.Close] ends it.
func NewFar(ctx context.Context, m Messages) *Far {
	f := &Far{end: &end{messages: m, conns: map[uint32]*conn{}}}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	f.beats.Go(func() { f.end.beat(f.ctx, f.cancel) })
	return f
}

// Serve says that the API is ready, and has connections to it until the near end goes, which is no error, or the line
// is lost. Where the API ends, which ended tells, it says to the near end why that is.
func (f *Far) Serve(scheme string, dial func(context.Context) (net.Conn, error), ended <-chan struct{},
	why func() error) error {
	f.end.dial = dial
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-over:
		case <-ended:
			time.Sleep(lastWords)
			f.cancel(f.gone(why()))
		}
	})
	err := f.end.say(kindReady, 0, []byte(scheme))
	if err == nil {
		err = f.end.hear(f.ctx)
	}
	f.cancel(nil) // which dials, too
	f.end.close()
	close(over)
	watch.Wait()
	f.beats.Wait()
	return err
}

// gone says to the near end why this one goes.
func (f *Far) gone(err error) error {
	over := Over{"the API ended"}
	if err != nil {
		over.Why = err.Error()
	}
	_ = f.end.say(kindOver, 0, []byte(over.Why[:min(len(over.Why), mostWords)])) // one that does not hear it finds out
	return over
}

// Close ends a line that has not been served.
func (f *Far) Close() {
	f.cancel(nil)
	f.beats.Wait()
}

// Near is the end of a line where clients connect.
type Near struct {
	end    *end
	cancel context.CancelCauseFunc
	ready  chan string
	asking sync.Mutex
	here   chan struct{} // holds one where the far end answered
	over   chan struct{}
	why    error // once over is closed
	parts  sync.WaitGroup
}

// NewNear begins to hear the far end, until the line is over; then it calls done.
func NewNear(m Messages, done func()) *Near {
	n := &Near{ready: make(chan string, 1), here: make(chan struct{}, 1), over: make(chan struct{})}
	n.end = &end{messages: m, conns: map[uint32]*conn{}, ready: func(scheme string) {
		select {
		case n.ready <- scheme:
		default: // it said so before
		}
	}, here: func() {
		select {
		case n.here <- struct{}{}:
		default: // nobody asked
		}
	}}
	ctx, cancel := context.WithCancelCause(context.Background())
	n.cancel = cancel
	n.parts.Go(func() { n.end.beat(ctx, cancel) })
	n.parts.Go(func() {
		n.why = n.end.hear(ctx)
		close(n.over) // before anybody sees a connection break off
		cancel(nil)
		n.end.close()
		done()
	})
	return n
}

// Ready waits until the API is ready, and returns the scheme of its URL.
func (n *Near) Ready(ctx context.Context) (scheme string, err error) {
	select {
	case scheme = <-n.ready:
		return scheme, nil
	case <-ctx.Done():
		return "", ctx.Err()
	case <-n.over:
		return "", n.Why()
	}
}

// Carry takes connections of a listener, which it closes in the end, to the far end until the line is over.
func (n *Near) Carry(ln net.Listener) {
	n.parts.Go(func() {
		<-n.over
		_ = ln.Close()
	})
	n.parts.Go(func() {
		for {
			own, err := ln.Accept()
			if err != nil {
				return
			}
			n.begin(own)
		}
	})
}

// begin begins a connection.
func (n *Near) begin(own net.Conn) {
	e := n.end
	e.mu.Lock()
	e.last++
	id, full := e.last, len(e.conns) >= mostConns
	e.mu.Unlock()
	var c *conn
	if !full {
		c = e.add(id)
	}
	if c == nil {
		reset(own)
		return
	}
	if e.say(kindOpen, id, nil) != nil {
		c.breakOff()
	}
	go func() {
		defer e.all.Done()
		c.carry(own)
	}()
}

// Settle waits until all that was said so far has come to the far end, or the line is over: an end that is gone may not
// be missed yet.
func (n *Near) Settle() {
	n.asking.Lock()
	defer n.asking.Unlock()
	_ = n.end.say(kindAsk, 0, nil) // a line that is lost tells so itself
	select {
	case <-n.here:
	case <-n.over:
	}
}

// Over is closed once the line is over.
func (n *Near) Over() <-chan struct{} { return n.over }

// Why says why the line is over: [ErrLost], or [Over]; nil while it is not.
func (n *Near) Why() error {
	select {
	case <-n.over:
	default:
		return nil
	}
	if n.why == nil {
		return Over{"it was taken back"}
	}
	return n.why
}

// Close ends the line, and returns once no connection is left.
func (n *Near) Close() {
	_ = n.end.say(kindOver, 0, nil) // one that does not hear it finds out
	n.cancel(nil)
	n.parts.Wait()
}
