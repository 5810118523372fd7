package replay

import (
	"bytes"
	"errors"
	"net"
	"os"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/internal/wire"
)

const (
	// maxBody bounds, in bytes, how much of a response's body is kept; the rest is read and counted.
	maxBody = 64 << 20
	// maxInterim bounds the heads of 1xx responses before one answer.
	maxInterim = 1 << 20
	// quiet is how long an answer whose end cannot be told may pause before it counts as over.
	quiet = time.Second
)

var (
	errInterim = errors.New("no end of 1xx responses")
	errQuiet   = errors.New("the answer cannot be framed, and nothing more came")
)

// answer reads one response from a link.
type answer struct {
	link     *link
	method   string
	deadline time.Time

	body    []byte
	cut     int64
	interim []byte
	clean   bool // nothing came behind the message
	closed  bool // the connection ended with it
}

// read reads to the end of the response. An error means that there is none, or not a whole one.
func (a *answer) read() error {
	f := a.link.framer
	f.Reset(a.method)
	for {
		if f.State() == wire.Opaque {
			if f.Status() == 101 {
				return nil
			}
			_ = a.link.conn.SetReadDeadline(earlier(a.deadline, time.Now().Add(quiet)))
		}
		n, err := a.link.conn.Read(a.link.in)
		done, ferr := a.feed(a.link.in[:n])
		switch {
		case done || ferr != nil:
			return ferr
		case err != nil:
			return a.ended(err)
		}
		raw, _ := a.link.raw.(*net.TCPConn)
		tcp.Acknowledge(raw)
	}
}

// feed takes bytes from the connection; done says that the response is whole.
func (a *answer) feed(b []byte) (done bool, err error) {
	f := a.link.framer
	for len(b) > 0 {
		before := f.HeadSize()
		n, state := f.Feed(b)
		head := f.HeadSize() - before
		a.keepBody(b[head:n])
		b = b[n:]
		if state != wire.Done {
			return false, nil
		}
		if !f.Interim() {
			a.clean = len(b) == 0
			return true, nil
		}
		if a.interim = append(a.interim, f.RawHead()...); len(a.interim) > maxInterim {
			return false, errInterim
		}
		f.Reset(a.method)
	}
	return false, nil
}

func (a *answer) keepBody(b []byte) {
	n := min(len(b), maxBody-len(a.body))
	a.body = append(a.body, b[:n]...)
	a.cut += int64(len(b) - n)
}

// ended says what the end of the connection means: that the response is whole where only this could end it.
func (a *answer) ended(err error) error {
	f := a.link.framer
	a.closed = true
	framed := f.State() != wire.Opaque
	if !framed && errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(a.deadline) {
		err = errQuiet
	}
	over := kindOf(err) == exchange.FaultEOF || errors.Is(err, errQuiet)
	if over && (f.State() == wire.UntilClose || !framed && f.Status() > 0) {
		return nil
	}
	return err
}

// message returns the bytes of the response so far.
func (a *answer) message() exchange.Message {
	f := a.link.framer
	head := bytes.Clone(f.RawHead())
	return exchange.Message{Head: head, Body: a.body, Cut: a.cut + f.HeadSize() - int64(len(head))}
}

func (a *answer) response() *exchange.Response {
	r := exchange.ResponseOf(a.message(), a.link.framer.Head())
	r.Interim = a.interim
	r.Malformed = r.Malformed || a.link.framer.Err() != nil
	return r
}

// keep reports whether the connection can carry another exchange (RFC 9112 §9.3).
func (a *answer) keep() bool {
	f := a.link.framer
	if a.closed || !a.clean || f.State() != wire.Done {
		return false
	}
	head := f.Head()
	if head.Fields.HasToken("Connection", "close") {
		return false
	}
	proto, _, _, _ := wire.StatusLine(head.Line)
	return proto == "HTTP/1.1" || head.Fields.HasToken("Connection", "keep-alive")
}

// fault says why there is no response, for an error of a kind.
func (a *answer) fault(err error, kind exchange.FaultKind) *exchange.Fault {
	f := a.link.framer
	fault := &exchange.Fault{Kind: kind, Text: err.Error()}
	fault.Seen = a.message()
	raw := bytes.TrimLeft(fault.Seen.Head, "\r\n")
	switch {
	case kind == exchange.FaultClient:
		fault.Text = clientGaveUp
	case errors.Is(err, errInterim),
		f.Begun() && f.State() == wire.Opaque && f.Status() == 0,
		f.Begun() && !bytes.HasPrefix(raw, []byte("HTTP/")[:min(5, len(raw))]):
		fault.Kind, fault.Text = exchange.FaultUnparseable, "the answer is no HTTP"
	case fault.Kind == exchange.FaultTimeout:
		fault.Text = "no whole answer in the time allowed"
	case f.Begun() && fault.Kind == exchange.FaultEOF:
		fault.Kind, fault.Text = exchange.FaultTruncated, "the connection was closed within the answer"
	case fault.Kind == exchange.FaultEOF:
		fault.Text = "the connection was closed before an answer"
	}
	return fault
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
