package proxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/flaketap/flaketap/exchange"
)

// Recorder takes what a [Proxy] saw. Record is called once for each exchange, in the order in which they complete on
// their connection and from several goroutines at once; an exchange that began after a client had seen the end of
// another is recorded after it. The last bytes of an answer pass only once Record has returned. The exchange belongs
// to the Recorder; Seq and Pass are not set. An error stops the proxy, as [Proxy.Serve] says: no client is cut off
// within an answer for a fault that is not its API's.
type Recorder interface {
	Record(*exchange.Exchange) error
}

// Leafer mints certificates for the hosts whose TLS is intercepted. host is a name or an IP address without a port.
type Leafer interface {
	Leaf(host string) (*tls.Certificate, error)
}

// DefaultMaxBody is how many bytes of a body are kept where [Proxy.MaxBody] says nothing.
const DefaultMaxBody = 64 << 20

// NoBodies is the value of [Proxy.MaxBody] with which no byte of a body is kept.
const NoBodies = -1

// dialTimeout is as long as clients of the kind that fuzzers use wait for a connection.
const dialTimeout = 30 * time.Second

// Proxy is a recorder's wire side. The fields are set before Serve and not changed after; their zero values give a
// forward proxy that records nothing and looks into no TLS.
type Proxy struct {
	// Target is the API that requests go to which name no other host: its scheme (http or https) and authority are
	// used, nothing else of it. Nil makes a forward proxy and no more.
	Target *url.URL
	// TargetName goes into every exchange with the target, and with any host where there is no target.
	TargetName string
	// Routes take some of these requests to targets of their own; Target, if there is one, gets the others.
	Routes []Route
	// ReverseOnly makes absolute-form and CONNECT requests go to the target as they are, like all others.
	ReverseOnly bool
	// RewriteHost makes the value of Host fields the target's authority, in what is recorded too: the record holds what
	// the API got. Without it they stay what the client sent.
	RewriteHost bool

	// Redirected tells where a connection was going that rules of this machine's kernel took here; ok is false for
	// those that came by themselves. A redirected connection goes on to there, whatever is said on it; no credentials
	// are asked for. The others are a forward proxy's. Nil where none is redirected; there can be no target where there
	// are some.
	Redirected func(net.Conn) (addr string, ok bool)

	// Auth is the user:password that requests must bear in Proxy-Authorization (RFC 9110 §11.7.2) which take this for a
	// proxy, and without a target all requests. Others are told 407, and are not recorded. "" asks for none.
	Auth string
	// ForwardLocal takes clients of other machines to the target alone, and tells them 403 where they name another
	// host. Where there is no target, they are told so whatever they say, unless they were redirected.
	ForwardLocal bool

	// Leaves mints the certificates that clients are shown within CONNECT tunnels. Nil leaves tunnels closed: they
	// pass, unrecorded.
	Leaves Leafer
	// UpstreamTLS is how targets are spoken to; nil trusts the system's roots. ServerName, where empty, is what the
	// client asked for, or else the host that is dialed.
	UpstreamTLS *tls.Config
	// Dial makes connections to targets; nil is net.Dialer's with a timeout of 30 s.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Tunnel are the hosts whose CONNECT tunnels stay closed: they pass, unrecorded, whatever is within.
	Tunnel Hosts
	// Exclude are the hosts with which exchanges pass as all do, and are not recorded.
	Exclude Hosts
	// Recorder takes the exchanges; nil discards them.
	Recorder Recorder
	// Rewriter puts other messages in the place of those that pass; nil lets every byte pass as it is.
	Rewriter Rewriter
	// Keeper takes large bodies in pieces before the Recorder takes the exchanges that they are of, for the same store.
	// Nil hands whole bodies to the Recorder, and holds them until then.
	Keeper Keeper
	// SequenceHeaders name the test case a request belongs to; the first that is there wins. Nil means
	// X-Schemathesis-TestCaseId and x-restler-sequence-id.
	SequenceHeaders []string
	// Control is the host:port of the recorder's own control address. What a client says to it through this proxy
	// passes, and is no exchange. "" where there is none.
	Control string
	// MaxBody is how many bytes of each body are kept; more pass all the same and are counted in Message.Cut. 0 means
	// [DefaultMaxBody], [NoBodies] none. Large bodies cost no memory where there is a Keeper.
	MaxBody int64
	// MaxConnections is how many connections of clients are served at once; others wait until one ends. Each takes two
	// file descriptors: where the system has no more, exchanges would fail that are no fault of the API. 0 sets no
	// bound.
	MaxConnections int
	// Log tells of what goes wrong on this side; nil discards it. It never holds header values or bodies.
	Log *slog.Logger

	once      sync.Once
	ctx       context.Context // done once connections are to be cut
	cancel    context.CancelFunc
	log       *slog.Logger
	front     *goproxy.ProxyHttpServer
	tunnelTLS *tls.Config // what clients are shown within tunnels
	targetTLS *tls.Config
	buffers   buffers
	bodies    bodies
	circle    circle
	count     counters
	roster    roster
}

// Serve accepts connections on l until [Proxy.Shutdown] or [Proxy.Close], and then returns nil. Where the Recorder
// fails, it returns that error: no connection is accepted from then on, idle ones are closed, and the answers under way
// pass whole before theirs are; Shutdown waits for that. It closes l. It may be called for several listeners.
func (p *Proxy) Serve(l net.Listener) error {
	defer l.Close()
	if err := p.check(); err != nil {
		return err
	}
	p.once.Do(p.prepare)
	if !p.roster.track(l) {
		return p.roster.failure()
	}
	for {
		p.roster.takeSlot(p.ctx.Done(), p.sayFull)
		c, err := l.Accept()
		if err != nil {
			p.roster.giveSlot()
		}
		switch {
		case err == nil:
			p.start(c)
		case p.roster.draining.Load():
			return p.roster.failure()
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept connection: %w", err)
		default:
			// Out of file descriptors, most likely: it passes as connections end. net/http does the same.
			p.log.Warn("connection not accepted", "err", err)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-p.ctx.Done():
			}
		}
	}
}

func (p *Proxy) sayFull() {
	p.log.Warn("new connections wait: no more can be open at once", "connections", p.MaxConnections)
}

// check says what is wrong with the fields.
func (p *Proxy) check() error {
	if err := errors.Join(p.Tunnel.Check(), p.Exclude.Check()); err != nil {
		return fmt.Errorf("set up proxy: %w", err)
	}
	for _, r := range p.Routes {
		if err := r.check(); err != nil {
			return err
		}
	}
	if p.Redirected != nil && p.reverse() {
		return errors.New("set up proxy: redirected connections go where they were going, and there is a target")
	}
	if p.Target != nil {
		return checkTarget(p.Target)
	}
	if (p.ReverseOnly || p.RewriteHost) && !p.reverse() {
		return errors.New("set up proxy: there is no target")
	}
	return nil
}

func checkTarget(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("set up proxy: target %q is neither http nor https", u.Redacted())
	}
	if u.Hostname() == "" {
		return fmt.Errorf("set up proxy: target %q names no host", u.Redacted())
	}
	return nil
}

// prepare makes what Serve and Shutdown share; the fields are final by now.
func (p *Proxy) prepare() {
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.log = cmp.Or(p.Log, slog.New(slog.DiscardHandler))
	if p.MaxConnections > 0 {
		p.roster.slots = make(chan struct{}, p.MaxConnections)
	}
	p.bodies.limit = cmp.Or(p.MaxBody, int64(DefaultMaxBody))
	p.bodies.keeper = p.Keeper
	p.targetTLS = upstreamConfig(p.UpstreamTLS)
	p.tunnelTLS = p.tunnelConfig()
	p.front = p.newFront()
}

// start gives a connection its session.
func (p *Proxy) start(c net.Conn) {
	client := newEnd(c)
	s := &session{p: p, id: uint64(p.count.connections.Add(1)), raw: client, client: client}
	if !p.roster.add(s) {
		c.Close()
		p.roster.giveSlot()
		return
	}
	p.count.open.Add(1)
	go func() {
		defer p.roster.remove(s)
		defer p.count.open.Add(-1)
		s.serve()
	}()
}

// record hands an exchange to the Recorder, unless its host is excluded.
func (p *Proxy) record(e *exchange.Exchange) error {
	if p.Control != "" && sameAuthority(e.Addr, p.Control) {
		return nil
	}
	if p.Exclude.match(e.Addr) {
		return p.passOver(e)
	}
	p.count.exchanges.Add(1)
	if e.Fault != nil {
		p.count.faults.Add(1)
	}
	if p.Recorder == nil {
		return nil
	}
	return p.Recorder.Record(e)
}

// passOver is what becomes of an exchange with an excluded host.
func (p *Proxy) passOver(*exchange.Exchange) error {
	p.count.excluded.Add(1)
	return nil
}

// recordOf returns what records the exchanges with d, which the name may exclude under which TLS asked for it.
func (p *Proxy) recordOf(d destination) func(*exchange.Exchange) error {
	if _, port := splitPort(d.addr); d.server != "" && p.Exclude.match(net.JoinHostPort(d.server, port)) {
		return p.passOver
	}
	return p.record
}

// leavesOut reports whether the exchanges with d are excluded, under any name that it has.
func (p *Proxy) leavesOut(d destination) bool {
	_, port := splitPort(d.addr)
	return p.Exclude.match(d.addr) || d.server != "" && p.Exclude.match(net.JoinHostPort(d.server, port))
}

// fail stops the proxy for an error of the Recorder's. What is under way comes to its end, unrecorded, and nothing new
// begins.
func (p *Proxy) fail(err error) {
	p.roster.drain(fmt.Errorf("record exchange: %w", err))
	p.cutAll((*session).idle)
}

// Shutdown stops accepting, closes idle connections and tunnels at once and the others as soon as no answer is
// awaited on them, and returns once all are closed. If ctx ends first, its error is returned, and [Proxy.Close] cuts
// what is left. All that was recorded has reached the Recorder by the time it returns nil.
func (p *Proxy) Shutdown(ctx context.Context) error {
	p.once.Do(p.prepare)
	p.roster.drain(nil)
	p.cutAll((*session).idle)
	done := make(chan struct{})
	go func() {
		p.roster.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		p.cancel()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close cuts all connections, hands on the exchanges that were in flight, as Faults, and returns once all are closed.
func (p *Proxy) Close() error {
	p.once.Do(p.prepare)
	p.stop()
	p.cutAll(func(*session) bool { return true })
	p.roster.wg.Wait()
	return nil
}

// stopped is the end of what was under way when the proxy was closed.
func stopped() closeReason {
	return closeReason{kind: exchange.FaultClient, text: "the recorder was stopped before the answer was whole"}
}

// stop stops accepting and dialing.
func (p *Proxy) stop() {
	p.roster.drain(nil)
	p.cancel()
}

// cutAll closes the connections of the sessions that which picks.
func (p *Proxy) cutAll(which func(*session) bool) {
	for _, s := range p.roster.all() {
		if which(s) {
			s.cut()
		}
	}
}

// Stats are counts since the proxy was made.
type Stats struct {
	Connections int64 // accepted
	Open        int64 // open now
	Pending     int64 // requests under way now: no answer has come in full
	Exchanges   int64 // handed to the Recorder, Faults among them
	Faults      int64
	Sent        int64 // bytes sent to targets, tunnels included
	Received    int64 // bytes received from targets, tunnels included
	Blind       int64 // tunnels that passed unrecorded: those of CONNECT, and redirected connections of other protocols
	Denied      int64 // requests that were answered 407 or 403 by the proxy itself, and not recorded
	Excluded    int64 // exchanges with hosts that are not recorded
	Untrusting  int64 // TLS handshakes that clients broke off, as they do where they do not trust the authority
}

// pending counts the requests that have begun and have no answer yet.
func (p *Proxy) pending() int64 {
	n := int64(0)
	for _, s := range p.roster.all() {
		n += s.pending()
	}
	return n
}

type counters struct {
	connections, open, exchanges, faults, sent, received, blind, denied, excluded, untrusting atomic.Int64
}

// Stats returns the counts as they are now. Connections without exchanges mean that clients got here, but sent nothing
// that could be recorded; none at all, that they went another way.
func (p *Proxy) Stats() Stats {
	c := &p.count
	return Stats{
		Connections: c.connections.Load(), Open: c.open.Load(), Pending: p.pending(),
		Exchanges: c.exchanges.Load(), Faults: c.faults.Load(),
		Sent: c.sent.Load(), Received: c.received.Load(),
		Blind: c.blind.Load(), Denied: c.denied.Load(), Excluded: c.excluded.Load(), Untrusting: c.untrusting.Load(),
	}
}
