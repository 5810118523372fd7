package mock

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
)

// tlsHandshake is the first byte of a TLS record that begins a connection (RFC 8446 §5.1).
const tlsHandshake = 22

// divider accepts the connections of a listener, and has those that begin with TLS shake hands. A silent one holds no
// other up.
type divider struct {
	to     *tcp.Handed
	shake  func(*begun) *tls.Conn // nil where that fails
	refuse func(c net.Conn, accepted time.Time, as Foreign)

	mu   sync.Mutex
	held map[net.Conn]struct{} // that are neither handed on nor refused yet; nil once the listener is closed
	busy sync.WaitGroup
}

// begin begins to accept connections, and returns those that may be of HTTP. They end with the listener, once those
// that are refused are counted, and those that are neither yet are closed: nothing was asked on them.
func (d *divider) begin(l net.Listener) *tcp.Handed {
	d.to, d.held = tcp.NewHanded(l.Addr()), map[net.Conn]struct{}{}
	go func() {
		defer d.to.Close()
		tcp.Each(l, d.handOn)
		d.end()
	}()
	return d.to
}

// handOn hands a connection on if it may be of HTTP.
func (d *divider) handOn(c net.Conn) {
	if !d.hold(c) {
		c.Close()
		return
	}
	defer d.busy.Done()
	on := d.look(c)
	d.release(c)
	if on != nil {
		d.to.Give(on)
	}
}

// hold notes a connection; ok is false where the listener is closed.
func (d *divider) hold(c net.Conn) (ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held == nil {
		return false
	}
	d.held[c] = struct{}{}
	d.busy.Add(1)
	return true
}

func (d *divider) release(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.held, c)
}

// end closes the connections that are held, and waits until each is dealt with.
func (d *divider) end() {
	d.mu.Lock()
	for c := range d.held {
		c.Close()
	}
	d.held = nil
	d.mu.Unlock()
	d.busy.Wait()
}

// look returns what is handed on of a connection; nil where it is closed.
func (d *divider) look(c net.Conn) net.Conn {
	accepted, first := time.Now(), make([]byte, longestMethod)
	_ = c.SetReadDeadline(accepted.Add(speechless))
	n, err := c.Read(first)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		d.refuse(c, accepted, Foreign{Silent: 1})
		return nil
	}
	if n == 0 {
		c.Close()
		return nil
	}
	_ = c.SetReadDeadline(time.Time{})
	b := &begun{Conn: c, ahead: first[:n], opening: opening{accepted, accepted}}
	switch {
	case first[0] == tlsHandshake:
		secure := d.shake(b)
		if b.opening.ready = time.Now(); secure != nil {
			return secure
		}
	case mayBeHTTP(b.ahead):
		return b
	default:
		d.refuse(c, accepted, Foreign{Spoke: 1})
	}
	return nil
}

// begun is a connection of which something was read ahead.
type begun struct {
	net.Conn
	ahead   []byte
	opening opening
	trial   trial
}

// opening is when a client connected, and when it could ask something: behind the handshake of TLS, at once without.
type opening struct{ at, ready time.Time }

// begunOf is what lies below a connection; nil where it is none of these.
func begunOf(c net.Conn) *begun {
	for {
		if b, ok := c.(*begun); ok {
			return b
		}
		below, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		c = below.NetConn()
	}
}

// connected is how a connection was opened, for the first that asks; the zero value for others. The
// connection serves one request at a time, but for those of HTTP/2, which may ask at once.
type connected struct {
	mu sync.Mutex
	by opening
}

// take returns it.
func (c *connected) take() (by opening) {
	if c == nil {
		return by
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	by, c.by = c.by, by
	return by
}

// connectedKey is that of a context which has a *connected.
type connectedKey struct{}

// knowing adds how a connection was opened to the context of its requests.
func knowing(ctx context.Context, c net.Conn) context.Context {
	b := begunOf(c)
	if b == nil {
		return ctx
	}
	return context.WithValue(ctx, connectedKey{}, &connected{by: b.opening})
}

// Read reads what was read ahead first.
func (b *begun) Read(p []byte) (int, error) {
	if len(b.ahead) > 0 {
		n := copy(p, b.ahead)
		b.ahead = b.ahead[n:]
		return n, nil
	}
	n, err := b.Conn.Read(p)
	b.trial.read(p[:n])
	return n, err
}

// NetConn is the connection itself.
func (b *begun) NetConn() net.Conn { return b.Conn }
