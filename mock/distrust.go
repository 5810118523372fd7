package mock

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// UnknownAuthority is the alert by which a client says that it does not trust the authority of a certificate
// (unknown_ca of RFC 8446 §6.2).
const UnknownAuthority = "unknown certificate authority"

// Distrust is a way in which clients ended connections when they had seen the certificate of a service.
type Distrust struct {
	Service string `json:"-"` // host:port
	// Alert is what the client said (RFC 8446 §6.2: "unknown certificate authority", "bad certificate"); "" where it said
	// nothing.
	Alert string `json:"alert"`
	// Shaken says that the handshake was done before: certificates may be looked at behind it, and then the client
	// closes the connection without a word, as if it had nothing to ask.
	Shaken bool `json:"shaken"`
	Times  int  `json:"times"`
}

// Distrusts count the connections that end so. The zero value has none; its methods may be called from several
// goroutines.
type Distrusts struct {
	mu     sync.Mutex
	all    []Distrust
	mute   []cutOff  // of which it is not known yet whether the process has ended
	ending time.Time // when it was last told that one has
}

// cutOff is a connection that ended without a word, as one does whose process has ended.
type cutOff struct {
	Distrust
	at time.Time
}

// Add counts some; a nil receiver counts nothing.
func (d *Distrusts) Add(more Distrust) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = AddDistrust(d.all, more)
}

// cutOff counts a connection that ended without a word, unless its process ends, or has ended, within [atOnce]: who is
// killed distrusts nobody. A nil receiver counts nothing.
func (d *Distrusts) cutOff(one Distrust, at time.Time) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle(at)
	if at.Sub(d.ending) >= atOnce {
		d.mute = append(d.mute, cutOff{one, at})
	}
}

// settle counts the connections whose processes have not ended.
func (d *Distrusts) settle(now time.Time) {
	d.mute = slices.DeleteFunc(d.mute, func(c cutOff) bool {
		settled := now.Sub(c.at) >= atOnce
		if settled {
			d.all = AddDistrust(d.all, c.Distrust)
		}
		return settled
	})
}

// Ended says that the processes have ended, or are about to: connections that end without a word at that time are those
// of processes that were killed.
func (d *Distrusts) Ended() { d.end(time.Now()) }

func (d *Distrusts) end(at time.Time) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settle(at)
	d.mute, d.ending = nil, at
}

// AddDistrust adds to a list, which has an element for each service and way.
func AddDistrust(to []Distrust, more Distrust) []Distrust {
	for i, x := range to {
		if x.Times = more.Times; x == more {
			to[i].Times += more.Times
			return to
		}
	}
	return append(to, more)
}

// List lists them by service, those of one in the order in which they first came.
func (d *Distrusts) List() []Distrust {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.all)
	for _, c := range d.mute {
		all = AddDistrust(all, c.Distrust)
	}
	slices.SortStableFunc(all, func(a, b Distrust) int { return cmp.Compare(a.Service, b.Service) })
	return all
}

// atOnce is how soon a client closes a connection whose certificate it does not take. Connections that are kept for
// later, and never used, are closed much later.
const atOnce = time.Second

// trial is how far a connection has come with its certificate.
type trial struct {
	shown  bool        // it saw the one by which services are to be trusted
	last   []byte      // what it sent last, as much as the longest alert
	shaken time.Time   // when the handshake was done
	asked  atomic.Bool // something was asked
}

// handshake speaks TLS with a client up to where it may ask something; nil where it does not come to that.
func (s *Server) handshake(b *begun, service string, config *tls.Config, log *slog.Logger) *tls.Conn {
	c := tls.Server(b, config)
	_ = b.SetDeadline(time.Now().Add(idle))
	if err := c.Handshake(); err != nil {
		log.Debug("a TLS handshake failed", "service", service, "err", err)
		if b.trial.shown && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) { // which are ours
			s.distrusted(Distrust{Service: service, Alert: alertOf(err, b.trial.last), Times: 1}, &b.trial)
		}
		b.Close()
		return nil
	}
	b.trial.shaken = time.Now()
	_ = b.SetDeadline(time.Time{})
	return c
}

// distrusted counts a connection that ended at the certificate.
func (s *Server) distrusted(d Distrust, t *trial) {
	if d.Alert != "" || t.parted() {
		s.Distrusts.Add(d)
	} else {
		s.Distrusts.cutOff(d, time.Now())
	}
}

// alertSize is that of an alert in the clear: type, version, length, level and description (RFC 8446 §5.1, §6).
const alertSize = 7

// sealed are records that have an alert and nothing else once the handshake is done, by how they begin: those of TLS
// 1.3 (RFC 8446 §5.2), and of 1.2 with AES-GCM (RFC 5288) and with ChaCha20-Poly1305 (RFC 7905).
var sealed = [][]byte{{23, 3, 3, 0, 19}, {21, 3, 3, 0, 26}, {21, 3, 3, 0, 18}}

// longestAlert is the size of the longest of these records.
const longestAlert = 5 + 26

// parted reports whether what the client sent last is an alert: a process that is killed sends none.
func (t *trial) parted() bool {
	return slices.ContainsFunc(sealed, func(head []byte) bool {
		at := len(t.last) - len(head) - int(head[4])
		return at >= 0 && bytes.HasPrefix(t.last[at:], head)
	})
}

// alertOf is the alert that the other side sent, by the error of a handshake and what was read last; "" where it sent
// none. OpenSSL, which curl and Python have, sends it in the clear where TLS 1.3 wants it encrypted, and crypto/tls
// does not understand it.
func alertOf(err error, last []byte) string {
	last = last[max(0, len(last)-alertSize):]
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "remote error": // as crypto/tls names what came
		return strings.TrimPrefix(op.Err.Error(), "tls: ")
	case len(last) == alertSize && last[0] == 21 && last[1] == 3 && last[3] == 0 && last[4] == 2:
		return strings.TrimPrefix(tls.AlertError(last[6]).Error(), "tls: ")
	}
	return ""
}

// read takes note of what a client sends until it has asked something.
func (t *trial) read(p []byte) {
	if t.asked.Load() {
		return
	}
	t.last = append(t.last, p[max(0, len(p)-longestAlert):]...)
	t.last = t.last[max(0, len(t.last)-longestAlert):]
}

// follow is an [http.Server.ConnState] that sees which connections end with their handshake.
func (s *Server) follow(service string) func(net.Conn, http.ConnState) {
	return func(c net.Conn, state http.ConnState) {
		b := begunOf(c)
		switch {
		case b == nil || !b.trial.shown:
		case state == http.StateActive:
			b.trial.asked.Store(true)
		case state == http.StateClosed && !b.trial.asked.Load() && time.Since(b.trial.shaken) < atOnce:
			s.distrusted(Distrust{Service: service, Shaken: true, Times: 1}, &b.trial)
		}
	}
}
