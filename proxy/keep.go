package proxy

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// maxTunnel bounds, in bytes, what is kept of each direction after a change of protocol: it is held in memory until the
// connection ends.
const maxTunnel = 4 << 20

// keepAnswer adds body bytes to the answer that f is getting.
func (l *ledger) keepAnswer(f *pendingExchange, b []byte, now time.Time) error {
	return l.keepPart(f, &f.down, &f.answer, b, f.stream, now)
}

// keepPart adds bytes to a body of f, and notes when they passed where it is timed.
func (l *ledger) keepPart(f *pendingExchange, c *capture, m *exchange.Message, b []byte, timed bool,
	now time.Time) error {
	had := c.kept
	err := l.bodies.keep(c, m, b)
	if timed {
		mark(m, c.kept-had, now.Sub(f.Start))
	}
	return err
}

// keepTunnel adds bytes that are no HTTP any more to a message.
func keepTunnel(m *exchange.Message, b []byte, limit int64, at time.Duration) {
	n := min(int64(len(b)), max(0, min(limit, maxTunnel)-int64(len(m.Tunnel))))
	m.Tunnel = append(m.Tunnel, b[:n]...)
	m.Cut += int64(len(b)) - n
	mark(m, n, at)
}

// mark notes when the n bytes passed that were kept last.
func mark(m *exchange.Message, n int64, at time.Duration) {
	if n <= 0 {
		return
	}
	k := len(m.Marks)
	switch {
	case k == 0:
		m.Marks = append(m.Marks, exchange.Mark{End: n, At: at})
	case k < exchange.MaxMarks && m.Marks[k-1].At != at:
		m.Marks = append(m.Marks, exchange.Mark{End: m.Marks[k-1].End + n, At: at})
	default:
		m.Marks[k-1] = exchange.Mark{End: m.Marks[k-1].End + n, At: at}
	}
}

// change ends HTTP on the connection with the answer to f. What the client sent without waiting for it was in the other
// protocol already. The exchange is given out when the connection ends, with what passed.
func (l *ledger) change(f *pendingExchange, now time.Time) error {
	if f.Request.Head == nil {
		l.readRequest(f)
	}
	early := l.after(f)
	if l.out.Head().Fields.HasToken("Upgrade", "h2c") {
		f.interim, f.asked = append(f.interim, l.out.RawHead()...), true
		l.forget(f)
		l.pending, l.replying, l.replyTo = nil, false, nil
		l.waiting.Store(1)
		l.follow()
		l.streams.adopt(f)
		return l.streams.asked(early, now)
	}
	if len(early) > 0 {
		keepTunnel(&f.Request.Message, early, l.bodies.limit, now.Sub(f.Start))
	}
	l.tunnel, l.switched = true, f
	l.forget(f)
	l.waiting.Store(1)
	f.asked = true
	return l.closeAnswer(now)
}

// after returns what the client sent after a request.
func (l *ledger) after(f *pendingExchange) []byte {
	var b []byte
	found := false
	for _, g := range l.pending {
		if found && g.Request.Head != nil {
			b = append(append(b, g.Request.Head...), g.Request.Body...)
		}
		found = found || g == f
	}
	if l.open != f && (l.open == nil || l.open.Request.Head == nil) {
		b = append(b, l.in.RawHead()...)
	}
	return b
}
