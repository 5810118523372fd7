package proxy

import (
	"bytes"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/internal/tcp"
)

// end is one of the two connections of a link: TCP, with or without TLS on it. Reading is for one goroutine, and so is
// writing; reset and Close are for any.
type end struct {
	net.Conn
	tcp   *net.TCPConn // what carries Conn; nil where a listener or dialer of the caller's gives something else
	ahead []byte       // bytes that were read to look at them, and are to be read again
}

func newEnd(c net.Conn) *end {
	tcp, _ := c.(*net.TCPConn)
	return &end{Conn: c, tcp: tcp}
}

// secure returns the end that TLS over e makes.
func (e *end) secure(c *tls.Conn) *end { return &end{Conn: c, tcp: e.tcp} }

// Read reads what was looked at before, then the connection.
func (e *end) Read(b []byte) (int, error) {
	if len(e.ahead) > 0 {
		n := copy(b, e.ahead)
		if e.ahead = e.ahead[n:]; len(e.ahead) == 0 {
			e.ahead = nil
		}
		return n, nil
	}
	return e.Conn.Read(b)
}

// more reads on and keeps what comes for the next Read.
func (e *end) more() error {
	buf := make([]byte, smallBuffer)
	n, err := e.Conn.Read(buf)
	e.ahead = append(e.ahead, buf[:n]...)
	tcp.Acknowledge(e.tcp) // what is looked at is seldom all
	if n > 0 {
		return nil // the error, if any, comes again
	}
	return err
}

// unread puts copies of bytes back, to be read again before all others.
func (e *end) unread(parts ...[]byte) {
	e.ahead = append(bytes.Join(parts, nil), e.ahead...)
}

// finish says to the peer that no more comes, and goes on reading: a FIN, after TLS's own goodbye where there is TLS.
func (e *end) finish() {
	if c, ok := e.Conn.(*tls.Conn); ok {
		_ = c.CloseWrite() // a peer that is gone needs no goodbye; so for all that ends a connection below
	}
	e.breakOff()
}

// breakOff ends the stream below TLS, so that a peer that speaks TLS sees that it was cut.
func (e *end) breakOff() {
	if e.tcp == nil {
		e.Conn.Close()
		return
	}
	_ = e.tcp.CloseWrite()
}

// reset closes the connection so that the peer sees a reset (RST) and no end of stream.
func (e *end) reset() {
	if e.tcp == nil {
		e.Conn.Close()
		return
	}
	_ = e.tcp.SetLinger(0)
	e.tcp.Close()
}

// lingering is how long a peer that was told something gets to read it before the connection is gone: closing with
// unread bytes in the receive buffer makes the kernel send a reset, which may overtake what was written.
const lingering = time.Second

// part ends a connection after a last word to its peer.
func (e *end) part() {
	e.finish()
	_ = e.SetReadDeadline(time.Now().Add(lingering))
	buf := make([]byte, smallBuffer)
	for total := 0; total < 1<<20; {
		n, err := e.Conn.Read(buf)
		if err != nil {
			break
		}
		total += n
	}
	e.Conn.Close()
}

// The sizes of buffers. A message that fits its buffer passes in one read and one write, and within TLS in one record,
// but ten thousand idle connections should not hold large ones: no more than keepLarge are left to who needs none for
// the moment.
const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
	keepLarge   = 128
)

// buffers lends the buffers that bytes pass through. Its zero value is ready.
type buffers struct {
	small, large sync.Pool
	lent         atomic.Int32 // large ones
}

// buffer is a lent buffer that follows the size of what passes through it.
type buffer struct {
	from *buffers
	b    *[]byte
}

func (p *buffers) lend() buffer { return buffer{from: p, b: p.get(&p.small, smallBuffer)} }

func (p *buffers) get(pool *sync.Pool, size int) *[]byte {
	if b, ok := pool.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, size)
	return &b
}

// bytes returns the buffer itself.
func (b *buffer) bytes() []byte { return *b.b }

// fit changes the buffer for the next read: a larger one after a read of n bytes that filled it, a small one again
// once a small one would have done and many large ones are lent.
func (b *buffer) fit(n int) {
	switch large := len(*b.b) == largeBuffer; {
	case !large && n == smallBuffer:
		b.giveBack()
		b.b = b.from.get(&b.from.large, largeBuffer)
		b.from.lent.Add(1)
	case large && n < smallBuffer && b.from.lent.Load() > keepLarge:
		b.giveBack()
		b.b = b.from.get(&b.from.small, smallBuffer)
	}
}

// giveBack ends the loan.
func (b *buffer) giveBack() {
	if len(*b.b) == largeBuffer {
		b.from.large.Put(b.b)
		b.from.lent.Add(-1)
	} else {
		b.from.small.Put(b.b)
	}
	b.b = nil
}
