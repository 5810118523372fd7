package intercept

import (
	"net"
	"sync"
)

// fed is a listener of connections that were accepted elsewhere.
type fed struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	end   sync.Once
}

func newFed(addr net.Addr) *fed {
	return &fed{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

// give hands a connection over; it is closed where nobody takes it any more.
func (f *fed) give(c net.Conn) {
	select {
	case f.conns <- c:
	case <-f.done:
		c.Close()
	}
}

// Accept waits for the next connection.
func (f *fed) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (f *fed) Close() error {
	f.end.Do(func() { close(f.done) })
	return nil
}

// Addr is where connections are accepted.
func (f *fed) Addr() net.Addr { return f.addr }
