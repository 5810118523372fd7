package line

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Messages is what one end says to the other and hears of it, in order and whole.
type Messages interface {
	// Say says something; it may be called by several goroutines.
	Say(content []byte) error
	// Hear waits for what is said next. It fails where something of it is missing.
	Hear(ctx context.Context) ([]byte, error)
}

// ErrLost is why a line ends over which nothing comes any more.
var ErrLost = errors.New("the line is lost")

// Over is why a line ends where the far end says so: what it is that its API came to.
type Over struct{ Why string }

func (o Over) Error() string { return o.Why }

// The kinds of messages.
const (
	kindBeat  = 'b' // the end is there
	kindAsk   = 'a' // has all come that was said until now?
	kindHere  = 'h' // it has
	kindReady = 'r' // the API is, whose scheme follows
	kindOver  = 'o' // the end goes, and why; "" where it is done
	kindOpen  = 'n' // a connection begins
	kindData  = 'd' // bytes of it
	kindTaken = 't' // so many of its bytes went on
	kindEnd   = 'e' // no more bytes come
	kindDrop  = 'x' // it broke off
)

const (
	// window is how many bytes of a connection are under way at most, in one direction.
	window = 256 << 10
	// piece is how many of them are in a message at most.
	piece = 32 << 10
	// mostConns bounds how many connections there are at once.
	mostConns = 4096
	// beatTime is how often an end says that it is there, and silence how long it may say nothing.
	beatTime = 2 * time.Second
	silence  = 10 * time.Second
	// headBytes is the length of what stands before what a message says.
	headBytes = 5
	// mostWords bounds what an end says of why it goes.
	mostWords = 4096
)

// end is one end of a line.
type end struct {
	messages Messages
	dial     func(context.Context) (net.Conn, error) // nil at the end where connections begin
	ready    func(scheme string)                     // is told once; nil at the end that says so
	here     func()                                  // is told of each answer; nil at the end that does not ask

	mu    sync.Mutex
	conns map[uint32]*conn
	last  uint32 // the number of the last connection that began here
	over  bool
	all   sync.WaitGroup
}

func (e *end) say(kind byte, id uint32, content []byte) error {
	m := make([]byte, headBytes, headBytes+len(content))
	m[0] = kind
	binary.BigEndian.PutUint32(m[1:], id)
	return e.messages.Say(append(m, content...))
}

// beat says that the end is there until ctx ends, or nobody takes it.
func (e *end) beat(ctx context.Context, failed context.CancelCauseFunc) {
	tick := time.NewTicker(beatTime)
	defer tick.Stop()
	for {
		if err := e.say(kindBeat, 0, nil); err != nil {
			failed(fmt.Errorf("%w: %w", ErrLost, err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// hear does what the other end says until it goes, ctx ends, or the line is lost.
func (e *end) hear(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	for {
		heard, cancel := context.WithTimeout(ctx, silence)
		m, err := e.messages.Hear(heard)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%w: the other end was not heard for %s", ErrLost, silence)
		case err != nil:
			return fmt.Errorf("%w: %w", ErrLost, err)
		}
		if over, err := e.take(ctx, m); over || err != nil {
			return err
		}
	}
}

var errStrange = fmt.Errorf("%w: the other end sent what is no message of a line, or not at this time", ErrLost)

// take takes in a message, and reports whether the other end goes.
func (e *end) take(ctx context.Context, m []byte) (over bool, err error) {
	if len(m) < headBytes {
		return false, errStrange
	}
	id, content := binary.BigEndian.Uint32(m[1:]), m[headBytes:]
	switch m[0] {
	case kindBeat:
		return false, nil
	case kindAsk:
		if err := e.say(kindHere, 0, nil); err != nil {
			return false, fmt.Errorf("%w: %w", ErrLost, err)
		}
		return false, nil
	case kindHere:
		if e.here == nil {
			return false, errStrange
		}
		e.here()
		return false, nil
	case kindReady:
		if e.ready == nil {
			return false, errStrange
		}
		e.ready(string(content))
		return false, nil
	case kindOver:
		if len(content) > 0 {
			return true, Over{string(content[:min(len(content), mostWords)])}
		}
		return true, nil
	case kindOpen:
		return false, e.open(ctx, id)
	}
	e.mu.Lock()
	c := e.conns[id]
	e.mu.Unlock()
	if c == nil { // it has gone meanwhile
		return false, nil
	}
	return false, c.heard(m[0], content)
}

// open opens a connection that begins at the other end.
func (e *end) open(ctx context.Context, id uint32) error {
	e.mu.Lock()
	strange := e.dial == nil || e.conns[id] != nil || len(e.conns) >= mostConns
	e.mu.Unlock()
	if strange {
		return errStrange
	}
	c := e.add(id)
	if c == nil {
		return nil
	}
	go func() {
		defer e.all.Done()
		conn, err := e.dial(ctx)
		if err != nil {
			e.remove(c)
			_ = e.say(kindDrop, id, nil)
			return
		}
		c.carry(conn)
	}()
	return nil
}

// add adds a connection, which whoever carries it takes off all; nil where the line is over.
func (e *end) add(id uint32) *conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return nil
	}
	c := newConn(e, id)
	e.conns[id] = c
	e.all.Add(1)
	return c
}

func (e *end) remove(c *conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.conns, c.id)
}

// close breaks all connections off, and waits until they have gone.
func (e *end) close() {
	e.mu.Lock()
	e.over = true
	for _, c := range e.conns {
		c.breakOff()
	}
	e.mu.Unlock()
	e.all.Wait()
}
