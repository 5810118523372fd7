package line

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// conn is a connection: what of it came from the other end, and what may go there.
type conn struct {
	end *end
	id  uint32

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][]byte // that came, in order
	held    int      // bytes of it, those that are just written included
	ended   bool     // no more comes
	dropped bool     // it broke off, behind what waits
	room    int      // how many bytes may go to the other end
	broken  bool     // nothing of it matters any more
	conn    net.Conn // nil until it is there
}

func newConn(e *end, id uint32) *conn {
	c := &conn{end: e, id: id, room: window}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// heard takes in what the other end says of the connection.
func (c *conn) heard(kind byte, content []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	switch kind {
	case kindData:
		if c.dropped { // it was read before it broke off there, and said behind that
			return nil
		}
		if c.held += len(content); c.held > window || c.ended || len(content) == 0 {
			return errStrange
		}
		c.waiting = append(c.waiting, content)
	case kindTaken:
		if len(content) != 4 {
			return errStrange
		}
		if c.room += int(binary.BigEndian.Uint32(content)); c.room > window {
			return errStrange
		}
	case kindEnd:
		c.ended = true
	case kindDrop:
		c.ended, c.dropped = true, true
	default:
		return errStrange
	}
	return nil
}

// carry carries what comes over one connection to the other until both directions have ended, or one of them broke off.
func (c *conn) carry(own net.Conn) {
	c.mu.Lock()
	c.conn = own
	broken := c.broken
	c.mu.Unlock()
	defer c.end.remove(c)
	if broken {
		reset(own)
		return
	}
	var both sync.WaitGroup
	both.Go(c.in)
	c.out()
	both.Wait()
	_ = own.Close()
}

// in writes what comes from the other end.
func (c *conn) in() {
	for {
		c.mu.Lock()
		for len(c.waiting) == 0 && !c.ended && !c.broken {
			c.changed.Wait()
		}
		if c.broken {
			c.mu.Unlock()
			return
		}
		if len(c.waiting) == 0 {
			dropped := c.dropped
			c.mu.Unlock()
			if dropped {
				c.breakOff()
			} else {
				c.closeWrite()
			}
			return
		}
		next := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		if _, err := c.conn.Write(next); err != nil {
			c.fail()
			return
		}
		c.mu.Lock()
		c.held -= len(next)
		c.mu.Unlock()
		taken := binary.BigEndian.AppendUint32(nil, uint32(len(next)))
		_ = c.end.say(kindTaken, c.id, taken) // a line that is lost tells so itself
	}
}

// out sends what is read to the other end.
func (c *conn) out() {
	buf := make([]byte, piece)
	for {
		n, err := c.conn.Read(buf)
		if n > 0 && (!c.reserve(n) || c.end.say(kindData, c.id, buf[:n]) != nil) {
			return
		}
		if errors.Is(err, io.EOF) {
			_ = c.end.say(kindEnd, c.id, nil)
			return
		}
		if err != nil {
			c.fail()
			return
		}
	}
}

// reserve waits until the other end has room for n bytes, and reports whether the connection is still there, at both
// ends.
func (c *conn) reserve(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.room < n && !c.broken && !c.dropped {
		c.changed.Wait()
	}
	c.room -= n
	return !c.broken && !c.dropped
}

// fail breaks the connection off because it broke off here, and says so.
func (c *conn) fail() {
	if c.breakOff() {
		_ = c.end.say(kindDrop, c.id, nil)
	}
}

// breakOff breaks the connection off, and reports whether it was whole.
func (c *conn) breakOff() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return false
	}
	c.broken = true
	c.changed.Broadcast()
	if c.conn != nil {
		reset(c.conn)
	}
	return true
}

// closeWrite says to who reads that nothing more comes.
func (c *conn) closeWrite() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // where that fails, the other direction does too
	}
}

// reset closes a connection so that who reads sees that it broke off.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
