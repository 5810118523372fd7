package proxy

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// errCircle is why a connection is not made: rules that redirect the recorder's own would have it talk to itself for
// ever.
var errCircle = errors.New("the recorder's own connection was redirected back to it: the rules must leave those alone")

// redirected serves a connection that was going to addr when the kernel took it here. It is joined with one to addr,
// and nothing that the client says leads anywhere else.
func (s *session) redirected(addr string) {
	p := s.p
	w := way{from: addressOf(s.raw.RemoteAddr())}
	if to, err := netip.ParseAddrPort(addr); err == nil {
		w.to = plainAddress(to)
	}
	if p.circle.take(w) {
		p.circle.warn(p, addr)
		s.raw.reset()
		return
	}
	defer p.circle.leave(w)
	c := &connecting{
		s: s, start: time.Now(), request: exchange.ParseRequest(exchange.Message{}),
		to: destination{scheme: "https", addr: addr, name: p.TargetName},
	}
	up, fault := p.dialPlain(c.to)
	if fault != nil {
		c.reset(*fault)
		return
	}
	defer up.Close()
	if p.Tunnel.match(addr) {
		s.tunnel(up, c.to)
		return
	}
	if c.begin(up) {
		s.busy()
		c.join(up, speaksOther(s.client.ahead))
	}
}

// reset records what the client sends on a connection that failed before anybody could read it, and ends the connection
// as a wire would that breaks: what was accepted cannot be refused any more.
func (c *connecting) reset(fault exchange.Fault) {
	s := c.s
	defer s.client.reset()
	if s.p.Tunnel.match(c.to.addr) {
		return
	}
	_ = s.client.SetReadDeadline(time.Now().Add(drainTime))
	if len(s.client.ahead) == 0 && s.client.more() != nil {
		return // it has asked for nothing
	}
	s.busy()
	switch d := c.to; {
	case s.client.ahead[0] == tlsHandshake:
		c.record(fault)
	case !speaksOther(s.client.ahead):
		d.scheme = "http"
		s.unreachable(d, fault)
	}
}

// circle finds the proxy's own connections that rules redirect back to it. Both ends of one name the address that it
// was made from and the one that it was going to. Its making and its coming here are told in either order; whichever is
// the second finds the first.
type circle struct {
	mu          sync.Mutex
	made, taken map[way]struct{}
	once        sync.Once
}

// way is from where to where a connection goes. A port alone tells none: a client of this machine and the proxy itself
// may have the same one, towards different addresses.
type way struct{ from, to netip.AddrPort }

// make notes a connection that the proxy has made, and reports whether it came here.
func (c *circle) make(w way) bool { return c.note(&c.made, &c.taken, w) }

// take notes a connection that came here, and reports whether the proxy has made it.
func (c *circle) take(w way) bool { return c.note(&c.taken, &c.made, w) }

func (c *circle) note(here, there *map[way]struct{}, w way) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := (*there)[w]; ok {
		return true
	}
	if *here == nil {
		*here = map[way]struct{}{}
	}
	(*here)[w] = struct{}{}
	return false
}

// leave forgets a connection that came here.
func (c *circle) leave(w way) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.taken, w)
}

// warn tells of it once: rules that do so do it to every connection.
func (c *circle) warn(p *Proxy, addr string) {
	c.once.Do(func() { p.log.Warn(errCircle.Error(), "addr", addr) })
}

// ownConn is a connection that the proxy has made, which the circle knows of until it is closed.
type ownConn struct {
	net.Conn
	circle *circle
	way    way
}

// Close closes the connection. It is forgotten first: a client may be given its port next.
func (c ownConn) Close() error {
	c.circle.mu.Lock()
	delete(c.circle.made, c.way)
	c.circle.mu.Unlock()
	return c.Conn.Close()
}

// addressOf returns an address as both ends of a connection write it.
func addressOf(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return plainAddress(t.AddrPort())
}

// plainAddress returns an address without what may be written in several ways.
func plainAddress(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
