package mock

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
)

// tlsHandshake is the first byte of a TLS record that begins a connection (RFC 8446 §5.1).
const tlsHandshake = 22

// divider accepts the connections of a listener, and hands on those that begin with TLS apart from the others.
type divider struct {
	net.Listener
	plain, secure *tcp.Handed
}

// divide begins to accept.
func divide(l net.Listener) *divider {
	d := &divider{Listener: l, plain: tcp.NewHanded(l.Addr()), secure: tcp.NewHanded(l.Addr())}
	go d.accept()
	return d
}

// accept hands connections on until the listener is closed. A silent one holds no other up.
func (d *divider) accept() {
	defer d.plain.Close()
	defer d.secure.Close()
	tcp.Each(d.Listener, d.handOn)
}

func (d *divider) handOn(c net.Conn) {
	accepted, first := time.Now(), make([]byte, 1)
	_ = c.SetReadDeadline(time.Now().Add(idle))
	if _, err := c.Read(first); err != nil {
		c.Close()
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	to := d.plain
	if first[0] == tlsHandshake {
		to = d.secure
	}
	to.Give(&begun{Conn: c, ahead: first, accepted: accepted})
}

// begun is a connection of which something was read ahead.
type begun struct {
	net.Conn
	ahead    []byte
	accepted time.Time
}

// connected is when the client of a connection connected, for the first that asks; the zero time for others. The
// connection serves one request at a time, but for those of HTTP/2, which may ask at once.
type connected struct {
	mu sync.Mutex
	at time.Time
}

// take returns it.
func (c *connected) take() (at time.Time) {
	if c == nil {
		return at
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at, c.at = c.at, at
	return at
}

// connectedKey is that of a context which has a *connected.
type connectedKey struct{}

// knowing adds when a connection was made to the context of its requests.
func knowing(ctx context.Context, c net.Conn) context.Context {
	for {
		if b, ok := c.(*begun); ok {
			return context.WithValue(ctx, connectedKey{}, &connected{at: b.accepted})
		}
		below, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return ctx
		}
		c = below.NetConn()
	}
}

// Read reads what was read ahead first.
func (b *begun) Read(p []byte) (int, error) {
	if len(b.ahead) > 0 {
		n := copy(p, b.ahead)
		b.ahead = b.ahead[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}

// NetConn is the connection itself.
func (b *begun) NetConn() net.Conn { return b.Conn }
