package cluster

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Wire is the network to a server, which can be cut.
type Wire struct {
	Addr string // where this end listens, host:port

	to   string
	mu   sync.Mutex // of what follows
	cut  bool
	open []net.Conn
}

// NewWire lays one to an address, until the test ends.
func NewWire(t testing.TB, to string) *Wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{Addr: l.Addr().String(), to: to}
	t.Cleanup(func() { l.Close(); w.Cut() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.join(c)
		}
	}()
	return w
}

func (w *Wire) join(c net.Conn) {
	defer c.Close()
	d, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer d.Close()
	w.mu.Lock()
	cut := w.cut
	w.open = append(w.open, c, d)
	w.mu.Unlock()
	if cut {
		return
	}
	go func() { _, _ = io.Copy(d, c); d.Close() }()
	_, _ = io.Copy(c, d)
}

// Cut ends all connections, and lets none through until it is mended.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

// Mend lets connections through again.
func (w *Wire) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
}
