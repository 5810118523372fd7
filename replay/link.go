package replay

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

const (
	dialTimeout = 10 * time.Second
	readBuffer  = 64 << 10
	// inlineWrite is how much of a request is written before the answer is looked at. A longer one is written beside:
	// an API may answer, and stop reading, before it has come in full.
	inlineWrite = 64 << 10
)

// link is one connection to the API, and what is needed to use it again.
type link struct {
	conn   net.Conn
	raw    net.Conn // the connection below TLS
	used   bool     // it has carried an exchange
	stop   func() bool
	framer *wire.Framer
	in     []byte
	out    []byte
	h2     *multiplex // nil where HTTP/1.1 is spoken
}

// dial opens a connection; a target that cannot be reached is a Fault. err is not nil where ctx has ended.
func (r *run) dial(ctx context.Context, to endpoint) (l *link, fault *exchange.Fault, err error) {
	connect, text := (&net.Dialer{}).DialContext, dialText
	if r.player.Dial != nil {
		connect, text = r.player.Dial, error.Error // it may go through others, and tells of them
	}
	limited, cancel := context.WithTimeout(ctx, min(dialTimeout, r.timeout))
	defer cancel()
	raw, derr := connect(limited, "tcp", to.addr)
	if ctx.Err() != nil {
		if raw != nil {
			raw.Close()
		}
		return nil, nil, ctx.Err()
	}
	if derr != nil {
		return nil, &exchange.Fault{Kind: exchange.FaultDial, Text: text(derr)}, nil
	}
	l = &link{conn: raw, raw: raw, framer: wire.NewResponseFramer(""), in: make([]byte, readBuffer)}
	if to.scheme == "https" {
		conn := tls.Client(raw, r.tlsConfig(to))
		hs, cancel := context.WithTimeout(ctx, min(dialTimeout, r.timeout))
		defer cancel()
		if herr := conn.HandshakeContext(hs); herr != nil {
			raw.Close()
			return nil, &exchange.Fault{Kind: exchange.FaultTLS, Text: herr.Error()}, ctx.Err()
		}
		l.conn = conn
		if got := conn.ConnectionState().NegotiatedProtocol; to.http2 && got != "h2" {
			raw.Close()
			return nil, &exchange.Fault{Kind: exchange.FaultTLS, Text: "the API no longer speaks HTTP/2"}, ctx.Err()
		}
	}
	if to.http2 {
		l.speakHTTP2(to.scheme)
	}
	l.stop = context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })
	return l, nil, nil
}

// tlsConfig returns the player's configuration for a target, at which the recorded version of HTTP is spoken.
func (r *run) tlsConfig(to endpoint) *tls.Config {
	c := &tls.Config{}
	if r.player.TLS != nil {
		c = r.player.TLS.Clone()
	}
	if c.ServerName == "" {
		c.ServerName, _, _ = net.SplitHostPort(to.addr)
	}
	c.NextProtos = []string{"http/1.1"}
	if to.http2 {
		c.NextProtos = []string{"h2"}
	}
	return c
}

// dialText returns the cause of a failed dial in few words: "connection refused".
func dialText(err error) string {
	var op *net.OpError
	var sys *os.SyscallError
	switch {
	case errors.As(err, &sys):
		return sys.Err.Error()
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return err.Error()
}

func (l *link) close() {
	if l == nil {
		return
	}
	l.stop()
	_ = l.conn.Close()
}

// send plays a step and returns what came back, or the error of ctx.
func (r *run) send(ctx context.Context, st *step) (*exchange.Observation, error) {
	take := r.pool.take
	if st.fresh {
		take = r.pool.takeUnused
	}
	l := take(st.line)
	if l != nil && (st.alone && l.used || !l.alive()) {
		l.close()
		l = nil
	}
	for {
		kept := l != nil && l.used
		o := &exchange.Observation{Seq: st.exchange.Seq, Sent: st.request, Start: time.Now()}
		if l == nil {
			var err error
			if l, o.Fault, err = r.dial(ctx, st.line.to); err != nil || o.Fault != nil {
				st.gate.pass()
				o.Latency = time.Since(o.Start)
				return o, err
			}
		}
		st.gate.pass()
		o.Start = time.Now()
		keep := l.roundTrip(ctx, r.timeout, st, o)
		if err := ctx.Err(); err != nil {
			l.close()
			return nil, err
		}
		if o.Fault != nil && kept && st.retry && closedBefore(o.Fault) {
			l.close()
			l = nil
			continue
		}
		if keep && !st.alone && !st.last && !st.fresh && !st.request.Header.HasToken("Connection", "close") {
			r.pool.put(st.line, l)
		} else {
			l.close()
		}
		return o, nil
	}
}

// closedBefore reports whether a connection ended before the first byte of an answer, as one does that the API had
// closed, or was about to, when the request was sent.
func closedBefore(f *exchange.Fault) bool {
	return (f.Kind == exchange.FaultEOF || f.Kind == exchange.FaultReset) && len(f.Seen.Head) == 0
}

// roundTrip sends a request and reads the answer into o. keep says that the connection can be used again.
func (l *link) roundTrip(ctx context.Context, timeout time.Duration, st *step, o *exchange.Observation) (keep bool) {
	if st.patience > 0 {
		timeout = min(timeout, st.patience)
	}
	l.used = true
	deadline := o.Start.Add(timeout)
	_ = l.conn.SetDeadline(deadline)
	if ctx.Err() != nil {
		return false // the deadline may have undone what ctx did to the connection
	}
	if l.h2 != nil {
		return l.roundTrip2(st, o)
	}
	wrote := l.write(&st.request.Message, st.hangUp)
	a := answer{link: l, method: st.request.Method, deadline: deadline}
	err := a.read()
	o.Latency = time.Since(o.Start)
	if err == nil {
		o.Response = a.response()
		keep = a.keep()
	} else {
		o.Fault = a.fault(err, st.kindOf(err))
	}
	if wrote != nil {
		// the answer came before the request was gone; what is left of it will never be read
		select {
		case werr := <-wrote:
			keep = keep && werr == nil
		default:
			_ = l.conn.SetDeadline(time.Unix(1, 0))
			<-wrote //nolint:errcheck // it fails, as the deadline is past
			keep = false
		}
	}
	return keep
}

// roundTrip2 is roundTrip in HTTP/2, with the deadline set.
func (l *link) roundTrip2(st *step, o *exchange.Observation) (keep bool) {
	s, err := l.h2.exchange(l, st)
	o.Latency = time.Since(o.Start)
	if err != nil {
		o.Fault = s.fault(err, st.kindOf(err))
		return false
	}
	o.Response = s.response()
	return s.keep()
}

// write sends a message. What it returns, if not nil, gives the outcome of a write that is still under way; a write
// that failed at once shows when the answer is read.
func (l *link) write(m *exchange.Message, hangUp bool) <-chan error {
	send := func() error {
		_, err := l.conn.Write(l.out)
		if half, ok := l.conn.(interface{ CloseWrite() error }); ok && hangUp && err == nil {
			err = half.CloseWrite()
		}
		return err
	}
	l.out = append(append(l.out[:0], m.Head...), m.Body...)
	if len(l.out) <= inlineWrite {
		_ = send()
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- send() }()
	return done
}

// clientGaveUp is the text of a fault of the kind that a recorded client had, which did not wait any longer.
const clientGaveUp = "no answer in the time after which the recorded client gave up"

// kindOf is what an error means for a step: where the recorded client gave up, the step waits no longer than that one
// did.
func (st *step) kindOf(err error) exchange.FaultKind {
	kind := kindOf(err)
	if kind == exchange.FaultTimeout && st.patience > 0 {
		return exchange.FaultClient
	}
	return kind
}

// kindOf says what an error of a connection means for an exchange of which nothing has come yet.
func kindOf(err error) exchange.FaultKind {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return exchange.FaultTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return exchange.FaultEOF
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return exchange.FaultReset
	}
	var alert tls.AlertError
	if errors.As(err, &alert) {
		return exchange.FaultTLS
	}
	return exchange.FaultReset
}
