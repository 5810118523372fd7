package mock

import (
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
	mu  sync.Mutex
	all []Distrust
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
	slices.SortStableFunc(all, func(a, b Distrust) int { return cmp.Compare(a.Service, b.Service) })
	return all
}

// atOnce is how soon a client closes a connection whose certificate it does not take. Connections that are kept for
// later, and never used, are closed much later.
const atOnce = time.Second

// trial is how far a connection has come with its certificate.
type trial struct {
	shown  bool        // it saw the one by which services are to be trusted
	last   []byte      // what it sent last, as long as the handshake goes on: as much as an alert
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
			s.Distrusts.Add(Distrust{Service: service, Alert: alertOf(err, b.trial.last), Times: 1})
		}
		b.Close()
		return nil
	}
	b.trial.shaken = time.Now()
	_ = b.SetDeadline(time.Time{})
	return c
}

// alertSize is that of an alert in the clear: type, version, length, level and description (RFC 8446 §5.1, §6).
const alertSize = 7

// alertOf is the alert that the other side sent, by the error of a handshake and what was read last; "" where it sent
// none. OpenSSL, which curl and Python have, sends it in the clear where TLS 1.3 wants it encrypted, and crypto/tls
// does not understand it.
func alertOf(err error, last []byte) string {
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "remote error": // as crypto/tls names what came
		return strings.TrimPrefix(op.Err.Error(), "tls: ")
	case len(last) == alertSize && last[0] == 21 && last[1] == 3 && last[3] == 0 && last[4] == 2:
		return strings.TrimPrefix(tls.AlertError(last[6]).Error(), "tls: ")
	}
	return ""
}

// read takes note of what a client sends while it shakes hands.
func (t *trial) read(p []byte) {
	if !t.shaken.IsZero() {
		return
	}
	t.last = append(t.last, p[max(0, len(p)-alertSize):]...)
	t.last = t.last[max(0, len(t.last)-alertSize):]
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
			s.Distrusts.Add(Distrust{Service: service, Shaken: true, Times: 1})
		}
	}
}
