package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/tcp"
)

// join relays what is said within a tunnel, or on a redirected connection. What is no HTTP passes unrecorded: if the
// target speaks first, and if other says that the client's own bytes show it.
func (c *connecting) join(up *end, other bool) {
	s, ahead := c.s, c.s.client.ahead
	secret := len(ahead) > 0 && ahead[0] == tlsHandshake
	switch {
	case !bytes.HasPrefix([]byte("HTTP/"), up.ahead[:min(len(up.ahead), 5)]), other && !secret, secret &&
		s.p.Leaves == nil:
		s.tunnel(up, c.to)
	case len(ahead) == 0: // the client has ended its stream, or the API speaks HTTP unasked
		c.to.scheme = "http"
		newLink(s, up, c.to).requests()
	default:
		if up, d, ok := c.enter(up); ok {
			newLink(s, up, d).requests()
		}
	}
}

// begin waits until either side has said something, or ended its stream. It reports false where nothing more can
// follow.
func (c *connecting) begin(up *end) bool {
	client := c.s.client
	if len(client.ahead) > 0 {
		return true // it need not wait for the answer to what asks for a tunnel
	}
	asked, told := hearBoth(client, up)
	switch {
	case len(client.ahead) > 0 || len(up.ahead) > 0:
		return true
	case errors.Is(asked, io.EOF):
		return true
	case errors.Is(asked, net.ErrClosed):
		return false
	case !errors.Is(asked, os.ErrDeadlineExceeded):
		up.reset()
		return false
	case !errors.Is(told, io.EOF) || tcp.WasReset(up.tcp):
		c.reset(exchange.Fault{Kind: exchange.FaultReset, Text: "the target reset the connection"})
		return false
	}
	client.finish()
	_ = client.SetReadDeadline(time.Now().Add(idleAfterEOF))
	if client.more() != nil {
		return false
	}
	if client.ahead[0] == tlsHandshake {
		c.record(exchange.Fault{Kind: exchange.FaultEOF, Text: "the target closed the connection before it answered"})
		return false
	}
	return true
}

// hearBoth reads from both sides until one of them has said something or ended, and returns how each reading ended. A
// deadline is what ends the other's.
func hearBoth(client, up *end) (asked, told error) {
	past := time.Unix(1, 0)
	over := make(chan struct{})
	go func() {
		defer close(over)
		told = up.more()
		_ = client.SetReadDeadline(past)
	}()
	asked = client.more()
	_ = up.SetReadDeadline(past)
	<-over
	_ = client.SetReadDeadline(time.Time{})
	_ = up.SetReadDeadline(time.Time{})
	return asked, told
}

// tunnel joins the client with a target without a look at what passes.
func (s *session) tunnel(up *end, d destination) {
	s.p.count.blind.Add(1)
	l := s.newLedger(d)
	l.tunnel = true
	joined(s, up, l, nil).requests()
}

// speaksOther reports whether a client begins as it does in protocols that are not HTTP: with a control character, as
// binary ones do, or as in SSH, where either side may speak first. What is merely no HTTP may be a fuzzer's.
func speaksOther(b []byte) bool {
	b = bytes.TrimLeft(b, "\r\n\t")
	return len(b) > 0 && b[0] < ' ' || bytes.HasPrefix(b, []byte("SSH-"))
}
