package proxy

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/tcp"
)

// link joins a client's connection with one to a target, and copies bytes both ways as they are. The session's own
// goroutine copies what the client sends; one that the link starts copies what the target answers.
type link struct {
	s      *session
	client *end
	up     *end
	ledger *ledger
	// rewriting holds messages until they are whole; nil where bytes pass as they come.
	rewriting *rewriting

	done     chan struct{} // closed once nothing more is copied from the target
	retired  atomic.Bool   // the session is through with this target, but not with the client
	upOver   atomic.Bool   // the target has ended its stream
	upBroken atomic.Bool   // writing to the target failed as it does after a reset
	gone     atomic.Bool   // the client has ended its stream, or its connection is broken
	passing  atomic.Bool   // bytes of the target are on their way to the client
}

// idleAfterEOF is how long a client may leave its connection open after the target has ended its own. Clients keep
// dead connections in their pools until the next use; nobody can answer on them any more.
const idleAfterEOF = 5 * time.Second

// newLink starts copying what up answers. The caller copies what the client sends, and then calls end.
func newLink(s *session, up *end, d destination) *link {
	return joined(s, up, s.newLedger(d), s.rewritingOf(d))
}

// joined is newLink for a ledger that is there already; r is nil where nothing rewrites what passes.
func joined(s *session, up *end, l *ledger, r *rewriting) *link {
	k := &link{s: s, client: s.client, up: up, ledger: l, rewriting: r, done: make(chan struct{})}
	s.attach(k)
	go k.answers()
	return k
}

// requests copies what the client sends until either side is through, and then ends the link.
func (k *link) requests() {
	if k.s.p.roster.draining.Load() && len(k.client.ahead) == 0 {
		k.s.cut() // when the others were, which were idle, it was about to be joined
	}
	buf := k.s.p.buffers.lend()
	defer buf.giveBack()
	for {
		n, err := k.client.Read(buf.bytes())
		if n > 0 && !k.send(buf.bytes()[:n]) {
			break
		}
		if err != nil {
			k.clientEnded(err)
			break
		}
		buf.fit(n)
	}
	k.close()
}

// send passes bytes of the client on. It reports false where that cannot go on; the link is to be closed then.
func (k *link) send(b []byte) bool {
	if k.rewriting == nil {
		return k.forward(b)
	}
	if !k.rewriteRequest(b) {
		return false
	}
	if k.rewriting.pending.Load() {
		tcp.Acknowledge(k.client.tcp)
	}
	return true
}

// forward sends bytes to the target, and tells the ledger of them.
func (k *link) forward(b []byte) bool {
	if err := k.ledger.asked(b, time.Now()); err != nil {
		k.s.p.fail(err)
		return false
	}
	k.s.p.count.sent.Add(int64(len(b)))
	if k.upOver.Load() {
		_ = k.client.SetReadDeadline(time.Now().Add(idleAfterEOF))
	}
	if _, err := k.up.Write(b); err != nil {
		k.upBroken.Store(true)
		if !broken(err) {
			k.up.reset()
		}
		return false
	}
	if k.ledger.receiving() {
		tcp.Acknowledge(k.client.tcp)
	}
	return true
}

// clientEnded passes on that the client has ended its stream, or that its connection broke.
func (k *link) clientEnded(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		k.up.Close()
		return
	}
	k.gone.Store(true)
	k.letGoRequest()
	if errors.Is(err, io.EOF) {
		k.up.finish()
		return
	}
	k.up.reset()
}

// close waits for the last answers and closes both connections. What is not complete then is handed on as it stands.
func (k *link) close() {
	<-k.done
	if k.upBroken.Load() {
		k.client.reset()
	}
	k.settle()
	k.client.Close()
	k.up.Close()
}

// retire closes the connection to the target and leaves the client's alone. No answer may be awaited.
func (k *link) retire() {
	k.retired.Store(true)
	k.up.Close()
	<-k.done
	k.settle()
}

func (k *link) settle() {
	if err := k.ledger.settle(k.clientFault(), time.Now()); err != nil {
		k.s.p.fail(err)
	}
}

// clientFault is the end of a link that no target is to blame for.
func (k *link) clientFault() closeReason {
	if k.s.stopped() {
		return stopped()
	}
	return closeReason{kind: exchange.FaultClient, text: "the client closed before the answer was whole"}
}

// answers copies what the target sends until either side is through.
func (k *link) answers() {
	defer close(k.done)
	defer k.s.rescue()
	buf := k.s.p.buffers.lend()
	defer buf.giveBack()
	for {
		n, err := k.up.Read(buf.bytes())
		if n > 0 && !k.pass(buf.bytes()[:n]) {
			return
		}
		if err != nil {
			k.upEnded(err)
			return
		}
		buf.fit(n)
	}
}

// pass hands bytes of the target to the client. It reports false where that cannot go on.
func (k *link) pass(b []byte) bool {
	p := k.s.p
	k.passing.Store(true)
	unrecorded := k.ledger.answered(b, time.Now())
	p.count.received.Add(int64(len(b)))
	var err error
	if k.rewriting == nil {
		_, err = k.client.Write(b)
	} else {
		err = k.rewriteAnswer(b)
	}
	k.passing.Store(false)
	if unrecorded != nil {
		p.fail(unrecorded)
	}
	switch {
	case err != nil:
		k.gone.Store(true)
		k.over(k.clientFault())
		k.up.reset()
		k.client.reset()
		return false
	case unrecorded != nil, p.roster.draining.Load() && k.quiet():
		k.s.cut()
		return false
	}
	return true
}

// upEnded passes on how the target ended its stream, and says so to the ledger.
func (k *link) upEnded(err error) {
	if k.retired.Load() {
		return
	}
	e := k.upFault(err)
	k.passing.Store(true)
	k.over(e)
	k.letGoAnswer(e.kind != exchange.FaultReset && errors.Is(err, io.EOF))
	k.passing.Store(false)
	switch {
	case e.kind == exchange.FaultReset:
		k.client.reset()
	case errors.Is(err, io.EOF):
		k.upOver.Store(true)
		k.client.finish()
		_ = k.client.SetReadDeadline(time.Now().Add(idleAfterEOF))
	case errors.Is(err, io.ErrUnexpectedEOF): // TLS without a goodbye
		k.upOver.Store(true)
		k.client.breakOff()
		_ = k.client.SetReadDeadline(time.Now().Add(idleAfterEOF))
	default:
		k.client.reset()
	}
}

// upFault says what an error in reading from the target amounts to.
func (k *link) upFault(err error) closeReason {
	var alert tls.AlertError
	switch {
	case errors.Is(err, net.ErrClosed), k.gone.Load():
		return k.clientFault()
	case errors.Is(err, io.EOF) && !k.upBroken.Load() && !tcp.WasReset(k.up.tcp):
		return closeReason{kind: exchange.FaultEOF, text: "the target closed the connection before it answered"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return closeReason{kind: exchange.FaultEOF, text: "the target closed the connection without TLS's goodbye"}
	case errors.As(err, &alert):
		return closeReason{kind: exchange.FaultTLS, text: err.Error()}
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return closeReason{kind: exchange.FaultTimeout, text: err.Error()}
	case errors.Is(err, io.EOF), broken(err):
		return closeReason{kind: exchange.FaultReset, text: "the target reset the connection"}
	}
	return closeReason{kind: exchange.FaultReset, text: err.Error()}
}

func (k *link) over(e closeReason) {
	if err := k.ledger.over(e, time.Now()); err != nil {
		k.s.p.fail(err)
	}
}

// broken reports whether an error is one that a reset of the peer's gives.
func broken(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
