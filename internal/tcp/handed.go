package tcp

import (
	"net"
	"sync"
)

// Handed is a listener of connections that were accepted elsewhere.
type Handed struct {
	addr  net.Addr
	conns chan net.Conn
	done  chan struct{}
	end   sync.Once
}

// NewHanded returns a listener that says that it is at an address.
func NewHanded(addr net.Addr) *Handed {
	return &Handed{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

// Give hands a connection over, and returns once it is accepted; it is closed where nobody takes it any more.
func (h *Handed) Give(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.done:
		c.Close()
	}
}

// Accept waits for the next connection.
func (h *Handed) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (h *Handed) Close() error {
	h.end.Do(func() { close(h.done) })
	return nil
}

// Addr is where connections are accepted.
func (h *Handed) Addr() net.Addr { return h.addr }
